"""The order in which solvers are tried, and the one function that estimators call.

1. Sparse with many columns: LSQR or conjugate gradients, refined with residuals in double-double.
2. More columns than rows: the dual form.
3. Normal equations summed in blocks, Cholesky: the fastest by far. Their own rounding bounds say how many
   digits are right; with ten or more, that is the answer.
4. Cholesky QR: passes over the data that square no condition number; its answer is as good as a QR's.
5. From either, refinement with residuals in double-double until twelve digits are certified.
6. Where that is not enough (or the rank is in doubt): exact arithmetic, if the size allows.
7. A rank-deficient problem too large for that: the minimum-norm solution by SVD, at a numerical rank,
   no digits claimed.
"""

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from separatrix.batch.regression import double_double as dd
from separatrix.batch.regression import facts
from separatrix.batch.regression import scaling as scales
from separatrix.batch.regression.exact_solution import ExactSolution, TooLargeError, exact_solution
from separatrix.batch.regression.gram import Gram, Inverse, from_data, from_gram, gram
from separatrix.batch.regression.iterative import solve_iteratively
from separatrix.batch.regression.problem import (
    MOST_DIGITS,
    Certificate,
    Floats,
    Problem,
    Solution,
    certified_digits,
    of_rounded,
)
from separatrix.batch.regression.refine import (
    SMALL,
    WANTED_DIGITS,
    Refined,
    error_bound,
    gram_residual,
    refine,
    residual,
)
from separatrix.batch.regression.strong_convexity import refine_by_alpha
from separatrix.batch.regression.wide import Dual, dual
from separatrix.data.arrays import native_matrix
from separatrix.errors import InputError

PLAIN_DIGITS = 10.0
_MANY_SPARSE_COLUMNS = 2000


def solve(problem: Problem, *, refinement: bool = True) -> Solution:
    """Solve the problem and certify the answer; `refinement=False` certifies the plain answer only."""
    if problem.is_sparse or problem.rows < problem.unknowns:
        used = scales.largest(problem) > 0
        if not used.all():
            # With α > 0, one empty column stays and stands for all: it has a say in the condition.
            used[np.argmin(used)] = problem.alpha > 0
        if not used.all() and used.any():
            part = replace(problem, X=problem.X[:, used])
            return _with_empty_columns(problem, used, solve(part, refinement=refinement))
    n, D = problem.rows, problem.unknowns
    with np.errstate(all="ignore"):
        iterate = problem.is_sparse and min(n, D) > _MANY_SPARSE_COLUMNS
        g = gram(problem) if n >= D and not iterate else None
        sizes = _column_norms(problem) if g is None else g.sizes
        target_sizes = np.linalg.norm(problem.y, axis=0) if g is None else g.target_sizes
        given, scaling, safe = problem, None, True
        if not scales.is_comfortable(problem, sizes, target_sizes):
            problem, scaling, safe = scales.scaled(problem)
            g = gram(problem) if g is not None and safe else None
        if not safe and scaling is not None:
            return _solve_far(given)
        if iterate:
            found = solve_iteratively(problem, refinement=refinement)
        elif g is None:
            found = _solve_wide(problem, refinement)
        else:
            found = _solve_tall(problem, g, refinement)
        found = replace(
            found,
            rmse=None if found.squares is None else np.sqrt(np.maximum(found.squares, 0) / _weight(problem)),
            degrees_of_freedom=facts.degrees_of_freedom(problem, found.rank, found.eigenvalues),
        )
        return found if scaling is None else scales.unscaled(found, scaling, problem)


def _with_empty_columns(problem: Problem, used: NDArray[np.bool_], found: Solution) -> Solution:
    """Return a solution of the used columns as one of all: the others' coefficients are zero."""
    rows = np.append(np.flatnonzero(used), [problem.features] if problem.intercept else []).astype(int)
    empty = problem.features - int(used.sum())

    def wider(values: Floats) -> Floats:
        made = np.zeros((problem.unknowns, values.shape[1]))
        made[rows] = values
        return made

    return replace(
        found,
        high=wider(found.high),
        low=wider(found.low),
        bound=None if found.bound is None else wider(found.bound),
        eigenvalues=None if found.eigenvalues is None else np.append(np.zeros(empty), found.eigenvalues),
        condition=found.condition if problem.alpha > 0 else float("inf"),
        dependent=tuple(sorted([*rows[list(found.dependent)].tolist(), *np.flatnonzero(~used).tolist()])),
    )


