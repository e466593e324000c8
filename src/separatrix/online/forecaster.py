"""The Vovk–Azoury–Warmuth forecaster (T13)."""

from separatrix.online.square_root import SquareRootRegressor


class VovkAzouryWarmuth(SquareRootRegressor):
    """Online least squares that is never far behind the best in hindsight, whoever chose the sequence.

    Round t: see x, predict `b_{t−1}ᵀ A_t⁻¹ x` with `A_t = αI + Σ_{s≤t} x_s x_sᵀ` (the new x is counted
    already) and `b_{t−1} = Σ_{s<t} y_s x_s`; then see y. T13: the loss is at most
    `Y² Σ_i ln(1 + λ_i/α)` more than `min_u Σ (u·x − y)² + α‖u‖²`, on every sequence. O(d²) a round, in
    square-root form (`native/core/src/regression/square_root.rs`).

    Parameters
    ----------
    alpha : float, default 1.0
        Above 0.
    bias : bool, default True
        Whether a constant 1 is appended to each row; its weight is penalised like the others.

    Attributes
    ----------
    ledger_ : RegressionLedger
        Loss so far, the best offline loss on the same rounds, the regret and its bound.
    coef_, intercept_
        The ridge solution on all rounds so far.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.online.forecaster import VovkAzouryWarmuth
    >>> X = np.array([[1.0], [-1.0], [2.0], [0.5]])
    >>> learner = VovkAzouryWarmuth(bias=False)
    >>> learner.play(X, np.array([1.0, -1.0, 2.0, 0.5])).round(3)
    array([ 0.   , -0.333,  0.571,  0.414])
    >>> ledger = learner.ledger_
    >>> round(ledger.regret, 3), round(ledger.bound, 3), ledger.holds
    (2.631, 7.924, True)
    >>> VovkAzouryWarmuth().learn_one({"size": 2.0}, 3.0).predict_one({"size": 2.0})
    1.3636363636363635
    """

    _forecaster = True

    def __init__(self, alpha: float = 1.0, *, bias: bool = True) -> None:
        self.alpha = alpha
        self.bias = bias
