"""The fewest errors any hyperplane can make (T12), and how far from it a result can be."""

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from separatrix import _native
from separatrix.data.arrays import native_matrix
from separatrix.errors import InputError, UsageError

# A direction, the errors it makes, and a lower bound of any direction's.
_Found = tuple[NDArray[np.float64], Fraction, Fraction]

_TIES = ("mistake", "positive", "negative")


@dataclass(frozen=True)
class Disagreement:
    """What a search for the fewest errors found; `min_disagreement` makes one.

    Examples
    --------
    >>> import separatrix as sx
    >>> found = sx.min_disagreement([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> found.errors, found.lower_bound, found.optimal
    (1.0, 1.0, True)
    """

    errors: float
    """The weight of the rows that `coef` and `intercept` get wrong, counted exactly."""
    lower_bound: float
    """No hyperplane gets a smaller weight of rows wrong (with `at_most`: or none up to `at_most`)."""
    optimal: bool
    """Whether the two meet."""
    coef: NDArray[np.float64]
    intercept: float
    error_rows: NDArray[np.int64]
    """The wrong rows, counted from 0."""
    tie: str
    """What a score of exactly zero counts as."""
    seconds: float
    answer: str | None = None
    """With `at_most`: "yes", "no" or "unknown"."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not math.isnan(value)


def _checked(bias: Any, tie: Any, time_limit: Any, at_most: Any, threads: Any) -> int:
    if not isinstance(bias, bool | np.bool_):
        raise UsageError(f"bias should be True or False, but is {bias!r}")
    if tie not in _TIES:
        raise UsageError(f"tie should be one of {', '.join(_TIES)}, but is {tie!r}")
    if time_limit is not None and not (_is_number(time_limit) and time_limit >= 0):
        raise UsageError(
            f"time_limit should be a number of seconds, at least 0, or None, but is {time_limit!r}"
        )
    if at_most is not None and not (_is_number(at_most) and at_most >= 0):
        raise UsageError(f"at_most should be a number of errors, at least 0, or None, but is {at_most!r}")
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    if not isinstance(threads, int | np.integer) or threads < 1:
        raise UsageError(f"threads should be a whole number, at least 1, or None, but is {threads!r}")
    return int(threads)


def _signed(y: ArrayLike) -> NDArray[np.float64]:
    """Labels as ±1: of two values the larger is +1; a single value is +1 unless it is negative or zero."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise InputError(f"y should have one dimension, found {labels.ndim}")
    if np.issubdtype(labels.dtype, np.floating) and np.isnan(labels).any():
        raise InputError("y should hold two different labels, found NaN")
    values = np.unique(labels)
    if not 1 <= len(values) <= 2:
        raise InputError(f"y should hold two different labels, found {len(values)}")
    if len(values) == 1:
        positive = not (np.issubdtype(values.dtype, np.number) and values[0] <= 0)
        return np.full(len(labels), 1.0 if positive else -1.0)
    return np.where(labels == values[1], 1.0, -1.0)


def error_rows(
    X: Any, signed_labels: NDArray[np.float64], coef: NDArray[np.float64], intercept: float, tie: str
) -> NDArray[np.int64]:
    """Return the rows that a hyperplane gets wrong, its scores' signs decided exactly, counted from 0."""
    signs = _native.score_signs(
        native_matrix(X), np.ascontiguousarray(coef, dtype=np.float64), float(intercept)
    )
    scores = signs.astype(np.float64)
    if tie != "mistake":
        scores[scores == 0] = 1.0 if tie == "positive" else -1.0
    wrong: NDArray[np.int64] = np.flatnonzero(scores * signed_labels <= 0)
    return wrong


