"""Residuals in double-double, error bounds from them, and iterative refinement."""

from dataclasses import dataclass

import numpy as np

from separatrix._native import regression_residual
from separatrix.batch.regression import double_double as dd
from separatrix.batch.regression.gram import Gram, Inverse
from separatrix.batch.regression.problem import MOST_DIGITS, UNIT, Floats, Problem, certified_digits, gamma
from separatrix.data.arrays import native_matrix

WANTED_DIGITS = 12.0
_MOST_REFINEMENTS = 12
# Below this many entries another pass costs nothing that anyone notices: refine to the last digit.
SMALL = 1_000_000


@dataclass
class Refined:
    """A pair, bounds on its error, the digits they prove, and how it got there."""

    high: Floats
    low: Floats
    bound: Floats
    digits: float
    digits_before: float
    refinements: int
    squares: Floats


def residual(problem: Problem, matrix: object, high: Floats, low: Floats) -> tuple[dd.Pair, Floats, Floats]:
    """Return g = AᵀS(y − Aθ) − Pθ as a pair, a bound on its error, and Σ s r²."""
    weights = np.zeros(0) if problem.weights is None else problem.weights
    columns = [
        regression_residual(
            matrix,  # type: ignore[arg-type]
            np.ascontiguousarray(problem.y[:, t]),
            weights,
            np.ascontiguousarray(high[:, t]),
            np.ascontiguousarray(low[:, t]),
            problem.intercept,
        )
        for t in range(problem.y.shape[1])
    ]
    g = (np.column_stack([c[0] for c in columns]), np.column_stack([c[1] for c in columns]))
    bound = np.column_stack([c[2] for c in columns])
    squares = np.array([c[3] for c in columns])
    if problem.alpha:
        pulled = dd.scale(-problem.penalty[:, None], (high, low))
        g = dd.add(g, pulled)
        bound = bound + 32 * UNIT**2 * (np.abs(g[0]) + np.abs(pulled[0]))
    return g, bound, squares


def shifted(g: dd.Pair, bound: Floats, inverse: Inverse) -> tuple[dd.Pair, Floats]:
    """Return g in the shifted coordinates of `inverse` (their normal equations' residual)."""
    if not inverse.free or not inverse.shift.any():
        return g, bound
    taken = dd.scale(-inverse.shift[:, None], (g[0][-1:], g[1][-1:]))
    moved = dd.add((g[0][:-1], g[1][:-1]), taken)
    wider = bound[:-1] + np.abs(inverse.shift)[:, None] * bound[-1:]
    wider = wider * (1 + 8 * UNIT) + 64 * UNIT**2 * (np.abs(g[0][:-1]) + np.abs(taken[0]))
    stack = np.vstack
    return (stack([moved[0], g[0][-1:]]), stack([moved[1], g[1][-1:]])), stack([wider, bound[-1:]])


def error_bound(inverse: Inverse, g: dd.Pair, bound: Floats) -> Floats:
    """Return bounds on |θ − θ*| = |(H + P)⁻¹g|."""
    if not inverse.delta < 1:
        return np.full(g[0].shape, np.inf)
    return inverse.effect(g[0], bound + np.abs(g[1]))


