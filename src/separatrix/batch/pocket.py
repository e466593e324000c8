"""Few errors on data too large to search: the pocket Perceptron, and line searches over a stream.

The Perceptron does not settle on data that no hyperplane separates; the pocket keeps the best vector it has
shown, judged on all the rows. A local search starts from any linear model and only ever improves it: along
a direction the errors change once a row, at the root of its score, so one pass over the data finds the best
of many steps along many directions at once.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from separatrix import _native
from separatrix.data.arrays import native_matrix
from separatrix.errors import InputError, UsageError

_Batches = Callable[[], Iterable[tuple[Any, NDArray[Any]]]]


def _whole_number(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise UsageError(f"{name} should be a whole number, at least {least}, but is {value!r}")
    return int(value)


def _batches(source: Any, y: Any, n_features: int | None = None) -> _Batches:
    """A function that shows all the data once, batch after batch: arrays, or a file read anew each time."""
    if y is not None:
        X, labels = source, np.asarray(y)
        if not hasattr(X, "tocsr"):
            X = np.asarray(X, dtype=np.float64)
        return lambda: [(X, labels)]

    def read() -> Iterator[tuple[Any, NDArray[Any]]]:
        from separatrix.data.reading import open_stream

        yield from open_stream(source, n_features=n_features)

    return read


def _survey(batches: _Batches) -> tuple[NDArray[Any], int]:
    labels: set[Any] = set()
    width = 0
    for X, y in batches():
        labels.update(np.unique(y).tolist())
        width = max(width, X.shape[1])
        if len(labels) > 2:
            break
    if len(labels) != 2:
        raise InputError(f"y should hold two different labels, found {len(labels)}")
    return np.array(sorted(labels)), width


def _padded(X: Any, w: NDArray[np.float64]) -> NDArray[np.float64]:
    scores: NDArray[np.float64] = np.asarray(X @ w[: X.shape[1]]).ravel()
    return scores


def _errors(batches: _Batches, positive: Any, w: NDArray[np.float64], b: float) -> int:
    """Count exactly the rows that finite coefficients get wrong."""
    total = 0
    for X, y in batches():
        scores = _native.score_signs(native_matrix(X), w, b)
        total += int(np.count_nonzero(np.where(y == positive, scores, -scores) <= 0))
    return total


def _start(coef: ArrayLike, intercept: ArrayLike) -> tuple[NDArray[np.float64], float]:
    """A linear model as it comes, scikit-learn's arrays of one row included."""
    w, b = np.array(coef, dtype=np.float64).ravel(), np.array(intercept, dtype=np.float64).ravel()
    if b.size != 1:
        raise UsageError(f"intercept should be one number, but holds {b.size}")
    if not (np.isfinite(w).all() and np.isfinite(b).all()):
        raise UsageError("coef and intercept should be finite numbers")
    return w, float(b[0])


# A product beyond the doubles shows a heuristic nothing; what is kept is judged exactly.
@np.errstate(over="ignore", invalid="ignore")
def local_search(
    source: Any,
    y: ArrayLike | None = None,
    *,
    coef: ArrayLike,
    intercept: ArrayLike = 0.0,
    bias: bool = True,
    passes: int = 20,
    seed: int = 0,
) -> tuple[NDArray[np.float64], float, int]:
    """Improve a linear model's number of training errors, and never make it worse.

    Each pass draws directions (coordinates, wrong rows, random ones), tries on each a grid of steps both
    ways, and takes the best of them if it errs less. A score of zero counts as an error.

    Parameters
    ----------
    source : array, sparse matrix, path, or file
        The rows; a file is read anew in each pass, in constant memory.
    y : array, optional
        Labels, two different ones; None when `source` is a file.
    coef : array of shape (d,)
        Where to start: finite numbers.
    intercept : float
        Where to start; both as an estimator has them, too: of shape (1, d) and (1,).
    bias : bool
        Whether the intercept may move.
    passes : int
        ≥ 0.
    seed : int
        ≥ 0; of the directions drawn.

    Returns
    -------
    coef, intercept, errors

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> coef, intercept, errors = sx.local_search(X, y, coef=[1.0], intercept=-0.5)
    >>> errors
    0
    """
    passes = _whole_number("passes", passes, 0)
    seed = _whole_number("seed", seed, 0)
    w, b = _start(coef, intercept)
    batches = _batches(source, y, len(w))
    classes, width = _survey(batches)
    if width > len(w):
        raise UsageError(f"coef should hold {width} numbers, one a column, but holds {len(w)}")
    rng = np.random.default_rng(seed)
    best = _errors(batches, classes[1], w, b)
    steps = np.concatenate([s * np.geomspace(1e-3, 3.0, 12) for s in (1.0, -1.0)])
    for _ in range(passes):
        if best == 0:
            break
        directions = _directions(batches, classes[1], w, b, bias, rng)
        size = max(float(np.hypot(np.linalg.norm(w), b)), 1e-300)
        counts = np.zeros((len(directions), len(steps)), dtype=np.int64)
        for X, labels in batches():
            signs = np.where(labels == classes[1], 1.0, -1.0)
            scores = signs * (_padded(X, w) + b)
            for at, v in enumerate(directions):
                slopes = signs * (_padded(X, v[:-1]) + v[-1]) * size
                counts[at] += [int(np.count_nonzero(scores + t * slopes <= 0)) for t in steps]
        at, step = divmod(int(np.argmin(counts)), len(steps))
        if counts[at, step] < best:
            moved = np.append(w, b) + steps[step] * size * directions[at]
            if not np.isfinite(moved).all():
                continue
            errors = _errors(batches, classes[1], moved[:-1], float(moved[-1]))
            if errors < best:
                w, b, best = moved[:-1], float(moved[-1]), errors
    return w, b, best


