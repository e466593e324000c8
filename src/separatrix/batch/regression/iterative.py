"""Large sparse problems with many columns: conjugate gradients (α > 0) or LSQR (α = 0)."""

import time

import numpy as np
from scipy import sparse
from scipy.sparse import linalg as sparse_linalg

from separatrix.batch.regression.problem import Certificate, Floats, Problem, Solution, of_rounded
from separatrix.batch.regression.refine import WANTED_DIGITS, Refined
from separatrix.batch.regression.strong_convexity import refine_by_alpha

_MOST_STEPS = 5000


def solve_iteratively(problem: Problem, *, refinement: bool) -> Solution:
    """Solve by products with X alone; the certificate is T13's ‖g‖/α."""
    started = time.perf_counter()
    d, k = problem.features, problem.y.shape[1]
    roots = np.ones(problem.rows) if problem.weights is None else np.sqrt(problem.weights)
    A, means, target_means = _centred(problem, roots)
    t = (problem.y - target_means) * roots[:, None]
    theta = np.zeros((problem.unknowns, k))
    for column in range(k):
        if problem.alpha > 0:
            theta[: A.shape[1], column] = _conjugate_gradients(A, problem.alpha, A.rmatvec(t[:, column]))
        else:
            found = sparse_linalg.lsqr(
                A, t[:, column], atol=1e-15, btol=1e-15, conlim=0, iter_lim=_MOST_STEPS
            )
            theta[: A.shape[1], column] = found[0]
    if problem.centred:
        theta[-1] = target_means - means @ theta[:-1]
    refined: Refined | None = None
    if problem.alpha > 0:
        squares = problem.X.multiply(problem.X).sum(axis=0)
        sizes = np.full(problem.unknowns, np.sqrt(problem.rows))
        sizes[:d] = np.sqrt(np.asarray(squares, dtype=np.float64).ravel())

        def solve(g: Floats) -> Floats:
            return np.column_stack([_conjugate_gradients(A, problem.alpha, column) for column in g.T])

        refined = refine_by_alpha(problem, solve, theta, np.zeros_like(theta), refinement, sizes)
        digits = refined.digits
        why = (
            ""
            if digits >= WANTED_DIGITS
            else ("‖g‖/α does not show more in double-double" if refinement else "refinement is switched off")
        )
        certificate = Certificate(
            digits,
            "double-double",
            refined.digits_before,
            refined.refinements,
            time.perf_counter() - started,
            None,
            why,
        )
        return Solution(
            refined.high,
            refined.low,
            "cg",
            min(problem.rows, problem.unknowns),
            certificate,
            of_rounded(refined.bound, refined.low),
            refined.squares,
        )
    r = problem.y - problem.X @ theta[:d] - (theta[-1] if problem.intercept else 0.0)
    certificate = Certificate(
        None,
        "none",
        None,
        0,
        time.perf_counter() - started,
        None,
        "LSQR gives no lower bound on the smallest singular value",
    )
    return Solution(
        theta,
        np.zeros_like(theta),
        "lsqr",
        min(problem.rows, problem.unknowns),
        certificate,
        None,
        roots**2 @ r**2,
    )


def _centred(problem: Problem, roots: Floats) -> tuple[sparse_linalg.LinearOperator, Floats, Floats]:
    """Return √S(X − means) (or √S(X 1)) as an operator; the data stay sparse."""
    X, k = problem.X, problem.y.shape[1]
    if problem.intercept and not problem.centred:
        X = sparse.hstack([X, np.ones((problem.rows, 1))], format="csr")
    means, target_means = np.zeros(X.shape[1]), np.zeros(k)
    if problem.centred:
        weight = float((roots**2).sum())
        means = np.asarray(X.T @ roots**2 / weight).ravel()
        target_means = roots**2 @ problem.y / weight
    transposed = X.T.tocsr()

    def forward(v: Floats) -> Floats:
        v = v.ravel()
        return np.asarray(roots * (X @ v - means @ v))

    def backward(v: Floats) -> Floats:
        v = roots * v.ravel()
        return np.asarray(transposed @ v - means * v.sum())

    operator = sparse_linalg.LinearOperator(X.shape, matvec=forward, rmatvec=backward, dtype=np.float64)
    return operator, means, target_means


def _conjugate_gradients(A: sparse_linalg.LinearOperator, alpha: float, b: Floats) -> Floats:
    d = A.shape[1]
    normal = sparse_linalg.LinearOperator(
        (d, d), matvec=lambda v: A.rmatvec(A.matvec(v)) + alpha * v.ravel(), dtype=np.float64
    )
    found, _ = sparse_linalg.cg(normal, b, rtol=1e-13, atol=0.0, maxiter=_MOST_STEPS)
    return np.asarray(found)