def correct(
    inverse: Inverse, high: Floats, low: Floats, g: dd.Pair, bound: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return θ + Z·core·Zᵀg as a pair, bounds on its error, and what g·(correction) takes off Σ s r².

    No further residual is needed for the bounds: θ* − θ = Z M⁻¹ Zᵀg, so what is left after the correction
    is `Z M⁻¹(I − M·core)Zᵀg`, the effect of g's own error, and the rounding of this function.
    """
    Z, core = inverse.Z, inverse.core
    sizes, D = np.abs(Z), len(Z)
    projected = Z.T @ g[0]
    correction = Z @ (core @ projected)
    gain = (correction * g[0]).sum(axis=0)
    spread = np.linalg.norm(sizes.T @ np.abs(g[0]), axis=0)
    left = inverse.inner * np.linalg.norm(projected, axis=0) + inverse.inner * gamma(D + 4) * spread
    rounding = 4 * gamma(D + 4) * float(np.linalg.norm(core)) * spread
    total = inverse.row_sizes()[:, None] * (left / (1 - inverse.delta) + rounding) * (1 + gamma(4 * D + 32))
    total += inverse.effect(np.zeros_like(bound), bound + np.abs(g[1]))
    moved = correction.copy()
    if inverse.free:
        # The shift's product is kept in pairs: its rounding would show in an intercept far from zero.
        terms = dd.scale(-inverse.shift[:, None], (correction[:-1], np.zeros_like(correction[:-1])))
        back = dd.total(terms)
        high_b, low_b = dd.add((correction[-1], np.zeros_like(correction[-1])), back)
        moved[-1] = high_b
        lows = np.vstack([np.zeros_like(correction[:-1]), low_b])
    else:
        lows = np.zeros_like(correction)
    new_high, new_low = dd.add((high, low), (moved, lows))
    total += 64 * D * UNIT**2 * (np.abs(new_high) + np.abs(high))
    if inverse.free:
        total[-1] += 64 * D * UNIT**2 * (np.abs(inverse.shift) @ np.abs(correction[:-1]))
    return new_high, new_low, np.where(np.isfinite(total), total, np.inf), gain


def refine(
    problem: Problem, g: Gram, inverse: Inverse, high: Floats, low: Floats, *, steps: bool, sizes: Floats
) -> Refined:
    """Certify `high + low`, and while that is worth it (and `steps` allows) improve it.

    One step solves for the error with the residual just computed, θ ← θ + Z·core·Zᵀg: iterative refinement
    of the augmented system [I S; Sᵀ −P] with its first block eliminated exactly, θ kept in double-double.
    """
    matrix = native_matrix(problem.X)
    small = problem.rows * problem.unknowns <= SMALL
    enough = MOST_DIGITS if small else WANTED_DIGITS
    best: Refined | None = None
    before = 0.0
    for step in range(_MOST_REFINEMENTS + 1):
        pair, wrong, squares = residual(problem, matrix, high, low)
        moved, moved_wrong = shifted(pair, wrong, inverse)
        bound = error_bound(inverse, moved, moved_wrong)
        digits = certified_digits(high, low, bound, sizes)
        before = digits if step == 0 else before
        improved = _keep_better(best, Refined(high, low, bound, digits, before, step, squares))
        if best is None or improved:
            best = Refined(high, low, bound, digits, before, step, squares)
        if not steps or digits >= enough or not improved or not np.isfinite(moved[0]).all():
            break
        high, low, bound, gain = correct(inverse, high, low, moved, moved_wrong)
        digits = certified_digits(high, low, bound, sizes)
        after = Refined(high, low, bound, digits, before, step + 1, squares)
        # Σ s r² was taken before the step; where the step changed it, look again.
        settled = bool((np.abs(gain) <= 1e-10 * squares).all())
        if digits >= WANTED_DIGITS and settled and not small:
            return after
    assert best is not None
    return best


def _keep_better(best: Refined | None, found: Refined) -> bool:
    """Whether bounds have shrunk: digits saturate at what a rounded double can show."""
    if best is None or found.digits > best.digits:
        return True
    return bool(np.all(found.bound <= best.bound)) and bool(np.any(found.bound < 0.5 * best.bound))


def gram_residual(problem: Problem, g: Gram, theta: Floats) -> tuple[dd.Pair, Floats]:
    """Return the residual at θ (shifted coordinates) from the summed equations alone, and its bound."""
    H = g.matrix + np.diag(problem.penalty)
    pair: dd.Pair = (g.moments.copy(), np.zeros_like(g.moments))
    for j in range(problem.unknowns):
        pair = dd.add(pair, dd.scale(-H[:, j : j + 1], (theta[j : j + 1], np.zeros_like(theta[j : j + 1]))))
    reach = g.sizes @ np.abs(theta)
    wrong = g.error * g.sizes[:, None] * (g.target_sizes + reach)
    # α was added to H's diagonal with one rounding.
    wrong += 2 * UNIT * np.diag(H)[:, None] * np.abs(theta)
    wrong += UNIT**2 * 64 * (problem.unknowns + 2) * g.sizes[:, None] * (g.target_sizes + reach)
    return pair, wrong * (1 + gamma(2 * problem.unknowns + 8))
