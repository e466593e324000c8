"""Winnow's targets found in data: a short disjunction (T6), or weights μ ≥ 0 that separate by δ (T8)."""

import math
from typing import Any

import numpy as np

from separatrix.theory.bounds import winnow_threshold
from separatrix.theory.rows import Game

# A linear programme of this many entries takes HiGHS a few seconds at most.
_LARGEST_PROGRAMME = 200_000


def disjunction(game: Game) -> list[int] | None:
    """Return few columns whose disjunction is right in every row of {0, 1}, or None.

    A column of a right disjunction is 0 in all negatives. All such columns together cover the positives
    or nothing does; of them the greedy choice takes at most 1 + ln(positives) times the fewest.
    """
    rows, positive = game.rows, game.signs > 0.0
    if len(rows.data) and not (rows.data == 1.0).all():
        return None
    safe = np.asarray(rows[~positive].sum(axis=0)).ravel() == 0.0
    columns = np.flatnonzero(safe)
    uncovered = rows[positive][:, columns].tocsc()
    left = np.ones(uncovered.shape[0], dtype=bool)
    chosen: list[int] = []
    while left.any():
        gains = np.asarray(uncovered.T @ left.astype(float)).ravel()
        if not gains.max(initial=0.0) > 0.0:
            return None
        best = int(np.argmax(gains))
        chosen.append(int(columns[best]))
        left[uncovered[:, [best]].nonzero()[0]] = False
    return sorted(chosen)


def threshold_target(
    game: Game, seconds: float, factor: float | None = None, threshold: float | None = None
) -> dict[str, Any] | None:
    """Return T8's witness with about the least bound, or None where none was found.

    Of a run with this factor and threshold; without them, β = 1 + δ/2 and θ = n.

    For δ of a short list, min Σμ_i such that μ·x ≥ 1 on positives and ≤ 1 − δ on negatives, μ ≥ 0, is a
    linear programme (HiGHS). Its vertices touch the constraints, so μ is enlarged, and δ reduced, by a
    little more than its tolerance; the certificate then proves them.
    """
    from scipy import sparse
    from scipy.optimize import linprog

    rows, n = game.rows, game.rows.shape[1]
    inside = rows.nnz == 0 or (rows.data.min() >= 0.0 and rows.data.max() <= 1.0)
    if not inside or not n or rows.nnz > _LARGEST_PROGRAMME:
        return None
    theta = float(n) if threshold is None else threshold
    if theta < 1.0 or not (factor is None or 1.0 < factor < 2.7):
        return None
    signed = sparse.diags(-game.signs) @ rows
    least_entry = float(rows.data[rows.data > 0.0].min(initial=1.0))
    best: tuple[float, dict[str, Any]] | None = None
    slack = 1e-6
    for delta in (1.0, 0.5, 0.2, 0.05):
        separation = delta if delta == 1.0 else delta - 4.0 * slack
        beta = 1.0 + separation / 2.0 if factor is None else factor
        if (1.0 - separation) * beta >= 1.0:
            continue
        limits = np.where(game.signs > 0.0, -1.0, 1.0 - delta)
        options = {"time_limit": seconds / 4.0}
        found = linprog(np.ones(n), A_ub=signed, b_ub=limits, method="highs", options=options)
        if found.status != 0:
            continue
        kept = np.flatnonzero(found.x > 1e-12)
        mu = found.x[kept] * (1.0 + slack)
        # Rounding to a grid makes the proof's sums exact; a shade more than 1e-6 is left over for it.
        mu = np.ceil(mu * 2.0**26) / 2.0**26
        bound = winnow_threshold(n, math.fsum(mu), separation, theta, beta, least_entry)
        if best is None or bound < best[0]:
            target = {"indices": kept.tolist(), "values": mu.tolist(), "bias": 0}
            witness = {"variables": n, "target": target, "separation": separation}
            best = bound, {**witness, "threshold": theta, "factor": beta}
    return None if best is None else best[1]
