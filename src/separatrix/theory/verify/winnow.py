"""T6, T7, T8: what Winnow's target bounds."""

import math
from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from separatrix.theory.verify.numbers import (
    RefutedError,
    UnreadableError,
    above,
    number,
    read_count,
    to_decimal,
)
from separatrix.theory.verify.rows import Rows, Vector


class Winnow:
    """T6, T7, T8: checks the target in every row and gives the bound of its numbers."""

    def __init__(self, theorem: str, witness: Mapping[str, Any], columns: int) -> None:
        self.theorem = theorem
        self.n = read_count(witness, "variables", max(columns, 1))
        self.least_entry = Fraction(1)
        if theorem == "T8":
            self.target = Vector(witness["target"], columns, bias=False)
            self.delta, self.theta, self.factor = (
                number(witness[k]) for k in ("separation", "threshold", "factor")
            )
            if any(v < 0 for v in self.target.exact.values()) or not 0 < self.delta <= 1 <= self.theta:
                raise UnreadableError("expected μ ≥ 0, 0 < δ ≤ 1 and θ ≥ 1")
            if not 1 < self.factor < Fraction(27, 10) or (1 - self.delta) * self.factor >= 1:
                raise UnreadableError("expected 1 < β < 2.7 and (1 − δ)β < 1")
            return
        self.relevant = witness["relevant"]
        ones = {"indices": self.relevant, "values": [1] * len(self.relevant), "bias": 0}
        self.target = Vector(ones, columns, bias=False)
        self.k = read_count(witness, "k", 1) if theorem == "T7" else 1
        if theorem == "T6" and witness["demotion"] not in ("elimination", "halving"):
            raise UnreadableError("expected a demotion by elimination or halving")
        self.demotion = witness.get("demotion")

    def see(self, rows: Rows) -> None:
        values = rows.values
        if (values < 0.0).any() or (values > 1.0).any() or (self.theorem != "T8" and (values != 1.0).any()):
            raise RefutedError(f"rows {rows.first} and on: an entry is not in the range of {self.theorem}")
        if len(values):
            self.least_entry = min(self.least_entry, Fraction(values.min()))
        lo, hi = self.target.margins(rows._replace(y=np.ones(len(rows.y))))
        high, low = (
            (Fraction(1), 1 - self.delta)
            if self.theorem == "T8"
            else (Fraction(self.k), self.k - Fraction(1))
        )
        sure = np.where(rows.y > 0, lo >= above(high), hi <= -above(-low))
        for i in np.flatnonzero(~sure).tolist():
            value = Fraction(lo[i]) if lo[i] == hi[i] else self.target.dot(rows.exact(i))
            if (value < high) if rows.y[i] > 0 else (value > low):
                side = f"at least {high}" if rows.y[i] > 0 else f"at most {low}"
                raise RefutedError(f"row {rows.first + i}: the target should be {side}, but is {value}")

    def bound(self) -> int:
        if self.theorem == "T6":
            factor, extra = (2, 1) if self.demotion == "elimination" else (3, 2)
            steps = factor * len(self.relevant)
            power: int = self.n**steps
            return extra + steps + power.bit_length() - 1  # ⌊log₂ n^steps⌋
        with localcontext() as context:
            context.prec = 60
            n, one = Decimal(self.n), Decimal(1)
            if self.theorem == "T7":
                k, r, eps = self.k, len(self.relevant), one / (2 * self.k)
                start = (1 + eps) / eps
                growth = r * (1 + n.ln() / (1 + eps).ln())
                value = (2 + eps) * (Decimal(2 * k) / (k + 1) * (growth + (k - 1) * start)) + start
            else:
                beta, delta, theta = to_decimal(self.factor), to_decimal(self.delta), to_decimal(self.theta)
                xi, mu = (
                    to_decimal(self.least_entry),
                    to_decimal(sum(self.target.exact.values(), Fraction(0))),
                )
                growth = mu * (xi + (theta / xi).ln() / beta.ln())
                start = beta / (beta - 1) * n / theta
                value = (1 + beta) * (growth + (1 - delta) * start) / (1 - (1 - delta) * beta) + start
            return math.floor(value + value.scaleb(-40))
