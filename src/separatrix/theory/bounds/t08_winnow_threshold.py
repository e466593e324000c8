"""T8: Winnow with a threshold and a factor."""

import math

from separatrix.errors import UsageError
from separatrix.theory.bounds._checks import inside, not_negative, positive, whole


def winnow_threshold(
    variables: int,
    total: float,
    separation: float,
    threshold: float,
    factor: float | None = None,
    least_entry: float = 1.0,
) -> float:
    """Return T8's bound on the mistakes of Winnow with threshold θ and factor β.

    Statement: let μ ≥ 0 have μ·x ≥ 1 on positives and μ·x ≤ 1 − δ on negatives, 0 < δ ≤ 1. Winnow
    (weights from 1, positive iff w·x ≥ θ, w_i ← w_i β^{±x_i} on a mistake) with (1−δ)β < 1 makes
    u promotions and v demotions with

        v ≤ β/(β−1) · n/θ + βu                       (the total weight stays ≥ 0)
        u − (1−δ)v ≤ Σμ_i · L                        (some weight has grown that much)
        u ≤ [Σμ_i L + (1−δ)·β/(β−1)·n/θ] / (1 − (1−δ)β),     M = u + v ≤ (1+β)u + β/(β−1)·n/θ

    where L = log_β of the largest a weight can become. For x in {0,1}^n it is 1 + ln θ/ln β, because no
    weight above θ is promoted. With β = 1 + δ/2 the last denominator is δ(1+δ)/2.

    For x in [0,1]^n, with every entry that is not 0 at least ``least_entry`` = ξ: a weight is promoted
    only while w_i x_i < θ, so it stays below θβ^x/x ≤ θβ^ξ/ξ (β^x/x falls on (0, 1] for β < e), and
    L = ξ + ln(θ/ξ)/ln β. The two total-weight steps hold by convexity: β^x ≤ 1 + (β−1)x and
    β^{−x} ≤ 1 − (1−1/β)x.

    Source: the lecture on Winnow, Theorem 5.2, with its errata (docs/theory.md).

    Parameters
    ----------
    variables : int, at least 1
        n.
    total : float, not negative
        Σμ_i.
    separation : float, in (0, 1]
        δ.
    threshold : float, at least 1
        θ.
    factor : float, in (1, e), optional
        β; 1 + δ/2 by default. It must have (1−δ)β < 1.
    least_entry : float, in (0, 1]
        ξ, the least entry of x that is not 0; 1 for x in {0,1}^n.

    Examples
    --------
    >>> from separatrix import bounds
    >>> round(bounds.winnow_threshold(variables=100, total=3.0, separation=1.0, threshold=100.0), 1)
    95.7
    """
    n = whole("variables", variables, 1)
    mu = not_negative("total", total)
    delta = inside("separation", separation, 0.0, 1.0, open_left=True)
    theta = positive("threshold", threshold)
    if theta < 1.0:
        raise UsageError(f"threshold should be at least 1, but is {threshold!r}")
    xi = inside("least_entry", least_entry, 0.0, 1.0, open_left=True)
    beta = 1.0 + delta / 2.0 if factor is None else positive("factor", factor)
    if not 1.0 < beta < math.e:
        raise UsageError(f"factor should be above 1 and below e, but is {beta!r}")
    slack = 1.0 - (1.0 - delta) * beta
    if slack <= 0.0:
        raise UsageError(
            f"(1 − separation)·factor should be below 1, but separation is {delta!r} and factor {beta!r}"
        )
    growth = mu * (xi + math.log(theta / xi) / math.log(beta))
    start = beta / (beta - 1.0) * n / theta
    return (1.0 + beta) * (growth + (1.0 - delta) * start) / slack + start
