"""Normal equations in blocks, with bounds on what summing them lost."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from separatrix.batch.regression.problem import BLOCK_ROWS, UNIT, Floats, Problem, gamma

# A column whose mean is this many times its deviation is worth shifting even where that means a copy.
_LARGE_MEAN = 2.0
_SMALL_DATA = 2_000_000
_SAMPLE = 2048


@dataclass(frozen=True)
class Gram:
    """H = AᵀSA, c = AᵀSy and Σ s y² for the shifted data A = (X − shift, 1), y − target_shift.

    In exact arithmetic a shift changes the intercept alone. Each entry of `matrix` errs by at most
    `error · sizes_j sizes_k`, of `moments` by `error · sizes_j target_sizes`.
    """

    matrix: Floats
    moments: Floats
    target_squares: Floats
    shift: Floats
    target_shift: Floats
    sizes: Floats
    """At least the 2-norm of each (weighted, shifted) column."""
    target_sizes: Floats
    error: float
    weight: float
    """Σ s."""


def gram(problem: Problem) -> Gram:
    """Sum the normal equations over row blocks."""
    d, k, D = problem.features, problem.y.shape[1], problem.unknowns
    shift, target_shift = _shifts(problem)
    shifted = bool(shift.any())
    H, c = np.zeros((D, D)), np.zeros((D, k))
    squares, weight = np.zeros(k), 0.0
    if problem.is_sparse:
        weights = np.ones(problem.rows) if problem.weights is None else problem.weights
        scaled = sparse.diags_array(weights) @ problem.X
        H[:d, :d] = (problem.X.T @ scaled).toarray()
        y = problem.y - target_shift
        c[:d] = scaled.T @ y
        squares = weights @ y**2
        if problem.intercept:
            H[:d, -1] = H[-1, :d] = problem.X.T @ weights
            c[-1] = weights @ y
        weight = float(weights.sum())
        roundings = problem.rows + 6
    else:
        for part, X, weights in problem.blocks():
            X = X - shift if shifted else X
            y = problem.y[part] - target_shift
            if problem.weights is None:
                H[:d, :d] += X.T @ X
                weighted_y = y
            else:
                H[:d, :d] += (X * weights[:, None]).T @ X
                weighted_y = y * weights[:, None]
            c[:d] += X.T @ weighted_y
            squares += (y * weighted_y).sum(axis=0)
            if problem.intercept:
                H[:d, -1] += weights @ X
                c[-1] += weights @ y
            weight += float(weights.sum())
        roundings = min(BLOCK_ROWS, problem.rows) + problem.rows // BLOCK_ROWS + 8
    if problem.intercept:
        H[-1, :d] = H[:d, -1]
        H[-1, -1] = weight
    error = gamma(roundings)
    with np.errstate(invalid="ignore"):
        sizes = np.sqrt(np.diag(H)) * (1 + 2 * error)
        target_sizes = np.sqrt(squares) * (1 + 2 * error)
    return Gram(H, c, squares, shift, target_shift, sizes, target_sizes, error, weight)


def _shifts(problem: Problem) -> tuple[Floats, Floats]:
    """Return what to take off columns and targets: about their means, where the intercept is free."""
    d, k = problem.features, problem.y.shape[1]
    if not problem.free_intercept:
        return np.zeros(d), np.zeros(k)
    target_shift = np.average(problem.y, axis=0, weights=problem.weights)
    if problem.is_sparse:
        return np.zeros(d), target_shift
    if problem.X.size <= _SMALL_DATA:
        return np.average(problem.X, axis=0, weights=problem.weights), target_shift
    sample = problem.X[:: max(1, problem.rows // _SAMPLE)]
    mean, deviation = sample.mean(axis=0), sample.std(axis=0)
    if (np.abs(mean) > _LARGE_MEAN * deviation).any():
        return mean, target_shift
    return np.zeros(d), target_shift


@dataclass
class Inverse:
    """Z with ‖Zᵀ(H + P)Z − I‖₂ ≤ delta, in the shifted coordinates; `core` is about (Zᵀ(H + P)Z)⁻¹."""

    Z: Floats
    core: Floats
    delta: float
    shift: Floats
    free: bool
    inner: float = float("inf")
    """At least ‖I − Zᵀ(H + P)Z·core‖₂: by which one correction falls short."""
    passes: int = 0
    projected: Floats | None = None
    """(AZ)ᵀS y, if a pass over the data computed it."""

    def user(self) -> Floats:
        """Z in the user's coordinates: the intercept's row takes the shift back."""
        if not self.free:
            return self.Z
        U = self.Z.copy()
        U[-1] -= self.shift @ self.Z[:-1]
        return U

    def effect(self, signed: Floats, size: Floats) -> Floats:
        """Return bounds on |(H + P)⁻¹(signed + x)|, user's coordinates, for every |x| ≤ size.

        With K = Z·core·Zᵀ, which is nearly the inverse, `(H + P)⁻¹ = K + Z(M⁻¹ − core)Zᵀ`; K's own entries
        are used, so that nothing is lost where they are small.
        """
        D, U, reach = len(self.Z), self.user(), np.abs(self.Z).T
        K = U @ self.core @ self.Z.T
        most = np.linalg.norm(reach @ (np.abs(signed) + size), axis=0) * (1 + gamma(2 * D + 8))
        rest = self.inner / (1 - self.delta) + 4 * gamma(D + 4) * float(np.linalg.norm(self.core))
        rows = self.row_sizes()[:, None]
        bounds = (np.abs(K @ signed) + np.abs(K) @ size) * (1 + gamma(D + 8)) + rows * (rest * most)
        # The plain product of norms is better where the inverse is far from exact, or its entries overflow.
        straight = rows * most / (1 - self.delta)
        bounds = np.fmin(bounds, straight) * (1 + gamma(8))
        return np.where(np.isfinite(bounds), bounds, np.inf)

    def row_sizes(self) -> Floats:
        """Return at least the 2-norm of each row of :meth:`user`."""
        D = len(self.Z)
        U = self.user()
        # Taken of rows near to one: where α is all that a column has, squares of 1/√α may overflow.
        largest = np.abs(U).max(axis=1, initial=0.0)
        sizes = largest * np.linalg.norm(U / np.where(largest > 0, largest, 1.0)[:, None], axis=1)
        if self.free:
            sizes[-1] += gamma(D + 4) * np.linalg.norm(
                np.abs(self.Z[-1]) + np.abs(self.shift) @ np.abs(self.Z[:-1])
            )
        return np.asarray(sizes * (1 + gamma(D + 10)))


def from_gram(problem: Problem, g: Gram) -> Inverse:
    """Take Z from Cholesky's factor of the summed normal equations; delta is inf where that fails."""
    D = problem.unknowns
    scales = _powers_of_two(np.sqrt(np.diag(g.matrix) + problem.penalty))
    H = (g.matrix + np.diag(problem.penalty)) * scales[:, None] * scales
    Z, delta = _cholesky_inverse(H, scales, 0.0), float("inf")
    if Z is None:
        # The least shift that survives rounding; passes over the data take it away again.
        Z = _cholesky_inverse(H, scales, 4 * (D + 2) * (g.error + gamma(D + 2)))
    if Z is None:
        return Inverse(np.diag(scales), np.eye(D), delta, g.shift, problem.free_intercept)
    sizes = np.sqrt(g.sizes**2 + problem.penalty) * (1 + gamma(4))
    reach = float(np.sum((sizes @ np.abs(Z)) ** 2)) * (1 + gamma(4 * D))
    M = Z.T @ ((g.matrix + np.diag(problem.penalty)) @ Z)
    delta = float(np.linalg.norm(M - np.eye(D))) + (g.error + gamma(2 * D + 6)) * reach * 1.01
    delta = delta if np.isfinite(delta) else float("inf")
    return Inverse(Z, np.eye(D), delta, g.shift, problem.free_intercept, delta)