def min_disagreement(
    X: Any,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    bias: bool = True,
    tie: str = "mistake",
    at_most: float | None = None,
    time_limit: float | None = None,
    threads: int | None = None,
    starts: Sequence[ArrayLike] = (),
    progress: Callable[[float, float], Any] | None = None,
) -> Disagreement:
    """Find the hyperplane with the fewest errors, or as few as the time allows, with a proven lower bound.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Finite rows; n ≥ 1.
    y : array of shape (n,)
        Two different labels; the larger (in sorted order) is the positive class.
    sample_weight : array of shape (n,), optional
        What an error on each row costs, ≥ 0. Added exactly.
    bias : bool
        Whether the hyperplane may have an intercept.
    tie : {"mistake", "positive", "negative"}
        What a score of exactly zero counts as. With a bias the three have the same optimum, and the result is
        right under each; without one, "positive" and "negative" may do better than "mistake".
    at_most : float, optional
        Only decide whether some hyperplane makes at most so many errors (≥ 0).
    time_limit : float, optional
        Seconds, ≥ 0. Ctrl-C ends the search as well; both return what is known by then.
    threads : int, optional
        ≥ 1; all cores by default. The result does not depend on it unless time runs out.
    starts : sequence of arrays
        Known hyperplanes, each of d coefficients (then the intercept, with a bias); the result is no worse.
    progress : callable, optional
        Called now and then with the errors so far and the lower bound so far.

    Returns
    -------
    Disagreement

    Notes
    -----
    Every sign that matters is decided in exact arithmetic, so ties, duplicates and rows on common planes are
    handled as they are. The problem is NP-complete; up to about 7 columns the search is over boxes of
    directions and ends in reasonable time on thousands of rows, beyond it branches on conflicts and ends
    when the optimum is small. `optimal` is true only when the bounds meet.

    Examples
    --------
    >>> import separatrix as sx
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> result = sx.min_disagreement(X, [0, 1, 1, 0])  # exclusive or
    >>> result.errors, result.lower_bound, result.optimal
    (1.0, 1.0, True)
    >>> sx.min_disagreement(X, [0, 1, 1, 0], at_most=0).answer
    'no'
    """
    threads = _checked(bias, tie, time_limit, at_most, threads)
    started = time.perf_counter()
    labels = _signed(y)
    data: Any = X if hasattr(X, "tocsr") else np.asarray(X, dtype=np.float64)
    if data.ndim != 2:
        raise InputError(f"X should have two dimensions, found {data.ndim}")
    if data.shape[0] != len(labels):
        raise InputError(f"X and y should have as many rows, found {data.shape[0]} and {len(labels)}")
    weights = None if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights is not None and weights.shape != labels.shape:
        raise InputError(f"sample_weight should have shape {labels.shape}, found {weights.shape}")
    matrix = native_matrix(data)
    given = [np.asarray(s, dtype=np.float64).tolist() for s in starts]

    deadline = math.inf if time_limit is None else started + time_limit

    def search(with_bias: bool, known: list[list[float]], share: float = 1.0) -> _Found:
        nonlocal deadline
        left = None if deadline == math.inf else max(0.0, deadline - time.perf_counter()) * share
        try:
            w, errors, bound, unit, interrupted = _native.min_disagreement(
                matrix, labels, weights, known, with_bias, left, at_most, threads, progress
            )
        except ValueError as error:
            raise InputError(str(error)) from None
        if interrupted:
            deadline = started
        return w, Fraction(errors) / Fraction(2) ** unit, Fraction(bound) / Fraction(2) ** unit

    if bias or tie == "mistake":
        w, errors, bound = search(bool(bias), given)
    else:
        strict = search(False, given, share=0.5)
        _, _, with_bias = search(True, [])
        w, errors, bound = _with_ties(data, labels, weights, tie, strict, with_bias, deadline)
    coef, intercept = (w[:-1], float(w[-1])) if bias else (w, 0.0)
    answer = None
    if at_most is not None:
        answer = "yes" if errors <= at_most else "no" if bound > at_most else "unknown"
    return Disagreement(
        errors=float(errors),
        lower_bound=float(bound) if bound == errors else _rounded_down(bound),
        optimal=bound == errors,
        coef=coef,
        intercept=intercept,
        error_rows=error_rows(data, labels, coef, intercept, tie),
        tie=tie,
        seconds=time.perf_counter() - started,
        answer=answer,
    )


def _rounded_down(value: Fraction) -> float:
    near = float(value)
    return near if near <= value else math.nextafter(near, -math.inf)


