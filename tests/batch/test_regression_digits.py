"""What the certificate claims is true: against rational arithmetic, on every kind of problem."""

import json
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

import separatrix as sx
from oracles.regression import correct_digits, exact_ridge
from separatrix.errors import InputError, RankDeficientWarning

DATA = Path(__file__).parents[2] / "examples" / "data"
EXPECTED = json.loads((DATA / "reg_expected.json").read_text())


def coefficients(model):
    return [*np.ravel(model.coef_), *([model.intercept_] if model.fit_intercept else [])]


def polynomial(x, degree):
    return np.vander(np.asarray(x, dtype=float), degree + 1, increasing=True)[:, 1:]


def nist_like():
    """NIST StRD's linear sets that are defined by a formula, and polynomials as bad as Filip."""
    x = np.arange(21.0)
    exact_one = sum(x**k for k in range(6))
    exact_two = sum(np.round(10.0 ** (5 - k)) / 1e5 * x**k for k in range(6))
    noise = np.array([759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048,
                      -2048, 1838, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 759.0])  # fmt: skip
    yield "Wampler1", polynomial(x, 5), exact_one, True
    yield "Wampler2", polynomial(x, 5), exact_two, True
    yield "Wampler3", polynomial(x, 5), exact_one + noise, True
    yield "Wampler4", polynomial(x, 5), exact_one + 100 * noise, True
    yield "Wampler5", polynomial(x, 5), exact_one + 10000 * noise, True
    yield "NoInt1", np.arange(60.0, 71)[:, None], np.arange(130.0, 141), False
    yield "NoInt2", np.array([[4.0], [5], [6]]), np.array([3.0, 4, 4]), False
    rng = np.random.default_rng(7)
    bad = np.round(np.linspace(-8.78, -3.13, 82), 7)
    yield "like Filip", polynomial(bad, 10), np.round(rng.uniform(0.75, 0.93, 82), 4), True
    yield "worse", polynomial(bad, 12), np.round(rng.uniform(0.75, 0.93, 82), 4), True


@pytest.mark.parametrize(("X", "y", "intercept"), [pytest.param(*c[1:], id=c[0]) for c in nist_like()])
def test_nist_sets_have_twelve_digits(X, y, intercept):
    model = sx.LeastSquares(fit_intercept=intercept).fit(X, y)
    true = correct_digits(coefficients(model), exact_ridge(X, y, intercept=intercept))
    assert model.digits_ >= 12
    assert true >= model.digits_
    # The plain solution's certificate claims no digit too much either.
    plain = sx.LeastSquares(fit_intercept=intercept, refine=False).fit(X, y)
    true = correct_digits(coefficients(plain), exact_ridge(X, y, intercept=intercept))
    assert plain.digits_ is None or true >= plain.digits_


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_known_exact_solutions(name):
    X, y = sx.read(DATA / f"{name}.libsvm")
    for key, answer in EXPECTED[name].items():
        if key in ("method", "source", "licence"):
            continue
        alpha, penal = key.removeprefix("lam=").split(",penal=")
        for data in (X, X.toarray()):
            model = sx.Ridge(float(Fraction(alpha)), penalize_intercept=penal == "all").fit(data, y)
            assert model.digits_ >= 12
            found = np.array(coefficients(model))
            np.testing.assert_allclose(found, [*answer["w"], answer["b"]], rtol=1e-12)
            assert model.rmse_**2 * len(y) == pytest.approx(answer["sse"], rel=1e-10)