def from_data(problem: Problem, g: Gram, start: Inverse, *, passes: int = 4, enough: float = 0.05) -> Inverse:
    """Improve Z by passes over the data: Cholesky QR, which squares no condition number.

    Each pass forms B = AZ, M = BᵀSB + ZᵀPZ (near the identity once Z is good) and Z ← Z·chol(M)⁻¹, as in
    shifted Cholesky QR (Fukaya, Kannan, Nakatsukasa, Yamamoto, Yanagisawa, 2020): orthogonality as good
    as Householder's at the speed of matrix products, and M is at the same time the proof of what Z is.
    """
    d, D = problem.features, problem.unknowns
    Z, best = start.Z, start
    # Each row of A, and so each entry of B, is rounded a few times before BᵀSB is summed.
    roundings = min(BLOCK_ROWS, problem.rows) + problem.rows // BLOCK_ROWS + D + 10
    for count in range(1, passes + 1):
        M, projected = np.zeros((D, D)), np.zeros((D, problem.y.shape[1]))
        for part, X, weights in problem.blocks():
            X = X - g.shift if g.shift.any() else X
            B = X @ Z[:d] + Z[d:] if problem.intercept else X @ Z
            weighted = B if problem.weights is None else B * weights[:, None]
            M += weighted.T @ B
            projected += weighted.T @ (problem.y[part] - g.target_shift)
        M += Z.T @ (problem.penalty[:, None] * Z)
        if not np.isfinite(M).all():
            return best
        trace = float(np.trace(M)) * 1.01
        reach = gamma(D + 4) * float(np.linalg.norm(g.sizes @ np.abs(Z))) * 1.01
        wrong = gamma(roundings) * trace + 2 * float(np.sqrt(trace)) * reach + reach**2
        delta = float(np.linalg.norm(M - np.eye(D))) + wrong
        if delta < best.delta or best.projected is None:
            core, inner = np.eye(D), delta
            if delta < 0.9:
                core = np.asarray(np.linalg.inv(M), dtype=np.float64)
                size = float(np.linalg.norm(core))
                inner = float(np.linalg.norm(np.eye(D) - M @ core)) + size * (wrong + gamma(D + 4) * trace)
            best = Inverse(Z, core, delta, g.shift, problem.free_intercept, inner, count, projected)
        if delta <= enough:
            return best
        better = None
        for lift in (0.0, (gamma(roundings) * 4 + 16 * D * UNIT) * trace):
            better = _cholesky_inverse(M, np.ones(D), lift)
            if better is not None:
                break
        if better is None:
            return best
        Z = Z @ better
    return best


def _powers_of_two(sizes: Floats) -> Floats:
    """Return the powers of two nearest to 1/sizes, so that scaling by them is exact."""
    with np.errstate(divide="ignore"):
        exponents = np.where(
            (sizes > 0) & np.isfinite(sizes), -np.round(np.log2(np.maximum(sizes, 1e-300))), 0
        )
    return np.asarray(np.ldexp(1.0, np.clip(exponents, -1000, 1000).astype(int)))


def _cholesky_inverse(H: Floats, scales: Floats, lift: float) -> Floats | None:
    """Return diag(scales)·R⁻¹ for H + lift·I = RᵀR, or None if H is not definite."""
    try:
        R = linalg.cholesky(H + lift * np.eye(len(H)), check_finite=True)
        inverse = linalg.solve_triangular(R, np.eye(len(H)), check_finite=False)
    except (linalg.LinAlgError, ValueError):
        return None
    return scales[:, None] * inverse if np.isfinite(inverse).all() else None
