"""T4: the Perceptron on any data, separable or not."""

import math

from separatrix.theory.bounds._checks import not_negative


def any_data_on_run(comparator_norm: float, hinge_on_mistakes: float, squared_norms: float) -> float:
    """Return T4a's bound, on the run itself: H_M(u) + ‖u‖·√(Σ_{mistakes} ‖x_t‖²).

    Statement: for every u, separable or not, M − H_M(u) ≤ ‖u‖·√(Σ_{mistakes} ‖x_t‖²), where
    H_M(u) = Σ_{mistakes} max(0, 1 − y_t u·x_t).

    Proof idea: u·w grows by y_t u·x_t ≥ 1 − hinge at each mistake, so u·w ≥ M − H_M(u); and
    ‖w‖² ≤ Σ ‖x_t‖², because w was on the wrong side of each x_t it added.

    Source: docs/theory.md T4; Shalev-Shwartz and Singer (2005).

    Parameters
    ----------
    comparator_norm : float, not negative
        ‖u‖₂.
    hinge_on_mistakes : float, not negative
        H_M(u), over the mistake rounds alone.
    squared_norms : float, not negative
        Σ ‖x_t‖₂² over the mistake rounds.

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.any_data_on_run(comparator_norm=2.0, hinge_on_mistakes=3.0, squared_norms=25.0)
    13.0
    """
    norm = not_negative("comparator_norm", comparator_norm)
    hinge = not_negative("hinge_on_mistakes", hinge_on_mistakes)
    return hinge + norm * math.sqrt(not_negative("squared_norms", squared_norms))


def any_data(radius: float, comparator_norm: float, hinge: float) -> float:
    """Return T4b's bound: ((R‖u‖ + √(R²‖u‖² + 4H(u))) / 2)².

    Statement: for every u, separable or not, M ≤ ((R‖u‖ + √(R²‖u‖² + 4H(u))) / 2)², where
    H(u) = Σ_t max(0, 1 − y_t u·x_t). H over the mistake rounds alone is tighter and as valid.

    Proof idea: T4a with Σ‖x_t‖² ≤ R²M is M − R‖u‖√M − H ≤ 0; solve it for √M.

    Source: docs/theory.md T4 (the exact solution of the lectures' 1/γ² + (2/γ)·TD_γ).

    Parameters
    ----------
    radius : float, not negative
        R, the largest ‖x_t‖₂.
    comparator_norm : float, not negative
        ‖u‖₂.
    hinge : float, not negative
        H(u).

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.any_data(radius=1.0, comparator_norm=3.0, hinge=4.0)
    16.0
    """
    a = not_negative("radius", radius) * not_negative("comparator_norm", comparator_norm)
    root = (a + math.sqrt(a * a + 4.0 * not_negative("hinge", hinge))) / 2.0
    return root * root  # infinite beyond doubles, where ** would raise


def any_data_simple(radius: float, comparator_norm: float, hinge: float) -> float:
    """Return T4c's bound, the simple form: R²‖u‖² + 2H(u).

    Statement: for every u, separable or not, M ≤ R²‖u‖² + 2H(u). With unit examples and u/γ for a unit
    u this is the lectures' 1/γ² + (2/γ)·TD_γ.

    Proof idea: in T4a's M ≤ a√M + H, a = R‖u‖, use a√M ≤ (a² + M)/2.

    Source: the lecture on the Perceptron; docs/theory.md T4.

    Parameters
    ----------
    radius : float, not negative
        R, the largest ‖x_t‖₂.
    comparator_norm : float, not negative
        ‖u‖₂.
    hinge : float, not negative
        H(u).

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.any_data_simple(radius=1.0, comparator_norm=3.0, hinge=4.0)
    17.0
    """
    a = not_negative("radius", radius) * not_negative("comparator_norm", comparator_norm)
    return a * a + 2.0 * not_negative("hinge", hinge)
