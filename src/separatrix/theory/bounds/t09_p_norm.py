"""T9: the p-norm family, from the Perceptron to Winnow."""

import math

from separatrix.errors import UsageError
from separatrix.theory.bounds._checks import finite, not_negative, positive, whole
from separatrix.theory.bounds.t04_any_data import any_data


def conjugate(p: float) -> float:
    """Return q with 1/p + 1/q = 1.

    Parameters
    ----------
    p : float, at least 2
        Of the rule.

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.conjugate(4.0)
    1.3333333333333333
    """
    if not finite("p", p) >= 2.0:
        raise UsageError(f"p should be at least 2, but is {p!r}")
    return p / (p - 1.0)


def p_for_dimension(dimension: int) -> float:
    """Return T9's choice p = 2 ln d (at least 2), which gives Winnow's bound up to a constant.

    Parameters
    ----------
    dimension : int, at least 1
        d, the number of columns.

    Examples
    --------
    >>> from separatrix import bounds
    >>> round(bounds.p_for_dimension(1000), 2)
    13.82
    """
    return max(2.0, 2.0 * math.log(whole("dimension", dimension, 1)))


def p_norm_separable(p: float, radius_p: float, comparator_norm_q: float, least_margin: float) -> float:
    """Return T9's bound on separable data: (p−1)·(‖u‖_q·R_p / min_t y_t u·x_t)².

    Statement: let θ ← θ + y x on a mistake and predict with w_i = sgn(θ_i)|θ_i|^{p−1}, p ≥ 2. For every
    u with y_t u·x_t > 0 in all rounds, M ≤ (p−1)·(‖u‖_q R_p / min_t y_t u·x_t)², 1/p + 1/q = 1. At
    p = 2 it is T2; at p = 2 ln d it is O((‖u‖₁R_∞/γ)² log d).

    Proof idea: with Φ(θ) = ½‖θ‖_p², whose gradient has the direction of w, a mistake raises Φ by at
    most (p−1)/2·‖x‖_p²; and u·θ ≤ ‖u‖_q‖θ‖_p (Hölder).

    Source: Grove, Littlestone and Schuurmans (2001); Gentile (2003).

    Parameters
    ----------
    p : float, at least 2
        Of the rule.
    radius_p : float, positive
        R_p, the largest ‖x_t‖_p of the rounds.
    comparator_norm_q : float, positive
        ‖u‖_q.
    least_margin : float, positive
        min_t y_t u·x_t, not divided by a norm. By Hölder it cannot exceed ‖u‖_q R_p.

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.p_norm_separable(p=4.0, radius_p=1.0, comparator_norm_q=2.0, least_margin=0.5)
    48.0
    """
    conjugate(p)
    R = positive("radius_p", radius_p)
    norm = positive("comparator_norm_q", comparator_norm_q)
    least = positive("least_margin", least_margin)
    if least > R * norm * (1.0 + 1e-9):
        raise UsageError(
            f"least_margin should be at most radius_p·comparator_norm_q, {R * norm!r}, but is {least!r}"
        )
    ratio = norm * R / least
    return (p - 1.0) * ratio * ratio


def balanced_winnow(
    variables: int, largest_entry: float, margin: float, factor: float, total_distance: float = 0.0
) -> float:
    """Return the bound of balanced Winnow, the multiplicative end of the family.

    Statement: let each of n columns have weights w⁺, w⁻ from 1, predict by the sign of (w⁺ − w⁻)·x, and
    on a mistake w^± ← w^± β^{±y x}. With η = ln β, ‖x_t‖_∞ ≤ X and any u, ‖u‖₁ ≤ 1, and γ with
    ηγ > η²X²/2: M ≤ (ln 2n + η·TD_γ(u)) / (ηγ − η²X²/2), TD_γ(u) = Σ_t max(0, γ − y_t u·x_t).

    Proof idea: a mistake multiplies Σ(w⁺ + w⁻), at first 2n, by at most e^{η²X²/2} (Hoeffding; the
    weighted mean of ±yx is not positive then); and by convexity the sum is at least e^{η Σ y u·x} over
    the mistakes, whose exponent is at least η(γM − TD_γ).

    Source: Littlestone (1989); Kivinen and Warmuth (1997).

    Parameters
    ----------
    variables : int, at least 1
        n, the bias counted.
    largest_entry : float, positive
        X, the largest ‖x_t‖_∞.
    margin : float, positive
        γ, for a u with ‖u‖₁ ≤ 1.
    factor : float, above 1
        β.
    total_distance : float, not negative
        TD_γ(u); 0 where u separates with margin γ.

    Examples
    --------
    >>> from separatrix import bounds
    >>> round(bounds.balanced_winnow(variables=100, largest_entry=1.0, margin=0.5, factor=1.5), 1)
    44.0
    """
    n = whole("variables", variables, 1)
    X = positive("largest_entry", largest_entry)
    if not finite("factor", factor) > 1.0:
        raise UsageError(f"factor should be above 1, but is {factor!r}")
    eta = math.log(factor)
    gain = eta * positive("margin", margin) - (eta * X) ** 2 / 2.0
    if gain <= 0.0:
        raise UsageError(
            f"margin should be above largest_entry²·ln(factor)/2, {eta * X * X / 2.0!r}, but is {margin!r}"
        )
    return (math.log(2.0 * n) + eta * not_negative("total_distance", total_distance)) / gain


def p_norm_any_data(p: float, radius_p: float, comparator_norm_q: float, hinge: float) -> float:
    """Return T9's bound on any data: T4b with R‖u‖ replaced by √(p−1)·R_p·‖u‖_q.

    Statement: for every u, M ≤ ((a + √(a² + 4H(u))) / 2)² with a = √(p−1)·R_p·‖u‖_q.

    Proof idea: T4's, with the potential of T9: (M − H)² ≤ ‖u‖_q²‖θ‖_p² ≤ ‖u‖_q²(p−1)R_p²M.

    Source: docs/theory.md T9.

    Parameters
    ----------
    p : float, at least 2
        Of the rule.
    radius_p : float, not negative
        R_p.
    comparator_norm_q : float, not negative
        ‖u‖_q.
    hinge : float, not negative
        H(u).

    Examples
    --------
    >>> from separatrix import bounds
    >>> bounds.p_norm_any_data(p=2.0, radius_p=1.0, comparator_norm_q=3.0, hinge=4.0)
    16.0
    """
    conjugate(p)
    return any_data(
        math.sqrt(p - 1.0) * not_negative("radius_p", radius_p),
        not_negative("comparator_norm_q", comparator_norm_q),
        hinge,
    )
