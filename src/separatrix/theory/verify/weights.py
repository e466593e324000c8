"""T11: weights on rows that prove a conflict, or bound the margin from above."""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from separatrix.theory.verify.comparison import Comparison
from separatrix.theory.verify.numbers import RefutedError, UnreadableError, above, number
from separatrix.theory.verify.rows import Rows


class Weights:
    """λ on some rows: gathers Σ λ_i y_i x_i by column, over a common denominator."""

    def __init__(self, witness: Mapping[str, Any]) -> None:
        self.rows, self.weights = witness["rows"], [number(v) for v in witness["weights"]]
        rising = self.rows == sorted(set(self.rows)) and all(type(i) is int and i >= 1 for i in self.rows)
        if not rising or len(self.rows) != len(self.weights) or not self.rows:
            raise UnreadableError("row numbers rise from 1 on, one for each weight")
        if any(v <= 0 for v in self.weights):
            raise RefutedError("a weight is not positive")
        self.denominator = math.lcm(*(v.denominator for v in self.weights))
        self.scaled = {i: int(v * self.denominator) for i, v in zip(self.rows, self.weights, strict=True)}
        self.sums: dict[int, dict[int, int]] = {}  # column → power of two → whole number

    def see(self, rows: Rows) -> None:
        for i in self.rows[
            bisect_left(self.rows, rows.first) : bisect_left(self.rows, rows.first + len(rows.y))
        ]:
            at = i - rows.first
            for j, v in rows.exact(at).items():
                # v is a whole number over a power of two; sums by power never need a common divisor.
                column = self.sums.setdefault(j, {})
                signed = int(rows.y[at]) * self.scaled[i] * v.numerator
                column[v.denominator] = column.get(v.denominator, 0) + signed

    def vector(self, seen: int) -> list[Fraction]:
        if self.rows[-1] > seen:
            raise RefutedError(f"there is no row {self.rows[-1]}, only {seen}")
        return [
            sum((Fraction(a, b) for b, a in column.items()), Fraction(0)) for column in self.sums.values()
        ]

    def balance(self, seen: int) -> None:
        """Σ λ_i = 1 and Σ λ_i y_i x_i = 0, exactly."""
        total = sum(self.weights, Fraction(0))
        if total != 1:
            raise RefutedError(f"the weights should sum to 1, but sum to {above(total)!r}")
        if any(self.vector(seen)):
            raise RefutedError("the weighted rows should sum to zero, but do not")


def _largest_double(holds: Callable[[Fraction], bool], guess: float) -> float:
    """Return the largest double that holds, for a test that is true below a threshold near the guess."""
    while not holds(Fraction(guess)):
        guess = math.nextafter(guess, -math.inf)
    while holds(Fraction(math.nextafter(guess, math.inf))):
        guess = math.nextafter(guess, math.inf)
    return guess


def _root(value: Fraction) -> float:
    shift = 2 * (60 + abs(value.numerator.bit_length() - value.denominator.bit_length()))
    return float(Fraction(math.isqrt((value.numerator << shift) // value.denominator), 1 << (shift // 2)))


def margin_ends(seen: Comparison, weights: Weights, rows: int) -> list[float]:
    """Return the margin's bounds, as doubles rounded outwards: min y w·x/‖w‖ ≤ γ* ≤ ‖Σ λ y x‖/Σ λ."""
    lower = seen.separating() ** 2 / seen.u.squared_norm
    length = sum((v * v for v in weights.vector(rows)), Fraction(0)) / sum(weights.scaled.values()) ** 2
    below = _largest_double(lambda v: v < 0 or v * v <= lower, _root(lower))
    above = -_largest_double(lambda v: v < 0 and v * v >= length, -_root(length) or -5e-324)
    return [below, above]