@st.composite
def problems(draw):
    n, d = draw(st.integers(1, 9)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["grid", "zero-one", "normal", "far", "scaled", "collinear", "powers"]))
    X = {
        "grid": lambda: rng.integers(-2, 3, (n, d)).astype(float),
        "zero-one": lambda: rng.integers(0, 2, (n, d)).astype(float),
        "normal": lambda: rng.normal(size=(n, d)),
        "far": lambda: 1e6 + rng.normal(size=(n, d)),
        "scaled": lambda: rng.normal(size=(n, d)) * 10.0 ** rng.integers(-8, 9, d),
        "collinear": lambda: (
            np.outer(rng.normal(size=n), rng.normal(size=d)) + 1e-9 * rng.normal(size=(n, d))
        ),
        "powers": lambda: np.vander(3 * rng.normal(size=n), d),
    }[kind]()
    if d > 1 and draw(st.booleans()):
        X[:, -1] = 3 * X[:, 0]
    y = rng.integers(-3, 4, n).astype(float) if draw(st.booleans()) else rng.normal(size=n)
    weights = draw(st.sampled_from([None, rng.choice([0.5, 1.0, 2.0, 3.7], n)]))
    alpha = draw(st.sampled_from([0.0, 0.0, 1e-12, 1e-3, 1.0, 100.0]))
    return X, y, weights, alpha, draw(st.booleans()), draw(st.booleans())


@pytest.mark.filterwarnings("ignore::separatrix.RankDeficientWarning")
@settings(max_examples=150, deadline=None)
@given(problems(), st.booleans())
def test_no_digit_claimed_is_wrong(problem, refine):
    X, y, weights, alpha, intercept, penalize = problem
    model = sx.Ridge(alpha, fit_intercept=intercept, penalize_intercept=penalize, refine=refine)
    model.fit(X, y, weights)
    exact = exact_ridge(X, y, alpha, intercept=intercept, penalize_intercept=penalize, weights=weights)
    found = coefficients(model)
    if refine:
        assert model.digits_ >= 12
    if model.digits_ is not None:
        assert correct_digits(found, exact) >= model.digits_
    if model.error_bound_ is not None:
        for value, truth, bound in zip(found, exact, model.error_bound_, strict=True):
            assert abs(Fraction(float(value)) - truth) <= Fraction(float(bound))


SIZES = [1.0, 1e-310, 1e-300, 1e-155, 1e155, 1e300]


@pytest.mark.filterwarnings("ignore::separatrix.RankDeficientWarning")
@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from(SIZES), st.sampled_from(SIZES), st.sampled_from([*SIZES, None]))
@example((np.zeros((1, 1)), np.array([0.82161814]), None, 0.0, False, False), 1.0, 1.0, 1e-310)
@example(
    (np.array([[1.0, 0], [2, 0], [4, 0]]), np.array([1.0, 3, 2]), None, 0.0, True, False), 1.0, 1.0, 1e-310
)
def test_sizes_far_from_one(problem, of_rows, of_targets, of_alpha):
    X, y, weights, alpha, intercept, penalize = problem
    X, y, alpha = X / np.abs(X).max() * of_rows if X.any() else X, y * of_targets, of_alpha or alpha
    exact = exact_ridge(X, y, alpha, intercept=intercept, penalize_intercept=penalize, weights=weights)
    model = sx.Ridge(alpha, fit_intercept=intercept, penalize_intercept=penalize)
    if any(abs(v) > Fraction(sys.float_info.max) for v in exact):
        with pytest.raises(InputError, match="overflows a double"):
            model.fit(X, y, weights)
        return
    model.fit(X, y, weights)
    found = coefficients(model)
    if model.digits_ is not None:
        assert correct_digits(found, exact) >= model.digits_
    if model.error_bound_ is not None:
        for value, truth, bound in zip(found, exact, model.error_bound_, strict=True):
            assert abs(Fraction(float(value)) - truth) <= Fraction(float(bound))
    assert np.isfinite(model.rmse_)
    assert np.isfinite(model.degrees_of_freedom_)
    # Only underflow leaves fewer digits.
    if all(v == 0 or abs(v) > Fraction(1, 10**280) for v in exact):
        assert model.digits_ >= 12


def one_hot(rng, rows):
    return np.hstack([np.eye(3)[rng.integers(0, 3, rows)], np.eye(4)[rng.integers(0, 4, rows)]])


def test_one_hot_columns_have_the_least_norm_and_are_named():
    rng = np.random.default_rng(3)
    X, y = one_hot(rng, 60), rng.normal(size=60)
    with pytest.warns(RankDeficientWarning, match="rank 6: columns 2, 6 depend"):
        model = sx.LeastSquares().fit(X, y)
    assert model.dependent_columns_ == (2, 6)
    assert model.digits_ >= 12
    exact = exact_ridge(X, y)
    assert correct_digits(coefficients(model), exact) >= model.digits_
    with pytest.warns(RankDeficientWarning):
        same = sx.LeastSquares().fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(same.coef_, model.coef_)


