"""Least squares (T13)."""

from separatrix.batch.regression.estimator import LinearRegressor


class LeastSquares(LinearRegressor):
    """Least squares: `min Σ s_i (y_i − w·x_i − b)²`, with a certificate of how many digits are right.

    Parameters
    ----------
    fit_intercept : bool, default True
        Whether there is a b.
    refine : bool, default True
        If the plain solution is not proved to ten digits, refine it until twelve are: each step costs about
        as much as reading the data again (1 million × 100: 0.3 s), exact arithmetic, for small
        ill-conditioned problems, up to a few seconds. Without, the plain solution's digits are reported.

    Attributes
    ----------
    coef_, intercept_
        The solution; where the data do not determine it, the one whose `coef_` has the least norm
        (a :class:`~separatrix.errors.RankDeficientWarning` names the dependent columns).
    digits_ : float or None
        Every coefficient and the intercept have at least as many correct decimal digits; see `certificate_`
        (:class:`~separatrix.batch.regression.problem.Certificate`) for how it was proved, or why not.
    error_bound_ : array or None
        Bounds on the error of each coefficient, the intercept last.
    solver_ : str
        cholesky, cholesky-qr, dual, svd, lsqr, cg, exact; for streams tsqr.
    rank_ : int
        Of (X 1), or of X without an intercept.
    condition_ : float or None
        σ_max/σ_min of (X 1) as given.
    eigenvalues_ : array or None
        Of XᵀX (centred, if there is an intercept), rising.
    degrees_of_freedom_ : float
        The effective number of coefficients.
    rmse_ : float or array
        Root of the mean squared residual.
    dependent_columns_ : tuple of int
        Columns that are combinations of those before them and of the intercept.

    Examples
    --------
    NIST's NoInt1, whose answer is 2.07438016528926 to all digits given:

    >>> import numpy as np
    >>> from separatrix.batch.least_squares import LeastSquares
    >>> X = np.arange(60.0, 71)[:, None]
    >>> y = np.arange(130.0, 141)
    >>> model = LeastSquares(fit_intercept=False).fit(X, y)
    >>> print(model.coef_[0], model.digits_ >= 12, model.solver_)
    2.074380165289256 True cholesky
    """

    def __init__(self, *, fit_intercept: bool = True, refine: bool = True) -> None:
        self.fit_intercept = fit_intercept
        self.refine = refine

    def _alpha(self) -> float:
        return 0.0
