"""What a finished game leaves behind: the counters that theorems speak of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Run:
    """The counters of one learner since its first round; `learner.run_` makes one.

    Norms are those of the vectors the game was played on: after `normalize`, with the bias's 1 appended.
    """

    rule: str
    """One of perceptron, averaged-perceptron, voted-perceptron, p-norm, winnow, balanced-winnow."""
    parameters: Mapping[str, Any]
    """bias, normalize, tie ("positive", "negative", "mistake"), and the rule's own: p, threshold, factor …"""
    classes: int
    features: int
    """Columns of the data, the bias not counted."""
    rounds: int
    mistakes: int
    mistakes_by_class: tuple[int, ...]
    """Mistakes on rounds whose true class was the k-th (sorted by label)."""
    radius: float
    """R, the largest ‖x_t‖₂ over all rounds."""
    squared_norms: float
    """Σ ‖x_t‖₂² over the mistake rounds."""
    radius_p: float | None = None
    """The largest ‖x_t‖_p over the mistake rounds, where the rule has a p (p-norm; Winnow: p = ∞)."""
    passes: int = 1
    order: str = "file"
    """In which order rows were shown: "file", "shuffle, seed S" or "misclassified"."""
    curve: tuple[tuple[int, int], ...] = field(default=())
    """(round, mistakes so far) at rounds 1, 2, 4, 8, … and the last."""
