"""Data as T11 sees it: rows, signs, and unit rows where they are asked for."""

from typing import Any

import numpy as np

from separatrix._native import unit_values
from separatrix.data.arrays import native_matrix
from separatrix.errors import InputError, UsageError


def signs_of(y: Any) -> tuple[np.ndarray, tuple[Any, Any]]:
    """Return +1 for the greater of two labels and -1 for the other, and both labels, sorted."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise InputError(f"y: expected one label a row, found an array of shape {labels.shape}")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise InputError(f"y: expected finite labels, found {labels[row]} in row {row}")
    found = np.unique(labels)
    if len(found) != 2:
        shown = ", ".join(str(v) for v in found[:5]) + (", …" if len(found) > 5 else "")
        raise InputError(f"y: expected two different labels, found {len(found)} ({shown})")
    low, high = found[0].item(), found[1].item()
    return np.where(labels == found[1], 1.0, -1.0), (low, high)


def rows_of(X: Any, signs: np.ndarray, normalize: bool) -> Any:
    """Return X as the native solvers read it: finite, two-dimensional, a row for each sign, unit if asked."""
    from scipy import sparse

    if not sparse.issparse(X):
        try:
            X = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"X: expected numbers in rows of one length: {error}") from error
        if X.ndim != 2:
            raise InputError(f"X: expected rows and columns, found an array of shape {X.shape}")
    if X.shape[0] != len(signs):
        raise InputError(f"X has {X.shape[0]} rows, but y has {len(signs)} labels")
    matrix = native_matrix(X)
    values = matrix[2] if isinstance(matrix, tuple) else matrix
    if not np.isfinite(values).all():
        raise InputError("X: expected finite numbers, found NaN or infinity")
    if not normalize:
        return matrix
    unit = unit_values(matrix)
    return (*matrix[:2], unit, matrix[3]) if isinstance(matrix, tuple) else unit.reshape(matrix.shape)


def flag(name: str, value: Any) -> bool:
    """Return a parameter that must be True or False."""
    if not isinstance(value, bool | np.bool_):
        raise UsageError(f"{name} must be True or False, but is {value!r}")
    return bool(value)
