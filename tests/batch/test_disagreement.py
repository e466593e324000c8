"""The fewest errors, against brute force in rational arithmetic."""

import doctest
import itertools
import signal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

import separatrix as sx
from oracles import disagreement as oracle
from separatrix.batch import disagreement, pocket, polynomial


def _signs(X, coef, intercept):
    """The exact sign of each score."""
    w, b = [Fraction(v) for v in coef.tolist()], Fraction(intercept)
    scores = [
        sum((Fraction(a) * c for a, c in zip(row, w, strict=True)), b) for row in np.asarray(X).tolist()
    ]
    return [(s > 0) - (s < 0) for s in scores]


def _random_case(rng):
    d = int(rng.integers(1, 4))
    n = int(rng.integers(2, 10 if d < 3 else 8))
    grid = rng.random() < 0.6
    X = rng.integers(-2, 3, (n, d)).astype(float) if grid else rng.normal(size=(n, d))
    if rng.random() < 0.2:
        X[:, rng.integers(d)] = 1.0
    if rng.random() < 0.2:
        X[rng.integers(n)] = 0.0
    if rng.random() < 0.3:
        X[1] = X[0]
    y = np.where(rng.random(n) < 0.5, 1, -1)
    y[0], y[-1] = 1, -1
    weights = rng.integers(0, 4, n) * (0.5 if rng.random() < 0.5 else 0.1) if rng.random() < 0.5 else None
    return X, y, weights


def _check(X, y, weights, bias, tie):
    result = sx.min_disagreement(X, y, sample_weight=weights, bias=bias, tie=tie, threads=1)
    loads = [1.0] * len(y) if weights is None else weights.tolist()
    expected = oracle.fewest_errors(X.tolist(), y.tolist(), bias=bias, tie=tie, weights=loads)
    assert result.errors == result.lower_bound == float(expected)
    assert result.optimal
    own = oracle.errors(_signs(X, result.coef, result.intercept), y.tolist(), map(Fraction, loads), tie)
    assert own == expected
    assert float(sum(Fraction(loads[i]) for i in result.error_rows)) == result.errors


@pytest.mark.parametrize("seed", range(20))
def test_the_optimum_is_brute_forces(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        X, y, weights = _random_case(rng)
        _check(X, y, weights, bool(rng.integers(2)), ("mistake", "positive", "negative")[rng.integers(3)])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-1, 1), st.integers(-1, 1), st.sampled_from([-1, 1])), min_size=2, max_size=9
    ).filter(lambda rows: len({r[2] for r in rows}) == 2),
    st.booleans(),
    st.sampled_from(["mistake", "positive", "negative"]),
)
def test_tiny_grids_full_of_ties(rows, bias, tie):
    data = np.array(rows, dtype=float)
    _check(data[:, :2], data[:, 2].astype(int), None, bias, tie)


