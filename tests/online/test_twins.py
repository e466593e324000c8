"""Every learner against its twin in tests/oracles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from oracles import online as oracle

from .learners import LEARNERS, grid, is_winnow, twin


@pytest.mark.parametrize("name", LEARNERS)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 25), d=st.integers(1, 12), classes=st.integers(2, 4))
def test_a_learner_plays_its_twins_game(name, seed, n, d, classes):
    rng = np.random.default_rng(seed)
    learner = LEARNERS[name](passes=2)
    X, codes = grid(rng, n, d, classes, binary=is_winnow(learner))
    codes[:classes] = np.arange(classes)[: len(codes[:classes])]
    if len(np.unique(codes)) < classes:
        return
    learner.fit(X, codes)
    slow = twin(learner, d, classes)
    counts = oracle.play(
        slow, X, codes, tie=learner.tie, classes=classes, normalize=learner.normalize, passes=2
    )
    run = learner.run_
    assert (run.rounds, run.mistakes, list(run.mistakes_by_class)) == (
        counts["rounds"],
        counts["mistakes"],
        counts["by_class"],
    )
    assert run.radius == counts["radius"]
    assert run.squared_norms == pytest.approx(counts["squared_norms"], rel=1e-14)
    if learner.__class__ is sx.Perceptron and learner.prediction == "plain":
        assert np.array_equal(learner.coef_, slow.w)
        assert np.array_equal(learner.intercept_, slow.b)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 30), d=st.integers(1, 10))
def test_averaged_is_the_mean_of_the_hypotheses(seed, n, d):
    X, codes = grid(np.random.default_rng(seed), n, d, 2)
    codes[:2] = [0, 1]
    learner = sx.Perceptron(prediction="averaged").fit(X, codes)
    slow = twin(learner, d, 2)
    oracle.play(slow, X, codes, tie="mistake")
    w, b = slow.averaged()
    assert np.allclose(learner.coef_, w, rtol=1e-13, atol=1e-13)
    assert np.allclose(learner.intercept_, b, rtol=1e-13, atol=1e-13)
    assert np.allclose(learner.decision_function(X), X @ w[0] + b[0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("tie", ["positive", "negative", "mistake"])
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 25), d=st.integers(1, 8))
def test_voted_is_the_mean_of_the_signs(tie, seed, n, d):
    X, codes = grid(np.random.default_rng(seed), n, d, 2)
    codes[:2] = [0, 1]
    learner = sx.Perceptron(prediction="voted", tie=tie).fit(X, codes)
    slow = twin(learner, d, 2)
    oracle.play(slow, X, codes, tie=tie)
    wanted = [slow.votes(x, tie) for x in X]
    assert np.allclose(learner.decision_function(X), wanted, rtol=1e-12, atol=1e-12)
    with pytest.raises(AttributeError, match="no single linear rule"):
        _ = learner.coef_


@given(seed=st.integers(0, 2**32 - 1), tie=st.sampled_from(["positive", "negative", "mistake"]))
def test_the_multiclass_rule_makes_the_two_class_mistakes(seed, tie):
    """A third class that never occurs and never scores highest changes nothing."""
    rng = np.random.default_rng(seed)
    X, codes = grid(rng, 20, 5, 2)
    two = oracle.play(oracle.Perceptron(1, 5, 1), X, codes, tie=tie)
    both = oracle.Perceptron(2, 5, 1)
    mistakes = 0
    for t, (x, y) in enumerate(zip(X, codes, strict=True), 1):
        scores = [both.score(0, x), both.score(1, x)]
        top = [c for c in range(2) if scores[c] == max(scores)]
        predicted = top[-1] if tie == "positive" else top[0]
        wrong = predicted != y or (tie == "mistake" and len(top) == 2)
        if wrong:
            mistakes += 1
            both.update(y, x, 1.0, t)
            both.update(1 - y, x, -1.0, t)
    assert mistakes == two["mistakes"]
    codes[:2] = [0, 1]
    learner = sx.Perceptron(tie=tie).fit(X, codes)
    assert learner.n_mistakes_ == oracle.play(oracle.Perceptron(1, 5, 1), X, codes, tie=tie)["mistakes"]


def test_winnow_weights_come_back_from_below_the_smallest_double():
    """Two columns that are always seen together with a third: 1200 halvings, then 1200 doublings."""
    learner = sx.Winnow(threshold=1e-300, n_features=3)
    for _ in range(600):
        # Column 2 keeps the score above the threshold and is doubled again on its own.
        assert learner.learn_one([1.0, 0.0, 1.0], False)
        for _ in range(2):
            learner.learn_one([1.0, 0.0, 1.0], False)
        learner = _with_threshold(learner, 1e300)
        for _ in range(3):
            assert learner.learn_one([0.0, 0.0, 1.0], True)
        learner = _with_threshold(learner, 1e-300)
    exponents = learner._learner.coefficients()[0][0]
    assert exponents[0] == 0.0, "as a double the weight is gone"
    learner = _with_threshold(learner, 1e300)
    for _ in range(1800):
        assert learner.learn_one([1.0, 0.0, 0.0], True)
    assert learner._learner.coefficients()[0][0, 0] == 1.0, "and yet it comes back, exactly"


def _with_threshold(learner, threshold):
    """The same weights under another threshold, by way of the model file."""
    import json

    content = learner._learner.to_bytes()
    return _edited(
        content, lambda model: model["settings"]["rule"].update(threshold=json.loads(repr(threshold)))
    )


def _edited(content, change):
    import hashlib
    import json
    import struct

    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + length])
    document = json.loads(header["__metadata__"]["separatrix"])
    change(document["model"])
    document["sha256"] = "0" * 64
    header["__metadata__"]["separatrix"] = json.dumps(document, separators=(",", ":"))
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    whole = struct.pack("<Q", len(text)) + text + content[8 + length :]
    digest = hashlib.sha256(whole).hexdigest().encode()
    whole = whole.replace(b"0" * 64, digest, 1)
    estimator = sx.Winnow()
    estimator._learner = sx._native.Learner.from_bytes(whole)
    return estimator


def test_balanced_winnow_stays_finite_where_powers_overflow():
    learner = sx.BalancedWinnow(factor=1e6, bias=False)
    for _ in range(500):
        learner.learn_one({"a": 1.0, "b": 1.0}, True)
        learner.learn_one({"a": 1.0, "c": 1.0}, False)
    weights = learner._learner.coefficients()[0]
    assert np.isfinite(weights).all()
    assert learner.predict_one({"b": 1.0}) is True
    assert learner.predict_one({"c": 1.0}) is False


def test_p_norms_of_large_p_neither_overflow_nor_underflow():
    X = np.array([[1e-30, 0.0], [0.0, 2e-30], [1e12, 1e-30]])
    learner = sx.PNormPerceptron(p=60, bias=False, passes=50).fit(X, [1, -1, 1])
    assert np.isfinite(learner.coef_).all()
    assert np.abs(learner.coef_).max() > 0
