"""T13: ridge regression, its accuracy and its online regret."""

import math
from collections.abc import Iterable

from separatrix.theory.bounds._checks import finite, not_negative, positive


def ridge_error(residual_norm: float, alpha: float, least_eigenvalue: float = 0.0) -> float:
    """Return T13's bound on the distance of w to the ridge solution: ‖g‖/(α + λ_min).

    Statement: with g = (αI + SᵀS)w − Sᵀy, ‖w − w_α‖ ≤ ‖g‖/(α + λ_min(SᵀS)).

    Proof idea: w − w_α = (αI + SᵀS)⁻¹g, and that inverse has norm 1/(α + λ_min).

    Source: docs/theory.md T13.

    Parameters
    ----------
    residual_norm : float, not negative
        ‖g‖₂.
    alpha : float, positive
        α, the weight of ‖w‖².
    least_eigenvalue : float, not negative
        Any lower bound on λ_min(SᵀS); 0 always is one.

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.ridge_error(residual_norm=0.5, alpha=2.0)
    0.25
    """
    denominator = positive("alpha", alpha) + not_negative("least_eigenvalue", least_eigenvalue)
    return not_negative("residual_norm", residual_norm) / denominator


def ridge_regret(largest_target: float, eigenvalues: Iterable[float], alpha: float) -> float:
    """Return T13's bound on the regret of the Vovk–Azoury–Warmuth forecaster: Y²·Σ ln(1 + λ_i/α).

    Statement: predicting each y_t before it is seen, the forecaster's Σ(ŷ_t − y_t)² is at most
    Y²·Σ_i ln(1 + λ_i/α) more than min_u ‖Su − y‖² + α‖u‖², with Y = max|y_t| and λ_i the eigenvalues
    of SᵀS.

    Proof idea: a round's excess is at most y_t²·x_tᵀA_t⁻¹x_t with A_t = αI + Σ_{s≤t} x_s x_sᵀ, and
    1 − det A_{t−1}/det A_t = x_tᵀA_t⁻¹x_t, whose sum telescopes into ln det.

    Source: Vovk (2001); Azoury and Warmuth (2001).

    Parameters
    ----------
    largest_target : float
        Y; its sign does not matter.
    eigenvalues : iterable of float, not negative
        Those of SᵀS.
    alpha : float, positive
        α, the weight of ‖w‖².

    Examples
    --------
    >>> from separatrix import bounds
    >>> round(bounds.ridge_regret(largest_target=2.0, eigenvalues=[3.0, 1.0], alpha=1.0), 4)
    8.3178
    """
    a = positive("alpha", alpha)
    Y = finite("largest_target", largest_target)
    return Y * Y * math.fsum(math.log1p(not_negative("eigenvalues", v) / a) for v in eigenvalues)