def test_more_columns_than_rows():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(6, 15)), rng.normal(size=6)
    with pytest.warns(RankDeficientWarning, match="rank 6"):
        model = sx.LeastSquares().fit(X, y)
    assert model.solver_ == "dual"
    assert correct_digits(coefficients(model), exact_ridge(X, y)) >= model.digits_ >= 12
    ridge = sx.Ridge(1e-6).fit(X, y)
    assert correct_digits(coefficients(ridge), exact_ridge(X, y, 1e-6)) >= ridge.digits_ >= 12


def test_collinear_spectra_are_solved_exactly():
    rng = np.random.default_rng(11)
    bands = np.linspace(0, 1, 60)
    centres = rng.uniform(0, 1, (80, 3))
    X = np.exp(-((bands - centres[:, :1]) ** 2) * 3) + 0.3 * np.exp(-((bands - centres[:, 1:2]) ** 2) * 5)
    X = np.round(X + 1e-6 * rng.normal(size=X.shape), 6)
    y = centres[:, 2]
    model = sx.LeastSquares().fit(X, y)
    assert model.digits_ >= 12
    # Twice the same data, by weights and in another order: another way to the same solution.
    order = rng.permutation(80)
    again = sx.LeastSquares().fit(X[order], y[order], np.full(80, 2.0))
    np.testing.assert_allclose(again.coef_, model.coef_, rtol=1e-12)
    plain = sx.LeastSquares(refine=False).fit(X, y)
    if plain.digits_ is not None:
        assert np.max(np.abs(plain.coef_ / model.coef_ - 1)) <= 10**-plain.digits_


def test_large_data_are_certified_without_exact_arithmetic():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60_000, 20))
    y = X @ np.arange(1.0, 21) + rng.normal(size=60_000)
    plain = sx.Ridge(1.0, refine=False).fit(X, y)
    fine = sx.Ridge(1.0).fit(X, y)
    assert plain.solver_ == fine.solver_ == "cholesky"
    assert plain.digits_ >= 8
    assert np.max(np.abs(plain.coef_ / fine.coef_ - 1)) <= 10**-plain.digits_ + 10**-fine.digits_
    X[:, 10:] = X[:, :10] + 1e-7 * X[:, 10:]
    y = X @ np.arange(1.0, 21) + rng.normal(size=60_000)
    model = sx.LeastSquares().fit(X, y)
    assert model.solver_ == "cholesky-qr"
    assert model.digits_ >= 12
    assert model.condition_ == pytest.approx(np.linalg.cond(np.column_stack([X, np.ones(60_000)])), rel=1e-3)


def test_large_sparse_data():
    rng = np.random.default_rng(4)
    X = sparse.random_array((2300, 2100), density=2e-3, rng=rng, format="csr")
    y = np.asarray(X @ rng.normal(size=2100)) + 0.1 * rng.normal(size=2300)
    model = sx.Ridge(0.5, fit_intercept=False).fit(X, y)
    assert model.solver_ == "cg"
    assert model.digits_ >= 12
    direct = np.linalg.solve((X.T @ X).toarray() + 0.5 * np.eye(2100), X.T @ y)
    np.testing.assert_allclose(model.coef_, direct, rtol=1e-9, atol=1e-14)
    centred = sx.Ridge(0.5).fit(X, y)
    assert centred.digits_ >= 12
    assert np.mean(y - centred.predict(X)) == pytest.approx(0, abs=1e-13)
    empty = np.flatnonzero(X.count_nonzero(axis=0) == 0)
    with pytest.warns(RankDeficientWarning, match=f"columns {empty[0]}, {empty[1]}, "):
        squares = sx.LeastSquares().fit(X, y)
    assert squares.solver_ == "lsqr"
    assert squares.dependent_columns_ == tuple(empty)
    assert not squares.coef_[empty].any()
    assert squares.digits_ is None
    assert "LSQR" in squares.certificate_.why
