"""The Perceptron: plain, averaged or voted prediction."""

from typing import ClassVar, Literal

from separatrix.errors import UsageError
from separatrix.online.base import OnlineClassifier, Order, Tie


class Perceptron(OnlineClassifier):
    """The Perceptron: w ← w + y x on a mistake.

    On rows of length at most R that some u separates with margin γ(u) = min y u·x / ‖u‖, it makes at most
    R²/γ(u)² mistakes, in one pass (T2) or in all passes together (T3). On any data, for every u,
    M ≤ ((R‖u‖ + √(R²‖u‖² + 4 H(u))) / 2)², H the total hinge loss of u (T4b).

    Parameters
    ----------
    prediction : {"plain", "averaged", "voted"}
        Predict with the last hypothesis, with the average of all, or by their votes, each weighted by the
        rounds it was held. The game, and so the mistakes, are the same.
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
    >>> X, y = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]], [-1, 1, 1]
    >>> learner = sx.Perceptron(bias=False, passes="until-clean").fit(X, y)
    >>> learner.n_mistakes_, learner.n_passes_, learner.coef_
    (5, 4, array([[ 2., -1.]]))
    """

    _rule: ClassVar[str] = "perceptron"

    def __init__(
        self,
        *,
        prediction: Literal["plain", "averaged", "voted"] = "plain",
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
        self.prediction = prediction
        self.bias = bias
        self.normalize = normalize
        self.tie = tie
        self.passes = passes
        self.max_passes = max_passes
        self.order = order
        self.seed = seed
        self.n_features = n_features
        self.memory_limit = memory_limit

    def _rule_name(self) -> str:
        names = {"plain": "perceptron", "averaged": "averaged-perceptron", "voted": "voted-perceptron"}
        if self.prediction not in names:
            raise UsageError(f"prediction must be 'plain', 'averaged' or 'voted', but is {self.prediction!r}")
        return names[self.prediction]
