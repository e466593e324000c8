"""T2, T3, T4, T9: what a vector u bounds."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

from separatrix.theory.verify.numbers import (
    AgainError,
    RefutedError,
    above,
    decimal_norm,
    exact_sum,
    floor_half_of_sum,
    widened,
)
from separatrix.theory.verify.rows import Rows, Vector, grid_of


class Comparison:
    """Gathers, for a vector u: the least y u·x, H(u), max ‖x‖² or ‖x‖_p², over the rows."""

    def __init__(self, u: Vector, exact: bool, p: Fraction | None = None) -> None:
        self.u, self.exact, self.p = u, exact, p
        self.least: tuple[Fraction, int] | None = None
        self.positive = False
        self.hinge_lo = self.hinge_hi = self.radius_lo = self.radius_hi = self.norms_lo = self.norms_hi = (
            Fraction(0)
        )
        self.powers: dict[tuple[float, ...], Decimal] = {}
        self.largest = 0.0

    def see(self, rows: Rows, chosen: np.ndarray | None = None) -> None:
        lo, hi = self.u.margins(rows)
        settled = {}
        if self.exact:
            for i in np.flatnonzero(lo != hi).tolist():
                settled[i] = int(rows.y[i]) * self.u.dot(rows.exact(i))
        self._least(rows, lo, hi)
        use = np.zeros(len(lo), dtype=bool)
        use[slice(None) if chosen is None else chosen] = True
        for i, m in settled.items():
            loss = max(Fraction(0), 1 - m) if use[i] else Fraction(0)
            self.hinge_lo, self.hinge_hi, use[i] = self.hinge_lo + loss, self.hinge_hi + loss, False
        # Σ (1 − m) over m < 1, with no rounding: how many, less the exact sum.
        below = use & (hi < 1.0)
        self.hinge_lo += int(below.sum()) - exact_sum(hi[below])
        below = use & (lo < 1.0)
        if not np.isfinite(lo[below]).all():
            raise AgainError
        self.hinge_hi += int(below.sum()) - exact_sum(lo[below])
        if self.p is None:
            self._squares(rows, chosen)
        else:
            self._powers(rows)

    def _least(self, rows: Rows, lo: np.ndarray, hi: np.ndarray) -> None:
        known = lo == hi
        self.positive = self.positive or bool((lo > 0.0).any())
        if known.any():
            i = int(np.argmin(np.where(known, lo, np.inf)))
            self._lower(Fraction(lo[i]), rows.first + i)
        limit = min(hi.min(initial=np.inf), np.inf if self.least is None else above(self.least[0]))
        for i in np.flatnonzero(~known & (lo <= limit)).tolist():
            if lo[i] <= limit:  # which falls
                self._lower(int(rows.y[i]) * self.u.dot(rows.exact(i)), rows.first + i)
                limit = min(limit, above(self.least[0]) if self.least else np.inf)

    def _lower(self, m: Fraction, row: int) -> None:
        self.positive = self.positive or m > 0
        if self.least is None or m < self.least[0]:
            self.least = (m, row)

    def _squares(self, rows: Rows, chosen: np.ndarray | None) -> None:
        with np.errstate(over="ignore"):
            q = rows.sum(rows.values * rows.values) + rows.bias
            k = np.diff(rows.starts) + 1
            error = np.minimum((k + 2) * 2.0**-52 * q, 1e308) + k * 2.0**-1060
        grid = grid_of(rows.values)
        if grid is not None:
            error[q <= 2.0 ** (53 - 2 * grid)] = 0.0
        lo, hi = np.nan_to_num(np.maximum(q - error, 0.0), posinf=0.0), q + error
        if not (self.exact or np.isfinite(hi).all()):
            raise AgainError
        if self.exact:
            candidates = ~(hi < lo.max(initial=0.0)) if chosen is None else np.isin(np.arange(len(q)), chosen)
            for i in np.flatnonzero(candidates & (lo != hi)).tolist():
                square = sum((v * v for v in rows.exact(i).values()), Fraction(0))
                self.radius_lo, self.radius_hi = max(self.radius_lo, square), max(self.radius_hi, square)
                self.norms_lo, self.norms_hi = self.norms_lo + square, self.norms_hi + square
            lo, hi = (np.where(lo == hi, bound, 0.0) for bound in (lo, hi))
        if len(q):
            self.radius_lo = max(self.radius_lo, Fraction(lo.max()))
            self.radius_hi = max(self.radius_hi, Fraction(hi.max()))
        if chosen is not None:
            self.norms_lo += exact_sum(lo[chosen])
            self.norms_hi += exact_sum(hi[chosen])

    def _powers(self, rows: Rows) -> None:
        # Doubles choose the candidates, with a slack of 1e-6 beside which any library's `power` is
        # exact; sixty digits decide among them.
        p = float(self.p or 2)
        magnitudes = np.abs(rows.values)
        tops = np.full(len(rows.y), float(rows.bias))
        np.maximum.at(tops, rows.of, magnitudes)
        scale = np.where(tops > 0.0, tops, 1.0)
        with np.errstate(over="ignore", under="ignore"):  # a norm beyond doubles is a candidate
            sums = rows.sum((magnitudes / scale[rows.of]) ** p)
            norms = tops * (sums + scale**-p if rows.bias else sums) ** (1.0 / p)
        self.largest = max(self.largest, norms.max(initial=0.0))
        for i in np.flatnonzero(norms >= self.largest * (1.0 - 1e-6)).tolist():
            part = magnitudes[rows.starts[i] : rows.starts[i + 1]].tolist()
            key = tuple(sorted([*part, 1.0] if rows.bias else part))
            if key not in self.powers:
                self.powers[key] = decimal_norm(list(map(Fraction, key)), self.p or Fraction(2))

    def squared_radius(self) -> tuple[Fraction, Fraction]:
        if self.p is None:
            return self.radius_lo, self.radius_hi
        top = Fraction(max(self.powers.values(), default=Decimal(0)))
        return widened(top * top)

    def scale(self) -> tuple[Fraction, Fraction]:
        """Return bounds on A: R²‖u‖², or (p−1)R_p²‖u‖_q²."""
        lo, hi = self.squared_radius()
        if self.p is None:
            return lo * self.u.squared_norm, hi * self.u.squared_norm
        q = self.p / (self.p - 1)
        values = [abs(v) for v in [*self.u.exact.values(), self.u.bias]]
        norm_lo, norm_hi = widened(Fraction(decimal_norm(values, q)) ** 2)
        return (self.p - 1) * lo * norm_lo, (self.p - 1) * hi * norm_hi

    def weakly_separating(self) -> None:
        """Check that no y u·x is negative, and one is positive."""
        if self.least is not None and self.least[0] < 0:
            raise RefutedError(f"row {self.least[1]}: y w·x should not be negative")
        if not self.positive:
            raise RefutedError("y w·x should be positive in some row, but is 0 in all")

    def separating(self) -> Fraction:
        """Return min y u·x, which must be positive."""
        if self.least is None:
            raise RefutedError("there are no rows")
        if self.least[0] <= 0:
            m, row = self.least
            raise RefutedError(f"row {row}: y u·x should be positive, but is {above(m)!r}")
        return self.least[0]


def _floor(lo: Fraction, hi: Fraction, exact: bool) -> int:
    if math.floor(lo) != math.floor(hi) and not exact:
        raise AgainError
    return math.floor(hi)


def comparator_bound(theorem: str, seen: Comparison, exact: bool) -> int:
    A_lo, A_hi = seen.scale()
    if theorem in ("T2", "T3", "T9 separable"):
        least = seen.separating() ** 2
        return _floor(A_lo / least, A_hi / least, exact)
    if theorem == "T4c":
        return _floor(A_lo + 2 * seen.hinge_lo, A_hi + 2 * seen.hinge_hi, exact)
    if theorem == "T4a":
        ends = ((seen.hinge_lo, seen.norms_lo), (seen.hinge_hi, seen.norms_hi))
        lo, hi = (floor_half_of_sum(2 * H, 4 * seen.u.squared_norm * S) for H, S in ends)
    else:
        ends = ((A_lo, seen.hinge_lo), (A_hi, seen.hinge_hi))
        lo, hi = (floor_half_of_sum(A + 2 * H, A * A + 4 * A * H) for A, H in ends)
    return _floor(Fraction(lo), Fraction(hi), exact)
