"""Balanced Winnow: multiplicative updates, weights of both signs."""

from typing import Any, ClassVar, Literal

from separatrix.online.base import OnlineClassifier, Order, Tie
from separatrix.online.parameters import real


class BalancedWinnow(OnlineClassifier):
    """Balanced Winnow: each column has two weights, w⁺ and w⁻, and counts w⁺ − w⁻.

    On a mistake w⁺ ← w⁺ β^(y x) and w⁻ ← w⁻ β^(−y x). With η = ln β, ‖x‖_∞ ≤ X and a u of ‖u‖₁ = 1 that
    separates with y u·x ≥ γ: M ≤ ln(2n) / (η γ − η² X²/2), for η < 2γ/X². Rows may have any sign.

    Parameters
    ----------
    factor : float > 1
        β. The bound is best at β = exp(γ/X²).
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
    >>> learner = sx.BalancedWinnow(passes="until-clean", bias=False)
    >>> learner.fit([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1, -1, 1]).predict([[1, 0, 0], [0, 1, 0]])
    array([ 1, -1])
    """

    _rule: ClassVar[str] = "balanced-winnow"

    def __init__(
        self,
        *,
        factor: float = 1.5,
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
        self.factor = factor
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
        return {"factor": real("factor", self.factor)}
