"""Least squares, ridge and the online forecasters as the lectures write them."""

from fractions import Fraction
from math import log10

import numpy as np


def exact_ridge(X, y, alpha=0.0, *, intercept=True, penalize_intercept=False, weights=None):
    """The solution θ = (w, b) in rational numbers, of least norm (of w alone, unless the intercept is
    penalised) where there are many. X and y are floats, taken for what they are."""
    rows = [[Fraction(float(v)) for v in row] + ([Fraction(1)] if intercept else []) for row in np.asarray(X)]
    y = [Fraction(float(v)) for v in y]
    s = [Fraction(1)] * len(y) if weights is None else [Fraction(float(v)) for v in weights]
    D = len(rows[0])
    H = [[sum(t * r[i] * r[j] for t, r in zip(s, rows, strict=True)) for j in range(D)] for i in range(D)]
    c = [sum(t * r[i] * v for t, r, v in zip(s, rows, y, strict=True)) for i in range(D)]
    free = intercept and not penalize_intercept
    for i in range(D - free):
        H[i][i] += Fraction(float(alpha))
    theta, null = solve_all(H, c)
    if null:
        # Least norm: subtract the projection onto the null space.
        counted = D - free
        G = [[sum(a[i] * b[i] for i in range(counted)) for b in null] for a in null]
        t, _ = solve_all(G, [sum(a[i] * theta[i] for i in range(counted)) for a in null])
        theta = [v - sum(f * a[i] for f, a in zip(t, null, strict=True)) for i, v in enumerate(theta)]
    return theta


def solve_all(H, c):
    """One solution of Hθ = c and a basis of H's null space, by elimination."""
    D = len(H)
    M = [[*row[:], v] for row, v in zip(H, c, strict=True)]
    pivots = []
    for column in range(D):
        at = len(pivots)
        found = next((i for i in range(at, D) if M[i][column] != 0), None)
        if found is None:
            continue
        M[at], M[found] = M[found], M[at]
        inverse = 1 / M[at][column]
        M[at] = [v * inverse for v in M[at]]
        for i in range(D):
            if i != at and M[i][column] != 0:
                f = M[i][column]
                M[i] = [a - f * b for a, b in zip(M[i], M[at], strict=True)]
        pivots.append(column)
    theta = [Fraction(0)] * D
    for row, column in enumerate(pivots):
        theta[column] = M[row][D]
    null = []
    for free in [j for j in range(D) if j not in pivots]:
        v = [Fraction(0)] * D
        v[free] = Fraction(1)
        for row, column in enumerate(pivots):
            v[column] = -M[row][free]
        null.append(v)
    return theta, null


def correct_digits(found, exact):
    """The least −log10 of the relative error over coefficients (of the absolute one where exact is 0)."""
    worst = 20.0
    for a, b in zip(found, exact, strict=True):
        error = abs(Fraction(float(a)) - b)
        if error:
            error = error / abs(b) if b else error
            worst = min(worst, log10(error.denominator) - log10(error.numerator))
    return worst


def forecast(X, y, alpha, *, forecaster):
    """Predictions of the Vovk–Azoury–Warmuth forecaster, or of recursive ridge."""
    d = X.shape[1]
    A, b, predictions = alpha * np.eye(d), np.zeros(d), []
    for x, target in zip(X, y, strict=True):
        with_x = A + np.outer(x, x)
        predictions.append(np.linalg.solve(with_x if forecaster else A, b) @ x)
        A, b = with_x, b + target * x
    return np.array(predictions)
