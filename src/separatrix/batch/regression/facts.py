"""What is said of a problem beside its solution: rank, eigenvalues, condition."""

import numpy as np
from scipy import linalg

from separatrix.batch.regression import exact
from separatrix.batch.regression.gram import Gram, Inverse
from separatrix.batch.regression.problem import Floats, Problem, gamma

# Entries times unknowns up to which a rank in doubt is decided by elimination modulo a prime: up to a second.
_MOST_ELIMINATION = 20_000_000
_MOST_CONDITION = 1e10
EPSILON = float(np.finfo(float).eps)


def rank(problem: Problem, g: Gram | None = None) -> tuple[int, tuple[int, ...]]:
    """Return the rank of (X 1), or of X without an intercept, and the columns that depend on others.

    α and the size of weights have no say. Full rank is proved by a Cholesky factor of the normal equations
    where doubles allow; else it is counted exactly; where that is too long, at a tolerance, columns scaled
    to length one.
    """
    n, D, first = problem.rows, problem.unknowns, int(problem.intercept)
    if g is not None and _proves_full_rank(g):
        return D, ()
    if n * D * min(n, D) <= _MOST_ELIMINATION:
        try:
            N, _ = exact.integers(problem.X.toarray() if problem.is_sparse else problem.X)
        except exact.TooWideError:
            pass
        else:
            rows = np.hstack([np.ones((n, 1), dtype=object), N]) if problem.intercept else N
            _, columns = exact.independent(rows)
            dependent = sorted(set(range(D)) - set(columns))
            return len(columns), tuple(c - first for c in dependent)
    if g is None:
        root, tolerance = matrix(problem), max(n, D) * EPSILON
    else:
        values, V = linalg.eigh(_equilibrated(g)[0])
        root, tolerance = np.sqrt(np.maximum(values, 0))[:, None] * V.T, float(np.sqrt(max(n, D) * EPSILON))
    if first:
        root = np.hstack([root[:, -1:], root[:, :-1]])
    dependent = dependent_columns(root, tolerance)
    return D - len(dependent), tuple(c - first for c in dependent)


def dependent_columns(root: Floats, tolerance: float) -> list[int]:
    """Return the columns that are combinations of those before them, to a tolerance of their length."""
    if len(root) > root.shape[1]:
        root = linalg.qr(root, mode="r")[0][: root.shape[1]]
    basis, dependent = np.zeros((len(root), 0)), []
    for j, column in enumerate(root.T):
        length = linalg.norm(column)
        rest = column / length if length > 0 else column
        for _ in range(2):
            rest = rest - basis @ (basis.T @ rest)
        left = linalg.norm(rest)
        if basis.shape[1] == len(root) or not left > tolerance:
            dependent.append(j)
        else:
            basis = np.column_stack([basis, rest / left])
    return dependent


def _equilibrated(g: Gram) -> tuple[Floats, Floats]:
    scales = 1 / np.maximum(g.sizes, 1e-300)
    return g.matrix * scales[:, None] * scales, scales


def _proves_full_rank(g: Gram) -> bool:
    """Whether H is definite, whatever was lost in summing it."""
    H, scales = _equilibrated(g)
    D = len(H)
    try:
        R = linalg.cholesky(H)
        Z = linalg.solve_triangular(R, np.eye(D))
    except (linalg.LinAlgError, ValueError):
        return False
    reach = float(np.sum(((g.sizes * scales) @ np.abs(Z)) ** 2)) * (1 + gamma(4 * D))
    delta = float(np.linalg.norm(Z.T @ (H @ Z) - np.eye(D))) + (g.error + gamma(2 * D + 10)) * reach * 1.01
    return bool(delta < 1)


def eigenvalues(problem: Problem, g: Gram) -> Floats:
    """Return those of XᵀSX, centred where the intercept is free, rising, from the sums."""
    H = g.matrix
    if problem.centred:
        H = H[:-1, :-1] - np.outer(H[:-1, -1], H[-1, :-1]) / H[-1, -1]
    return np.maximum(linalg.eigvalsh(H), 0.0) if np.isfinite(H).all() else np.full(len(H), np.nan)


def eigenvalues_from(problem: Problem, inverse: Inverse) -> Floats:
    """Return the eigenvalues from Z: (XᵀSX + αI)⁻¹ ≈ Z_w Z_wᵀ, accurate where the small ones matter."""
    Z = inverse.user()
    Z = Z[:-1] if problem.centred else Z
    singular = linalg.svdvals(Z)
    return np.maximum(np.sort(1 / singular**2) - problem.alpha, 0.0)


def degrees_of_freedom(problem: Problem, rank: int, values: Floats | None) -> float | None:
    """Return tr S(SᵀS + P)⁻¹Sᵀ, the effective number of coefficients."""
    if problem.alpha == 0:
        return float(rank)
    if values is None:
        return None
    return float((1 / (1 + problem.alpha / values)).sum()) + int(problem.centred)


def condition(problem: Problem, g: Gram, U: Floats) -> float:
    """Return σ_max/σ_min of [√S(X 1); √P] as given: ‖H‖ from the sums, ‖H⁻¹‖ from Z."""
    H, units = g.matrix, problem.units
    if problem.free_intercept and g.shift.any():
        T = np.eye(problem.unknowns)
        T[-1, :-1] = g.shift
        H = T.T @ H @ T
    H = (H + np.diag(problem.penalty)) * units[:, None] * units
    U = U / units[:, None]
    if not (np.isfinite(H).all() and np.isfinite(U).all()):
        return float("inf")
    found = float(np.sqrt(linalg.norm(H, 2)) * linalg.norm(U, 2))
    # As good as Z is, which may be a few percent; singular values of the rows are wrong by condition·ε.
    if found < _MOST_CONDITION and problem.rows * problem.unknowns**2 <= _MOST_ELIMINATION:
        return condition_of_rows(problem)
    return found


def condition_of_rows(problem: Problem) -> float:
    """Return the same from the rows themselves."""
    units = problem.units
    A = matrix(problem) * units
    if problem.alpha > 0:
        A = np.vstack([A, np.diag(np.sqrt(problem.penalty) * units)])
    if not np.isfinite(A).all():
        return float("inf")
    singular = linalg.svdvals(A)
    full = len(singular) >= A.shape[1] and singular[-1] > 0
    return float(singular[0] / singular[-1]) if full else float("inf")


def singular_values(problem: Problem) -> Floats:
    """Return the singular values of √S X, centred where the intercept is free, falling."""
    A = matrix(problem)
    if problem.centred:
        roots = A[:, -1:]
        A = A[:, :-1] - roots * np.average(
            problem.X.toarray() if problem.is_sparse else problem.X, axis=0, weights=problem.weights
        )
    return np.asarray(linalg.svdvals(A)) if np.isfinite(A).all() else np.full(min(A.shape), np.nan)


def matrix(problem: Problem) -> Floats:
    """Return √S(X 1), or √S X without an intercept, dense."""
    X = problem.X.toarray() if problem.is_sparse else problem.X
    A = np.hstack([X, np.ones((problem.rows, 1))]) if problem.intercept else X
    return np.asarray(A if problem.weights is None else A * np.sqrt(problem.weights)[:, None])
