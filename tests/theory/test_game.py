"""Natures force what they promise, on learners of every kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import separatrix as sx
from separatrix.errors import UsageError
from separatrix.theory.adversary import Contrary, Orthogonal, least_norm, slow_pair, slow_updates
from separatrix.theory.game import GameOver, Stream


class _Memory:
    """A learner of no library: the label of the nearest row it remembers."""

    def __init__(self):
        self.rows, self.labels = [], []

    def predict_one(self, x):
        if not self.rows:
            return 1
        return self.labels[int(np.argmin([np.linalg.norm(r - x) for r in self.rows]))]

    def learn_one(self, x, y):
        self.rows.append(x)
        self.labels.append(y)


LEARNERS = {
    "perceptron": lambda n: sx.Perceptron(bias=False, n_features=n),
    "averaged": lambda n: sx.Perceptron(prediction="averaged", n_features=n),
    "p-norm": lambda n: sx.PNormPerceptron(p=4.0, n_features=n),
    "winnow": lambda n: sx.Winnow(n_features=n),
    "balanced-winnow": lambda n: sx.BalancedWinnow(n_features=n),
    "memory": lambda n: _Memory(),
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("margin", [1.0, 0.5, 0.23, 0.1])
def test_t5s_adversary_forces_its_mistakes_on_every_learner(name, margin):
    nature = Orthogonal(margin)
    k = sx.bounds.lower_bound(margin)
    transcript = sx.play(LEARNERS[name](k), nature)
    assert transcript.mistakes == transcript.rounds == k
    X, y = transcript.data()
    w = nature.separator()
    assert np.linalg.norm(w) <= 1.0 + 1e-12
    assert (y * (X @ w)).min() >= margin * (1 - 1e-12)
    # And so no bound is below it: the proved T2 is just above.
    assert sx.Certificate.make("T2", {"u": sx.vector(y.astype(float))}, X, y).bound == k


@pytest.mark.parametrize("name", sorted(set(LEARNERS) - {"winnow"}))  # rows here have both signs
def test_the_contrary_nature_keeps_a_separator(name):
    nature = Contrary(margin=0.15, dimension=6, rows=80, seed=2)
    transcript = sx.play(LEARNERS[name](6), nature)
    X, y = transcript.data()
    assert (y * (X @ nature.separator())).min() >= 0.15 * (1 - 1e-9)
    assert transcript.mistakes >= 6
    if name == "perceptron":
        assert transcript.mistakes <= sx.bounds.separable(1.0, 0.15)
    # Contrary wherever it can be: a round without a mistake had no other label.
    for t in range(transcript.rounds):
        if transcript.predicted[t] == transcript.labels[t]:
            flipped = np.array([*y[:t], -y[t]])[:, None] * X[: t + 1]
            assert 1.0 / np.linalg.norm(least_norm(flipped)) < 0.15


@pytest.mark.parametrize("margin", [0.5, 0.1, 0.03, 0.011])
def test_t3_is_tight_up_to_one_half_in_two_dimensions(margin):
    X, y = slow_pair(margin)
    learner = sx.Perceptron(bias=False, passes="until-clean", max_passes=10**6).fit(X, y)
    bound = sx.bounds.repeated_passes(float(np.linalg.norm(X, axis=1).max()), margin)
    assert slow_updates(margin) <= learner.n_mistakes_ <= bound
    assert learner.n_mistakes_ >= 0.49 * bound - 1.0


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 12))
def test_least_norm_is_the_largest_margin(seed, d, n):
    random = np.random.default_rng(seed)
    Z = random.normal(size=(n, d)) + random.choice([0.0, 1.0])
    u = least_norm(Z)
    if np.isfinite(u).all():
        assert (Z @ u).min() >= 1.0 - 1e-6
        # Optimal: u is a non-negative combination of the rows that it touches.
        touched = Z[Z @ u <= 1.0 + 1e-6]
        weights, *_ = np.linalg.lstsq(touched.T, u, rcond=None)
        np.testing.assert_allclose(touched.T @ weights, u, atol=1e-6 * (1 + np.linalg.norm(u)))
    else:
        directions = random.normal(size=(2000, d))
        assert ((directions @ Z.T).min(axis=1) <= 1e-3).mean() > 0.99


def test_a_stream_is_played_as_fit_plays_it():
    X, y = sx.generate("separable", rows=100, columns=4, noise=0.1, seed=1)
    transcript = sx.play(sx.Perceptron(), Stream(zip(X, y.astype(int), strict=True)))
    assert transcript.rounds == 100
    assert transcript.curve[-1] == transcript.mistakes
    # The first prediction is None, before any label is known: to `fit` it is a tie, and a mistake too.
    assert abs(transcript.mistakes - sx.Perceptron().fit(X, y).n_mistakes_) <= 1
    assert sx.play(_Memory(), Stream(zip(X, y, strict=True)), rounds=7).rounds == 7
    with pytest.raises(UsageError, match="rounds should be a whole number"):
        sx.play(_Memory(), Stream([]), rounds=-1)
    with pytest.raises(UsageError, match="empty transcript"):
        sx.play(_Memory(), Stream([])).data()


def test_a_nature_may_walk_away():
    class Bored:
        def show(self):
            return np.ones(1)

        def reveal(self, predicted):
            raise GameOver

    assert sx.play(_Memory(), Bored()).rounds == 0
