"""What LeastSquares and Ridge share: fitting, streaming, and saying what is known of the answer."""

import warnings
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from separatrix.batch.regression.problem import Certificate, Floats, Solution, is_number, make_problem
from separatrix.batch.regression.solve import solve
from separatrix.batch.regression.stream import TriangularState, solve_triangle
from separatrix.errors import InputError, RankDeficientWarning, UsageError

_MANY = 12


class LinearRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the batch linear regressors; subclasses say what α and the intercept's penalty are."""

    fit_intercept: bool
    refine: bool

    def _alpha(self) -> float:
        raise NotImplementedError

    def _penalize_intercept(self) -> bool:
        return False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a data set in memory.

        Parameters
        ----------
        X : array or sparse matrix, rows × columns
            Finite values.
        y : array, rows or rows × targets
            Finite values.
        sample_weight : array of rows, optional
            At least zero; a weight of 2 is the row twice.
        """
        self._check()
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, multi_output=True, y_numeric=True, order="C"
        )
        y = np.asarray(y, dtype=np.float64)
        weights = self._weights(sample_weight, X)
        problem = make_problem(
            X,
            y,
            weights,
            alpha=self._alpha(),
            intercept=self.fit_intercept,
            penalize_intercept=self._penalize_intercept(),
        )
        found = solve(problem, refinement=self.refine)
        self.__dict__.pop("state_", None)
        self._keep(found, one=y.ndim == 1)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go on with more rows: one pass over each, constant memory (see :mod:`~.regression.stream`)."""
        self._check()
        first = not hasattr(self, "state_")
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            multi_output=True,
            y_numeric=True,
            reset=first,
        )
        self._learn(X, np.asarray(y, dtype=np.float64), self._weights(sample_weight, X))
        self._solve_state()
        return self

    def _learn(self, X: Any, y: Floats, weights: Floats | None) -> None:
        if not hasattr(self, "state_"):
            targets = 1 if y.ndim == 1 else y.shape[1]
            self.state_ = TriangularState(int(X.shape[1]), targets)
            self._one = y.ndim == 1
        self.state_.add(X, y, weights)

    def fit_stream(self, stream: Any, *, first_row: int | None = None) -> Self:
        """Learn from all batches of a stream, without keeping them; goes on from what was learnt before.

        Parameters
        ----------
        stream : iterable of (X, y), or a path
            A path is read by :func:`separatrix.data.reading.open_stream`. Later batches may have more
            columns than earlier ones.
        first_row : int, optional
            The number of the stream's first row, 0 or more, where this stream is a part of a longer one:
            then :meth:`merge` gives the same bits as one pass over all.
        """
        self._check()
        if first_row is not None:
            if first_row < 0:
                raise UsageError(f"first_row must be at least 0, but is {first_row}")
            if hasattr(self, "state_"):
                raise UsageError("first_row belongs to the first rows, but some were learnt before")
        if isinstance(stream, str) or hasattr(stream, "__fspath__"):
            from separatrix.data.reading import open_stream

            stream = open_stream(stream)
        for X, y in stream:
            y = np.asarray(y, dtype=np.float64)
            X = (
                sparse.csr_matrix(X, dtype=np.float64)
                if sparse.issparse(X)
                else np.asarray(X, dtype=np.float64)
            )
            if not hasattr(self, "state_"):
                self._learn(X[:0], y[:0], None)
                self.state_.first_row = first_row or 0
            self._learn(X, y, None)
        if not hasattr(self, "state_") or not self.state_.rows:
            raise InputError("the stream has no rows")
        self.n_features_in_ = self.state_.features
        self._solve_state()
        return self

    def merge(self, other: "LinearRegressor") -> Self:
        """Take in what another one learnt by `partial_fit` or `fit_stream` from other rows.

        If `other` began (`first_row`) where this one ended, the result is that of one stream, to the bit.
        """
        for estimator in (self, other):
            if not hasattr(estimator, "state_"):
                raise UsageError(
                    "merge needs two models learnt by partial_fit or fit_stream; fit keeps no state"
                )
        self.state_.merge(other.state_)
        self.n_features_in_ = self.state_.features
        self._solve_state()
        return self

    def _solve_state(self) -> None:
        found = solve_triangle(
            self.state_,
            self._alpha(),
            intercept=self.fit_intercept,
            penalize_intercept=self._penalize_intercept(),
        )
        why = "the rows of a stream are gone: no residual can be computed"
        self._keep(
            Solution(
                found.theta,
                np.zeros_like(found.theta),
                found.solver,
                found.rank,
                Certificate(None, "none", None, why=why),
                rmse=found.rmse,
                degrees_of_freedom=found.degrees_of_freedom,
                eigenvalues=found.eigenvalues,
                condition=found.condition,
                dependent=found.dependent,
            ),
            one=self._one,
        )

    def predict(self, X: Any) -> Floats:
        """Return X·coef + intercept."""
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return np.asarray(X @ self.coef_.T + self.intercept_)

    def _check(self) -> None:
        alpha = self._alpha()
        if not is_number(alpha, least=0):
            raise UsageError(f"alpha must be a finite number, at least 0, but is {alpha!r}")

    def _weights(self, sample_weight: Any, X: Any) -> Floats | None:
        if sample_weight is None:
            return None
        weights = np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64), dtype=np.float64)
        if (weights < 0).any():
            at = int(np.argmax(weights < 0))
            raise InputError(f"sample_weight must not be negative, but sample_weight[{at}] is {weights[at]}")
        return weights

    def _keep(self, found: Solution, *, one: bool) -> None:
        theta = found.high + 0.0  # no negative zeros
        if not np.isfinite(theta).all():
            raise InputError("the solution overflows a double: the values differ too much in size")
        coef = theta[:-1] if self.fit_intercept else theta
        intercept = theta[-1] if self.fit_intercept else np.zeros(theta.shape[1])
        self.coef_ = coef[:, 0].copy() if one else np.ascontiguousarray(coef.T)
        self.intercept_ = float(intercept[0]) if one else intercept.copy()
        self.solver_ = found.solver
        self.rank_ = found.rank
        self.condition_ = found.condition
        self.eigenvalues_ = found.eigenvalues
        self.certificate_ = found.certificate
        self.digits_ = found.certificate.digits
        self.error_bound_ = None if found.bound is None else found.bound[:, 0] if one else found.bound.T
        self.dependent_columns_ = found.dependent
        rmse = np.zeros(theta.shape[1]) if found.rmse is None else found.rmse
        self.rmse_ = float(rmse[0]) if one else rmse
        self.degrees_of_freedom_ = found.degrees_of_freedom
        if found.dependent:
            self._warn(found.dependent)

    def _warn(self, dependent: tuple[int, ...]) -> None:
        if self._alpha() > 0:
            return
        names = getattr(self, "feature_names_in_", None)
        shown = [str(j if names is None else names[j]) for j in dependent[:_MANY]]
        more = f" and {len(dependent) - _MANY} more" if len(dependent) > _MANY else ""
        subject, verb = ("columns", "depend") if len(dependent) > 1 else ("column", "depends")
        which = "the intercept and columns" if self.fit_intercept else "columns"
        warnings.warn(
            f"the data have rank {self.rank_}: {subject} {', '.join(shown)}{more} {verb} on {which} before; "
            "of all solutions this is the one with the least norm of coefficients",
            RankDeficientWarning,
            stacklevel=4,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