def _weight(problem: Problem) -> float:
    return float(problem.rows if problem.weights is None else problem.weights.sum())


def _solve_tall(problem: Problem, g: Gram, refinement: bool) -> Solution:
    started = time.perf_counter()
    inverse = from_gram(problem, g)
    column_sizes = _column_sizes(problem, g)
    if inverse.delta < 0.5:
        theta = inverse.Z @ (inverse.Z.T @ g.moments)
        # One step on the summed equations costs nothing: no row is read.
        pair, _ = gram_residual(problem, g, theta)
        theta = theta + inverse.Z @ (inverse.Z.T @ pair[0])
        pair, wrong = gram_residual(problem, g, theta)
        bound = error_bound(inverse, pair, wrong)
        high, low = _unshift(problem, g, theta)
        digits = certified_digits(high, low, bound, column_sizes)
        small = problem.rows * problem.unknowns <= SMALL
        # Where a residual in double-double costs nothing, have all the digits.
        if digits >= (MOST_DIGITS if refinement and small else PLAIN_DIGITS):
            certificate = Certificate(
                digits, "gram", digits, 0, time.perf_counter() - started, inverse.delta, _why(digits)
            )
            return _finish(problem, g, inverse, high, low, bound, None, "cholesky", certificate)
        solver = "cholesky"
    else:
        solver = "cholesky-qr"
        inverse = from_data(problem, g, inverse)
        high, low = _unshift(problem, g, inverse.Z @ (inverse.Z.T @ g.moments))
        if inverse.delta < 0.9 and inverse.projected is not None:
            high, low = _unshift(problem, g, inverse.Z @ (inverse.core @ inverse.projected))
    refined: Refined | None = None
    if inverse.delta < 0.9:
        refined = refine(problem, g, inverse, high, low, steps=refinement, sizes=column_sizes)
        if (refined.digits < WANTED_DIGITS and refinement) and solver == "cholesky":
            closer = from_data(problem, g, inverse)
            if closer.delta < inverse.delta:
                again = refine(problem, g, closer, refined.high, refined.low, steps=True, sizes=column_sizes)
                if again.digits > refined.digits:
                    again = replace(
                        again,
                        digits_before=refined.digits_before,
                        refinements=refined.refinements + again.refinements,
                    )
                    inverse, refined = closer, again
        if refined.digits >= WANTED_DIGITS or not refinement:
            return _finish_refined(problem, g, inverse, refined, solver, started, refinement)
    before = refined.digits_before if refined else None
    why = ""
    # Without refinement, exact arithmetic still decides a rank that doubles cannot.
    if refinement or refined is None:
        try:
            return _finish_exact(problem, g, inverse, exact_solution(problem), before, started, column_sizes)
        except TooLargeError as error:
            why = str(error)
    if refined is not None:
        return _finish_refined(problem, g, inverse, refined, solver, started, refinement, why)
    return _solve_deficient(problem, started, f"the rank is numerical; {why}")


def _why(digits: float | None, why: str = "", *, refined: bool = False, refinement: bool = True) -> str:
    if digits is not None and digits >= WANTED_DIGITS:
        return ""
    if not refinement:
        return "refinement is switched off"
    if digits is not None and digits >= PLAIN_DIGITS and not refined:
        return "ten digits or more without refining"
    return "; ".join(filter(None, ["residuals in double-double show no more at this condition number", why]))


def _column_sizes(problem: Problem, g: Gram) -> Floats:
    """Return the 2-norms of the columns as given (of ones for the intercept)."""
    if problem.free_intercept and g.shift.any():
        squares = g.sizes[:-1] ** 2 + g.shift**2 * g.weight + 2 * np.abs(g.shift * g.matrix[-1, :-1])
        return np.append(np.sqrt(squares), g.sizes[-1])
    return g.sizes


def _unshift(problem: Problem, g: Gram, theta: Floats) -> dd.Pair:
    """Return the solution in the user's coordinates: b = β + target shift − shift·w, without cancellation."""
    high, low = theta.copy(), np.zeros_like(theta)
    if problem.free_intercept:
        terms = dd.scale(-g.shift[:, None], (theta[:-1], np.zeros_like(theta[:-1])))
        first = np.vstack([theta[-1:], g.target_shift[None, :], terms[0]])
        second = np.vstack([np.zeros((2, theta.shape[1])), terms[1]])
        b = dd.total((first, second))
        high[-1], low[-1] = b
    return high, low