def _directions(
    batches: _Batches, positive: Any, w: NDArray[np.float64], b: float, bias: bool, rng: np.random.Generator
) -> list[NDArray[np.float64]]:
    """Unit directions of (w, b): some coordinates, some wrong rows' own, two random ones."""
    width = len(w) + 1
    drawn: list[NDArray[np.float64]] = [
        np.eye(1, width, int(j))[0] for j in rng.integers(0, width - (not bias), 4)
    ]
    for X, labels in batches():
        signs = np.where(labels == positive, 1.0, -1.0)
        wrong = np.flatnonzero(signs * (_padded(X, w) + b) <= 0)
        for i in rng.permutation(wrong)[:2]:
            row = np.zeros(width)
            row[: X.shape[1]] = X[[i]].toarray().ravel() if hasattr(X, "toarray") else X[i]
            row[-1] = 1.0
            drawn.append(signs[i] * row)
        if len(drawn) >= 8:
            break
    drawn.extend(rng.normal(size=(2, width)))
    for v in drawn:
        if not bias:
            v[-1] = 0.0
    # The largest entry first: the squares of rows may not fit a double.
    shortened = [v / top for v in drawn if (top := float(np.abs(v).max())) > 0]
    return [v / float(np.linalg.norm(v)) for v in shortened]


class Pocket(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The pocket Perceptron with a local search after it: few training errors, no proof.

    Parameters
    ----------
    bias : bool
        Whether to learn an intercept.
    passes : int
        Perceptron passes over the rows, ≥ 1; after each, the vector and the average of all vectors so far
        are judged on every row, and the best kept.
    search : int
        Passes of `local_search` from the best, ≥ 0.
    seed : int
        ≥ 0.

    Attributes
    ----------
    coef_ : array of shape (1, n_features_in_)
    intercept_ : array of shape (1,)
    errors_ : int
        Training rows it gets wrong, a score of zero counted as an error.
    classes_ : array of shape (2,)

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> sx.Pocket().fit(X, y).errors_
    1
    """

    def __init__(self, *, bias: bool = True, passes: int = 10, search: int = 20, seed: int = 0) -> None:
        self.bias = bias
        self.passes = passes
        self.search = search
        self.seed = seed

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, *, coef_init: Any = None, intercept_init: Any = 0.0) -> Self:
        """Learn from arrays or a sparse matrix; the result is no worse than `coef_init`, where it starts."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        found = len(np.unique(y))
        if found > 2:
            raise InputError(
                f"Only binary classification is supported. y should hold two labels, found {found}"
            )
        if found < 2:
            raise InputError("y should hold two different labels, found one class")
        return self._learn(X, y, coef_init, intercept_init)

    def fit_file(self, path: Any, *, coef_init: Any = None, intercept_init: Any = 0.0) -> Self:
        """Learn likewise from libsvm text, read anew in each pass, in constant memory."""
        return self._learn(path, None, coef_init, intercept_init)

    @np.errstate(over="ignore", invalid="ignore")
    def _learn(self, source: Any, y: Any, coef_init: Any, intercept_init: Any) -> Self:
        if not isinstance(self.bias, bool | np.bool_):
            raise UsageError(f"bias should be True or False, but is {self.bias!r}")
        passes = _whole_number("passes", self.passes, 1)
        search = _whole_number("search", self.search, 0)
        batches = _batches(source, y)
        self.classes_, width = _survey(batches)
        self.n_features_in_ = width
        w, total = np.zeros(width + 1), np.zeros(width + 1)
        if coef_init is not None:
            coef, intercept = _start(coef_init, intercept_init)
            if len(coef) != width:
                raise UsageError(
                    f"coef_init should hold {width} numbers, one a column, but holds {len(coef)}"
                )
            w = np.append(coef, intercept)
        best = (_errors(batches, self.classes_[1], w[:-1], float(w[-1])), w.copy())
        for _ in range(passes):
            for X, labels in batches():
                _perceptron_pass(
                    X, np.where(labels == self.classes_[1], 1.0, -1.0), bool(self.bias), w, total
                )
            for candidate in (w, total):
                if not np.isfinite(candidate).all():
                    continue
                errors = _errors(batches, self.classes_[1], candidate[:-1], float(candidate[-1]))
                if errors < best[0]:
                    best = (errors, candidate.copy())
        coef, intercept, self.errors_ = local_search(
            source,
            y,
            coef=best[1][:-1],
            intercept=float(best[1][-1]),
            bias=bool(self.bias),
            passes=search,
            seed=_whole_number("seed", self.seed, 0),
        )
        self.coef_ = coef.reshape(1, -1)
        self.intercept_ = np.array([intercept])
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score x·coef + intercept of each row."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores: NDArray[np.float64] = _padded(X, self.coef_[0]) + self.intercept_[0]
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, a score of zero counted for the positive one."""
        positive = self.decision_function(X) >= 0
        labels: NDArray[Any] = self.classes_[positive.astype(int)]
        return labels


def _perceptron_pass(
    X: Any, signs: NDArray[np.float64], bias: bool, w: NDArray[np.float64], total: NDArray[np.float64]
) -> None:
    """One pass of the Perceptron in the order of the rows, in place; `total` sums the vectors."""
    sparse = hasattr(X, "indptr")
    for i in range(X.shape[0]):
        if sparse:
            span = slice(X.indptr[i], X.indptr[i + 1])
            columns, values = X.indices[span], X.data[span]
        else:
            columns, values = slice(0, X.shape[1]), X[i]
        score = float(values @ w[columns]) + w[-1]
        if not signs[i] * score > 0:
            w[columns] += signs[i] * values
            if bias:
                w[-1] += signs[i]
    total += w
