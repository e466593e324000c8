"""Recursive ridge regression (T13, without its bound)."""

from separatrix.online.square_root import SquareRootRegressor


class RecursiveRidge(SquareRootRegressor):
    """Ridge regression kept up to date: each round predicts with the ridge solution of all rounds before.

    The same solution as :class:`~separatrix.batch.ridge.Ridge` with `penalize_intercept=True` has on the
    same rows, O(d²) a round, by orthogonal rotations (`native/core/src/regression/square_root.rs`). T13's bound
    is the forecaster's, not this one's: its ledger has no bound.

    Parameters
    ----------
    alpha : float, default 1.0
        Above 0.
    bias : bool, default True
        Whether a constant 1 is appended to each row; its weight is penalised like the others.

    Attributes
    ----------
    ledger_ : RegressionLedger
        Loss so far and the best offline loss on the same rounds.
    coef_, intercept_
        The ridge solution on all rounds so far.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.online.recursive_ridge import RecursiveRidge
    >>> learner = RecursiveRidge(bias=False)
    >>> learner.play(np.array([[1.0], [-1.0], [2.0]]), np.array([1.0, -1.0, 2.0])).round(3)
    array([ 0.   , -0.5  ,  1.333])
    >>> learner.coef_.round(3)
    array([0.857])
    """

    def __init__(self, alpha: float = 1.0, *, bias: bool = True) -> None:
        self.alpha = alpha
        self.bias = bias