def _finish_refined(
    problem: Problem,
    g: Gram,
    inverse: Inverse,
    refined: Refined,
    solver: str,
    started: float,
    refinement: bool,
    why: str = "",
) -> Solution:
    certificate = Certificate(
        refined.digits,
        "double-double",
        refined.digits_before,
        refined.refinements,
        time.perf_counter() - started,
        inverse.delta,
        _why(refined.digits, why, refined=True, refinement=refinement),
    )
    return _finish(
        problem, g, inverse, refined.high, refined.low, refined.bound, refined.squares, solver, certificate
    )


def _finish(
    problem: Problem,
    g: Gram,
    inverse: Inverse,
    high: Floats,
    low: Floats,
    bound: Floats,
    squares: Floats | None,
    solver: str,
    certificate: Certificate,
) -> Solution:
    U = inverse.user()
    if squares is None:
        squares = _squares_from_gram(problem, g, high, low)
    return Solution(
        high,
        low,
        solver,
        problem.unknowns if problem.alpha == 0 else facts.rank(problem, g)[0],
        certificate,
        of_rounded(bound, low),
        squares,
        facts.eigenvalues(problem, g) if solver == "cholesky" else facts.eigenvalues_from(problem, inverse),
        facts.condition(problem, g, U),
        (),
        U,
    )


def _squares_from_gram(problem: Problem, g: Gram, high: Floats, low: Floats) -> Floats:
    """Return Σ s r² from the sums, or from the rows where that would cancel."""
    theta = high.copy()
    if problem.free_intercept:
        theta[-1] = high[-1] - g.target_shift + g.shift @ high[:-1]
    squares = (
        g.target_squares - 2 * (theta * g.moments).sum(axis=0) + (theta * (g.matrix @ theta)).sum(axis=0)
    )
    if (squares > 1e-4 * g.target_squares).all():
        return np.asarray(squares)
    total = np.zeros(problem.y.shape[1])
    for part, X, weights in problem.blocks():
        r = problem.y[part] - X @ high[: problem.features]
        if problem.intercept:
            r = r - high[-1]
        total += weights @ r**2
    return total


def _finish_exact(
    problem: Problem,
    g: Gram | None,
    inverse: Inverse | None,
    found: ExactSolution,
    before: float | None,
    started: float,
    sizes: Floats,
    solver: str = "",
) -> Solution:
    digits, high = certified_digits(found.high, found.low, found.bound, sizes), found.high
    why = "" if digits >= WANTED_DIGITS else "coefficients are so small that doubles have few digits there"
    certificate = Certificate(digits, "exact", before, 1, time.perf_counter() - started, found.delta, why)
    full = found.rank == problem.unknowns
    usable = full and inverse is not None and inverse.delta < 0.9
    if usable and g is not None and inverse is not None:
        done = _finish(
            problem, g, inverse, high, found.low, found.bound, found.squares, solver or "exact", certificate
        )
        return replace(done, rank=found.rank)
    singular = facts.singular_values(problem)
    smallest = min(found.rank - int(problem.centred), len(singular))
    return Solution(
        high,
        found.low,
        solver or "exact",
        found.rank,
        certificate,
        of_rounded(found.bound, found.low),
        found.squares,
        np.sort(np.pad(singular[:smallest] ** 2, (0, max(problem.features - smallest, 0)))),
        facts.condition_of_rows(problem) if full or problem.alpha > 0 else float("inf"),
        found.dependent,
    )


def _solve_far(problem: Problem) -> Solution:
    """Solve a problem whose sizes are too far apart for doubles: in exact arithmetic or without digits.

    The solution is that of the problem as given: coefficients of the scaled one may underflow where these do
    not. Residuals are better taken after scaling.
    """
    started = time.perf_counter()
    why = "the values differ so much in size that squares over- or underflow"
    try:
        exact = exact_solution(problem)
        found = _finish_exact(problem, None, None, exact, None, started, _column_norms(problem))
    except TooLargeError as error:
        found = _solve_deficient(problem, started, f"{why}; {error}")
    scaled, scaling, _ = scales.scaled(problem, residuals=True)
    powers = scaling.powers(problem)
    parts = np.ldexp(found.high, -powers), np.ldexp(found.low, -powers)
    squares = residual(scaled, native_matrix(scaled.X), *parts)[2]
    return replace(
        found,
        rmse=np.ldexp(np.sqrt(np.maximum(squares, 0) / _weight(scaled)), scaling.targets),
        degrees_of_freedom=facts.degrees_of_freedom(problem, found.rank, found.eigenvalues),
    )


