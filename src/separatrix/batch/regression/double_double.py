"""Double-double arithmetic on NumPy arrays: pairs (high, low), about 32 digits."""

import numpy as np

from separatrix.batch.regression.problem import Floats

Pair = tuple[Floats, Floats]

_SPLITTER = 134217729.0


def two_sum(a: Floats, b: Floats) -> Pair:
    """Return the rounded sum and its exact error."""
    s = a + b
    of_b = s - a
    return s, (a - (s - of_b)) + (b - of_b)


def two_product(a: Floats, b: Floats) -> Pair:
    """Return the rounded product and its exact error (Dekker: no fused multiply-add needed)."""
    p = a * b
    c = _SPLITTER * a
    a_high = c - (c - a)
    c = _SPLITTER * b
    b_high = c - (c - b)
    a_low, b_low = a - a_high, b - b_high
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def add(x: Pair, y: Pair) -> Pair:
    """Return x + y, wrong by at most 4u² of |x + y| and of the parts lost."""
    s, e = two_sum(x[0], y[0])
    t, f = two_sum(x[1], y[1])
    s, e = two_sum(s, e + t)
    return two_sum(s, e + f)


def scale(a: Floats, x: Pair) -> Pair:
    """Return a·x for a double a, wrong by at most 4u² of it."""
    p, e = two_product(np.broadcast_to(a, np.broadcast_shapes(np.shape(a), x[0].shape)), x[0])
    return two_sum(p, e + a * x[1])


def total(x: Pair) -> Pair:
    """Return the sum over the first axis, one term after the other."""
    sum_: Pair = (np.zeros(x[0].shape[1:]), np.zeros(x[0].shape[1:]))
    for high, low in zip(x[0], x[1], strict=True):
        sum_ = add(sum_, (high, low))
    return sum_
