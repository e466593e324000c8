"""Orders of visiting: as they stand, shuffled by a stated generator, always one that is still wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from oracles import online as oracle

from .learners import grid


def shuffled(seed, n, passes):
    """Fisher and Yates on SplitMix64, each pass on from the last one's order."""
    mask, state, order, orders = 2**64 - 1, seed, list(range(n)), []
    for _ in range(passes):
        for last in range(n - 1, 0, -1):
            state = (state + 0x9E3779B97F4A7C15) & mask
            z = state
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
            z ^= z >> 31
            at = (z * (last + 1)) >> 64
            order[last], order[at] = order[at], order[last]
        orders.append(order.copy())
    return orders


@given(seed=st.integers(0, 2**64 - 1), data=st.integers(0, 1000), n=st.integers(2, 20))
def test_a_shuffle_is_the_one_its_seed_states(seed, data, n):
    X, y = grid(np.random.default_rng(data), n, 4, 2)
    y[:2] = [0, 1]
    learner = sx.Perceptron(order="shuffle", seed=seed, passes=3).fit(X, y)
    slow = oracle.Perceptron(1, 4, 1)
    mistakes = sum(oracle.play(slow, X[o], y[o], tie="mistake")["mistakes"] for o in shuffled(seed, n, 3))
    assert learner.n_mistakes_ == mistakes
    assert np.array_equal(learner.coef_, slow.w)
    assert learner.run_.order == f"shuffle, seed {seed}"


@given(data=st.integers(0, 10_000), n=st.integers(2, 20))
def test_misclassified_shows_the_first_row_that_is_wrong(data, n):
    X, y = grid(np.random.default_rng(data), n, 4, 2)
    y[:2] = [0, 1]
    learner = sx.Perceptron(order="misclassified", passes="until-clean", max_passes=5).fit(X, y)
    slow, updates = oracle.Perceptron(1, 4, 1), 0
    while updates < 5 * n:
        wrong = [i for i in range(n) if slow.score(0, X[i]) * (1 if y[i] else -1) <= 0]
        if not wrong:
            break
        slow.update(0, X[wrong[0]], 1.0 if y[wrong[0]] else -1.0, updates + 1)
        updates += 1
    assert learner.n_mistakes_ == learner.run_.rounds == updates
    assert np.array_equal(learner.coef_, slow.w)
    assert learner.clean_ == (not [i for i in range(n) if slow.score(0, X[i]) * (1 if y[i] else -1) <= 0])


@pytest.mark.parametrize("order", ["file", "shuffle", "misclassified"])
def test_t3_holds_in_every_order(order):
    """Updates over all passes together are at most R²/γ², whatever the order of visits."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        u = rng.standard_normal(5)
        X = rng.standard_normal((60, 5))
        y = np.where(X @ u > 0, 1, -1)
        learner = sx.Perceptron(
            bias=False, order=order, seed=seed, passes="until-clean", max_passes=10**6
        ).fit(X, y)
        margin = (y * (X @ u)).min() / np.linalg.norm(u)
        assert learner.clean_
        assert learner.n_mistakes_ <= (learner.run_.radius / margin) ** 2
        assert (learner.predict(X) == y).all()
