"""More columns than rows: the dual form, where matrices are rows × rows.

With A = √S(X − means) and t = √S(y − mean) (means where the intercept is free), `w = Aᵀ(AAᵀ + αI)⁻¹t`.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from separatrix.batch.regression.problem import UNIT, Floats, Problem


@dataclass
class Dual:
    """The centred data, its kernel's eigenvalues and vectors, and the solution."""

    A: Floats
    means: Floats
    values: Floats
    vectors: Floats
    theta: Floats
    rank: int

    def solve_ridge(self, g: Floats, alpha: float) -> Floats:
        """Return (AᵀA + αI)⁻¹g, by Woodbury: (g − Aᵀ(AAᵀ + αI)⁻¹A g)/α."""
        inner = self.vectors.T @ (self.A @ g)
        return (g - self.A.T @ (self.vectors @ (inner / (self.values + alpha)[:, None]))) / alpha


def dual(problem: Problem) -> Dual:
    """Solve in the dual form; with α = 0, the minimum-norm solution at a numerical rank."""
    n, D = problem.rows, problem.unknowns
    X = problem.X.toarray() if sparse.issparse(problem.X) else problem.X
    roots = np.ones(n) if problem.weights is None else np.sqrt(problem.weights)
    if problem.centred:
        means = np.average(X, axis=0, weights=problem.weights)
        target_means = np.average(problem.y, axis=0, weights=problem.weights)
        A = (X - means) * roots[:, None]
    else:
        A = X if not problem.intercept else np.hstack([X, np.ones((n, 1))])
        means, target_means = np.zeros(problem.features), np.zeros(problem.y.shape[1])
        A = A * roots[:, None]
    t = (problem.y - target_means) * roots[:, None]
    if problem.alpha > 0:
        values, vectors = linalg.eigh(A @ A.T)
        values = np.maximum(values, 0)
        w = A.T @ (vectors @ ((vectors.T @ t) / (values + problem.alpha)[:, None]))
        top = values[-1] if n else 0.0
        rank = int((values > top * UNIT * 2 * max(A.shape)).sum())
    else:
        # Singular values themselves, not their squares: the rank is decided here.
        vectors, singular, right = linalg.svd(A, full_matrices=False)
        keep = singular > (singular[0] if len(singular) else 0.0) * UNIT * 2 * max(A.shape)
        rank = int(keep.sum())
        w = right[:rank].T @ ((vectors[:, :rank].T @ t) / singular[:rank, None])
        values = singular**2
    theta = np.zeros((D, problem.y.shape[1]))
    theta[: len(w)] = w
    if problem.centred:
        theta[-1] = target_means - means @ w
        rank += 1
    return Dual(A, means, values, vectors, theta, rank)
