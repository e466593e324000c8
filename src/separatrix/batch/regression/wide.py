"""More columns than rows: the dual form, where matrices are rows × rows.

With A = √S(X − means) and t = √S(y − mean) (means where the intercept is free), `w = Aᵀ(AAᵀ + αI)⁻¹t`.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from separatrix.batch.regression.problem import UNIT, Floats, Problem
from separatrix.errors import InputError

# Up to this many multiplications the data themselves are factored, above, their products.
_SMALL = 300_000_000


@dataclass
class Dual:
    """The centred data, its kernel's eigenvalues and vectors, and the solution."""

    A: Floats
    means: Floats
    values: Floats
    vectors: Floats
    noise: float
    """Eigenvalues up to this are rounding."""
    theta: Floats

    def solve_ridge(self, g: Floats, alpha: float) -> Floats:
        """Return (AᵀA + αI)⁻¹g, by Woodbury: (g − Aᵀ(AAᵀ + αI)⁻¹A g)/α."""
        inner = self.vectors.T @ (self.A @ g)
        inverse = _inverse(self.values, alpha, self.noise)
        return (g - self.A.T @ (self.vectors @ (inner * inverse[:, None]))) / alpha


def _inverse(values: Floats, alpha: float, noise: float) -> Floats:
    """Return 1/(λ + α), and zero where λ is rounding noise and α is less: Aᵀ ends such directions."""
    return np.where(np.maximum(values, alpha) > noise, 1 / (values + alpha), 0.0)


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
    if not np.isfinite(A).all():
        raise InputError("the values overflow a double when means are taken off")
    rounding = UNIT * 2 * max(A.shape)
    if problem.alpha > 0 and n < D and n * n * D > _SMALL:
        values, vectors = linalg.eigh(A @ A.T)
        values = np.maximum(values, 0)
        noise = values.max(initial=0.0) * rounding
        w = A.T @ (vectors @ ((vectors.T @ t) * _inverse(values, problem.alpha, noise)[:, None]))
    else:
        # Singular values themselves, not their squares, which lose half of the digits.
        vectors, singular, right = linalg.svd(A, full_matrices=False)
        least = singular.max(initial=0.0) * rounding
        values, noise = singular**2, least**2
        kept = (singular > least) | (np.sqrt(problem.alpha) > least)
        factors = np.where(kept, 1 / (singular + problem.alpha / singular), 0.0)
        w = right.T @ (factors[:, None] * (vectors.T @ t))
    theta = np.zeros((D, problem.y.shape[1]))
    theta[: len(w)] = w
    if problem.centred:
        theta[-1] = target_means - means @ w
    return Dual(A, means, values, vectors, noise, theta)
