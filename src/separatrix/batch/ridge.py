"""Ridge regression (T13)."""

from separatrix.batch.regression.estimator import LinearRegressor


class Ridge(LinearRegressor):
    """Ridge regression: `min Σ s_i (y_i − w·x_i − b)² + α‖w‖²`, with a certificate of its digits.

    The certificate is T13's: the residual g of the normal equations bounds the error,
    `‖w − w_α‖ ≤ ‖g‖/(α + λ_min)`, evaluated coefficient by coefficient and with bounds on rounding.

    Parameters
    ----------
    alpha : float, default 1.0
        At least 0; 0 is least squares.
    fit_intercept : bool, default True
        Whether there is a b.
    penalize_intercept : bool, default False
        Whether αb² is added too: the lectures' homogeneous form, on rows (x, 1).
    refine : bool, default True
        As in :class:`~separatrix.batch.least_squares.LeastSquares`, where the attributes are explained.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.batch.ridge import Ridge
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([1.0, 3.0, 5.0, 7.0])
    >>> model = Ridge(alpha=5.0).fit(X, y)
    >>> model.coef_, model.intercept_
    (array([1.]), 2.5)
    >>> Ridge(alpha=5.0, penalize_intercept=True).fit(X, y).coef_.round(6)
    array([1.555556])
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        refine: bool = True,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.refine = refine

    def _alpha(self) -> float:
        return self.alpha

    def _penalize_intercept(self) -> bool:
        return self.penalize_intercept