def _solve_deficient(problem: Problem, started: float, why: str) -> Solution:
    """Return the minimum-norm solution by SVD, and dependent columns by pivoted QR."""
    d = problem.features
    X = problem.X.toarray() if problem.is_sparse else problem.X
    found = dual(replace(problem, X=X))
    if not np.isfinite(found.theta).all():
        raise InputError(f"no solution was found in doubles: {why}")
    rank, dependent = facts.rank(problem)
    certificate = Certificate(None, "none", None, 0, time.perf_counter() - started, None, why)
    high = found.theta
    squares = np.zeros(problem.y.shape[1])
    for part, rows, weights in problem.blocks():
        r = problem.y[part] - rows @ high[:d] - (high[-1] if problem.intercept else 0.0)
        squares += weights @ r**2
    eigenvalues = np.sort(
        np.pad(found.values[: min(len(found.values), d)], (0, max(d - len(found.values), 0)))
    )
    return Solution(
        high,
        np.zeros_like(high),
        "svd",
        rank,
        certificate,
        None,
        squares,
        eigenvalues,
        float("inf") if problem.alpha == 0 else None,
        dependent,
    )


def _solve_wide(problem: Problem, refinement: bool) -> Solution:
    started = time.perf_counter()
    found = dual(problem)
    high, low = found.theta, np.zeros_like(found.theta)
    sizes = _column_norms(problem)
    solver = "dual"
    before, why, refined = None, "", None
    if problem.alpha > 0:
        refined = refine_by_alpha(
            problem, lambda g: found.solve_ridge(g, problem.alpha), high, low, refinement, sizes
        )
        before = refined.digits_before
    if refinement and (refined is None or refined.digits < WANTED_DIGITS):
        try:
            exact = exact_solution(problem)
            return _finish_exact(problem, None, None, exact, before, started, sizes, solver)
        except TooLargeError as error:
            why = str(error)
    return _finish_wide(problem, found, refined, high, started, why, solver, refinement)


def _column_norms(problem: Problem) -> Floats:
    """Return at least the 2-norm of each column, without squares: they may underflow."""
    sizes = np.ones(problem.unknowns)
    sizes[: problem.features] = scales.largest(problem)
    return np.asarray(sizes * np.sqrt(problem.rows))


def _finish_wide(
    problem: Problem,
    found: Dual,
    refined: Refined | None,
    high: Floats,
    started: float,
    why: str,
    solver: str,
    refinement: bool,
) -> Solution:
    d = problem.features
    seconds = time.perf_counter() - started
    if refined is None:
        reason = why or ("refinement is switched off" if not refinement else "")
        certificate = Certificate(None, "none", None, 0, seconds, None, reason)
        low, bound, squares = np.zeros_like(high), None, None
    else:
        high, low, bound, squares = (
            refined.high,
            refined.low,
            of_rounded(refined.bound, refined.low),
            refined.squares,
        )
        certificate = Certificate(
            refined.digits,
            "double-double",
            refined.digits_before,
            refined.refinements,
            seconds,
            None,
            _why(refined.digits, why, refinement=refinement),
        )
    if squares is None:
        X = problem.X
        r = problem.y - X @ high[:d] - (high[-1] if problem.intercept else 0.0)
        squares = (np.ones(problem.rows) if problem.weights is None else problem.weights) @ r**2
    eigenvalues = np.sort(np.pad(np.maximum(found.values, 0), (0, max(d - len(found.values), 0))))
    condition: float | None = float("inf")
    if problem.alpha > 0 and not problem.centred:
        condition = float(np.sqrt((eigenvalues[-1] + problem.alpha) / problem.alpha))
    elif problem.alpha > 0:
        condition = facts.condition_of_rows(problem) if problem.unknowns <= 2000 else None
    rank, dependent = facts.rank(problem)
    return Solution(high, low, solver, rank, certificate, bound, squares, eigenvalues, condition, dependent)
