"""T10: the Perceptron in the feature space of a kernel."""

import math

from separatrix.theory.bounds._checks import not_negative, positive
from separatrix.theory.bounds.t02_separable import separable
from separatrix.theory.bounds.t04_any_data import any_data


def kernel_separable(largest_diagonal: float, margin: float) -> float:
    """Return T10's bound on data separable in the feature space: max_t K(x_t, x_t) / γ².

    Statement: T2 and T3 hold for the kernel Perceptron with R² = max_t K(x_t, x_t) and γ the margin in
    feature space of any separating u = Σ c_i K(x_i, ·), ‖u‖² = Σ_ij c_i c_j K(x_i, x_j).

    Proof idea: the kernel Perceptron is the Perceptron on φ(x), K(x, x') = φ(x)·φ(x').

    Source: the lecture on the Perceptron; Aizerman, Braverman and Rozonoer (1964).

    Parameters
    ----------
    largest_diagonal : float, positive
        max_t K(x_t, x_t).
    margin : float, in (0, √largest_diagonal]
        γ, in the feature space.

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.kernel_separable(largest_diagonal=9.0, margin=0.5)
    36.0
    """
    return separable(math.sqrt(positive("largest_diagonal", largest_diagonal)), margin)


def kernel_any_data(largest_diagonal: float, comparator_norm: float, hinge: float) -> float:
    """Return T10's bound on any data: T4b with R² = max_t K(x_t, x_t).

    Statement: for every u in the feature space, M ≤ ((R‖u‖ + √(R²‖u‖² + 4H(u))) / 2)².

    Proof idea: T4b on φ(x).

    Source: docs/theory.md T10.

    Parameters
    ----------
    largest_diagonal : float, not negative
        max_t K(x_t, x_t).
    comparator_norm : float, not negative
        ‖u‖ in feature space.
    hinge : float, not negative
        H(u) = Σ_t max(0, 1 − y_t u(x_t)).

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.kernel_any_data(largest_diagonal=1.0, comparator_norm=3.0, hinge=4.0)
    16.0
    """
    return any_data(math.sqrt(not_negative("largest_diagonal", largest_diagonal)), comparator_norm, hinge)
