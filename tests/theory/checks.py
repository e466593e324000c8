"""What a `Separation` says, checked in fractions from the data alone."""

from fractions import Fraction

import numpy as np
from scipy import sparse


def signed_rows(X, y, bias):
    X = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float)
    y = np.asarray(y)
    high = max(np.unique(y))
    return [
        [Fraction(v) * (1 if label == high else -1) for v in ([*row, 1.0] if bias else row)]
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]


def check(found, X, y):
    """Assert everything that an exact answer claims."""
    assert found.verified == "exact"
    Z = signed_rows(X, y, found.bias)
    if found.w is not None:
        w = [Fraction(v) for v in ((*found.w, found.intercept) if found.bias else found.w)]
        products = [sum(a * b for a, b in zip(z, w, strict=True)) for z in Z]
    if found.answer == "separable":
        assert min(products) > 0
        assert not found.conflict_rows
        if found.margin is not None:
            low, high = map(Fraction, found.margin_bounds)
            assert found.margin == found.margin_bounds[0]
            # The proved bounds, derived again.
            assert low**2 * sum(v * v for v in w) <= min(products) ** 2
            total = sum(found.support_weights)
            point = [
                sum(k * Z[i][c] for i, k in zip(found.support_rows, found.support_weights, strict=True))
                / total
                for c in range(len(Z[0]))
            ]
            assert all(k > 0 for k in found.support_weights)
            assert sum(v * v for v in point) <= high**2 * (1 + Fraction(1, 10**9)) ** 2
        return
    assert found.margin is None
    assert found.updates_bound is None
    assert all(weight > 0 for weight in found.conflict_weights)
    assert sum(found.conflict_weights) == 1
    assert len(found.conflict_rows) <= len(Z[0]) + 1
    chosen = list(zip(found.conflict_rows, found.conflict_weights, strict=True))
    assert all(sum(k * Z[i][c] for i, k in chosen) == 0 for c in range(len(Z[0])))
    if found.answer == "weakly separable":
        assert min(products) == 0
        assert max(products) > 0
    else:
        assert found.w is None
