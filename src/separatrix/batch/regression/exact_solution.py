"""The least-squares or ridge solution from exact normal equations, whatever the rank or the condition.

θ = Cμ for an integer matrix C whose columns are independent, so that μ's normal equations are definite:

* C = I where the columns of the data are independent (or α holds every unknown);
* else C's columns are independent rows of the data (differences from the first row, where the
  intercept is free): the minimum-norm solution, and every ridge solution, lies in their span.

The equations are solved to 60 digits and more, so that crude bounds on the way back to θ cost nothing;
which coefficients are zero is decided modulo primes.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.batch.regression import exact
from separatrix.batch.regression.problem import Floats, Problem
from separatrix.batch.regression.refine import residual

# Limits of what is tried: entries made into integers, entries × unknowns² multiplied, eliminated.
_MOST_ENTRIES = 3_000_000
_MOST_PRODUCTS = 2_000_000_000
_MOST_ELIMINATION = 2_000_000_000
_MOST_UNKNOWNS = 400
_IDENTITY = 120
# An entry is doubtful unless it is its bound times this power of two.
_GUARD = 60
_MOST_BITS = 6400


@dataclass
class ExactSolution:
    """θ as a pair with bounds, and what exact arithmetic showed of the rank."""

    high: Floats
    low: Floats
    bound: Floats
    squares: Floats
    rank: int
    """Of (X 1), or of X without an intercept."""
    dependent: tuple[int, ...]
    delta: float


class TooLargeError(Exception):
    """Exact arithmetic would take too long or too much; the message says which limit is passed."""


def exact_solution(problem: Problem) -> ExactSolution:
    """Solve the problem as given; raises TooLargeError if it is too large for exact arithmetic."""
    n, d, D = problem.rows, problem.features, problem.unknowns
    smaller = min(n, D)
    if n * d > _MOST_ENTRIES or n * D * smaller > _MOST_PRODUCTS or smaller > _MOST_UNKNOWNS:
        raise TooLargeError(f"{n} rows × {D} unknowns are too many for exact arithmetic")
    X = problem.X.toarray() if problem.is_sparse else problem.X
    try:
        try:
            return _solve(problem, X, reduce=False)
        except exact.NotDefiniteError:
            return _solve(problem, X, reduce=True)
    except exact.TooWideError as error:
        raise TooLargeError(f"{error}, too much for exact arithmetic") from None
    except exact.NotDefiniteError:
        raise TooLargeError("the exact normal equations are too near to singular") from None


def _solve(problem: Problem, X: Floats, *, reduce: bool) -> ExactSolution:
    """Solve; `reduce` uses a basis of the rows even where α makes the equations definite, but hardly."""
    n, unknowns = problem.rows, problem.unknowns
    N, exponents = exact.integers(X)
    if problem.intercept:
        N = np.hstack([np.ones((n, 1), dtype=object), N])
        exponents = [0, *exponents]
    first = int(problem.intercept)
    weights, weight_exponent = (None, 0) if problem.weights is None else _column(problem.weights)
    y, y_exponents = exact.integers(problem.y)
    y_least = min(y_exponents)
    y = y << np.array([e - y_least for e in y_exponents], dtype=object)

    # Of many more columns than rows, all products of columns are never asked for.
    plain = _normal(N, N, weights) if unknowns <= max(n, _IDENTITY) else None
    _, columns = exact.independent(N if plain is None or unknowns > n else plain)
    rank = len(columns)
    dependent = tuple(c - first for c in range(unknowns) if c not in set(columns))
    # With α > 0 the identity always serves; for many more columns than rows the rows are fewer.
    held = problem.alpha > 0 and not reduce and (unknowns <= n or unknowns <= _IDENTITY)
    if plain is not None and (rank == unknowns or held):
        basis, A, H, e_H = None, N, plain, 0
    else:
        basis = _row_basis(problem, N, exponents)
        A = exact.product(N, basis)
        H, e_H = _normal(A, A, weights), 0
    if not H.size:
        # All columns are zero, and so is the solution.
        nothing = np.zeros((unknowns, problem.y.shape[1]))
        squares = residual(problem, np.ascontiguousarray(X), nothing, nothing)[2]
        return ExactSolution(nothing, nothing, nothing, squares, rank, dependent, 0.0)
    # H carries 2**weight_exponent in the coordinates φ_j = θ_j 2**exponents[j].
    if problem.alpha > 0:
        pull, e_pull = _penalty(problem, exponents, basis)
        e_pull -= weight_exponent
        least = min(e_H, e_pull)
        H = (H << (e_H - least)) + (pull << (e_pull - least))
        e_H = least
    moments = _normal(A, y, weights)
    # Entries that are less than their bounds are either zero or asked for again, to more bits.
    zero, bits = None, exact.SOLUTION
    while True:
        solved, bounds, q, up, delta = exact.solve_definite(H, moments, bits)
        # H·2**e_H μ = moments·2**y_least, so μ = solved·2**(up − q + y_least − e_H).
        up_array = np.array(up, dtype=object)
        mu, mu_bound = solved << up_array[:, None], bounds << up_array[:, None]
        if basis is not None:
            mu, mu_bound = exact.product(basis, mu), exact.product(np.abs(basis), mu_bound)
        doubtful = np.abs(mu) <= mu_bound << _GUARD
        if doubtful.any() and zero is None:
            zero = exact.zeros(H, moments, basis)
        if zero is None or not (doubtful & ~zero).any() or bits >= _MOST_BITS:
            break
        bits *= 4
    if zero is not None:
        mu, mu_bound = np.where(zero, 0, mu), np.where(zero, 0, mu_bound)
    scale = y_least - e_H - q
    order = [*range(first, unknowns), 0] if first else list(range(unknowns))
    shape = (unknowns, problem.y.shape[1])
    high, low, bound = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for at, j in enumerate(order):
        for t in range(shape[1]):
            value = _power(Fraction(int(mu[j, t])), scale - exponents[j])
            high[at, t] = _float(value)
            low[at, t] = _float(value - Fraction(high[at, t])) if np.isfinite(high[at, t]) else 0.0
            rest = (
                abs(value - Fraction(high[at, t]) - Fraction(low[at, t])) if np.isfinite(high[at, t]) else 0
            )
            error = _power(Fraction(int(mu_bound[j, t])), scale - exponents[j]) + rest
            bound[at, t] = np.nextafter(_float(error), np.inf) if error else 0.0
    squares = residual(problem, np.ascontiguousarray(X), high, low)[2]
    return ExactSolution(high, low, bound, squares, rank, dependent, delta)


def _column(values: Floats) -> tuple[exact.Integers, int]:
    N, exponents = exact.integers(values[:, None])
    return N, exponents[0]


def _normal(A: exact.Integers, B: exact.Integers, weights: exact.Integers | None) -> exact.Integers:
    return exact.transposed_product(A, B if weights is None else B * weights)


def _row_basis(problem: Problem, N: exact.Integers, exponents: list[int]) -> exact.Integers:
    """Return C (unknowns × r, in the coordinates φ) whose columns span where minimum-norm solutions lie."""
    rows = N - N[0] if problem.centred else N
    if rows.size * min(rows.shape) > _MOST_ELIMINATION:
        raise TooLargeError(f"{rows.shape[0]} × {rows.shape[1]} values are too many to find the rank exactly")
    chosen, _ = exact.independent(rows)
    # w_j = Σ μ_i row_ij 2**e_j, so φ_j = w_j 2**e_j has the factor 2**(2 e_j).
    least = min(exponents)
    ups = np.array([2 * (e - least) for e in exponents], dtype=object)
    if max(ups) > 2 * exact.WIDEST:
        raise TooLargeError("columns differ too much in size for exact arithmetic")
    basis = (rows[chosen] << ups).T
    if problem.centred:
        unit = np.zeros((len(basis), 1), dtype=object)
        unit[0, 0] = 1
        basis = np.hstack([unit, basis])
    return np.ascontiguousarray(basis)


def _penalty(
    problem: Problem, exponents: list[int], basis: exact.Integers | None
) -> tuple[exact.Integers, int]:
    """Return integers and an exponent for α Σ θ_j² as a quadratic form in μ (θ_j = φ_j 2**−e_j)."""
    alpha, alpha_exponent = _column(np.array([problem.alpha]))
    largest = max(exponents)
    diagonal = [int(alpha[0, 0]) << (2 * (largest - e)) for e in exponents]
    if problem.centred:
        diagonal[0] = 0
    exponent = alpha_exponent - 2 * largest
    if basis is None:
        return np.diag(np.array(diagonal, dtype=object)), exponent
    return exact.transposed_product(basis, basis * np.array(diagonal, dtype=object)[:, None]), exponent


def _power(value: Fraction, exponent: int) -> Fraction:
    return value * (1 << exponent) if exponent >= 0 else value / (1 << -exponent)


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
