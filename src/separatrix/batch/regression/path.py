"""The whole ridge path, with exact leave-one-out errors, from one factorisation."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy import linalg

from separatrix.batch.regression.gram import Gram, gram
from separatrix.batch.regression.problem import UNIT, Floats, Problem
from separatrix.batch.regression.scaling import scaled

# Up to this many multiplications the data themselves are factored (SVD); above, their normal equations,
# if these keep at least half of the digits.
_SMALL = 300_000_000
_WORST_GRAM = 1e-9
_BLOCK = 1024


@dataclass
class Path:
    """Solutions (α × unknowns × targets) and errors (one an α, averaged over targets)."""

    theta: Floats
    loo: Floats
    gcv: Floats
    degrees_of_freedom: Floats
    eigenvalues: Floats
    method: str
    unit: float
    """The errors are in squares of this; a power of two, 1 unless targets are very large or small."""


@dataclass
class _Spectrum:
    """Eigenvalues and vectors of XᵀSX (centred), and VᵀXᵀSy."""

    means: Floats
    target_means: Floats
    values: Floats
    V: Floats
    moments: Floats
    method: str


def default_alphas(problem: Problem) -> Floats:
    """Return 100 values around the size of the eigenvalues."""
    d = problem.features
    with np.errstate(all="ignore"):
        problem, scaling, _ = scaled(problem)
        sums, squares, weight = np.zeros(d), np.zeros(d), 0.0
        for _, X, weights in problem.blocks():
            sums += weights @ X
            squares += weights @ (X.multiply(X) if problem.is_sparse else X * X)
            weight += float(weights.sum())
        if problem.centred:
            squares = np.maximum(squares - sums**2 / weight, 0)
        scale = float(squares.mean())
        alphas = np.geomspace(1e-10, 1e3, 100) * (scale if scale > 0 and np.isfinite(scale) else 1.0)
        alphas = np.ldexp(alphas, 2 * scaling.columns + scaling.weights)
    # What over- or underflows is the nearest double that a ridge can have.
    return np.clip(alphas, np.finfo(float).tiny, np.finfo(float).max)


def path(problem: Problem, alphas: Floats) -> Path:
    """Solve for every α."""
    with np.errstate(all="ignore"):
        problem, scaling, _ = scaled(problem, common=True)
        alphas = np.ldexp(alphas, -2 * scaling.columns - scaling.weights)
        spectrum = _spectrum(problem)
        theta, inverse = _solutions(problem, spectrum, alphas)
        loo, squares, weight = _leave_one_out(problem, spectrum, theta, inverse)
        free = int(problem.centred)
        kept = np.where(inverse > 0, spectrum.values[:, None] * inverse, 0.0)
        freedom = kept.sum(axis=0) + free
        left = 1 - freedom / weight
        gcv = np.where(left > 1e-9, squares / weight / np.maximum(left, 1e-9) ** 2, np.inf)
        f = int(scaling.targets[0])
        theta = np.ldexp(theta, f)
        theta[:, : problem.features] = np.ldexp(theta[:, : problem.features], -scaling.columns)
        values = np.ldexp(np.sort(spectrum.values), 2 * scaling.columns + scaling.weights)
    return Path(theta, loo, gcv, freedom, values, spectrum.method, float(np.ldexp(1.0, f)))


def _spectrum(problem: Problem) -> _Spectrum:
    n, d = problem.rows, problem.features
    size = problem.features + int(problem.intercept and not problem.centred)
    if n * size * min(n, size) > _SMALL and n > size:
        g = gram(problem)
        found = _from_gram(problem, g)
        if found.values[0] > _WORST_GRAM * found.values[-1]:
            return found
    X = problem.X.toarray() if problem.is_sparse else problem.X
    means, target_means = np.zeros(size), np.zeros(problem.y.shape[1])
    if problem.centred:
        means = np.average(X, axis=0, weights=problem.weights)
        target_means = np.average(problem.y, axis=0, weights=problem.weights)
    elif problem.intercept:
        X = np.hstack([X, np.ones((n, 1))])
    roots = np.ones((n, 1)) if problem.weights is None else np.sqrt(problem.weights)[:, None]
    U, s, Vt = linalg.svd((X - means) * roots, full_matrices=False)
    kept = s > (s[0] if len(s) else 0.0) * max(n, d) * 2 * UNIT
    U, s, Vt = U[:, kept], s[kept], Vt[kept]
    moments = s[:, None] * (U.T @ ((problem.y - target_means) * roots))
    return _Spectrum(means, target_means, s**2, Vt.T, moments, "svd")


def _from_gram(problem: Problem, g: Gram) -> _Spectrum:
    H, c = g.matrix, g.moments
    size = len(H)
    means, target_means = np.zeros(size), np.zeros(c.shape[1])
    if problem.centred:
        mean, target_mean = H[-1, :-1] / H[-1, -1], c[-1] / H[-1, -1]
        H, c = H[:-1, :-1] - np.outer(H[:-1, -1], mean), c[:-1] - np.outer(H[:-1, -1], target_mean)
        means, target_means = mean + g.shift, target_mean + g.target_shift
    values, V = linalg.eigh(H)
    return _Spectrum(means, target_means, np.maximum(values, 0), V, V.T @ c, "eigen")


def _solutions(problem: Problem, found: _Spectrum, alphas: Floats) -> tuple[Floats, Floats]:
    """Return θ for every α, and 1/(λ + α), zero where both are."""
    total = found.values[:, None] + alphas
    inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    k = problem.y.shape[1]
    theta = np.empty((len(alphas), problem.unknowns, k))
    for t in range(k):
        w = found.V @ (inverse * found.moments[:, t : t + 1])
        theta[:, : len(w), t] = w.T
        if problem.centred:
            theta[:, -1, t] = found.target_means[t] - found.means @ w
    return theta, inverse


def _leave_one_out(
    problem: Problem, found: _Spectrum, theta: Floats, inverse: Floats
) -> tuple[Floats, Floats, float]:
    """Return the mean squared leave-one-out errors and Σ s r², both averaged over targets, and Σ s."""
    m, k = inverse.shape[1], problem.y.shape[1]
    loo, squares, weight = np.zeros(m), np.zeros(m), 0.0
    total = float(problem.rows if problem.weights is None else problem.weights.sum())
    extra = 1.0 / total if problem.centred else 0.0
    homogeneous = problem.intercept and not problem.centred
    compressed, back = _compress(inverse)
    for part, X, weights in problem.blocks(_BLOCK):
        X = X.toarray() if problem.is_sparse else X
        if homogeneous:
            X = np.hstack([X, np.ones((len(X), 1))])
        Q = (X - found.means) @ found.V if found.means.any() else X @ found.V
        # One of a row's copies is left out, or the whole row if it weighs less than one.
        left = 1 - np.minimum(weights, 1.0)[:, None] * (((Q * Q) @ compressed) @ back + extra)
        left[left < 1e-12] = 0.0
        for t in range(k):
            scaled = found.moments[:, t : t + 1] * compressed
            r = problem.y[part, t : t + 1] - found.target_means[t] - (Q @ scaled) @ back
            squares += weights @ r**2
            r /= left
            loo += weights @ r**2
        weight += float(weights.sum())
    loo = np.where(np.isnan(loo), np.inf, loo)
    return loo / weight / k, squares / k, weight


def _compress(inverse: Floats) -> tuple[Floats, Floats]:
    """Return thin F, G with FG = 1/(λ + α) to rounding.

    The columns 1/(λ + α) for a hundred α span few dimensions, about the logarithm of λ_max/λ_min: what
    costs rows × columns × α becomes rows × columns × rank + rows × rank × α.
    """
    # Each λ's row is scaled to about one, so that small and large eigenvalues are kept equally well.
    scale = np.maximum(inverse.max(axis=1, keepdims=True), 1e-300)
    U, s, Vt = linalg.svd(inverse / scale, full_matrices=False)
    rank = int((s > s[0] * UNIT / 8).sum()) if len(s) else 0
    if rank * (inverse.shape[0] + inverse.shape[1]) >= inverse.size:
        return inverse, np.eye(inverse.shape[1])
    return scale * U[:, :rank] * s[:rank], Vt[:rank]


def validation_errors(problem: Problem, alphas: Floats, folds: int) -> Floats:
    """Return the k-fold mean squared error for every α; folds are consecutive rows."""
    errors, weight = np.zeros(len(alphas)), 0.0
    bounds = np.linspace(0, problem.rows, folds + 1).astype(int)
    everywhere = np.ones(problem.rows, dtype=bool)
    for start, stop in pairwise(bounds):
        keep = everywhere.copy()
        keep[start:stop] = False
        part = slice(int(start), int(stop))
        weights = None if problem.weights is None else problem.weights[keep]
        train = replace(problem, X=problem.X[keep], y=problem.y[keep], weights=weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            theta, _ = _solutions(train, _spectrum(train), alphas)
        own = np.ones(part.stop - part.start) if problem.weights is None else problem.weights[part]
        for t in range(problem.y.shape[1]):
            predicted = problem.X[part] @ theta[:, : problem.features, t].T
            if problem.intercept:
                predicted = predicted + theta[:, -1, t]
            errors += own @ (problem.y[part, t : t + 1] - predicted) ** 2 / problem.y.shape[1]
        weight += float(own.sum())
    return errors / weight
