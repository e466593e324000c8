"""Margins of a given separator, distances and projections, and the L₁ margin by linear programming."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import InputError, UsageError
from separatrix.theory.signed import flag, signs_of

Norm = Literal[1, 2] | float


def _data(X: Any, columns: int | None) -> Any:
    from scipy import sparse

    X = X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise InputError(f"X: expected rows and columns, found an array of shape {X.shape}")
    if columns is not None and X.shape[1] != columns:
        raise InputError(f"X has {X.shape[1]} columns, but w has {columns} weights")
    values = X.data if sparse.issparse(X) else X
    if not np.isfinite(values).all():
        raise InputError("X: expected finite numbers, found NaN or infinity")
    return X


def _weights(w: Any, intercept: float | None, *, joint: bool) -> tuple[NDArray[np.float64], float]:
    """Return w and the intercept, scaled so that the squares of w (of both, if joint) are in range.

    A power of two changes no digit, and no margin or distance.
    """
    w = np.asarray(w, dtype=np.float64)
    if w.ndim != 1:
        raise UsageError(f"w must be a vector, but has shape {w.shape}")
    b = 0.0 if intercept is None else float(intercept)
    if not (np.isfinite(w).all() and np.isfinite(b)):
        raise UsageError("w and intercept must be finite")
    exponent = -np.frexp(max(np.abs(w).max(initial=0.0), abs(b) if joint else 0.0))[1]
    return np.ldexp(w, exponent), float(np.ldexp(b, exponent))


def _size(w: NDArray[np.float64], norm: float) -> float:
    if norm not in (1, 2, np.inf):
        raise UsageError(f"norm must be 1, 2 or inf, but is {norm!r}")
    size = float(np.linalg.norm(w, norm)) if w.size else 0.0
    if size == 0.0:
        raise UsageError("w must not be zero")
    return size


def margin(X: Any, y: Any, w: Any, *, intercept: float | None = None, norm: float = 2) -> float:
    """Return the margin of a separator, ``min y (w·x + b) / ‖(w, b)‖``, in double precision.

    Parameters
    ----------
    X : array or sparse matrix of shape (rows, columns)
        Finite numbers.
    y : sequence of length rows
        Two different labels; the greater is +1.
    w : vector of length columns
        Not zero.
    intercept : float, optional
        The weight of a constant 1 appended to each row, and to w where its norm is taken. By default there is
        no such constant.
    norm : {1, 2, inf}
        Of w. Norm 2 gives the margin of T2 and T11; norm 1 Winnow's, where distances between rows are L_∞.

    Returns
    -------
    float
        Negative or zero if some row is not on its side.

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.margin([[3.0, 4.0], [-3.0, -4.0]], [1, -1], [3.0, 4.0])
    5.0
    """
    signs, _ = signs_of(y)
    w, b = _weights(w, intercept, joint=True)
    X = _data(X, w.size)
    if X.shape[0] != signs.size:
        raise InputError(f"X has {X.shape[0]} rows, but y has {signs.size} labels")
    return float(np.min(signs * (X @ w + b))) / _size(np.append(w, b), norm)


def distances(X: Any, w: Any, *, intercept: float = 0.0, norm: float = 2) -> NDArray[np.float64]:
    """Return each row's signed distance to the hyperplane ``w·x + intercept = 0``.

    Parameters
    ----------
    X : array or sparse matrix of shape (rows, columns)
        Finite numbers.
    w : vector of length columns
        Not zero.
    intercept : float
        The weight of the constant.
    norm : {1, 2, inf}
        Of w: distances are then in its dual norm (2 in 2, 1 in L_∞, inf in L₁).

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.distances([[3.0, 4.0], [0.0, 0.0]], [3.0, 4.0], intercept=5.0)
    array([6., 1.])
    """
    w, b = _weights(w, intercept, joint=False)
    found: NDArray[np.float64] = (_data(X, w.size) @ w + b) / _size(w, norm)
    return found


def project(X: Any, w: Any, *, intercept: float = 0.0) -> NDArray[np.float64]:
    """Return the point of the hyperplane ``w·x + intercept = 0`` nearest to each row, in the Euclidean norm.

    Parameters
    ----------
    X : array or sparse matrix of shape (rows, columns)
        Finite numbers.
    w : vector of length columns
        Not zero.
    intercept : float
        The weight of the constant.

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.project([[3.0, 4.0]], [0.0, 2.0], intercept=-2.0)
    array([[3., 1.]])
    """
    from scipy import sparse

    w, b = _weights(w, intercept, joint=False)
    X = _data(X, w.size)
    _size(w, 2)
    unit = w / np.linalg.norm(w)
    away = X @ unit + b / np.linalg.norm(w)
    dense = X.toarray() if sparse.issparse(X) else X
    found: NDArray[np.float64] = dense - np.outer(away, unit)
    return found


def margin_l1(X: Any, y: Any, *, bias: bool = True) -> tuple[float, NDArray[np.float64], float]:
    """Return the largest margin under ‖(w, b)‖₁ = 1, Winnow's, by linear programming (HiGHS).

    The program is: maximise t subject to ``y (w·x + b) ≥ t`` and ``‖(w, b)‖₁ ≤ 1``.

    Parameters
    ----------
    X : array or sparse matrix of shape (rows, columns)
        Finite numbers.
    y : sequence of length rows
        Two different labels; the greater is +1.
    bias : bool
        Whether b may be other than zero.

    Returns
    -------
    margin : float
        Zero, up to HiGHS's tolerance of 1e-7, if the data is not separable: `separate` proves which.
    w : ndarray of shape (columns,)
    intercept : float
        The weight of the constant.

    Examples
    --------
    >>> import separatrix as sx
    >>> found, w, intercept = sx.margin_l1([[2.0, 1.0], [-2.0, 1.0]], [1, -1])
    >>> round(found, 9), w.round(9).tolist()
    (2.0, [1.0, 0.0])
    """
    from scipy import sparse
    from scipy.optimize import linprog

    bias = flag("bias", bias)
    signs, _ = signs_of(y)
    X = sparse.csr_matrix(_data(X, None))
    rows, columns = X.shape
    if rows != signs.size:
        raise InputError(f"X has {rows} rows, but y has {signs.size} labels")
    if bias:
        X = sparse.hstack([X, np.ones((rows, 1))], format="csr")
    Z = sparse.diags(signs) @ X
    width = columns + bias
    # Variables: the positive and the negative part of each weight, then t.
    above = sparse.hstack([-Z, Z, np.ones((rows, 1))])
    norm = np.append(np.ones(2 * width), 0.0)
    found = linprog(
        np.append(np.zeros(2 * width), -1.0),
        A_ub=sparse.vstack([above, norm[None, :]], format="csr"),
        b_ub=np.append(np.zeros(rows), 1.0),
        bounds=[(0, None)] * (2 * width + 1),
        method="highs",
    )
    if found.status != 0:
        raise InputError(f"HiGHS could not solve the linear program: {found.message}")
    w = found.x[:width] - found.x[width : 2 * width]
    return float(-found.fun), w[:columns], float(w[columns]) if bias else 0.0
