"""T3: the Perceptron run again and again through a separable set."""

from separatrix.theory.bounds.t02_separable import separable


def repeated_passes(radius: float, margin: float) -> float:
    """Return T3's bound on the updates of all passes together: (R/γ*)².

    Statement: running through a separable set again and again, in file order, shuffled, or always on
    any misclassified example, ends after at most min{‖u‖² : y_i u·x_i ≥ 1} · max‖x_i‖² = (R/γ*)²
    updates over all passes together.

    Proof idea: T2 on the sequence of all the rounds of all the passes; its R and γ are those of the set.
    The bound is tight in every fixed dimension d ≥ 2 (``separatrix.theory.adversary.slow_pair``) and
    exponential in the size of the input where γ* is tiny.

    Source: the lecture on linear predictors and the Perceptron.

    Parameters
    ----------
    radius : float, positive
        R, the largest ‖x_i‖₂ of the set.
    margin : float, in (0, radius]
        The margin of any separator; the largest, γ*, gives the least bound.

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.repeated_passes(radius=2.0, margin=0.5)
    16.0
    """
    return separable(radius, margin)
