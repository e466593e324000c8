"""T2: the Perceptron on separable data."""

from separatrix.theory.bounds._checks import inside, positive


def separable(radius: float, margin: float) -> float:
    """Return T2's bound on the Perceptron's mistakes: (R/γ)².

    Statement: for every u with y_t u·x_t > 0 in all rounds, M ≤ (R‖u‖ / min_t y_t u·x_t)² = (R/γ(u))²,
    whatever the order and however many columns there are.

    Proof idea: at each mistake u·w grows by at least γ‖u‖ and ‖w‖² by at most R², so
    Mγ‖u‖ ≤ u·w ≤ ‖u‖‖w‖ ≤ ‖u‖R√M.

    Source: Novikoff (1962); the lecture on the Perceptron. (One lecture prints L₂(w*)L₂(x)/γ²; see
    the errata of docs/theory.md.)

    Parameters
    ----------
    radius : float, positive
        R, the largest ‖x_t‖₂ of the rounds, after normalisation and with the bias's 1.
    margin : float, in (0, radius]
        γ(u) = min_t y_t u·x_t / ‖u‖₂. It cannot exceed R.

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.separable(radius=1.0, margin=0.125)
    64.0
    """
    R = positive("radius", radius)
    ratio = R / inside("margin", margin, 0.0, R, open_left=True)
    return ratio * ratio  # infinite beyond doubles, where ** would raise
