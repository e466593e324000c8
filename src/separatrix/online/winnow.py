"""Winnow: multiplicative updates for sparse targets, in the lectures' forms."""

from typing import Any, ClassVar, Literal

from sklearn.utils import Tags

from separatrix.data.text_options import LARGEST_K
from separatrix.online.base import OnlineClassifier, Order, Tie
from separatrix.online.parameters import real, whole


class Winnow(OnlineClassifier):
    """Winnow: predict positive when w·x ≥ θ; multiply or divide weights by β^x on a mistake.

    The lectures' forms:

    - disjunctions of r of n variables: the defaults (θ = n, β = 2); M ≤ 2 + 3r(1 + log₂ n), with
      ``demotion="eliminate"`` M ≤ 1 + 2r(1 + log₂ n) (T6);
    - k-of-r functions: ``k=K`` sets β = 1 + 1/(2k); M = O(r k log n) (T7);
    - thresholds with gap δ: ``delta=δ`` sets β = 1 + δ/2, ``threshold=θ`` (T8).

    Rows are meant to lie in [0, 1]: larger values are played but violate the bounds' assumption, which the
    ledger says; negative ones are an error (`BalancedWinnow` takes them).

    Parameters
    ----------
    threshold : float > 0 or "auto"
        θ; "auto" is n, the number of columns (the bias is one).
    factor : float > 1, optional
        β. At most one of `factor`, `k` and `delta` may be given; by default 2.
    k : int >= 1, optional
    delta : float in (0, 1], optional
    demotion : {"divide", "eliminate"}
    bias : bool
        Append a constant 1 to every row.
    normalize : bool
        Scale each row to unit length before anything else.
    tie : {"positive", "negative", "mistake"}
        What a score of exactly 0 means while the game is played: +1, −1, or a mistake whatever the label
        (asked for a label all the same, −1).
    passes : int >= 1 or "until-clean"
        Passes that `fit` and `fit_stream` play; "until-clean" ends with the first one without a mistake.
    max_passes : int >= 1
        The limit of "until-clean".
    order : {"file", "shuffle", "misclassified"}
        Rows as they stand; in a new order each pass; or always the first that is still misclassified.
    seed : int >= 0
        Of the shuffled orders.
    n_features : int >= 1, optional
        Columns there will be, where they are not known from the data at the first round.
    memory_limit : int
        Bytes that the weights may take; more is an error, never an allocation.

    Examples
    --------
    >>> import separatrix as sx
    >>> X = [[1, 0, 1, 0], [0, 0, 1, 1], [0, 1, 0, 0], [0, 0, 1, 0]]
    >>> learner = sx.Winnow(passes="until-clean").fit(X, [True, False, True, False])
    >>> learner.predict(X)
    array([ True, False,  True, False])
    """

    _rule: ClassVar[str] = "winnow"

    def __init__(
        self,
        *,
        threshold: float | Literal["auto"] = "auto",
        factor: float | None = None,
        k: int | None = None,
        delta: float | None = None,
        demotion: Literal["divide", "eliminate"] = "divide",
        bias: bool = False,
        normalize: bool = False,
        tie: Tie = "positive",
        passes: int | Literal["until-clean"] = 1,
        max_passes: int = 1000,
        order: Order = "file",
        seed: int = 0,
        n_features: int | None = None,
        memory_limit: int = 1 << 30,
    ) -> None:
        self.threshold = threshold
        self.factor = factor
        self.k = k
        self.delta = delta
        self.demotion = demotion
        self.bias = bias
        self.normalize = normalize
        self.tie = tie
        self.passes = passes
        self.max_passes = max_passes
        self.order = order
        self.seed = seed
        self.n_features = n_features
        self.memory_limit = memory_limit

    def _rule_parameters(self) -> dict[str, Any]:
        return {
            "threshold": None if self.threshold == "auto" else real("threshold", self.threshold),
            "factor": None if self.factor is None else real("factor", self.factor),
            "k": None if self.k is None else whole("k", self.k, 1, LARGEST_K),
            "delta": None if self.delta is None else real("delta", self.delta),
            "demotion": self.demotion,
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        # Weights are positive: many targets that other linear rules learn are out of reach.
        tags.classifier_tags.poor_score = True
        return tags
