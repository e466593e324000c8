"""T1: Halving."""

import math

from separatrix.theory.bounds._checks import inside, positive, whole


def halving(hypotheses: int) -> int:
    """Return T1's bound on the mistakes of the majority vote over a finite class.

    Statement: if some hypothesis of a finite class C is right in every round, then predicting with the
    majority of the hypotheses that were right so far makes M ≤ ⌊log₂ |C|⌋ mistakes.

    Proof idea: at each mistake more than half of the remaining hypotheses were wrong and leave; the
    right one never does.

    Source: the lecture on covers, Halving; Littlestone (1988).

    Parameters
    ----------
    hypotheses : int, at least 1
        |C|, the size of the class (of the cover actually built).

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.halving(1000)
    9
    """
    return whole("hypotheses", hypotheses, 1).bit_length() - 1


def halving_with_margin(dimension: int, radius: float, margin: float) -> float:
    """Return T1's bound for Halving on a minimal cover of the unit sphere: d·log₂(⌈8R/γ⌉ + 1).

    Statement: if some unit u has y_t u·x_t ≥ γ in every round, ‖x_t‖ ≤ R, then a minimal proper
    ε-cover of the sphere with ε = γ/(2R) holds a separator of margin γ/2, has at most (4/ε + 1)^d
    points, and Halving over it makes at most d·log₂(⌈8R/γ⌉ + 1) mistakes.

    Proof idea: a point within ε of u loses at most εR = γ/2 of margin; disjoint balls of radius ε/2
    around the points of a minimal cover fit in a ball of radius 1 + ε/2, which bounds their number.

    Source: the lecture on covers.

    Parameters
    ----------
    dimension : int, at least 1
        d.
    radius : float, positive
        R, the largest ‖x_t‖.
    margin : float, in (0, radius]
        γ.

    Examples
    --------
    >>> from separatrix import bounds
    >>> round(bounds.halving_with_margin(2, 1.0, 0.1), 2)
    12.68
    """
    d = whole("dimension", dimension, 1)
    R = positive("radius", radius)
    gamma = inside("margin", margin, 0.0, R, open_left=True)
    return d * math.log2(math.ceil(8.0 * R / gamma) + 1)
