"""What every online learner shares: scikit-learn's interface around the one native game."""

import os
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from separatrix import _native
from separatrix.data.text_options import (
    LARGEST_SEED,
    MAX_LINE_BYTES,
    MOST_COLUMNS,
    reading_options,
    source_name,
    warn_of_refused,
)
from separatrix.errors import UsageError
from separatrix.online.arrays import encode_labels, native_rows
from separatrix.online.parameters import truth, whole
from separatrix.theory.ledger import Ledger
from separatrix.theory.run import Run

Tie = Literal["positive", "negative", "mistake"]
Order = Literal["file", "shuffle", "misclassified"]

HELD_BYTES = 24 << 20
"""Rows of a file kept in memory for later passes; more than that and the file is read again."""


class OnlineClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A learner that plays the online game. Subclasses name their rule and its parameters.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted; with two, the larger one is positive.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        What `decision_function` multiplies rows with.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    n_mistakes_ : int
        Mistakes of the online game, over all passes so far.
    n_passes_ : int
        Passes over data so far; after `fit`, those that it took, the clean one counted.
    clean_ : bool
        Whether the last pass made no mistake. Set by `fit` and `fit_stream`.
    run_ : Run
        The counters that theorems speak of.
    ledger_ : Ledger
        Mistakes beside every bound that applies, each verified, violated or not checkable.
    """

    _rule: ClassVar[str]

    bias: bool
    normalize: bool
    tie: Tie
    passes: int | Literal["until-clean"]
    max_passes: int
    order: Order
    seed: int
    n_features: int | None
    memory_limit: int
    _learner: _native.Learner
    _classes: NDArray[Any]

    def _rule_parameters(self) -> dict[str, Any]:
        """The rule's own parameters, as the native learner takes them."""
        return {}

    def _rule_name(self) -> str:
        return self._rule

    # ------------------------------------------------------------------ batches

    def fit(self, X: Any, y: Any) -> Self:
        """Forget everything, then play `passes` passes over the rows in the chosen order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            float32 and float64, dense and CSR are read as they are; anything else is converted.
        y : array-like of shape (n_rows,)
            Two labels, or more: then each class gets a weight vector.
        """
        learner = self._new_learner()
        X, rows = self._rows(X, reset=True)
        classes, codes = encode_labels(y, X)
        learner.begin(X.shape[1])
        self._name_columns(learner)
        learner.declare(classes.tolist())
        passes, until_clean = self._passes()
        self.n_passes_, self.clean_ = learner.run(
            rows, codes, order=self.order, seed=self.seed, passes=passes, until_clean=until_clean
        )
        self._learner, self._classes = learner, classes
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on with one pass over more rows, in the order given.

        Parameters
        ----------
        X, y
            As in `fit`.
        classes : array-like, optional
            All labels there will be, in the first call. Needed only for more than two classes that
            do not all occur in the first rows: two are learnt as they come.
        """
        first = not hasattr(self, "_learner")
        learner = self._new_learner() if first else self._learner
        self._play(learner, X, y, classes, first=first, reset=first or not hasattr(self, "n_features_in_"))
        self.n_passes_ = getattr(self, "n_passes_", 0) + 1
        return self

    def _play(
        self,
        learner: _native.Learner,
        X: Any,
        y: Any,
        classes: Any = None,
        *,
        first: bool,
        reset: bool,
        new_pass: bool = True,
    ) -> None:
        """Play rows once. `first`: the learner's first rows; `reset`: any number of columns will do."""
        X, rows = self._rows(X, reset=reset)
        found, codes = encode_labels(y, X)
        learner.begin(X.shape[1])
        if first:
            self._name_columns(learner)
        known = np.asarray(learner.classes()) if learner.classes() else found[:0]
        wanted = known if classes is None else np.union1d(known, np.asarray(classes))
        if classes is not None and not np.isin(found, wanted).all():
            stranger = found[~np.isin(found, wanted)][0]
            raise ValueError(f"classes are {wanted.tolist()}, but y has the label {stranger!r}")
        if classes is None and known.size < 2:
            wanted = np.union1d(known, found) if known.size else found
        if classes is None and known.size == 1 and wanted.size > 2:
            raise ValueError(
                f"y has {wanted.size - 1} new labels after one: declare all classes in the first call"
            )
        learner.declare(wanted.tolist())
        if wanted.size > 1 and not np.isin(found, wanted).all():
            stranger = found[~np.isin(found, wanted)][0]
            raise ValueError(f"y has the label {stranger!r}, which is none of the classes {wanted.tolist()}")
        positions = np.searchsorted(wanted, found)
        if positions.size and not np.array_equal(positions, np.arange(positions.size)):
            codes = positions[codes]
        # Assigned before the rows are played: those before a refused row stay learnt.
        self._learner, self._classes = learner, wanted
        learner.run(rows, codes, order="file", seed=0, passes=1, until_clean=False, new_pass=new_pass)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Signed scores: one a row for two classes, else one a class."""
        check_is_fitted(self, "_learner")
        _, rows = self._rows(X, reset=False)
        scores = self._learner.scores(rows)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels of rows."""
        check_is_fitted(self, "_learner")
        _, rows = self._rows(X, reset=False)
        predicted: NDArray[Any] = self.classes_[self._learner.predict(rows)]
        return predicted

    # ------------------------------------------------------------- one at a time

    def learn_one(self, x: Any, y: Any) -> bool:
        """Play one round: predict `x`, learn that its label is `y`, change on a mistake.

        Parameters
        ----------
        x : dict, pair (indices, values), or array
            Named features (a new name is a new column), a sparse row, or a dense one.
        y : bool, int, float or str
            The label: one of two, learnt as they come, or of those declared.

        Returns
        -------
        bool
            Whether the round was a mistake.
        """
        try:
            learner = self._learner
        except AttributeError:
            learner = self._learner = self._new_learner()
        return learner.learn_one(x, y)

    def predict_one(self, x: Any) -> Any:
        """Predict the label of one row; None before the first label is known."""
        try:
            learner = self._learner
        except AttributeError:
            return None
        return learner.predict_one(x)

    # ------------------------------------------------------------------- streams

    def fit_stream(
        self,
        source: Any,
        *,
        resume: bool = False,
        index_base: Literal["auto", 0, 1] = "auto",
        bad_rows: str = "fail",
        threads: int = 1,
        max_line_bytes: int = MAX_LINE_BYTES,
        progress: Callable[..., Any] | None = None,
    ) -> Self:
        """Learn from libsvm text in constant memory.

        Parameters
        ----------
        source : path, binary file, list of them, or iterable of ``(X, y)`` batches
            ``"-"`` is standard input. Batches (such as ``sx.open`` yields) are played once, in one pass.
        resume : bool
            Go on from what was learnt; else begin anew.
        index_base, bad_rows, max_line_bytes
            As in `separatrix.read`.
        threads : int >= 1
            Threads that parse. The result is the same to the bit.
        progress : callable, optional
            Called about twenty times a second with (pass, bytes read, bytes in all or None, rows, rows
            refused, rounds, mistakes); a true return value ends the run after the batch being played.
        """
        learner = self._learner if resume and hasattr(self, "_learner") else self._new_learner()
        if not _is_text(source):
            return self._fit_batches(source, learner)
        sources = list(source) if isinstance(source, (list, tuple)) else [source]
        options = reading_options(index_base, bad_rows, threads, max_line_bytes)
        passes, until_clean = self._passes()
        # A learner that goes on keeps what it learnt before an error; a new one is forgotten.
        told, raised = _native.train_text(
            learner,
            sources,
            options,
            order=self.order,
            seed=self.seed,
            passes=passes,
            until_clean=until_clean,
            hold=HELD_BYTES,
            tick=progress,
        )
        for name in map(source_name, sources):
            learner.note_source(name)
        self._learner, self._classes = learner, np.asarray(learner.classes())
        self.n_passes_, self.clean_ = told["passes"], told["clean"]
        self.n_features_in_ = learner.columns
        if raised is not None:
            raise raised
        warn_of_refused(told["rows_refused"], told["first_bad"])
        return self

    def _fit_batches(self, batches: Iterable[tuple[Any, Any]], learner: _native.Learner) -> Self:
        """One pass over batches, each as wide as it likes: text shows its columns as they come."""
        about = learner.about()
        asked = about["asked"]["parameters"]
        automatic = self.n_features is None and None in (asked.get("p", 0), asked.get("threshold", 0))
        fresh, first = about["rounds"] == 0, True
        for X, y in batches:
            columns = learner.columns
            if automatic and 0 < columns < np.shape(X)[1]:
                raise UsageError(
                    f"a batch has {np.shape(X)[1]} columns after one of {columns}, and the rule's automatic "
                    "parameter (threshold n, p = 2 ln d) depends on them: declare n_features"
                )
            self._play(learner, X, y, first=fresh and first, reset=True, new_pass=first)
            first = False
        self._learner, self.n_features_in_ = learner, learner.columns
        self.n_passes_ = learner.about()["passes"]
        return self

    # -------------------------------------------------------------------- models

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, whole or not at all. `separatrix.load` reads it."""
        check_is_fitted(self, "_learner")
        self._learner.save(os.fspath(path))

    # ------------------------------------------------------------ what was learnt

    @property
    def classes_(self) -> NDArray[Any]:
        labels = self._fitted("classes_").classes()
        if len(labels) != len(getattr(self, "_classes", ())) or not labels:
            self._classes = np.asarray(labels)
        return self._classes

    @property
    def coef_(self) -> NDArray[np.float64]:
        return self._coefficients("coef_")[0]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        return self._coefficients("intercept_")[1]

    def _coefficients(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        both = self._fitted(name).coefficients()
        if both is None:
            raise AttributeError(f"{name}: the votes of many hypotheses are no single linear rule")
        return both

    @property
    def n_mistakes_(self) -> int:
        mistakes: int = self._fitted("n_mistakes_").about()["mistakes"]
        return mistakes

    @property
    def run_(self) -> Run:
        about = self._fitted("run_").about()
        radius_p = about["radius_p"] if about["rule"] in ("p-norm", "winnow", "balanced-winnow") else None
        return Run(
            rule=about["rule"],
            parameters=about["parameters"],
            classes=max(2, len(self.classes_)),
            features=about["columns"],
            rounds=about["rounds"],
            mistakes=about["mistakes"],
            mistakes_by_class=tuple(about["mistakes_by_class"]),
            radius=about["radius"],
            squared_norms=about["squared_norms"],
            radius_p=radius_p,
            passes=about["passes"],
            order=about["order"] or "file",
            curve=tuple(about["curve"]),
        )

    @property
    def ledger_(self) -> Ledger:
        """Mistakes beside the bounds that apply; `separatrix.Ledger.from_run` takes certificates too."""
        return Ledger.from_run(self.run_)

    def _fitted(self, name: str) -> _native.Learner:
        learner = self.__dict__.get("_learner")
        if learner is None:
            raise AttributeError(f"{type(self).__name__} has no {name} before it has learnt something")
        return learner  # type: ignore[no-any-return]

    # ---------------------------------------------------------------------- inside

    def _new_learner(self) -> _native.Learner:
        return _native.Learner(
            self._rule_name(),
            bias=truth("bias", self.bias),
            normalize=truth("normalize", self.normalize),
            tie=self.tie,
            memory_limit=whole("memory_limit", self.memory_limit, 1),
            n_features=None
            if self.n_features is None
            else whole("n_features", self.n_features, 1, MOST_COLUMNS),
            **self._rule_parameters(),
        )

    def _passes(self) -> tuple[int, bool]:
        """(how many passes at most, whether to stop at a clean one)."""
        whole("seed", self.seed, 0, LARGEST_SEED)
        if self.passes == "until-clean":
            return whole("max_passes", self.max_passes, 1), True
        return whole("passes", self.passes, 1, other="'until-clean'"), False

    def _rows(self, X: Any, *, reset: bool) -> tuple[Any, "_native.Rows"]:
        """The rows as checked by scikit-learn, and as the native game reads them."""
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            # The game looks at every number anyway, and says which is not finite.
            ensure_all_finite=False,
        )
        return X, native_rows(X)

    def _name_columns(self, learner: _native.Learner) -> None:
        """Give the model file the names that a data frame's columns had."""
        names = getattr(self, "feature_names_in_", None)
        if names is not None and len(set(names)) == len(names):
            learner.name_columns(list(names))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "_learner" in self.__dict__


def _is_text(source: Any) -> bool:
    """Whether a source is text to read, and not batches of rows."""
    one = source[0] if isinstance(source, (list, tuple)) and source else source
    return isinstance(one, (str, os.PathLike)) or hasattr(one, "read")