def test_decimal_grids_are_never_called_optimal_wrongly():
    """Tenths are not rational tenths: cells may be too thin for doubles, and then the bounds say so."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        X = rng.integers(0, 4, (7, 2)) * 0.1
        y = np.where(rng.random(7) < 0.5, 1, -1)
        y[0], y[-1] = 1, -1
        result = sx.min_disagreement(X, y, threads=1)
        expected = float(oracle.fewest_errors(X.tolist(), y.tolist(), bias=True, tie="mistake"))
        assert result.lower_bound <= expected <= result.errors
        assert result.optimal == (result.lower_bound == result.errors)


def test_cells_thinner_than_doubles_are_found():
    """One decimal, as measured: 44 errors need a cell narrower than the spacing of doubles."""
    X, y = load_iris(return_X_y=True)
    X, y = X[:, [0, 2]], np.where(y == 1, 1, -1)
    result = sx.min_disagreement(X, y)
    assert (result.errors, result.lower_bound) == (44, 44)
    wrong = [i for i, s in enumerate(_signs(X, result.coef, result.intercept)) if s * y[i] <= 0]
    assert wrong == result.error_rows.tolist()


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("units", [(1e300, 1.0), (1e-300, 1.0), (2.0**-1060, 2.0**-1060), (2.0**-1060, 1.0)])
def test_columns_of_any_size(units, bias):
    """Powers of two times a grid, and numbers near them: denormal ones as well."""
    rng = np.random.default_rng(4)
    for _ in range(30):
        X = rng.integers(-3, 4, (8, 2)) * np.array(units)
        y = np.where(rng.random(8) < 0.5, 1, -1)
        _check(X, y, None, bias, "mistake")


def test_a_column_that_hardly_varies():
    """Time stamps: their digits differ from the tenth on."""
    X, y = _planted(60, 2, 0.15, 3, grid=9)
    assert sx.min_disagreement(X + np.array([1.7e15, 0.0]), y).errors == sx.min_disagreement(X, y).errors


def test_ties_on_a_plane_of_the_rows():
    """Without a bias: the best plane holds rows exactly, though it is spanned by no two of them."""
    X = [[1, 1, 1], [-2, 0, -2], [-2, 1, 2], [1, -2, 0], [0, 0, 0], [1, -1, 1], [-2, 2, -2]]
    _check(np.array(X, dtype=float), np.array([-1, 1, 1, -1, -1, 1, 1]), None, False, "positive")


def test_the_oracle_lists_the_faces_that_sampling_meets():
    rng = np.random.default_rng(0)
    for _ in range(100):
        rows = rng.integers(-2, 3, (int(rng.integers(1, 6)), 2)).tolist()
        exact = oracle.sign_vectors([[Fraction(v) for v in row] for row in rows])
        assert oracle.signs_by_sampling(rows, 7) == exact


def _planted(n, d, noise, seed, grid=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) if grid is None else rng.integers(0, grid, (n, d)).astype(float)
    y = np.where((X - X.mean(axis=0)) @ rng.normal(size=d) > 0, 1, -1)
    y[rng.random(n) < noise] *= -1
    return X, y


def test_many_dimensions_and_few_agree():
    """Conflicts (beyond 8 columns) and boxes are independent searches with one answer."""
    X, y = _planted(30, 3, 0.2, 1)
    few = sx.min_disagreement(X, y)
    # Five rows with a column each to themselves can always be right.
    wide = np.block([[X, np.zeros((30, 6))], [np.zeros((6, 3)), np.eye(6)]])
    many = sx.min_disagreement(wide, np.append(y, [1, -1] * 3))
    assert few.optimal
    assert many.optimal
    assert few.errors == many.errors > 0


@pytest.mark.parametrize("case", [(120, 2, 0.1, None), (120, 3, 0.2, 6), (60, 4, 0.2, None)])
def test_the_result_does_not_depend_on_the_threads(case):
    X, y = _planted(case[0], case[1], case[2], 5, case[3])
    one, two = (sx.min_disagreement(X, y, threads=k) for k in (1, 2))
    assert one.optimal
    assert two.optimal
    assert one.errors == two.errors
    np.testing.assert_array_equal(one.coef, two.coef)
    assert one.intercept == two.intercept


def test_the_decision_problem():
    X, y = _planted(100, 2, 0.15, 2)
    best = sx.min_disagreement(X, y)
    assert sx.min_disagreement(X, y, at_most=best.errors).answer == "yes"
    no = sx.min_disagreement(X, y, at_most=best.errors - 1)
    assert no.answer == "no"
    assert no.lower_bound == best.errors
    assert sx.min_disagreement(X, y, at_most=best.errors - 1, time_limit=0).answer == "unknown"


def test_an_interrupted_search_returns_both_bounds():
    X, y = _planted(300, 12, 0.3, 2)
    result = sx.min_disagreement(X, y, time_limit=0.5)
    assert result.lower_bound < result.errors
    assert not result.optimal
    assert len(result.error_rows) == result.errors
    seen = []
    sx.min_disagreement(X, y, time_limit=1, progress=lambda errors, bound: seen.append((errors, bound)))
    assert seen
    assert all(a[0] >= b[0] and a[1] <= b[1] for a, b in itertools.pairwise(seen))


def test_conflicts_bound_from_below_when_not_separable():
    X, y = _planted(400, 20, 0.2, 3)
    assert sx.min_disagreement(X, y, time_limit=2).lower_bound > 0


def test_separable_data_has_no_errors():
    X, y = _planted(500, 15, 0.0, 4)
    assert sx.min_disagreement(X, y).errors == 0


def test_separable_data_needs_no_memory_of_its_own():
    """400 million values, nearly all zero."""
    rng = np.random.default_rng(0)
    X = sparse.random(20_000, 20_000, density=1e-4, rng=rng, format="csr") + sparse.eye(20_000, format="csr")
    y = np.where(rng.random(20_000) < 0.5, 1, -1)
    assert sx.min_disagreement(X.tocsr(), y).errors == 0


def test_half_the_time_is_for_the_bound_that_ties_have():
    X, y = _planted(300, 12, 0.3, 2)
    assert sx.min_disagreement(X, y, bias=False, tie="positive", time_limit=1).lower_bound > 0


def test_ctrl_c_returns_both_bounds():
    X, y = _planted(300, 12, 0.3, 2)
    result = sx.min_disagreement(X, y, progress=lambda *_: signal.raise_signal(signal.SIGINT))
    assert 0 < result.lower_bound < result.errors == len(result.error_rows)
    # The searches that ties ask for end with the first.
    result = sx.min_disagreement(
        X, y, bias=False, tie="positive", progress=lambda *_: signal.raise_signal(signal.SIGINT)
    )
    assert result.lower_bound < result.errors == len(result.error_rows)


@pytest.mark.parametrize("limit", [0, 1e-9, 0.01])
def test_no_time_at_all_is_enough_for_sound_bounds(limit):
    X, y = _planted(100, 2, 0.15, 2)
    best = sx.min_disagreement(X, y, time_limit=np.inf).errors
    found = sx.min_disagreement(X, y, time_limit=limit)
    assert found.lower_bound <= best <= found.errors <= 50
    assert found.optimal == (found.lower_bound == found.errors)


def test_predictions_err_on_the_rows_that_are_said_to():
    X, y = load_iris(return_X_y=True)
    X, y = X[:, [0, 2]], y == 1
    model = sx.MinDisagreement().fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(model.predict(X) != y), model.error_rows_)


def test_a_start_is_never_made_worse():
    X, y = _planted(60, 10, 0.3, 6)
    start = sx.Pocket().fit(X, y)
    begun = [np.append(start.coef_[0], start.intercept_)]
    assert sx.min_disagreement(X, y, starts=begun, time_limit=0.2).errors <= start.errors_


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("tie", "both"), ("bias", 1), ("time_limit", -1), ("at_most", -1), ("threads", 0)],
)
def test_bad_parameters_are_named(parameter, value):
    with pytest.raises(sx.UsageError, match=parameter):
        sx.min_disagreement([[0.0], [1.0]], [0, 1], **{parameter: value})


def test_bad_data_is_refused():
    for X, y, weights in [
        ([[0.0], [np.nan]], [0, 1], None),
        ([[0.0], [1.0]], [0, 1, 2], None),
        ([[0.0], [1.0], [2.0]], [0, 1, 2], None),
        ([[0.0], [1.0]], [0, 1], [1.0, -1.0]),
        ([[0.0], [1.0]], [0, 1], [1e300, 1e-300]),
        ([[0.0], [1.0]], [0, np.nan], None),
        ([[0.0], [1.0]], [[0], [1]], None),
    ]:
        with pytest.raises(sx.InputError):
            sx.min_disagreement(X, y, sample_weight=weights)


def test_polynomials_separate_exclusive_or():
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    features, names = sx.polynomial_features(X, 2, names=["a", "b"])
    assert names == ["a", "b", "a^2", "a b", "b^2"]
    assert sx.min_disagreement(features, y).errors == 0
    assert sx.polynomial_features(X, 3)[0].shape == (4, 9)
    with pytest.raises(sx.UsageError, match="degree"):
        sx.polynomial_features(X, 4)


def test_any_linear_model_is_a_start():
    X, y = _planted(300, 5, 0.2, 9)
    model = LogisticRegression().fit(X, y)
    errors = int((model.predict(X) != y).sum())
    assert sx.local_search(X, y, coef=model.coef_, intercept=model.intercept_)[2] <= errors
    pocket = sx.Pocket(passes=1, search=0)
    assert pocket.fit(X, y).errors_ > errors
    assert pocket.fit(X, y, coef_init=model.coef_, intercept_init=model.intercept_).errors_ <= errors
    with pytest.raises(sx.UsageError, match="coef_init"):
        pocket.fit(X, y, coef_init=[1.0])


def test_local_search_only_improves_and_streams(tmp_path):
    X, y = _planted(200, 3, 0.1, 8)
    path = tmp_path / "rows.libsvm"
    path.write_text(
        "".join(
            f"{label} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row)) + "\n"
            for label, row in zip(y.tolist(), X.tolist(), strict=True)
        )
    )
    begin = int(np.count_nonzero(y * (X @ [1.0, 0.0, 0.0]) <= 0))
    w, b, errors = sx.local_search(X, y, coef=[1.0, 0.0, 0.0])
    assert errors == np.count_nonzero(y * (X @ w + b) <= 0) <= begin
    streamed = sx.local_search(path, coef=[1.0, 0.0, 0.0])
    assert streamed[2] == errors
    model = sx.Pocket().fit_file(path)
    assert model.errors_ >= sx.min_disagreement(X, y).errors
    assert model.errors_ == sx.Pocket().fit(X, y).errors_


@pytest.mark.parametrize("estimator", [sx.MinDisagreement(time_limit=0.3), sx.Pocket(passes=3, search=2)])
def test_estimators_keep_scikit_learns_conventions(estimator):
    check_estimator(estimator, on_skip=None)


def test_the_pocket_takes_columns_of_any_size():
    X, y = _planted(60, 3, 0.1, 9, grid=7)
    for size in (2.0**1000, 2.0**-1000):
        model = sx.Pocket().fit(X * size, y)
        wrong = [
            s * label <= 0
            for s, label in zip(_signs(X * size, model.coef_[0], *model.intercept_), y, strict=True)
        ]
        assert model.errors_ == sum(wrong) < 30


def test_the_page():
    page = Path(__file__).parents[2] / "docs" / "fewest-errors.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 5
    assert failed == 0


@pytest.mark.parametrize("module", [disagreement, pocket, polynomial])
def test_examples_are_true(module):
    failed, tried = doctest.testmod(module)
    assert tried > 0
    assert failed == 0
