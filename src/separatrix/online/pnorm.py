"""The p-norm Perceptron, from Perceptron to Winnow."""

from typing import Any, ClassVar, Literal

from separatrix.online.base import OnlineClassifier, Order, Tie
from separatrix.online.parameters import real


class PNormPerceptron(OnlineClassifier):
    """The p-norm Perceptron: θ ← θ + y x on a mistake, w_i = sgn(θ_i)|θ_i|^(p−1).

    M ≤ (p−1) (‖u‖_q R_p / min y u·x)² for every u that separates, 1/p + 1/q = 1 (T9). p = 2 is the
    Perceptron; p = 2 ln d has Winnow's kind of bound, without a restriction on signs.

    Parameters
    ----------
    p : float >= 2 or "auto"
        "auto" is 2 ln d, at least 2, with d the number of columns (the bias is one).
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
    >>> learner = sx.PNormPerceptron(p=4, bias=False)
    >>> [learner.learn_one({"a": 1.0, "b": 2.0}, True), learner.learn_one({"b": 1.0}, False)]
    [True, True]
    >>> learner.predict_one({"a": 1.0})
    True
    """

    _rule: ClassVar[str] = "p-norm"

    def __init__(
        self,
        *,
        p: float | Literal["auto"] = "auto",
        bias: bool = True,
        normalize: bool = False,
        tie: Tie = "mistake",
        passes: int | Literal["until-clean"] = 1,
        max_passes: int = 1000,
        order: Order = "file",
        seed: int = 0,
        n_features: int | None = None,
        memory_limit: int = 1 << 30,
    ) -> None:
        self.p = p
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
        return {"p": None if self.p == "auto" else real("p", self.p)}
