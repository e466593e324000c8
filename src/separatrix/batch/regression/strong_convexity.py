"""T13's certificate as the lecture has it, for problems too wide to factor: λ_min ≥ 0, so ‖w − w_α‖ ≤ ‖g‖/α.

A free intercept is eliminated first: with m the weighted means of the columns and W = Σ s, the weights'
own normal matrix is XᵀSX − W m mᵀ + αI ≥ αI and their residual g_w − m g_b.
"""

from collections.abc import Callable

import numpy as np

from separatrix.batch.regression import double_double as dd
from separatrix.batch.regression.problem import UNIT, Floats, Problem, certified_digits, gamma
from separatrix.batch.regression.refine import WANTED_DIGITS, Refined, residual
from separatrix.data.arrays import native_matrix

_MOST_REFINEMENTS = 12


def refine_by_alpha(
    problem: Problem, solve: Callable[[Floats], Floats], high: Floats, low: Floats, steps: bool, sizes: Floats
) -> Refined:
    """Certify and refine a ridge solution; `solve(g)` returns about (AᵀA + αI)⁻¹g."""
    matrix = native_matrix(problem.X)
    means, mean_error, weight = _means(problem)
    best: Refined | None = None
    before = 0.0
    for step in range(_MOST_REFINEMENTS + 1):
        g, wrong, squares = residual(problem, matrix, high, low)
        reduced, reduced_wrong = g, wrong
        if problem.centred:
            taken = dd.scale(-means[:, None], (g[0][-1:], g[1][-1:]))
            reduced = dd.add((g[0][:-1], g[1][:-1]), taken)
            reduced_wrong = wrong[:-1] + np.abs(means)[:, None] * wrong[-1:] * (1 + 8 * UNIT)
            reduced_wrong += mean_error[:, None] * np.abs(g[0][-1:]) * 1.01
            reduced_wrong += 64 * UNIT**2 * (np.abs(g[0][:-1]) + np.abs(taken[0]))
        bound = _bound(problem, reduced, reduced_wrong, g, wrong, means, mean_error, weight)
        digits = certified_digits(high, low, bound, sizes)
        before = digits if step == 0 else before
        improved = best is None or (
            bool(np.all(bound <= best.bound)) and bool(np.any(bound < 0.5 * best.bound))
        )
        if best is None or digits > best.digits or improved:
            best = Refined(high, low, bound, digits, before, step, squares)
        if not steps or digits >= WANTED_DIGITS or not improved or not np.isfinite(g[0]).all():
            break
        correction = np.zeros_like(high)
        moved = solve(reduced[0])
        correction[: len(moved)] = moved
        if problem.centred:
            correction[-1] = g[0][-1] / weight - means @ moved
        high, low = dd.add((high, low), (correction, np.zeros_like(correction)))
    assert best is not None
    return best


def _bound(
    problem: Problem,
    reduced: dd.Pair,
    reduced_wrong: Floats,
    g: dd.Pair,
    wrong: Floats,
    means: Floats,
    mean_error: Floats,
    weight: float,
) -> Floats:
    d = len(reduced[0])
    length = np.linalg.norm(np.abs(reduced[0]) * (1 + 4 * UNIT) + reduced_wrong, axis=0)
    weights_bound = length / problem.alpha * (1 + gamma(2 * d + 8))
    bound = np.repeat(weights_bound[None, :], problem.unknowns, axis=0)
    if problem.centred:
        # g_b = W(Δb + m·Δw).
        own = (np.abs(g[0][-1]) * (1 + 4 * UNIT) + wrong[-1]) / (weight * (1 - gamma(problem.rows + 2)))
        means_size = np.linalg.norm(np.abs(means) + mean_error) * (1 + gamma(2 * d + 8))
        bound[-1] = (own + means_size * weights_bound) * (1 + gamma(4))
    return np.where(np.isfinite(bound), bound, np.inf)


def _means(problem: Problem) -> tuple[Floats, Floats, float]:
    """Return the weighted means of the columns, bounds on their rounding error, and Σ s."""
    if not problem.centred:
        return np.zeros(0), np.zeros(0), 0.0
    weights = np.ones(problem.rows) if problem.weights is None else problem.weights
    weight = float(weights.sum())
    X = problem.X
    means = np.asarray(X.T @ weights / weight).ravel()
    sizes = np.asarray(abs(X).T @ weights / weight).ravel()
    return means, gamma(2 * problem.rows + 8) * sizes * 1.01, weight
