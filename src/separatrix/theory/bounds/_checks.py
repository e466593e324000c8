"""The rules that parameters of bounds obey; each says the parameter, the rule and the value it met."""

import math

from separatrix.errors import UsageError


def finite(name: str, value: float) -> float:
    if not math.isfinite(value):
        raise UsageError(f"{name} should be a finite number, but is {value!r}")
    return float(value)


def positive(name: str, value: float) -> float:
    if not finite(name, value) > 0:
        raise UsageError(f"{name} should be positive, but is {value!r}")
    return float(value)


def not_negative(name: str, value: float) -> float:
    if finite(name, value) < 0:
        raise UsageError(f"{name} should not be negative, but is {value!r}")
    return float(value)


def inside(name: str, value: float, least: float, greatest: float, *, open_left: bool = False) -> float:
    low_enough = finite(name, value) <= greatest
    high_enough = value > least if open_left else value >= least
    if not (low_enough and high_enough):
        opening = "(" if open_left else "["
        raise UsageError(f"{name} should be in {opening}{least}, {greatest}], but is {value!r}")
    return float(value)


def whole(name: str, value: int, least: int) -> int:
    # bool is an int to Python; nobody means True variables.
    if isinstance(value, bool) or value != int(value) or value < least:
        raise UsageError(f"{name} should be a whole number of at least {least}, but is {value!r}")
    return int(value)
