"""What algebra says of least squares and ridge, the path, streams and scikit-learn's conventions."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.utils.estimator_checks import estimator_checks_generator

import separatrix as sx
from separatrix.errors import InputError, UsageError

ESTIMATORS = [sx.LeastSquares(), sx.Ridge(), sx.Ridge(penalize_intercept=True), sx.RidgePath(),
              sx.VovkAzouryWarmuth(), sx.RecursiveRidge()]  # fmt: skip


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.filterwarnings(
    "ignore::separatrix.RankDeficientWarning", "ignore::sklearn.exceptions.SkipTestWarning"
)
def test_scikit_learn_s_checks(estimator):
    for instance, check in estimator_checks_generator(estimator):
        try:
            check(instance)
        except Exception as error:
            if type(error).__name__ != "SkipTest":
                raise


@st.composite
def grids(draw):
    n, d = draw(st.integers(4, 12)), draw(st.integers(1, 4))
    cells = st.integers(-3, 3)
    X = np.array(draw(st.lists(st.lists(cells, min_size=d, max_size=d), min_size=n, max_size=n)), dtype=float)
    y = np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=float)
    return X, y


@pytest.mark.filterwarnings("ignore::separatrix.RankDeficientWarning")
@settings(max_examples=60, deadline=None)
@given(grids(), st.integers(0, 2**32), st.sampled_from([0.0, 0.5, 4.0]), st.booleans())
@example((np.array([[0.0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]), np.zeros(4)), 1, 0.5, True)
def test_weights_are_repetitions_and_order_does_not_matter(data, seed, alpha, intercept):
    X, y = data
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, len(y))
    counts[0] = 1
    order = rng.permutation(int(counts.sum()))
    weighted = sx.Ridge(alpha, fit_intercept=intercept).fit(X, y, counts.astype(float))
    repeated = sx.Ridge(alpha, fit_intercept=intercept)
    repeated.fit(np.repeat(X, counts, axis=0)[order], np.repeat(y, counts)[order])
    # The same problem, so both lie within what their certificates claim of the same solution. (A solve
    # that shows ten digits is not refined: the two need not agree to the last bit.)
    claimed = 10.0 ** -min(weighted.digits_, repeated.digits_)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=2 * claimed, atol=0)
    assert min(weighted.digits_, repeated.digits_) >= 10
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=2 * claimed, atol=0)
    assert weighted.rank_ == repeated.rank_


@pytest.mark.filterwarnings("ignore::separatrix.RankDeficientWarning")
@settings(max_examples=60, deadline=None)
@given(grids(), st.sampled_from([0.0, 1e-6, 3.0]), st.booleans(), st.booleans(), st.booleans())
def test_rank_is_that_of_the_columns_whatever_alpha(data, alpha, intercept, penalize, wide):
    X, y = (data[0][:3], data[1][:3]) if wide else data
    model = sx.Ridge(alpha, fit_intercept=intercept, penalize_intercept=penalize).fit(X, y)
    columns = np.hstack([np.ones((len(X), int(intercept))), X])
    ranks = [np.linalg.matrix_rank(columns[:, :k]) for k in range(columns.shape[1] + 1)]
    assert model.rank_ == ranks[-1]
    dependent = tuple(k - intercept for k, (a, b) in enumerate(pairwise(ranks)) if a == b)
    assert alpha > 0 or model.dependent_columns_ == dependent
    stream = sx.Ridge(alpha, fit_intercept=intercept, penalize_intercept=penalize).partial_fit(X, y)
    assert stream.rank_ == ranks[-1]
    assert stream.dependent_columns_ == dependent


def test_a_rank_that_squares_would_lose():
    # Singular values 1e-9 apart: the eigenvalues of XᵀX cannot tell the rank.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    X[:, 2] = X[:, 0] + 1e-9 * X[:, 2]
    for data in (X, X.T):
        assert sx.Ridge(1.0, fit_intercept=False).fit(data, np.ones(len(data))).rank_ == 3


@pytest.mark.filterwarnings("ignore::separatrix.RankDeficientWarning")
@settings(max_examples=40, deadline=None)
@given(grids(), st.sampled_from([0.25, 1.0, 9.0]))
def test_ridge_is_augmented_least_squares(data, alpha):
    X, y = data
    d = X.shape[1]
    ridge = sx.Ridge(alpha, fit_intercept=False).fit(X, y)
    augmented = sx.LeastSquares(fit_intercept=False)
    augmented.fit(np.vstack([X, np.sqrt(alpha) * np.eye(d)]), np.append(y, np.zeros(d)))
    np.testing.assert_allclose(ridge.coef_, augmented.coef_, rtol=3e-15, atol=0)
    # The normal equations hold.
    residual = X.T @ (y - X @ ridge.coef_) - alpha * ridge.coef_
    assert np.max(np.abs(residual)) <= 1e-12 * (1 + np.abs(X).sum() * np.abs(y).max(initial=1))


@pytest.mark.filterwarnings("ignore::separatrix.RankDeficientWarning")
@settings(max_examples=40, deadline=None)
@given(grids(), st.integers(0, 2**32))
def test_scaling_columns_and_flipping_signs(data, seed):
    X, y = data
    rng = np.random.default_rng(seed)
    plain = sx.LeastSquares().fit(X, y)
    if plain.dependent_columns_:
        return
    scales = 2.0 ** rng.integers(-20, 20, X.shape[1]) * rng.choice([-1, 1], X.shape[1])
    scaled = sx.LeastSquares().fit(X * scales, -4 * y)
    np.testing.assert_allclose(scaled.coef_ * scales, -4 * plain.coef_, rtol=3e-15, atol=0)


def data(rows=300, columns=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) + 3
    return X, X @ np.arange(1.0, columns + 1) + rng.normal(size=rows)


def test_limits_of_alpha():
    X, y = data()
    squares = sx.LeastSquares().fit(X, y)
    np.testing.assert_allclose(sx.Ridge(1e-9).fit(X, y).coef_, squares.coef_, rtol=1e-9)
    huge = sx.Ridge(1e15).fit(X, y)
    assert np.max(np.abs(huge.coef_)) < 1e-11
    assert huge.intercept_ == pytest.approx(y.mean())
    assert huge.degrees_of_freedom_ == pytest.approx(1)
    assert squares.degrees_of_freedom_ == 6


def test_targets_types_and_shapes():
    X, y = data()
    both = sx.Ridge(2.0).fit(X, np.column_stack([y, -y]))
    one = sx.Ridge(2.0).fit(X, y)
    np.testing.assert_array_equal(both.coef_, [one.coef_, -one.coef_])
    np.testing.assert_allclose(both.predict(X)[:, 0], one.predict(X))
    single = X.astype(np.float32)
    np.testing.assert_array_equal(
        sx.Ridge(2.0).fit(single, y).coef_, sx.Ridge(2.0).fit(single.astype(np.float64), y).coef_
    )
    wide = sparse.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    np.testing.assert_allclose(sx.Ridge(2.0).fit(wide, y).coef_, one.coef_, rtol=1e-14)


def test_the_path_is_its_models_and_leave_one_out_is_what_it_says():
    X, y = data(40, 4)
    alphas = np.array([0.01, 1.0, 30.0])
    for intercept, penalize in [(True, False), (True, True), (False, False)]:
        options = {"fit_intercept": intercept, "penalize_intercept": penalize}
        path = sx.RidgePath(alphas, **options).fit(X, y)
        for i, alpha in enumerate(alphas):
            model = sx.Ridge(alpha, **options).fit(X, y)
            np.testing.assert_allclose(path.coefs_[i], model.coef_, rtol=1e-9)
            np.testing.assert_allclose(path.intercepts_[i], model.intercept_, rtol=1e-9, atol=1e-9)
            assert path.path_degrees_of_freedom_[i] == pytest.approx(model.degrees_of_freedom_)
            errors = []
            for left in range(len(y)):
                keep = np.arange(len(y)) != left
                without = sx.Ridge(alpha, **options).fit(X[keep], y[keep])
                errors.append((y[left] - without.predict(X[left : left + 1])[0]) ** 2)
            assert path.loo_errors_[i] == pytest.approx(np.mean(errors), rel=1e-9)
            freedom = path.path_degrees_of_freedom_[i]
            assert path.gcv_errors_[i] == pytest.approx(model.rmse_**2 / (1 - freedom / 40) ** 2, rel=1e-9)
        assert path.alpha_ == alphas[np.argmin(path.loo_errors_)]


def test_k_fold_errors():
    X, y = data(30, 3)
    path = sx.RidgePath([0.1, 10.0], criterion="k-fold", folds=3).fit(X, y)
    for i, alpha in enumerate([0.1, 10.0]):
        errors = []
        for start in (0, 10, 20):
            keep = np.ones(30, dtype=bool)
            keep[start : start + 10] = False
            model = sx.Ridge(alpha).fit(X[keep], y[keep])
            errors.extend((y[~keep] - model.predict(X[~keep])) ** 2)
        assert path.fold_errors_[i] == pytest.approx(np.mean(errors), rel=1e-9)


def test_large_paths_from_normal_equations_agree_with_the_data_s():
    from dataclasses import replace

    from separatrix.batch.regression import path as module
    from separatrix.batch.regression.problem import make_problem

    X, y = data(3000, 8)
    problem = make_problem(X, y, None, alpha=0.0, intercept=True, penalize_intercept=False)
    alphas = np.geomspace(1e-3, 1e5, 100)
    from_data = module.path(problem, alphas)
    assert from_data.method == "svd"
    limit, module._SMALL = module._SMALL, 0
    try:
        from_sums = module.path(replace(problem), alphas)
    finally:
        module._SMALL = limit
    assert from_sums.method == "eigen"
    np.testing.assert_allclose(from_sums.loo, from_data.loo, rtol=1e-10)
    np.testing.assert_allclose(from_sums.theta, from_data.theta, rtol=1e-8, atol=1e-10)


def test_the_path_can_be_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = data()
    top, bottom = sx.RidgePath().fit(X, y).plot()
    assert len(top.lines) == 6
    assert bottom.get_xlabel() == "α"


CUTS = st.lists(st.integers(1, 10_000), max_size=4)


@pytest.mark.filterwarnings("ignore::separatrix.RankDeficientWarning")
@settings(max_examples=15, deadline=None)
@given(CUTS, st.integers(0, 10_500))
def test_merged_streams_are_one_stream_to_the_bit(cuts, middle):
    X, y = data(10_500, 3)

    def learn(start, stop, pieces):
        edges = sorted({start, stop, *[c for c in pieces if start < c < stop]})
        parts = ((X[a:b], y[a:b]) for a, b in pairwise(edges))
        return sx.LeastSquares().fit_stream(parts, first_row=start)

    whole = learn(0, 10_500, [])
    if middle in (0, 10_500):
        other = learn(0, 10_500, cuts)
    else:
        other = learn(0, middle, cuts).merge(learn(middle, 10_500, cuts))
    np.testing.assert_array_equal(other.coef_, whole.coef_)
    assert other.intercept_ == whole.intercept_
    assert other.state_.rows == 10_500
    np.testing.assert_array_equal(other.state_.reduced(), whole.state_.reduced())


def test_streams_have_qr_s_accuracy_and_go_on():
    X, y = data(9000, 5)
    X[:, 1] = X[:, 0] + 1e-7 * X[:, 1]
    exact = sx.LeastSquares().fit(X, y)
    model = sx.LeastSquares()
    for start in range(0, 9000, 1000):
        model.partial_fit(X[start : start + 1000], y[start : start + 1000])
        model = pickle.loads(pickle.dumps(model))
    # The normal equations have condition 1e15 and more: they would leave no digit.
    assert model.condition_ > 1e7
    np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-7)
    assert model.digits_ is None
    assert model.solver_ == "tsqr"
    apart = sx.LeastSquares().partial_fit(X[:4000], y[:4000])
    apart.merge(sx.LeastSquares().partial_fit(X[4000:], y[4000:]))
    np.testing.assert_allclose(apart.coef_, exact.coef_, rtol=1e-7)
    ridge = sx.Ridge(3.0, penalize_intercept=True).partial_fit(X, y)
    np.testing.assert_allclose(ridge.coef_, sx.Ridge(3.0, penalize_intercept=True).fit(X, y).coef_, rtol=1e-6)


def test_a_stream_may_widen():
    X, y = data(200, 4)
    X[:100, 3] = 0
    model = sx.LeastSquares().fit_stream([(X[:100, :3], y[:100]), (X[100:], y[100:])])
    np.testing.assert_allclose(model.coef_, sx.LeastSquares().fit(X, y).coef_, rtol=1e-10)


def test_wrong_parameters_and_data_are_refused():
    X, y = data(10)
    with pytest.raises(UsageError, match="alpha must be a finite number, at least 0, but is -1"):
        sx.Ridge(-1).fit(X, y)
    with pytest.raises(UsageError, match="alphas must be a list"):
        sx.RidgePath([1.0, -2.0]).fit(X, y)
    with pytest.raises(UsageError, match="criterion must be one of"):
        sx.RidgePath(criterion="aic").fit(X, y)
    with pytest.raises(InputError, match=r"sample_weight\[1\] is -2"):
        sx.Ridge().fit(X, y, np.array([1.0, -2, *np.ones(8)]))
    with pytest.raises(UsageError, match="merge needs two models"):
        sx.Ridge().fit(X, y).merge(sx.Ridge().fit(X, y))
    late = sx.LeastSquares().fit_stream([(X, y)], first_row=17)
    with pytest.raises(UsageError, match="first_row of the state to merge must be 10"):
        sx.LeastSquares().fit_stream([(X, y)]).merge(late)
    with pytest.raises(InputError, match="no rows"):
        sx.LeastSquares().fit_stream([])
