"""The lectures' learners in NumPy: one pass in file order, every update on a mistake alone."""

import numpy as np


def perceptron(X, y):
    """Mistake rounds of w ← w + y x, a tie being a mistake."""
    w, wrong = np.zeros(X.shape[1]), []
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        if label * (w @ x) <= 0.0:
            w = w + label * x
            wrong.append(t)
    return wrong


def p_norm(X, y, p):
    """Mistakes of θ ← θ + y x, predicting with sgn(θ)|θ|^(p−1)."""
    theta, mistakes = np.zeros(X.shape[1]), 0
    for x, label in zip(X, y, strict=True):
        if label * ((np.sign(theta) * np.abs(theta) ** (p - 1.0)) @ x) <= 0.0:
            theta = theta + label * x
            mistakes += 1
    return mistakes


def winnow(X, y, threshold, factor, eliminate=False):
    """Mistakes of Winnow: w from 1, positive iff w·x ≥ threshold."""
    w, mistakes = np.ones(X.shape[1]), 0
    for x, label in zip(X, y, strict=True):
        if (1.0 if w @ x >= threshold else -1.0) != label:
            mistakes += 1
            w = np.where(x > 0.0, 0.0, w) if eliminate and label < 0 else w * factor ** (label * x)
    return mistakes


def balanced_winnow(X, y, factor):
    """Mistakes of balanced Winnow: (w⁺ − w⁻)·x, a tie being a mistake."""
    exponents, mistakes = np.zeros(X.shape[1]), 0
    for x, label in zip(X, y, strict=True):
        if label * ((factor**exponents - factor**-exponents) @ x) <= 0.0:
            exponents = exponents + label * x
            mistakes += 1
    return mistakes
