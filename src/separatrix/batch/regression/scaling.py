"""Powers of two that bring the sizes in a problem near to one, so that no square over- or underflows.

With X' = X·2^−e, y' = y·2^−f, S' = S·2^−g and α' = α·2^−(2e+g), all exact, the solution is
`w = w'·2^(f−e)`, `b = b'·2^f`. Every bound of this package counts roundings relative to what is rounded,
which is true of doubles only as long as nothing underflows: a problem whose sizes still differ too much
after scaling is left to exact arithmetic.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from separatrix.batch.regression.problem import MOST_DIGITS, Floats, Problem, Solution

# Sizes within 2^±COMFORTABLE are left as they are, within 2^±SAFE doubles are trusted: products of four
# sizes, times the square of a rounding error, are then far from underflow.
_COMFORTABLE = 100
_SAFE = 150


@dataclass(frozen=True)
class Scaling:
    """The exponents e, f (one a target) and g."""

    columns: int
    targets: NDArray[np.int64]
    weights: int

    def powers(self, problem: Problem) -> NDArray[np.int64]:
        """Return the exponents of two by which the scaled problem's solution is multiplied."""
        powers = np.repeat(self.targets[None, :], problem.unknowns, axis=0)
        powers[: problem.features] -= self.columns
        return powers


def is_comfortable(problem: Problem, sizes: Floats, target_sizes: Floats) -> bool:
    """Whether 2-norms of columns and targets show that nothing needs to be looked at."""
    weights = np.ones(1) if problem.weights is None else problem.weights
    pull = [] if problem.alpha == 0 else [problem.alpha]
    found = np.concatenate([sizes[: problem.features], target_sizes, [weights.min(), weights.max()], pull])
    return bool(((found > 2.0**-_COMFORTABLE) & (found < 2.0**_COMFORTABLE)).all())


def scaled(
    problem: Problem, *, common: bool = False, residuals: bool = False
) -> tuple[Problem, Scaling, bool]:
    """Return the problem scaled, how, and whether doubles can be trusted with it.

    `common` scales all targets alike; `residuals` leaves out the penalty, so that nothing hinders the
    scaling of columns, for whoever wants residuals alone.
    """
    if residuals:
        problem = replace(problem, alpha=0.0)
    columns = largest(problem)
    targets = np.abs(problem.y).max(axis=0, initial=0.0)
    e = _exponent(columns.max(initial=0.0))
    if common:
        targets[:] = targets.max(initial=0.0)
    f = np.array([_exponent(v) for v in targets], dtype=np.int64)
    g = 0 if problem.weights is None else _exponent(float(problem.weights.max()))
    # A penalised intercept's column of ones would have to be divided too.
    fixed = problem.intercept and problem.penalize_intercept and not residuals
    for scaling in [Scaling(0 if fixed else e, f, g), Scaling(0, f, g), Scaling(0, np.zeros_like(f), 0)]:
        made = _apply(problem, scaling)
        if made is not None:
            break
    assert made is not None
    e, f = scaling.columns, scaling.targets
    sizes = np.concatenate([np.ldexp(columns, -e), np.ldexp(targets, -f)])
    weights = np.ones(1) if made.weights is None else made.weights
    sizes = np.append(sizes[sizes > 0], [weights.min(), weights.max()])
    safe = (sizes > 2.0**-_SAFE) & (sizes < 2.0**_SAFE)
    return made, scaling, bool(safe.all()) and made.alpha < 2.0**_SAFE


def unscaled(found: Solution, scaling: Scaling, problem: Problem) -> Solution:
    """Return the solution of the problem as given; digits are taken off where it underflows."""
    if not (scaling.columns or scaling.weights or scaling.targets.any()):
        return found
    powers = scaling.powers(problem)
    high, low = np.ldexp(found.high, powers), np.ldexp(found.low, powers)
    certificate, bound = found.certificate, found.bound
    if bound is not None:
        rounded = np.where(np.ldexp(high, -powers) == found.high, 0.0, 2.0**-1074)
        bound = np.where(bound > 0, np.nextafter(np.ldexp(bound, powers), np.inf), 0.0) + rounded
        if certificate.digits is not None and rounded.any():
            worst = float(np.max(bound[rounded > 0] / np.maximum(np.abs(high) - bound, 0)[rounded > 0]))
            digits = 0.0 if worst >= 1 else min(MOST_DIGITS, np.floor(-10 * np.log10(worst)) / 10)
            why = "the solution is so small that doubles have few digits there"
            certificate = replace(
                certificate, digits=min(certificate.digits, digits), why=certificate.why or why
            )
    values = found.eigenvalues
    return replace(
        found,
        high=high,
        low=low,
        bound=bound,
        certificate=certificate,
        rmse=None if found.rmse is None else np.ldexp(found.rmse, scaling.targets),
        eigenvalues=None if values is None else np.ldexp(values, 2 * scaling.columns + scaling.weights),
    )


def largest(problem: Problem) -> Floats:
    """Return the largest absolute value of each column."""
    if problem.is_sparse:
        return np.asarray(abs(problem.X).max(axis=0).toarray(), dtype=np.float64).ravel()
    found = np.zeros(problem.features)
    for _, X, _ in problem.blocks():
        np.maximum(found, np.abs(X).max(axis=0, initial=0.0), out=found)
    return found


def _exponent(size: float) -> int:
    """Return by which power of two to divide; 0 where the size is comfortable."""
    exponent = int(np.frexp(size)[1]) - 1
    return 0 if size == 0 or abs(exponent) <= _COMFORTABLE else exponent


def _apply(problem: Problem, scaling: Scaling) -> Problem | None:
    """Return the problem scaled, or None where that would not be exact."""
    e, f, g = scaling.columns, scaling.targets, scaling.weights
    X, weights = problem.X, problem.weights
    try:
        if problem.is_sparse and e:
            X = X.copy()
            X.data = _divided(X.data, e)
        elif e:
            X = _divided(X, e)
        return replace(
            problem,
            X=X,
            y=_divided(problem.y, f),
            weights=None if weights is None else _divided(weights, g),
            alpha=float(_divided(np.array(problem.alpha), 2 * e + g)),
            exponent=e,
        )
    except ArithmeticError:
        return None


def _divided(values: Floats, exponents: NDArray[np.int64] | int) -> Floats:
    """Return values·2^−exponents, exactly."""
    made = np.ldexp(values, np.negative(exponents))
    if not np.array_equal(np.ldexp(made, exponents), values):
        raise ArithmeticError
    return np.asarray(made)
