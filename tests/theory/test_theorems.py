"""Each bound, tested as the theorem it is: on data that meets its assumption it is never exceeded."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import separatrix as sx
from oracles import game_twins as twins
from separatrix import bounds
from separatrix.errors import UsageError

seeds = st.integers(0, 2**32 - 1)


@st.composite
def labelled(draw):
    """Rows on a small grid, with ties and duplicates, and any labels; a comparator u of any kind."""
    n, d = draw(st.integers(1, 30)), draw(st.integers(1, 4))
    grid = st.integers(-3, 3).map(float)
    X = draw(arrays(float, (n, d), elements=grid))
    y = np.where(draw(arrays(bool, n)), 1.0, -1.0)
    return X, y, draw(arrays(float, d, elements=st.floats(-2, 2, width=32)))


@settings(max_examples=60, deadline=None)
@given(labelled())
def test_t4_holds_for_every_comparator_on_any_data(case):
    X, y, u = case
    wrong = twins.perceptron(X, y)
    hinge = np.maximum(0.0, 1.0 - y * (X @ u))
    norm, radius = np.linalg.norm(u), np.linalg.norm(X, axis=1).max()
    on_mistakes, squares = hinge[wrong].sum(), (X[wrong] ** 2).sum()
    rounding = 1e-9
    assert len(wrong) <= bounds.any_data_on_run(norm, on_mistakes, squares) + rounding
    for H in (on_mistakes, hinge.sum()):
        tight, simple = bounds.any_data(radius, norm, H), bounds.any_data_simple(radius, norm, H)
        assert len(wrong) <= tight + rounding
        assert tight <= simple * (1.0 + 1e-12) + rounding


@settings(max_examples=60, deadline=None)
@given(labelled(), st.sampled_from([2.0, 3.0, 5.5]))
def test_t9_holds_for_every_comparator_on_any_data(case, p):
    X, y, u = case
    q = bounds.conjugate(p)
    H = np.maximum(0.0, 1.0 - y * (X @ u)).sum()
    radius = np.linalg.norm(X, p, axis=1).max()
    assert twins.p_norm(X, y, p) <= bounds.p_norm_any_data(p, radius, np.linalg.norm(u, q), H) + 1e-9


@settings(max_examples=25, deadline=None)
@given(seeds, st.sampled_from([0.02, 0.1, 0.4, 0.9]), st.integers(2, 6))
def test_t2_t3_and_t9_hold_on_separable_data(seed, margin, d):
    X, y = sx.generate("separable", rows=40, columns=d, margin=margin, seed=seed)
    assert len(twins.perceptron(X, y)) <= bounds.separable(1.0, margin) + 1e-9
    # Many passes are one long sequence with the same R and margin.
    passes = twins.perceptron(np.tile(X, (20, 1)), np.tile(y, 20))
    assert len(passes) <= bounds.repeated_passes(1.0, margin) + 1e-9
    u = sx.comparator(X, y, seconds=0.05).u
    least = (y * (X @ u)).min()
    if least > 0.0:
        for p in (2.0, 4.0):
            norm, radius = np.linalg.norm(u, bounds.conjugate(p)), np.linalg.norm(X, p, axis=1).max()
            assert twins.p_norm(X, y, p) <= bounds.p_norm_separable(p, radius, norm, least) + 1e-9


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(1, 4), st.sampled_from([4, 10, 64, 200]))
def test_t6_holds_on_disjunctions(seed, r, n):
    X, y = sx.generate("disjunction", rows=150, columns=n, relevant=r, density=0.3, seed=seed)
    assert twins.winnow(X, y, n, 2.0, eliminate=True) <= bounds.winnow_disjunction(n, r)
    assert twins.winnow(X, y, n, 2.0) <= bounds.winnow_disjunction(n, r, "halving")


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(1, 4), st.integers(0, 3), st.sampled_from([8, 60]))
def test_t7_holds_on_k_of_r(seed, k, more, n):
    X, y = sx.generate("k-of-r", rows=200, columns=n, relevant=k + more, k=k, seed=seed)
    assert twins.winnow(X, y, n, 1.0 + 1.0 / (2 * k)) <= bounds.winnow_k_of_r(n, k + more, k)


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([1.0, 0.5, 0.2]), st.sampled_from([1.0, 0.25]), st.sampled_from([1.0, 1.4]))
def test_t8_holds_on_thresholds_with_real_values(seed, delta, least_entry, theta_factor):
    random = np.random.default_rng(seed)
    n, r = 20, 3
    mu = np.zeros(n)
    mu[:r] = random.uniform(0.5, 2.0, size=r)
    X = random.choice([0.0, least_entry, 1.0], size=(400, n))
    value = X @ mu
    keep = (value >= 1.0) | (value <= 1.0 - delta)
    X, y = X[keep], np.where(value[keep] >= 1.0, 1.0, -1.0)
    theta = n * theta_factor
    for factor in (1.0 + delta / 2.0, 1.0 + delta / 4.0):
        bound = bounds.winnow_threshold(n, mu.sum(), delta, theta, factor=factor, least_entry=least_entry)
        assert twins.winnow(X, y, theta, factor) <= bound


@settings(max_examples=60, deadline=None)
@given(labelled(), st.sampled_from([1.05, 1.3, 2.0]), st.floats(0.05, 1.0))
def test_balanced_winnow_keeps_its_bound(case, factor, gamma):
    X, y, u = case
    largest, size = np.abs(X).max(), np.abs(u).sum()
    if size == 0.0 or largest == 0.0 or gamma <= math.log(factor) * largest**2 / 2.0:
        return
    distance = np.maximum(0.0, gamma - y * (X @ u) / size).sum()
    bound = bounds.balanced_winnow(X.shape[1], largest, gamma, factor, distance)
    assert twins.balanced_winnow(X, y, factor) <= bound + 1e-9


def test_t1_halving_on_thresholds_of_a_line():
    hypotheses = np.arange(33) - 0.5
    for truth in hypotheses:
        alive, mistakes = hypotheses, 0
        for x in np.random.default_rng(int(truth + 1)).integers(0, 32, size=200):
            votes = x > alive
            predicted, label = 2 * votes.sum() >= len(alive), x > truth
            mistakes += predicted != label
            alive = alive[votes == label]
        assert mistakes <= bounds.halving(33) == 5
    assert bounds.halving_with_margin(3, 2.0, 0.5) == pytest.approx(3 * math.log2(33))


def test_t13_regret_of_the_forecaster():
    random = np.random.default_rng(5)
    S, targets, alpha = random.normal(size=(60, 3)), random.uniform(-2, 2, size=60), 0.7
    A, b, loss = alpha * np.eye(3), np.zeros(3), 0.0
    for x, target in zip(S, targets, strict=True):
        A = A + np.outer(x, x)
        loss += (b @ np.linalg.solve(A, x) - target) ** 2
        b = b + target * x
    w = np.linalg.solve(alpha * np.eye(3) + S.T @ S, S.T @ targets)
    best = ((S @ w - targets) ** 2).sum() + alpha * w @ w
    regret = bounds.ridge_regret(np.abs(targets).max(), np.linalg.eigvalsh(S.T @ S), alpha)
    assert 0.0 < loss - best <= regret
    off = w + 0.01
    g = (alpha * np.eye(3) + S.T @ S) @ off - S.T @ targets
    least = np.linalg.eigvalsh(S.T @ S).min()
    assert np.linalg.norm(off - w) <= bounds.ridge_error(np.linalg.norm(g), alpha, least) * (1 + 1e-12)


def test_t14_fails_less_often_than_it_may():
    # Labels are coins of bias 0.3; the rule "always 0" has risk 0.3 whatever the mistakes were.
    random = np.random.default_rng(1)
    mistakes = random.binomial(200, 0.3, size=2000)
    assert np.mean([bounds.risk(int(m), 200, 0.2) < 0.3 for m in mistakes]) <= 0.2


def test_t10_is_t2_in_feature_space():
    assert bounds.kernel_separable(4.0, 0.5) == bounds.separable(2.0, 0.5) == 16.0
    assert bounds.kernel_any_data(4.0, 1.5, 2.0) == pytest.approx(bounds.any_data(2.0, 1.5, 2.0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.separable(1.0, 0.0), r"margin should be in \(0.0, 1.0\], but is 0.0"),
        (lambda: bounds.separable(1.0, 2.0), "margin"),
        (lambda: bounds.separable(math.inf, 1.0), "radius should be a finite number, but is inf"),
        (lambda: bounds.any_data(1.0, 1.0, -1.0), "hinge should not be negative, but is -1.0"),
        (lambda: bounds.halving(0), "hypotheses should be a whole number of at least 1, but is 0"),
        (lambda: bounds.winnow_disjunction(3, 4), "relevant should be at most variables, 3, but is 4"),
        (lambda: bounds.winnow_disjunction(3, 1, "no"), "demotion should be"),
        (lambda: bounds.winnow_k_of_r(9, 2, 3), "should hold, but they are 3, 2, 9"),
        (lambda: bounds.winnow_threshold(9, 1.0, 0.1, 9.0, factor=2.0), "should be below 1"),
        (lambda: bounds.winnow_threshold(9, 1.0, 0.1, 0.5), "threshold should be at least 1, but is 0.5"),
        (lambda: bounds.conjugate(1.5), "p should be at least 2, but is 1.5"),
        (lambda: bounds.p_norm_separable(2.0, 1.0, 1.0, 2.0), "least_margin should be at most"),
        (lambda: bounds.balanced_winnow(9, 1.0, 0.1, 2.0), "margin should be above"),
        (lambda: bounds.risk(5, 4), "mistakes should be at most rounds, 4, but is 5"),
        (lambda: bounds.risk(1, 4, 1.0), r"failure should be in \(0, 1\), but is 1.0"),
        (lambda: bounds.lower_bound(1.5), "margin should be in"),
        (lambda: bounds.ridge_regret(1.0, [1.0], 0.0), "alpha should be positive, but is 0.0"),
    ],
)
def test_what_breaks_a_rule_is_named(call, message):
    with pytest.raises(UsageError, match=message):
        call()
