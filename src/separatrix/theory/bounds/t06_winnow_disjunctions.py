"""T6: Winnow on disjunctions."""

import math
from typing import Literal

from separatrix.errors import UsageError
from separatrix.theory.bounds._checks import whole


def winnow_disjunction(
    variables: int, relevant: int, demotion: Literal["elimination", "halving"] = "elimination"
) -> float:
    """Return T6's bound on Winnow's mistakes on a disjunction of r of n variables.

    Statement: with x in {0, 1}^n, labels y = +1 iff one of r fixed variables is 1, weights from 1,
    prediction positive iff w·x ≥ n and promotion by 2:
    M ≤ 1 + 2r(1 + log₂ n) when a demotion sets weights to 0 (elimination), and
    M ≤ 2 + 3r(1 + log₂ n) when it halves them.

    Proof idea: a relevant weight is promoted at most 1 + log₂ n times, because it stops below 2n, and
    never demoted; a promotion adds less than n to the total weight and a demotion takes n (or n/2)
    away, so a total that stays ≥ 0 bounds the demotions.

    Source: Littlestone (1988); the lecture on Winnow.

    Parameters
    ----------
    variables : int, at least 1
        n, the number of variables and the threshold.
    relevant : int, in [0, variables]
        r, the number of variables in the disjunction.
    demotion : {"elimination", "halving"}
        What a false positive does to the weights of its variables.

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.winnow_disjunction(1024, 3)
    67.0
    >>> bounds.winnow_disjunction(1024, 3, "halving")
    101.0
    """
    n = whole("variables", variables, 1)
    r = whole("relevant", relevant, 0)
    if r > n:
        raise UsageError(f"relevant should be at most variables, {n}, but is {r}")
    promotions = r * (1.0 + math.log2(n))
    if demotion == "elimination":
        return 1.0 + 2.0 * promotions
    if demotion == "halving":
        return 2.0 + 3.0 * promotions
    raise UsageError(f"demotion should be 'elimination' or 'halving', but is {demotion!r}")
