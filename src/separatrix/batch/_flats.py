"""Ties that count for one class, without a bias: the flats on which such rows may lie (T12).

An optimal w lies in a cell of the arrangement of the rows' planes, or on a flat: there the rows of the
favoured class that vanish are right, the others that vanish are wrong, and the rest is the strict problem
on the flat. Cells are the caller's; here the flats spanned by rows of the favoured class are looked
through, in rational arithmetic.
"""

import math
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import reduce
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from separatrix import _native

_Row = tuple[Fraction, ...]


def best_face(
    X: NDArray[np.float64],
    labels: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    tie: str,
    cost: Callable[[NDArray[np.float64]], Fraction],
    goal: Fraction,
    deadline: float,
) -> tuple[list[NDArray[np.float64]], Fraction]:
    """Return candidates on flats of dimension ≥ 1, and a lower bound of the errors on all of them.

    `cost` counts a candidate's errors; a flat that costs as little as `goal` ends the search.
    """
    favoured = 1.0 if tie == "positive" else -1.0
    units = [_unit(column) for column in X.T.tolist()]
    rows = [
        tuple(Fraction(v) / unit * int(s) for v, unit in zip(row, units, strict=True))
        for row, s in zip(X.tolist(), labels.tolist(), strict=True)
    ]
    loads = [Fraction(1)] * len(rows) if weights is None else [Fraction(v) for v in weights.tolist()]
    width = X.shape[1]
    found: list[NDArray[np.float64]] = []
    lowest = least = Fraction(sum(loads))
    seen: set[tuple[int, ...]] = set()

    def solve(basis: list[_Row], inside: list[_Row], vanishing: tuple[int, ...]) -> Fraction:
        """Row i asks for inside_i · t > 0: a strict problem in the flat's coordinates."""
        nonlocal least
        whole = []
        for r in inside:
            numbers = _whole(r)
            if any(abs(v) > 2**53 for v in numbers):
                return Fraction(0)
            whole.append([float(v) for v in numbers])
        t, _, bound, unit, _ = _native.min_disagreement(
            np.array(whole), np.ones(len(rows)), weights, [], False, None, None, 1, None
        )
        total = Fraction(bound) / Fraction(2) ** unit
        total -= sum((loads[i] for i in vanishing if labels[i] == favoured), Fraction(0))
        if total < least:
            for steps in _coarser(_central(np.array(whole), t)):
                w = [
                    sum((a * v[j] for a, v in zip(steps, basis, strict=True)), Fraction(0)) / units[j]
                    for j in range(width)
                ]
                found.append(_doubles(w))
                errors = cost(found[-1])
                least = min(least, errors)
                if errors <= total:
                    break
        return total

    def visit(basis: list[_Row]) -> None:
        """`basis` spans the flat."""
        nonlocal lowest
        if least <= goal:
            lowest = min(lowest, goal)
            return
        if time.perf_counter() > deadline:
            lowest = Fraction(0)
            return
        basis = [tuple(map(Fraction, _whole(v))) for v in basis]
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
            _, errors, *_ = _native.min_disagreement(
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


def _unit(column: list[float]) -> Fraction:
    """The largest number that all of them are whole multiples of."""
    fractions = [Fraction(v) for v in column if v]
    if not fractions:
        return Fraction(1)
    return Fraction(
        reduce(gcd, (v.numerator for v in fractions)), reduce(lcm, (v.denominator for v in fractions))
    )


def _whole(row: _Row) -> list[int]:
    """The shortest row of integers along the same ray."""
    factor = lcm(*(v.denominator for v in row))
    numbers = [int(v * factor) for v in row]
    divisor = gcd(*numbers) or 1
    return [v // divisor for v in numbers]


def _central(rows: NDArray[np.float64], t: NDArray[np.float64]) -> list[float]:
    """Return a direction far from the planes of the rows that t gets right, and on the same side of them."""
    right = rows[_native.score_signs(rows, t, 0.0) > 0]
    widest = _native.separate(right, np.ones(len(right)), False, False)["w"] if len(right) else None
    return [float(v) for v in (widest if isinstance(widest, np.ndarray) else t)]


def _coarser(t: list[float]) -> Iterator[list[int]]:
    """Whole multiples of about t, shorter and shorter: w must fit doubles to stay on its flat."""
    if len(t) == 1:
        yield [(t[0] > 0) - (t[0] < 0)]
        return
    top = max(map(abs, t)) or 1.0
    for bits in (40, 26, 20, 15, 11, 8, 6, 4, 3, 2, 1):
        yield [round(v / top * 2**bits) for v in t]


def _doubles(w: list[Fraction]) -> NDArray[np.float64]:
    """A positive multiple of w: exactly, if doubles can hold one."""
    numbers = _whole(tuple(w))
    sizes = [abs(v).bit_length() for v in numbers if v]
    if not sizes:
        return np.zeros(len(w))
    # A wide range of sizes starts high, so that the smallest keeps its bits.
    top = (1000 if max(sizes) - min(sizes) > 900 else 53) - max(sizes)
    kept = [(v, max(0, abs(v).bit_length() - 64)) for v in numbers]
    return np.array([math.ldexp(float(v >> extra), extra + top) for v, extra in kept])
