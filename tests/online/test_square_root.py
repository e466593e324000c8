"""The online regressors against the lecture's formulas, and T13 on sequences chosen against them."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import separatrix as sx
from oracles.regression import forecast
from separatrix.errors import InputError, UsageError

LEARNERS = [sx.VovkAzouryWarmuth, sx.RecursiveRidge]


@pytest.mark.parametrize("learner", LEARNERS)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), alpha=st.sampled_from([0.01, 1.0, 50.0]), integers=st.booleans())
def test_the_game_is_the_lecture_s_however_it_is_played(learner, seed, alpha, integers):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 30)), int(rng.integers(1, 6))
    X = rng.integers(-2, 3, (n, d)).astype(float) if integers else rng.normal(size=(n, d))
    y = rng.normal(size=n)
    expected = forecast(X, y, alpha, forecaster=learner is sx.VovkAzouryWarmuth)
    batch = learner(alpha, bias=False)
    np.testing.assert_allclose(batch.play(X, y), expected, rtol=1e-8, atol=1e-8)
    one = learner(alpha, bias=False)
    played = []
    for x, target in zip(X, y, strict=True):
        played.append(one.predict_one(list(x)))
        one.learn_one(list(x), target)
    np.testing.assert_array_equal(one.coef_, batch.coef_)
    np.testing.assert_allclose(played, expected, rtol=1e-8, atol=1e-8)
    streamed = learner(alpha, bias=False).fit_stream(
        [(sparse.csr_matrix(X[: n // 2]), y[: n // 2]), (X[n // 2 :], y[n // 2 :])]
    )
    np.testing.assert_array_equal(streamed.coef_, batch.coef_)
    assert streamed.ledger_ == batch.ledger_
    resumed = learner(alpha, bias=False).partial_fit(X[: n // 2 + 1], y[: n // 2 + 1])
    if n // 2 + 1 < n:
        resumed = pickle.loads(pickle.dumps(resumed)).partial_fit(X[n // 2 + 1 :], y[n // 2 + 1 :])
    assert resumed.ledger_ == batch.ledger_
    offline = sx.Ridge(alpha, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(batch.coef_, offline.coef_, rtol=1e-8, atol=1e-10)
    best = ((X @ offline.coef_ - y) ** 2).sum() + alpha * (offline.coef_**2).sum()
    ledger = batch.ledger_
    assert ledger.best_offline == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert ledger.loss == pytest.approx(((expected - y) ** 2).sum(), rel=1e-7)
    assert ledger.rounds == n


@pytest.mark.parametrize("alpha", [0.01, 1.0, 100.0])
def test_the_regret_bound_holds_on_adversarial_sequences(alpha):
    rng = np.random.default_rng(1)
    for kind in range(4):
        learner = sx.VovkAzouryWarmuth(alpha, bias=False)
        X, y = [], []
        for t in range(300):
            if kind == 0:
                x = np.eye(5)[t % 5] * (1 + t)
            elif kind == 1:
                x = rng.normal(size=5) * 10.0 ** rng.integers(-3, 4)
            elif kind == 2:
                x = np.full(5, float(t % 2)) + 1e-6 * rng.normal(size=5)
            else:
                x = rng.integers(-1, 2, 5).astype(float)
            # The target is chosen against the prediction.
            target = -1.0 if learner.predict_one(x) >= 0 else 1.0
            learner.learn_one(x, target)
            X.append(x)
            y.append(target)
        ledger = learner.ledger_
        X, y = np.array(X), np.array(y)
        eigenvalues = np.maximum(np.linalg.eigvalsh(X.T @ X), 0)
        assert ledger.bound == pytest.approx(np.log1p(eigenvalues / alpha).sum(), rel=1e-6)
        assert ledger.holds is True
        assert ledger.regret <= ledger.bound * (1 + 1e-12)
        # The adversary is one: the learner's loss is at least one a round.
        assert ledger.loss >= 300


def test_only_the_forecaster_has_a_bound():
    learner = sx.RecursiveRidge().fit([[1.0], [2.0]], [1.0, 2.0])
    assert learner.ledger_.bound is None
    assert learner.ledger_.holds is None


def test_names_sparse_rows_and_new_features():
    named, paired = sx.VovkAzouryWarmuth(), sx.VovkAzouryWarmuth()
    for row, target in [({"a": 1.0}, 1.0), ({"b": 2.0, "a": -1.0}, 0.5), ({"c": 3.0}, -1.0)]:
        named.learn_one(row, target)
        columns = np.array([named.feature_columns[k] for k in row])
        paired.learn_one((columns, np.array(list(row.values()))), target)
    assert named.feature_columns == {"a": 0, "b": 1, "c": 2}
    np.testing.assert_array_equal(named.coef_, paired.coef_)
    assert named.ledger_ == paired.ledger_
    ridge = sx.RecursiveRidge().learn_one({"a": 1.0}, 2.0)
    assert ridge.predict_one({"a": 1.0, "new": 5.0}) == ridge.predict_one({"a": 1.0})


def test_bad_rows_are_refused_and_leave_no_trace():
    with pytest.raises(UsageError, match="alpha must be a finite number above 0, but is 0"):
        sx.VovkAzouryWarmuth(0).fit([[1.0]], [1.0])
    learner = sx.VovkAzouryWarmuth().learn_one([1.0, 2.0], 3.0)
    before = learner.ledger_
    for x, y in [
        ([float("nan"), 1.0], 1.0),
        ([1.0, 1.0], float("inf")),
        ([1e200, 1.0], 1.0),
        (([0, 0], [1.0, 2.0]), 1.0),
    ]:
        with pytest.raises(InputError):
            learner.learn_one(x, y)
    assert learner.ledger_ == before


def test_a_long_game_keeps_its_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 6))
    X[:, 5] = X[:, 4] + 1e-3 * X[:, 5]
    y = X @ np.arange(1.0, 7) + rng.normal(size=200_000)
    learner = sx.RecursiveRidge(1.0, bias=False).partial_fit(X, y)
    exact = sx.Ridge(1.0, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(learner.coef_, exact.coef_, rtol=1e-9)
