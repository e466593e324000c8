"""T5: what no deterministic learner can avoid."""

from fractions import Fraction

from separatrix.theory.bounds._checks import inside


def lower_bound(margin: float) -> int:
    """Return T5's number of forced mistakes: ⌊1/γ²⌋.

    Statement: for every deterministic learner there is a sequence of ⌊1/γ²⌋ unit examples, separable by
    a unit vector with margin γ, on which it errs in every round. So no bound below ⌊1/γ²⌋ holds for all
    sequences, and T2's (R/γ)² cannot be improved.

    Proof idea: show e_1, …, e_k, k = ⌊1/γ²⌋, each labelled against the prediction; w* = γ Σ ±e_i has
    ‖w*‖ = γ√k ≤ 1 and margin γ. (``separatrix.theory.adversary.Orthogonal`` plays it.)

    Source: the lecture on the Perceptron.

    Parameters
    ----------
    margin : float, in (0, 1]
        γ. The floor is taken of the exact 1/γ² of this double.

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.lower_bound(0.125)
    64
    """
    gamma = Fraction(inside("margin", margin, 0.0, 1.0, open_left=True))
    return int(1 / (gamma * gamma))
