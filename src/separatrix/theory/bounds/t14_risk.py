"""T14: from mistakes to risk."""

import math

from separatrix.errors import UsageError
from separatrix.theory.bounds._checks import whole


def risk(mistakes: int, rounds: int, failure: float = 0.05) -> float:
    """Return T14's bound on the average risk of the T hypotheses of a run: M/T + √(2 ln(1/η)/T).

    Statement: if the T examples are independent draws from one distribution and each is predicted
    before it is learnt from, then with probability 1 − η the average risk of the T hypotheses is at most
    M/T + √(2 ln(1/η)/T). It says nothing of other sequences, nor of repeated passes.

    Proof idea: risk minus mistake is a martingale difference in [−1, 1]; Hoeffding–Azuma.

    Source: Cesa-Bianchi, Conconi and Gentile (2004); docs/theory.md T14.

    Parameters
    ----------
    mistakes : int, in [0, rounds]
        M.
    rounds : int, at least 1
        T, of a single pass.
    failure : float, in (0, 1)
        η, the probability with which the statement may fail.

    Examples
    --------
    >>> from separatrix import bounds
    >>> round(bounds.risk(mistakes=50, rounds=1000), 4)
    0.1274
    """
    T = whole("rounds", rounds, 1)
    M = whole("mistakes", mistakes, 0)
    if M > T:
        raise UsageError(f"mistakes should be at most rounds, {T}, but is {M}")
    if not 0.0 < failure < 1.0:
        raise UsageError(f"failure should be in (0, 1), but is {failure!r}")
    return M / T + math.sqrt(2.0 * math.log(1.0 / failure) / T)
