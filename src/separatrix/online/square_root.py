"""What the two online regressors share: the game, its ledger, and names of features."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from separatrix._native import SquareRootRidge
from separatrix.batch.regression.problem import check_triangle, is_number
from separatrix.data.arrays import native_matrix
from separatrix.errors import InputError, UsageError

Floats = NDArray[np.float64]

# Rows played between two looks at the keyboard.
_BATCH = 16384


@dataclass(frozen=True)
class RegressionLedger:
    """What was lost, what the best in hindsight lost on the same rounds, and what T13 promises."""

    rounds: int
    loss: float
    """Σ (prediction − y)², each prediction made before y was seen."""
    best_offline: float
    """min_u Σ (u·x − y)² + α‖u‖² over the same rounds, x with the bias's 1."""
    regret: float
    """loss − best_offline."""
    bound: float | None
    """T13: the Vovk–Azoury–Warmuth forecaster's regret is at most Y² Σ ln(1 + λ_i/α), whatever the
    sequence. None for a learner of which T13 says nothing."""
    holds: bool | None
    """Whether regret ≤ bound (up to the rounding of the sums); None without a bound."""
    largest_target: float
    """Y = max |y|."""


class SquareRootRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the online regressors; a subclass says whether it is the forecaster."""

    alpha: float
    bias: bool
    _forecaster = False

    def _start(self, columns: int) -> None:
        if not is_number(self.alpha, above=0):
            raise UsageError(f"alpha must be a finite number above 0, but is {self.alpha!r}")
        check_triangle(columns)
        self._state = SquareRootRidge(columns, float(self.alpha), self._forecaster, bool(self.bias))
        self._names: dict[Any, int] = {}

    def fit(self, X: Any, y: Any) -> Self:
        """Play all rows, from the start.

        Parameters
        ----------
        X : array or sparse matrix, rows × columns
            Finite values.
        y : array of rows
            Finite values.
        """
        self.__dict__.pop("_state", None)
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Play more rows: predict each, then learn its target."""
        self.play(X, y)
        return self

    def play(self, X: Any, y: Any) -> Floats:
        """Play rows and return the predictions, each made before its target was seen."""
        first = not hasattr(self, "_state")
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True, order="C", reset=first
        )
        if first:
            self._start(int(X.shape[1]))
        return self._play(X, np.ascontiguousarray(y, dtype=np.float64))

    def _play(self, X: Any, y: Floats) -> Floats:
        predictions = [np.zeros(0)]
        for start in range(0, X.shape[0], _BATCH):
            part = slice(start, start + _BATCH)
            try:
                predictions.append(self._state.play(native_matrix(X[part]), y[part]))
            except OverflowError as error:
                raise InputError(f"rows from {start} on: {error}") from None
        self._weights: Floats | None = None
        return np.concatenate(predictions)

    def fit_stream(self, stream: Any) -> Self:
        """Play all batches of a stream; goes on from what was learnt before.

        Parameters
        ----------
        stream : iterable of (X, y), or a path
            A path is read by :func:`separatrix.data.reading.open_stream`. Later batches may be wider.
        """
        if isinstance(stream, str) or hasattr(stream, "__fspath__"):
            from separatrix.data.reading import open_stream

            stream = open_stream(stream)
        for X, y in stream:
            X = (
                sparse.csr_matrix(X, dtype=np.float64)
                if sparse.issparse(X)
                else np.asarray(X, dtype=np.float64)
            )
            y = np.ascontiguousarray(y, dtype=np.float64)
            if not np.isfinite(y).all():
                raise InputError("targets must be finite")
            if not hasattr(self, "_state"):
                self._start(int(X.shape[1]))
            check_triangle(int(X.shape[1]))
            if X.shape[1] > self._state.columns:
                self._state.grow(int(X.shape[1]))
            self._play(X, y)
        if not hasattr(self, "_state"):
            raise InputError("the stream has no rows")
        self.n_features_in_ = self._state.columns
        return self

    def predict(self, X: Any) -> Floats:
        """Return what would be predicted if each row came next."""
        check_is_fitted(self, "_state")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False)
        return self._state.predict(native_matrix(X))

    def predict_one(self, x: Any) -> float:
        """Predict one row; nothing is learnt.

        Parameters
        ----------
        x : mapping from names to values, pair of arrays (indices, values), or sequence of values
            Features never seen before count as zero with weight zero.
        """
        if not hasattr(self, "_state"):
            self._start(0)
        row = self._row(x, grow=self._forecaster)
        width = self._state.columns
        return float(self._state.predict((row[0], row[1], row[2], width))[0])

    def learn_one(self, x: Any, y: float) -> Self:
        """Play one round: predict, then learn. `x` is as in :meth:`predict_one`; features may be new."""
        if not hasattr(self, "_state"):
            self._start(0)
        row = self._row(x, grow=True)
        target = np.array([y], dtype=np.float64)
        if not np.isfinite(target[0]):
            raise InputError(f"the target must be finite, but is {y!r}")
        try:
            self._state.play((row[0], row[1], row[2], self._state.columns), target)
        except OverflowError as error:
            raise InputError(str(error)) from None
        self.n_features_in_ = self._state.columns
        self._weights = None
        return self

    def _row(self, x: Any, *, grow: bool) -> tuple[NDArray[np.int64], NDArray[np.uint32], Floats]:
        """Return one CSR row; with `grow`, new features widen the state, else they are left out."""
        if isinstance(x, Mapping):
            indices, values = self._named(x, grow)
        else:
            if isinstance(x, tuple) and len(x) == 2:
                indices, values = np.asarray(x[0], dtype=np.int64), np.asarray(x[1], dtype=np.float64)
            else:
                values = np.asarray(x, dtype=np.float64).ravel()
                indices = np.arange(len(values))
            if len(indices) and (len(indices) != len(values) or indices.min() < 0):
                raise InputError("a sparse row needs as many indices, at least 0, as values")
            if grow and len(indices) and int(indices.max()) >= self._state.columns:
                check_triangle(int(indices.max()) + 1)
                self._state.grow(int(indices.max()) + 1)
            keep = indices < self._state.columns
            indices, values = indices[keep], values[keep]
        order = np.argsort(indices, kind="stable")
        indices, values = indices[order], values[order]
        if (np.diff(indices) == 0).any():
            raise InputError("an index is there twice in one row")
        if not np.isfinite(values).all():
            raise InputError("values must be finite")
        return np.array([0, len(indices)]), indices.astype(np.uint32), np.ascontiguousarray(values)

    def _named(self, x: Mapping[Any, float], grow: bool) -> tuple[NDArray[np.int64], Floats]:
        if grow:
            for name in x:
                if name not in self._names:
                    self._names[name] = max(self._state.columns, len(self._names))
                    check_triangle(self._names[name] + 1)
                    self._state.grow(self._names[name] + 1)
        known = [(self._names[name], value) for name, value in x.items() if name in self._names]
        indices = np.array([i for i, _ in known], dtype=np.int64)
        return indices, np.array([value for _, value in known], dtype=np.float64)

    @property
    def feature_columns(self) -> dict[Any, int]:
        """Which column each named feature of `learn_one` has."""
        return dict(getattr(self, "_names", {}))

    def _all_weights(self) -> Floats:
        check_is_fitted(self, "_state")
        weights: Floats | None = getattr(self, "_weights", None)
        if weights is None:
            weights = self._weights = self._state.weights()
        return weights

    @property
    def coef_(self) -> Floats:
        """The ridge solution on all rounds so far."""
        return self._all_weights()[int(self.bias) :]

    @property
    def intercept_(self) -> float:
        """The bias's weight."""
        return float(self._all_weights()[0]) if self.bias else 0.0

    @property
    def ledger_(self) -> RegressionLedger:
        """Loss so far, the best offline loss on the same rounds, and T13's bound."""
        check_is_fitted(self, "_state")
        rounds, loss, best, largest, log_determinant = self._state.ledger()
        bound = largest**2 * log_determinant if self._forecaster else None
        slack = 1e-12 * (loss + best)
        holds = None if bound is None else bool(loss - best <= bound + slack)
        return RegressionLedger(rounds, loss, best, loss - best, bound, holds, largest)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
