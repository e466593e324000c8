"""Arithmetic that is exact, or rounded on the safe side."""

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np


class RefutedError(Exception):
    """The data or the witness contradict the claim."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.data: dict[str, Any] = {}
        """What the data was found to be, if it was read."""


class UnreadableError(ValueError):
    """The certificate is not one, or the data is not a two-class data set."""


class AgainError(Exception):
    """Doubles leave a doubt: read the data again, exactly."""


def read_whole(text: str) -> int:
    # Python refuses to read more than 4300 digits at once; conflict weights may have more.
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    if not (digits.isascii() and digits.isdigit()):
        raise UnreadableError(f"expected a whole number, found {text[:40]!r}")
    value = 0
    for at in range(0, len(digits), 4000):
        part = digits[at : at + 4000]
        value = value * 10 ** len(part) + int(part)
    return sign * value


def number(value: Any) -> Fraction:
    """Return what a witness's number is: a JSON number exactly as the double it reads as, or "p/q"."""
    if isinstance(value, str):
        above, _, below = value.partition("/")
        denominator = read_whole(below or "1")
        if denominator <= 0:
            raise UnreadableError(f"expected a positive denominator, found {below[:40]!r}")
        return Fraction(read_whole(above), denominator)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UnreadableError(f"expected a finite number or 'p/q', found {value!r}")
    return Fraction(value)


def nearest(value: Any) -> float:
    """Return a double near a witness's number; an extreme one as infinity, which no quick look survives."""
    if type(value) is not float:
        exact = number(value)
        value = float(exact) if not exact or Fraction(1, 2**900) <= abs(exact) <= 2**900 else math.inf
    return value if value == 0.0 or 2.0**-900 <= abs(value) <= 2.0**900 else math.inf


def sum_of_squares(values: Iterable[Any]) -> Fraction:
    """Return Σ v² of a witness's numbers, exactly; sums by denominator never need a common divisor."""
    sums: dict[int, int] = {}
    for v in values:
        above, below = (number(v) if type(v) is not float else _finite(v)).as_integer_ratio()
        sums[below] = sums.get(below, 0) + above * above
    return sum((Fraction(above, below * below) for below, above in sums.items()), Fraction(0))


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise UnreadableError(f"expected a finite number, found {value!r}")
    return value


def exact_sum(values: np.ndarray) -> Fraction:
    """Return the sum of doubles, exactly: mantissas are whole numbers, added exponent by exponent."""
    mantissas, exponents = np.frexp(values)
    wholes = np.ldexp(mantissas, 53).astype(np.int64)
    total = Fraction(0)
    for e in np.unique(exponents).tolist():
        part = wholes[exponents == e]
        high, low = int((part >> 26).sum()), int((part & 0x3FF_FFFF).sum())
        total += Fraction((high << 26) + low) * Fraction(2) ** (e - 53)
    return total


def floor_half_of_sum(x: Fraction, y: Fraction) -> int:
    """Return ⌊(x + √y)/2⌋ exactly: over a common denominator D it is ⌊(X + ⌊√Y⌋)/(2D)⌋ in whole numbers."""
    D = x.denominator * y.denominator
    return (int(x * D) + math.isqrt(int(y * D * D))) // (2 * D)


def to_decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def read_count(witness: Mapping[str, Any], name: str, least: int) -> int:
    value = witness[name]
    if type(value) is not int or not least <= value < 2**40:
        raise UnreadableError(f"{name} should be a whole number of at least {least}, but is {value!r}")
    return value


def above(value: Fraction) -> float:
    """Return a double that is at least the value, and is it if it can."""
    if abs(value) > 2**1000:
        return math.inf if value > 0 else -(2.0**1000)
    close = float(value)
    return close if close >= value else math.nextafter(close, math.inf)


def widened(value: Fraction) -> tuple[Fraction, Fraction]:
    slack = value / 10**40
    return value - slack, value + slack


def decimal_norm(values: Sequence[Fraction], p: Fraction) -> Decimal:
    """Return (Σ v^p)^(1/p), to sixty digits; over the largest v, so that what underflows is nothing."""
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**9), 10**9
        power, top = to_decimal(p), max(map(to_decimal, values), default=Decimal(0))
        if not top:
            return top
        return top * sum((to_decimal(v) / top) ** power for v in values if v) ** (1 / power)
