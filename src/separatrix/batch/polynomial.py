"""Polynomial features of degree 2 or 3, with names: curved borders by the linear tools."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import InputError, UsageError


def polynomial_features(
    X: Any, degree: int = 2, *, names: Sequence[str] | None = None
) -> tuple[NDArray[np.float64], list[str]]:
    """Return every product of 1 to `degree` columns of X, and what each is called.

    A product that does not fit a double is rounded, as any computed feature is; what is exact afterwards is
    exact about the rounded values.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Finite rows.
    degree : {2, 3}
        How many columns a product has at most.
    names : sequence of str, optional
        d names; x1, x2, … by default.

    Examples
    --------
    >>> import separatrix as sx
    >>> features, names = sx.polynomial_features([[2.0, 3.0]])
    >>> dict(zip(names, features[0].tolist()))
    {'x1': 2.0, 'x2': 3.0, 'x1^2': 4.0, 'x1 x2': 6.0, 'x2^2': 9.0}
    """
    if degree not in (2, 3):
        raise UsageError(f"degree should be 2 or 3, but is {degree!r}")
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    if dense.ndim != 2:
        raise InputError(f"X should have two dimensions, found {dense.ndim}")
    width = dense.shape[1]
    known = [f"x{j + 1}" for j in range(width)] if names is None else [str(name) for name in names]
    if len(known) != width:
        raise UsageError(f"names should hold {width} names, one a column, but holds {len(known)}")
    total = comb(width + degree, degree) - 1
    if total * max(len(dense), 1) > 200_000_000:
        raise InputError(f"X should give at most 200,000,000 products, found {len(dense)} rows of {total}")
    chosen = [c for k in range(1, degree + 1) for c in combinations_with_replacement(range(width), k)]
    with np.errstate(over="ignore"):
        features = np.empty((len(dense), len(chosen)))
        for at, columns in enumerate(chosen):
            features[:, at] = np.prod(dense[:, columns], axis=1)
    if not np.isfinite(features).all():
        raise InputError("X should hold values whose products are finite numbers, found one that overflows")
    return features, [_name(columns, known) for columns in chosen]


def _name(columns: tuple[int, ...], known: list[str]) -> str:
    powers = {j: columns.count(j) for j in columns}
    return " ".join(known[j] if power == 1 else f"{known[j]}^{power}" for j, power in powers.items())
