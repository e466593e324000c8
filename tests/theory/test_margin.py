"""Margins, distances, projections, and the L₁ margin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import separatrix as sx
from separatrix.errors import InputError, UsageError


@given(st.integers(0, 1000), st.integers(1, 5), st.integers(2, 20))
@settings(max_examples=30, deadline=None)
def test_they_agree_with_one_another(seed, d, n):
    random = np.random.default_rng(seed)
    X, w, b = random.normal(size=(n, d)), random.normal(size=d), random.normal()
    y = np.where(np.arange(n) % 2, 1, -1)
    away = sx.distances(X, w, intercept=b)
    on = sx.project(sparse.csr_matrix(X), w, intercept=b)
    np.testing.assert_allclose(on @ w + b, 0, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(X - on, axis=1), np.abs(away), atol=1e-9)
    ratio = np.linalg.norm(w) / np.linalg.norm(np.append(w, b))
    assert sx.margin(X, y, w, intercept=b) == pytest.approx((y * away).min() * ratio)
    assert sx.margin(X, y, w) == pytest.approx((y * (X @ w)).min() / np.linalg.norm(w))


def test_no_separator_beats_the_largest_margin():
    random = np.random.default_rng(5)
    X = random.normal(size=(60, 4))
    y = np.sign(X @ [1.0, -2.0, 0.5, 0.0] + 0.3)
    found = sx.separate(X, y)
    assert sx.margin(X, y, found.w, intercept=found.intercept) == pytest.approx(found.margin, rel=1e-9)
    largest, w, b = sx.margin_l1(X, y)
    assert sx.margin(X, y, w, intercept=b, norm=1) == pytest.approx(largest, rel=1e-6)
    assert largest >= sx.margin(X, y, found.w, intercept=found.intercept, norm=1) - 1e-9
    assert sx.margin(X, y, w, intercept=b) <= found.margin * (1 + 1e-9)


def test_the_l1_margin_of_inseparable_data_is_zero():
    assert sx.margin_l1([[0.0], [1.0], [2.0]], [1, 0, 1])[0] == pytest.approx(0, abs=1e-7)


def test_parameters_are_checked():
    with pytest.raises(UsageError, match="w must not be zero"):
        sx.distances([[1.0]], [0.0])
    with pytest.raises(UsageError, match="norm must be 1, 2 or inf, but is 3"):
        sx.margin([[1.0], [2.0]], [0, 1], [1.0], norm=3)
    with pytest.raises(InputError, match="1 columns, but w has 2"):
        sx.project([[1.0]], [1.0, 2.0])


def test_the_length_of_w_does_not_matter():
    X, y = [[3.0, 4.0], [-3.0, -4.0]], [1, -1]
    for scale in (2.0**1000, 2.0**-1000, 2.0**-1074):
        assert sx.margin(X, y, [3 * scale, 4 * scale], intercept=0.0) == 5.0
        assert sx.distances(X, [3 * scale, 4 * scale], intercept=5 * scale).tolist() == [6.0, -4.0]
        assert sx.project(X, [0.0, scale], intercept=-scale).tolist() == [[3.0, 1.0], [-3.0, 1.0]]
    assert sx.margin(X, y, [1e-200, 0.0], intercept=1.0) == -1.0
    assert sx.distances(X, [1e-200, 0.0], intercept=1.0).tolist() == [1e200, 1e200]
