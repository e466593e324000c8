"""Ties that count for one class, without a bias: the flats on which such rows may lie (T12).

An optimal w lies in a cell of the arrangement of the rows' planes, or on a flat: there the rows of the
favoured class that vanish are right, the others that vanish are wrong, and the rest is the strict problem
on the flat. Cells are the caller's; here the flats spanned by rows of the favoured class are looked
through, in rational arithmetic.
"""

import math
import time
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from separatrix import _native

_Row = tuple[Fraction, ...]


def best_face(
    X: NDArray[np.float64],
    labels: NDArray[np.float64],
    loads: NDArray[np.float64],
    tie: str,
    deadline: float | None,
) -> tuple[list[NDArray[np.float64]], float]:
    """Return candidates, one a flat of dimension ≥ 1, and a lower bound of the errors on all of them."""
    favoured = 1.0 if tie == "positive" else -1.0
    rows = [
        tuple(Fraction(v) * int(s) for v in row) for row, s in zip(X.tolist(), labels.tolist(), strict=True)
    ]
    width = X.shape[1]
    found: list[NDArray[np.float64]] = []
    lowest = math.inf
    seen: set[tuple[int, ...]] = set()

    def solve(basis: list[_Row], inside: list[_Row], vanishing: tuple[int, ...]) -> float:
        """Row i asks for inside_i · t > 0: a strict problem in the flat's coordinates."""
        whole = []
        for r in inside:
            factor = lcm(*(v.denominator for v in r))
            numbers = [int(v * factor) for v in r]
            if len(r) == 1:
                numbers = [(numbers[0] > 0) - (numbers[0] < 0)]
            if any(abs(v) > 2**53 for v in numbers):
                return 0.0
            whole.append([float(v) for v in numbers])
        t, _, bound, _ = _native.min_disagreement(
            np.array(whole), np.ones(len(rows)), loads, [], False, None, None, 1, None
        )
        w = [
            sum((Fraction(a) * v[j] for a, v in zip(t.tolist(), basis, strict=True)), Fraction(0))
            for j in range(width)
        ]
        if len(basis) == 1:
            # Any multiple will do: one of whole numbers, if doubles hold it.
            factor = lcm(*(v.denominator for v in w))
            w = [v * factor for v in w]
        found.append(np.array([float(v) for v in w]))
        return float(bound) - math.fsum(loads[i] for i in vanishing if labels[i] == favoured)

    def visit(basis: list[_Row]) -> None:
        """`basis` spans the flat."""
        nonlocal lowest
        if deadline is not None and time.perf_counter() > deadline:
            lowest = 0.0
            return
        inside = [
            tuple(sum((a * b for a, b in zip(row, v, strict=True)), Fraction(0)) for v in basis)
            for row in rows
        ]
        vanishing = tuple(i for i, r in enumerate(inside) if not any(r))
        if vanishing in seen:
            return
        seen.add(vanishing)
        ties = [i for i in vanishing if labels[i] == favoured and any(rows[i])]
        if ties:
            # If some direction is right on all of them, a step that way makes the flat a cell.
            _, errors, _, _ = _native.min_disagreement(
                X[ties] * favoured, np.ones(len(ties)), None, [], False, None, None, 1, None
            )
            if errors > 0:
                lowest = min(lowest, solve(basis, inside, vanishing))
        if len(basis) == 1:
            return
        for i, r in enumerate(inside):
            if labels[i] == favoured and any(r):
                drop = next(k for k, v in enumerate(r) if v)
                visit(
                    [
                        tuple(v[j] - r[k] / r[drop] * basis[drop][j] for j in range(width))
                        for k, v in enumerate(basis)
                        if k != drop
                    ]
                )

    visit([tuple(Fraction(int(i == j)) for j in range(width)) for i in range(width)])
    return found, lowest