def _with_ties(
    X: Any,
    labels: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    tie: str,
    strict: _Found,
    bound: Fraction,
    deadline: float,
) -> _Found:
    """Without a bias, count rows on the hyperplane for one class.

    A hyperplane through the origin with ties for one class becomes, moved by a tiny bias, one that errs on
    exactly the same rows: the optimum with a bias is a lower bound, `bound`. Strict hyperplanes and w = 0
    (the constant classifier) are upper bounds, as is every face of the search's own best cells.
    """
    loads = [Fraction(1)] * len(labels) if weights is None else [Fraction(v) for v in weights.tolist()]

    def cost(w: NDArray[np.float64]) -> Fraction:
        wrong = error_rows(X, labels, w, 0.0, tie)
        return Fraction(len(wrong)) if weights is None else sum((loads[i] for i in wrong), Fraction(0))

    favoured = 1.0 if tie == "positive" else -1.0
    empty = np.asarray(abs(X).sum(axis=1)).ravel() == 0
    # A zero row always errs when a tie is a mistake; here those of the favoured class never do.
    zero_rows = sum((loads[i] for i in np.flatnonzero(empty & (labels == favoured))), Fraction(0))
    nothing = np.zeros(X.shape[1])
    best = min((strict[0], nothing), key=cost)
    errors = cost(best)
    dense = X.toarray() if hasattr(X, "toarray") else X
    if bound < errors and dense.shape[0] ** max(dense.shape[1] - 1, 0) <= _MOST_FLATS:
        from separatrix.batch._flats import best_face

        found, lowest = best_face(dense, labels, weights, tie, cost, bound, deadline)
        best = min((best, *found), key=cost)
        errors = cost(best)
        # Cells, flats, and w = 0 are all there is.
        bound = max(bound, min(strict[2] - zero_rows, lowest, cost(nothing)))
    return best, errors, min(bound, errors)


# Flats that are looked through one by one in Python.
_MOST_FLATS = 20_000


class MinDisagreement(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The linear classifier with the fewest errors on its training rows (0-1 risk minimisation, T12).

    Parameters
    ----------
    bias : bool
        Whether to learn an intercept.
    tie : {"mistake", "positive", "negative"}
        What a score of exactly zero counts as in training; `predict` takes it for the positive class unless
        `tie` is "negative".
    time_limit : float or None
        Seconds, ≥ 0; `lower_bound_` then says how far from the optimum the result can be.
    threads : int or None
        ≥ 1; all cores by default.

    Attributes
    ----------
    coef_ : array of shape (1, n_features_in_)
    intercept_ : array of shape (1,)
    errors_ : float
        Weight of the training rows it gets wrong, counted exactly.
    lower_bound_ : float
        No hyperplane does better than this.
    optimal_ : bool
        Whether the two meet.
    error_rows_ : array of int
        The wrong rows, counted from 0.
    classes_ : array of shape (2,)

    Examples
    --------
    >>> import separatrix as sx
    >>> model = sx.MinDisagreement().fit([[0], [1], [2], [3], [4]], ["a", "b", "a", "b", "b"])
    >>> model.errors_, model.optimal_, len(model.error_rows_)
    (1.0, True, 1)
    >>> float(model.score([[0], [1], [2], [3], [4]], ["a", "b", "a", "b", "b"]))
    0.8
    """

    def __init__(
        self,
        *,
        bias: bool = True,
        tie: str = "mistake",
        time_limit: float | None = 60.0,
        threads: int | None = None,
    ) -> None:
        self.bias = bias
        self.tie = tie
        self.time_limit = time_limit
        self.threads = threads

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search for the fewest errors on X, y; `sample_weight` ≥ 0 is what each error costs."""
        _checked(self.bias, self.tie, self.time_limit, None, self.threads)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        found = len(self.classes_)
        if found > 2:
            raise InputError(
                f"Only binary classification is supported. y should hold two labels, found {found}"
            )
        if found < 2:
            raise InputError("y should hold two different labels, found one class")
        if sample_weight is not None:
            sample_weight = np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), y.shape)
            if not sample_weight.any():
                raise InputError("sample_weight should have a weight above zero, found all zero")
        result = min_disagreement(
            X,
            y,
            sample_weight=sample_weight,
            bias=self.bias,
            tie=self.tie,
            time_limit=self.time_limit,
            threads=self.threads,
        )
        self.coef_ = result.coef.reshape(1, -1)
        self.intercept_ = np.array([result.intercept])
        self.errors_ = result.errors
        self.lower_bound_ = result.lower_bound
        self.optimal_ = result.optimal
        self.error_rows_ = result.error_rows
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score x·coef + intercept of each row."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores: NDArray[np.float64] = np.asarray(X @ self.coef_[0]).ravel() + self.intercept_[0]
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, the sign of its score decided exactly."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        signs = _native.score_signs(native_matrix(X), self.coef_[0], float(self.intercept_[0]))
        positive = signs > 0 if self.tie == "negative" else signs >= 0
        labels: NDArray[Any] = self.classes_[positive.astype(int)]
        return labels
