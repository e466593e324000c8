"""Labelled rows made to order: `sx.generate` and `separatrix generate`."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import UsageError

Floats = NDArray[np.float64]
Made = tuple[Any, Floats]


def generate(
    kind: str,
    *,
    rows: int = 1000,
    columns: int = 20,
    margin: float = 0.1,
    noise: float = 0.0,
    relevant: int = 3,
    k: int = 2,
    density: float = 0.5,
    seed: int = 0,
) -> Made:
    """Make a data set with a known target.

    Parameters
    ----------
    kind : str
        What the labels are. "separable": unit rows with largest margin exactly `margin`, up to rounding
        (without bias). "disjunction": rows of {0, 1}, positive where one of the first `relevant` columns
        is 1. "k-of-r": positive where at least `k` of them are. "threshold": rows of [0, 1] and positive
        weights on the first `relevant` columns whose sum is above or below a threshold, with `margin`
        of the largest sum between. "sparse-target": the sign of the sum of `relevant` columns on dense rows
        of ±1. "dense-target": the sign of a sum over all columns on rows with few entries, `density` of
        them. "xor": the sign of x₁x₂, which no linear rule has. "text": rows like a bag of words,
        73 of `columns` words on average, by Zipf's law, tf-idf weights, unit length (CSR).
    rows : int, at least 1
        How many.
    columns : int, at least 1
        How many.
    margin : float, in (0, 1]
        For "separable" (1 there, where there is one row or one column) and "threshold".
    noise : float, in [0, 1]
        The share of labels flipped afterwards.
    relevant : int, in [1, columns]
        For the targets that depend on few columns.
    k : int, in [1, relevant]
        For "k-of-r".
    density : float, in (0, 1]
        The share of entries that are not 0, for rows of {0, 1} and "dense-target".
    seed : int, at least 0
        The same seed gives the same data.

    Returns
    -------
    X : ndarray or csr_matrix of shape (rows, columns)
    y : ndarray of −1.0 and 1.0

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.generate("disjunction", rows=4, columns=6, relevant=2, seed=1)
    >>> bool(((X[:, :2].sum(axis=1) > 0) == (y > 0)).all())
    True
    """
    maker = _KINDS.get(kind)
    if maker is None:
        raise UsageError(f"kind should be one of {', '.join(sorted(_KINDS))}, but is {kind!r}")
    for name, value in (("rows", rows), ("columns", columns), ("relevant", relevant), ("k", k)):
        if value != int(value) or value < 1:
            raise UsageError(f"{name} should be a whole number of at least 1, but is {value!r}")
    if seed != int(seed) or seed < 0:
        raise UsageError(f"seed should be a whole number of at least 0, but is {seed!r}")
    for name, share in (("margin", margin), ("density", density)):
        if not 0.0 < share <= 1.0:
            raise UsageError(f"{name} should be in (0, 1], but is {share!r}")
    if not 0.0 <= noise <= 1.0:
        raise UsageError(f"noise should be in [0, 1], but is {noise!r}")
    if kind in ("disjunction", "k-of-r", "threshold", "sparse-target") and relevant > columns:
        raise UsageError(f"relevant should be at most columns, {columns}, but is {relevant}")
    if kind == "separable" and min(rows, columns) == 1 and margin < 1.0:
        raise UsageError(f"margin should be 1 for one row or one column of unit length, but is {margin!r}")
    if kind == "k-of-r" and k > relevant:
        raise UsageError(f"k should be at most relevant, {relevant}, but is {k}")
    random = np.random.default_rng(seed)
    X, y = maker(random, rows, columns, margin, relevant, k, density)
    flipped = random.random(rows) < noise
    return X, np.where(flipped, -y, y)


def _separable(
    random: np.random.Generator, n: int, d: int, margin: float, relevant: int, k: int, density: float
) -> Made:
    u = random.normal(size=d)
    u /= np.linalg.norm(u)
    y = np.where(random.random(n) < 0.5, -1.0, 1.0)
    if d == 1:
        return (y * np.sign(u))[:, None], y
    across = random.normal(size=(n, d))
    across -= np.outer(across @ u, u)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    # How far a random unit vector reaches along u, pushed out to the margin.
    along = np.clip(np.abs(random.normal(size=n)) / np.sqrt(d), None, 1.0)
    along = margin + (1.0 - margin) * along
    if n >= 2:
        # Two rows that average to margin·u: no other separator has more.
        along[:2], y[1], across[1] = margin, y[0], -across[0]
    X = (y * along)[:, None] * u + np.sqrt(1.0 - along**2)[:, None] * across
    return X, y


def _bits(random: np.random.Generator, n: int, d: int, density: float) -> Floats:
    return (random.random((n, d)) < density).astype(np.float64)


def _k_of_r(
    random: np.random.Generator, n: int, d: int, margin: float, relevant: int, k: int, density: float
) -> Made:
    X = _bits(random, n, d, density)
    return X, np.where(X[:, :relevant].sum(axis=1) >= k, 1.0, -1.0)


def _disjunction(
    random: np.random.Generator, n: int, d: int, margin: float, relevant: int, k: int, density: float
) -> Made:
    # Half positives, half negatives: else a random row of a long disjunction is nearly always positive.
    X = _bits(random, n, d, density)
    negative = random.random(n) < 0.5
    X[np.ix_(negative, np.arange(relevant))] = 0.0
    return X, np.where(X[:, :relevant].any(axis=1), 1.0, -1.0)


def _threshold(
    random: np.random.Generator, n: int, d: int, margin: float, relevant: int, k: int, density: float
) -> Made:
    weights = 0.5 + 0.5 * random.random(relevant)
    middle = 0.5 * weights.sum()
    X = np.round(random.random((n, d)), 3)
    y = np.where(X[:, :relevant] @ weights >= middle, 1.0, -1.0)
    # Move a row's relevant part away from the middle until the gap, margin of the whole range, is free.
    away = np.where(y[:, None] > 0, 1.0, 0.0) - X[:, :relevant]
    gap = y * (X[:, :relevant] @ weights - middle)
    missing = np.clip(margin * middle - gap, 0.0, None)
    reach = np.abs(away @ weights)
    X[:, :relevant] += away * np.where(reach > 0.0, missing / np.maximum(reach, 1e-300), 0.0)[:, None]
    return X, y


def _sparse_target(
    random: np.random.Generator, n: int, d: int, margin: float, relevant: int, k: int, density: float
) -> Made:
    X = np.where(random.random((n, d)) < 0.5, -1.0, 1.0)
    total = X[:, :relevant].sum(axis=1)
    X[total == 0.0, 0] = 1.0
    return X, np.where(X[:, :relevant].sum(axis=1) >= 0.0, 1.0, -1.0)


def _dense_target(
    random: np.random.Generator, n: int, d: int, margin: float, relevant: int, k: int, density: float
) -> Made:
    u = np.where(random.random(d) < 0.5, -1.0, 1.0)
    X = _bits(random, n, d, density)
    X[~X.any(axis=1), 0] = 1.0
    even = X @ u == 0.0
    X[even, 0] = 1.0 - X[even, 0]
    return X, np.where(X @ u >= 0.0, 1.0, -1.0)


def _xor(
    random: np.random.Generator, n: int, d: int, margin: float, relevant: int, k: int, density: float
) -> Made:
    if d < 2:
        raise UsageError(f"columns should be at least 2 for xor, but is {d}")
    X = np.where(random.random((n, d)) < 0.5, -1.0, 1.0)
    X[: min(n, 4), :2] = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]][: min(n, 4)]
    return X, X[:, 0] * X[:, 1]


def _text(
    random: np.random.Generator, n: int, d: int, margin: float, relevant: int, k: int, density: float
) -> Made:
    from scipy import sparse

    # Rows are drawn with some words twice; 89 draws leave about 73 words of 47,236.
    lengths = np.clip(np.rint(random.lognormal(np.log(89.0) - 0.125, 0.5, size=n)), 1, d).astype(np.int64)
    of = np.repeat(np.arange(n), lengths)
    # Zipf with exponent 1: the logarithm of a word's rank is uniform. A random order hides the ranks.
    ranks = np.minimum(np.exp(random.random(len(of)) * np.log(d + 1.0)) - 1.0, d - 1).astype(np.int64)
    names = random.permutation(d)
    keys = np.sort(of * d + names[ranks])  # whole numbers sort fast; weights come after
    keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    of, words = np.divmod(keys, d)
    rarity = np.empty(d)
    rarity[names] = np.log1p(d / (1.0 + np.arange(d)))
    weights = (1.0 + random.exponential(0.3, size=len(of))) * rarity[words]
    norms = np.sqrt(np.bincount(of, weights=weights**2, minlength=n))
    # Six decimals, as such files have; a word weighs at least the last of them.
    values = np.maximum(np.round(weights / norms[of], 6), 1e-6)
    starts = np.concatenate([[0], np.cumsum(np.bincount(of, minlength=n))])
    X = sparse.csr_matrix((values, words.astype(np.int32), starts), shape=(n, d))
    u = random.normal(size=d)
    scores = X @ u
    return X, np.where(scores >= np.median(scores), 1.0, -1.0)


_KINDS: dict[str, Callable[..., Made]] = {
    "dense-target": _dense_target,
    "disjunction": _disjunction,
    "k-of-r": _k_of_r,
    "separable": _separable,
    "sparse-target": _sparse_target,
    "text": _text,
    "threshold": _threshold,
    "xor": _xor,
}
KINDS = tuple(sorted(_KINDS))
