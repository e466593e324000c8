"""Parameters checked against their rules: the message names the parameter, the rule and the value."""

from typing import Any

import numpy as np

from separatrix.data.text_options import LARGEST_COUNT
from separatrix.errors import UsageError


def whole(name: str, value: Any, least: int, most: int = LARGEST_COUNT, other: str = "") -> int:
    """A whole number from `least` to `most`; `other` names what else the parameter may be."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        also = f" or {other}" if other else ""
        raise UsageError(f"{name} must be a whole number from {least} to {most}{also}, but is {value!r}")
    return int(value)


def truth(name: str, value: Any) -> bool:
    """True or False, and nothing that merely looks like it."""
    if not isinstance(value, (bool, np.bool_)):
        raise UsageError(f"{name} must be True or False, but is {value!r}")
    return bool(value)


def real(name: str, value: Any) -> float:
    """A finite number; the native learner checks its range."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise UsageError(f"{name} must be a number, but is {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise UsageError(f"{name} must be within the range of a double, but is {value!r}") from None
