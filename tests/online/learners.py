"""Every online learner, for the suites that hold for all of them."""

import numpy as np

import separatrix as sx
from oracles import online as oracle

LEARNERS = {
    "perceptron": lambda **kw: sx.Perceptron(**kw),
    "perceptron, no bias": lambda **kw: sx.Perceptron(bias=False, **kw),
    "perceptron, positive tie": lambda **kw: sx.Perceptron(tie="positive", **kw),
    "perceptron, negative tie": lambda **kw: sx.Perceptron(tie="negative", **kw),
    "perceptron, unit rows": lambda **kw: sx.Perceptron(normalize=True, **kw),
    "averaged": lambda **kw: sx.Perceptron(prediction="averaged", **kw),
    "voted": lambda **kw: sx.Perceptron(prediction="voted", **kw),
    "p-norm 2": lambda **kw: sx.PNormPerceptron(p=2, **kw),
    "p-norm 3.5": lambda **kw: sx.PNormPerceptron(p=3.5, **kw),
    "p-norm auto": lambda **kw: sx.PNormPerceptron(**kw),
    "winnow": lambda **kw: sx.Winnow(**kw),
    "winnow, eliminating": lambda **kw: sx.Winnow(demotion="eliminate", **kw),
    "winnow, 2 of r": lambda **kw: sx.Winnow(k=2, **kw),
    "winnow, delta": lambda **kw: sx.Winnow(delta=0.5, threshold=3, bias=True, **kw),
    "balanced winnow": lambda **kw: sx.BalancedWinnow(**kw),
}


def twin(learner, d, classes):
    """The oracle that follows the same lecture."""
    vectors = 1 if classes == 2 else classes
    bias = int(learner.bias)
    if isinstance(learner, sx.PNormPerceptron):
        p = max(2.0, 2 * np.log(d + bias)) if learner.p == "auto" else learner.p
        return oracle.PNorm(vectors, d, bias, p)
    if isinstance(learner, sx.BalancedWinnow):
        return oracle.BalancedWinnow(vectors, d, bias, learner.factor)
    if isinstance(learner, sx.Winnow):
        beta = 1 + 1 / (2 * learner.k) if learner.k else 1 + learner.delta / 2 if learner.delta else 2.0
        theta = float(d + bias) if learner.threshold == "auto" else learner.threshold
        return oracle.Winnow(vectors, d, bias, theta, beta, learner.demotion == "eliminate")
    return oracle.Perceptron(vectors, d, bias)


def grid(rng, n, d, classes, *, binary=False):
    """Rows on an integer grid, with ties, duplicates and zero rows; labels partly noise."""
    X = rng.integers(0, 2, (n, d)) if binary else rng.integers(-2, 3, (n, d))
    X = X.astype(np.float64)
    if n > 3:
        X[n // 2] = X[0]
        X[n // 3] = 0
    scores = X @ rng.integers(-2, 3, (d, classes))
    codes = np.argmax(scores, axis=1) if classes > 2 else (scores[:, 0] > 0).astype(int)
    noise = rng.random(n) < 0.1
    codes[noise] = rng.integers(0, classes, noise.sum())
    return X, codes


def is_winnow(learner):
    return isinstance(learner, sx.Winnow)


def state(learner):
    """Everything that the next round depends on, to the bit."""
    run = learner.run_
    weights = learner._learner.coefficients()
    return (
        run.rounds,
        run.mistakes,
        run.mistakes_by_class,
        run.radius,
        run.squared_norms,
        run.radius_p,
        run.curve,
        None if weights is None else (weights[0].tobytes(), weights[1].tobytes()),
    )
