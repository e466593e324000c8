"""Wolfe's minimum norm point as T11 needs it, in a few lines of NumPy; and the same question as exact LPs."""

from fractions import Fraction
from itertools import combinations

import numpy as np


def minimum_norm_point(Z, tolerance=1e-12):
    """Return the point of conv(rows of Z) nearest to the origin, and its weights."""
    S, weights = [int(np.argmin((Z * Z).sum(1)))], np.ones(1)
    while True:
        p = weights @ Z[S]
        j = int(np.argmin(Z @ p))
        if j in S or Z[j] @ p >= p @ p * (1 - tolerance) or p @ p <= 1e-24 * (Z * Z).sum(1).max():
            return p, dict(zip(S, weights, strict=True))
        S, weights = [*S, j], np.append(weights, 0.0)
        while True:
            A = np.vstack([np.ones(len(S)), Z[S].T])
            v = np.linalg.lstsq(A, np.eye(len(A))[0], rcond=None)[0]
            v /= v.sum()
            if (v > 0).all():
                weights = v
                break
            down = v <= 0
            step = (weights[down] / (weights[down] - v[down])).min()
            weights = weights + step * (v - weights)
            keep = weights > 1e-14
            S, weights = [s for s, k in zip(S, keep, strict=True) if k], weights[keep]


def strictly_separable(Z):
    """Whether z·w > 0 has a solution, for rows of integers: Gordan's alternative, subset by subset, exactly.

    It has none if and only if the origin is a convex combination of at most rank + 1 rows (Carathéodory).
    """
    rows = [[Fraction(int(v)) for v in row] for row in Z]
    return not any(
        _positive_dependency([rows[i] for i in chosen])
        for size in range(1, len(Z[0]) + 2)
        for chosen in combinations(range(len(rows)), size)
    )


def _positive_dependency(rows):
    """Whether the rows have one dependency but for scale, and it is positive throughout."""
    k = len(rows)
    matrix = [[row[c] for row in rows] for c in range(len(rows[0]))]
    pivots = []
    for column in range(k):
        at = next((r for r in range(len(pivots), len(matrix)) if matrix[r][column] != 0), None)
        if at is None:
            continue
        top = len(pivots)
        matrix[top], matrix[at] = matrix[at], matrix[top]
        matrix[top] = [v / matrix[top][column] for v in matrix[top]]
        for r in range(len(matrix)):
            if r != top and matrix[r][column] != 0:
                factor = matrix[r][column]
                matrix[r] = [a - factor * b for a, b in zip(matrix[r], matrix[top], strict=True)]
        pivots.append(column)
    if len(pivots) != k - 1:
        return False
    (free,) = set(range(k)) - set(pivots)
    return all(-matrix[r][free] > 0 for r in range(len(pivots)))
