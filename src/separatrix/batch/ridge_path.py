"""Ridge regression for a whole grid of α from one factorisation (T13)."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from separatrix.batch.regression.path import Path, default_alphas, path, validation_errors
from separatrix.batch.regression.problem import Floats, make_problem
from separatrix.batch.ridge import Ridge
from separatrix.errors import UsageError

_CRITERIA = ("loo", "gcv", "k-fold")


class RidgePath(MultiOutputMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Ridge regression for every α of a grid, and the best of them.

    One factorisation of the data serves all α: with XᵀX = VΛVᵀ (centred where the intercept is free),
    `w_α = V(Λ + αI)⁻¹VᵀXᵀy`, and the error in predicting a row from all the others is exactly
    `r_i/(1 − h_i)`, `h_i = 1/n + Σ_k (v_k·x_i)²/(λ_k + α)`.

    Parameters
    ----------
    alphas : array, optional
        Each at least 0 and finite. By default 100 from 1e-10 to 1e3 times the mean eigenvalue of XᵀX.
    criterion : {"loo", "gcv", "k-fold"}, default "loo"
        By which error the best α is chosen: leave-one-out, generalised cross-validation, or k-fold.
    folds : int, default 5
        At least 2 and at most the number of rows: consecutive parts for "k-fold".
    fit_intercept, penalize_intercept, refine
        As in :class:`~separatrix.batch.ridge.Ridge`; the best α's model is refined, the path is not.

    Attributes
    ----------
    alphas_ : array of m
    coefs_, intercepts_ : arrays, m × columns and m (with targets: m × targets × columns, m × targets)
    loo_errors_, gcv_errors_ : arrays of m
        Mean squared errors, averaged over targets; infinite where a row alone decides its prediction.
    loo_rmses_ : array of m
        The roots of `loo_errors_`.
    fold_errors_ : array of m or None
    path_degrees_of_freedom_ : array of m
    alpha_, coef_, intercept_, best_ : the best α and its :class:`~separatrix.batch.ridge.Ridge`
    loo_rmse_ : float
        The root of the best α's leave-one-out error.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.batch.ridge_path import RidgePath
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([1.0, 3.0, 5.0, 8.0])
    >>> model = RidgePath(alphas=[0.01, 1.0, 100.0]).fit(X, y)
    >>> model.alpha_, model.loo_errors_.round(3)
    (0.01, array([ 0.449,  1.675, 11.395]))
    """

    def __init__(
        self,
        alphas: Any = None,
        *,
        criterion: str = "loo",
        folds: int = 5,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        refine: bool = True,
    ) -> None:
        self.alphas = alphas
        self.criterion = criterion
        self.folds = folds
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.refine = refine

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the path; with weights, leaving one out takes away one of a row's `weight` copies."""
        if self.criterion not in _CRITERIA:
            raise UsageError(f"criterion must be one of {', '.join(_CRITERIA)}, but is {self.criterion!r}")
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, multi_output=True, y_numeric=True, order="C"
        )
        one = np.ndim(y) == 1
        weights = None
        if sample_weight is not None:
            weights = np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64), dtype=np.float64)
        problem = make_problem(
            X,
            np.asarray(y, dtype=np.float64),
            weights,
            alpha=0.0,
            intercept=self.fit_intercept,
            penalize_intercept=self.penalize_intercept,
        )
        alphas = default_alphas(problem) if self.alphas is None else _checked(self.alphas)
        found = path(problem, alphas)
        self.alphas_ = alphas
        self._keep(found, one)
        self.fold_errors_ = None
        if self.criterion == "k-fold":
            if not 2 <= self.folds <= problem.rows:
                raise UsageError(f"folds must be from 2 to the {problem.rows} rows, but is {self.folds}")
            self.fold_errors_ = validation_errors(problem, alphas, self.folds)
        errors = {"loo": found.loo, "gcv": found.gcv, "k-fold": self.fold_errors_}[self.criterion]
        assert errors is not None
        # Of equal errors the largest α: the shorter solution.
        self.best_index_ = int(max(np.flatnonzero(errors == errors.min()), key=lambda i: alphas[i]))
        self.alpha_ = float(alphas[self.best_index_])
        self.loo_rmse_ = float(self.loo_rmses_[self.best_index_])
        self.best_ = Ridge(
            self.alpha_,
            fit_intercept=self.fit_intercept,
            penalize_intercept=self.penalize_intercept,
            refine=self.refine,
        )
        self.best_.fit(X, y, sample_weight)
        self.coef_, self.intercept_ = self.best_.coef_, self.best_.intercept_
        self.digits_, self.certificate_ = self.best_.digits_, self.best_.certificate_
        return self

    def _keep(self, found: Path, one: bool) -> None:
        d = self.n_features_in_
        theta = found.theta
        intercepts = theta[:, d] if self.fit_intercept else np.zeros((len(theta), theta.shape[2]))
        self.coefs_ = theta[:, :d, 0] if one else theta[:, :d].transpose(0, 2, 1)
        self.intercepts_ = intercepts[:, 0] if one else intercepts
        with np.errstate(over="ignore", under="ignore"):
            self.loo_errors_ = found.loo * found.unit * found.unit
            self.gcv_errors_ = found.gcv * found.unit * found.unit
            self.loo_rmses_ = np.sqrt(found.loo) * found.unit
        self.path_degrees_of_freedom_ = found.degrees_of_freedom
        self.eigenvalues_ = found.eigenvalues
        self.method_ = found.method

    def predict(self, X: Any) -> Floats:
        """Predict with the best α."""
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return np.asarray(X @ self.coef_.T + self.intercept_)

    def plot(self, axes: Any = None) -> Any:
        """Draw the coefficients against α, and under them the errors; needs matplotlib (extra "plot").

        Returns the two axes.
        """
        check_is_fitted(self, "coef_")
        if axes is None:
            from matplotlib import pyplot

            _, axes = pyplot.subplots(2, 1, sharex=True, figsize=(7, 7), height_ratios=(2, 1))
        coefficients, errors = axes
        order = np.argsort(self.alphas_)
        alphas = self.alphas_[order]
        coefficients.plot(alphas, self.coefs_[order].reshape(len(alphas), -1), linewidth=1)
        coefficients.set_ylabel("coefficients")
        curves = [("leave one out", self.loo_errors_), ("GCV", self.gcv_errors_)]
        if self.fold_errors_ is not None:
            curves.append((f"{self.folds}-fold", self.fold_errors_))
        for name, values in curves:
            errors.plot(alphas, np.sqrt(values[order]), label=name)
        errors.set_ylabel("root mean squared error")
        errors.set_xlabel("α")
        errors.legend()
        for ax in axes:
            ax.set_xscale("log")
            ax.axvline(self.alpha_, color="grey", linestyle=":")
        return axes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _checked(alphas: Any) -> Floats:
    values = np.asarray(alphas, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not (np.isfinite(values) & (values >= 0)).all():
        raise UsageError(f"alphas must be a list of finite numbers, each at least 0, but is {alphas!r}")
    return values
