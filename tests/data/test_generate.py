"""Generated data has the target it was asked for, and is written so that it reads back."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import separatrix as sx
from separatrix.data.generate import KINDS
from separatrix.errors import UsageError
from separatrix.theory.adversary import least_norm


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_data_and_noise_flips_labels(kind):
    def dense(X):
        return X.toarray() if sparse.issparse(X) else X

    (X, y), (Z, z) = (sx.generate(kind, rows=300, columns=30, seed=7) for _ in range(2))
    assert np.array_equal(dense(X), dense(Z))
    assert np.array_equal(y, z)
    assert set(np.unique(y)) == {-1.0, 1.0}
    assert X.shape == (300, 30)
    noisy, flipped = sx.generate(kind, rows=300, columns=30, noise=0.2, seed=7)
    assert np.array_equal(dense(noisy), dense(X))
    assert 0.1 < (flipped != y).mean() < 0.3


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.9, 0.3, 0.01]), st.integers(2, 8))
def test_the_margin_is_the_one_asked_for(seed, margin, d):
    X, y = sx.generate("separable", rows=40, columns=d, margin=margin, seed=seed)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0, rtol=1e-12)
    assert 1.0 / np.linalg.norm(least_norm(y[:, None] * X)) == pytest.approx(margin, rel=1e-6)


def test_targets():
    X, y = sx.generate("k-of-r", rows=200, columns=9, relevant=5, k=3, seed=1)
    assert np.array_equal(y > 0, X[:, :5].sum(axis=1) >= 3)
    X, y = sx.generate("xor", rows=50, columns=3, seed=1)
    assert np.array_equal(y, X[:, 0] * X[:, 1])
    X, y = sx.generate("sparse-target", rows=50, columns=9, relevant=2, seed=1)
    assert np.array_equal(y, np.sign(X[:, :2].sum(axis=1) + 0.5))
    X, y = sx.generate("threshold", rows=200, columns=5, relevant=3, margin=0.4, seed=1)
    assert X.min() >= 0.0
    assert X.max() <= 1.0 + 1e-12
    X, y = sx.generate("dense-target", rows=200, columns=50, density=0.04, seed=1)
    assert (X != 0).sum(axis=1).min() >= 1
    X, y = sx.generate("text", rows=2000, columns=47236, seed=1)
    assert 65 < X.nnz / 2000 < 80
    np.testing.assert_allclose(np.sqrt(X.multiply(X).sum(axis=1)), 1.0, atol=1e-4)


@pytest.mark.parametrize(
    ("kind", "given_", "message"),
    [
        ("nothing", {}, "kind should be one of dense-target, "),
        ("xor", {"columns": 1}, "columns should be at least 2 for xor, but is 1"),
        ("separable", {"margin": 0.0}, r"margin should be in \(0, 1\], but is 0.0"),
        ("separable", {"noise": 1.5}, r"noise should be in \[0, 1\], but is 1.5"),
        ("separable", {"rows": 0}, "rows should be a whole number of at least 1, but is 0"),
        ("disjunction", {"columns": 3, "relevant": 4}, "relevant should be at most columns, 3, but is 4"),
        ("k-of-r", {"relevant": 3, "k": 4}, "k should be at most relevant, 3, but is 4"),
        ("text", {"seed": -1}, "seed should be a whole number of at least 0, but is -1"),
    ],
)
def test_what_breaks_a_rule_is_named(kind, given_, message):
    with pytest.raises(UsageError, match=message):
        sx.generate(kind, **given_)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3), max_size=5),
    st.sampled_from([1.0, 0.1, 1e-6, 1e-9]),
    st.booleans(),
)
def test_what_is_written_reads_back_to_the_same_doubles(values, unit, coarse):
    X = np.array(values, dtype=np.float64).reshape(-1, 3)
    if coarse:
        X = np.round(np.clip(X, -1e6, 1e6)) * unit
    y = np.where(np.arange(len(X)) % 2, 1.0, -7.0)
    file = io.BytesIO()
    assert sx.write_libsvm(file, X, y) == len(file.getvalue())
    if len(X):
        Z, z = sx.read(io.BytesIO(file.getvalue()), index_base=1, n_features=3)
        assert np.array_equal(Z.toarray(), X)
        assert np.array_equal(z, y)


def test_real_labels_and_bad_values():
    file = io.BytesIO()
    sx.write_libsvm(file, [[1.0]], [0.5])
    assert file.getvalue() == b"0.5 1:1\n"
    with pytest.raises(UsageError, match="finite"):
        sx.write_libsvm(file, [[np.inf]], [1])
    with pytest.raises(UsageError, match="one label for each of 1 rows"):
        sx.write_libsvm(file, [[1.0]], [1, 2])


def test_one_row_or_one_column_has_margin_one():
    for size in ({"rows": 1}, {"columns": 1}):
        X, _ = sx.generate("separable", margin=1.0, **size)
        assert np.allclose(np.linalg.norm(X, axis=1), 1.0)
        with pytest.raises(UsageError, match=r"margin should be 1 .* but is 0\.1"):
            sx.generate("separable", margin=0.1, **size)
