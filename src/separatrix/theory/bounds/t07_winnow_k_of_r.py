"""T7: Winnow on k-of-r functions."""

import math

from separatrix.errors import UsageError
from separatrix.theory.bounds._checks import whole


def winnow_k_of_r(variables: int, relevant: int, k: int) -> float:
    """Return T7's bound on Winnow's mistakes on "at least k of r fixed variables are 1".

    Statement: with x in {0, 1}^n, weights from 1, threshold n and factor 1 + ε, ε = 1/(2k), the numbers
    P of promotions and N of demotions obey N ≤ (1+ε)/ε + (1+ε)P and kP − (k−1)N ≤ r(1 + log_{1+ε} n).
    Hence P ≤ (2k/(k+1))·[r(1 + log_{1+ε} n) + (k−1)(1+ε)/ε] and
    M ≤ (2+ε)P + (1+ε)/ε = O(rk log n).

    Proof idea: the first inequality is that the total weight stays ≥ 0; the second counts factors on
    the r relevant weights: at least k of them grow at a promotion, at most k − 1 shrink at a demotion,
    and none passes (1+ε)n.

    Source: the lecture on Winnow.

    Parameters
    ----------
    variables : int, at least 1
        n.
    relevant : int, in [1, variables]
        r.
    k : int, in [1, relevant]
        How many of the r must be 1.

    Examples
    --------
    >>> from separatrix import bounds
    >>> round(bounds.winnow_k_of_r(100, 5, 2))
    345
    """
    n = whole("variables", variables, 1)
    r = whole("relevant", relevant, 1)
    k = whole("k", k, 1)
    if not k <= r <= n:
        raise UsageError(f"k ≤ relevant ≤ variables should hold, but they are {k}, {r}, {n}")
    eps = 1.0 / (2.0 * k)
    start = (1.0 + eps) / eps
    growth = r * (1.0 + math.log(n) / math.log1p(eps))
    promotions = 2.0 * k / (k + 1.0) * (growth + (k - 1.0) * start)
    return (2.0 + eps) * promotions + start
