"""The online protocol: nature shows x, the learner predicts, nature reveals y, the learner learns."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from separatrix.errors import UsageError
from separatrix.theory.bounds._checks import whole
from separatrix.theory.rows import Floats


class Learner(Protocol):
    """Anything that predicts one row and then learns its label; every learner of `separatrix.online` does."""

    def predict_one(self, x: Any) -> Any:
        """Return the label predicted for a row, or None before any label is known."""

    def learn_one(self, x: Any, y: Any) -> Any:
        """Learn a row's label."""


class GameOver(Exception):  # noqa: N818 (an event, not an error)
    """Raised by a nature's `reveal` to end the game; the round in progress does not count."""


class Nature(Protocol):
    """What the learner plays against: it chooses rows, and labels after it has heard the prediction."""

    def show(self) -> Any:
        """Return the next row, or None to end the game."""

    def reveal(self, predicted: Any) -> Any:
        """Return the label of the row shown last, or raise `GameOver`."""


@dataclass
class Transcript:
    """What was played: made by `play`.

    Parameters
    ----------
    rows, predicted, labels : list
        One a round.
    """

    rows: list[Any] = field(default_factory=list)
    predicted: list[Any] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return len(self.labels)

    @property
    def mistakes(self) -> int:
        """How many predictions were not the label; None, no prediction at all, is a mistake."""
        return sum(p != y for p, y in zip(self.predicted, self.labels, strict=True))

    @property
    def curve(self) -> list[int]:
        """Mistakes so far, after each round."""
        wrong = [p != y for p, y in zip(self.predicted, self.labels, strict=True)]
        return list(accumulate(wrong, initial=0))[1:]

    def data(self) -> tuple[Floats, Any]:
        """Return (X, y) of the rounds, for certificates and plots; rows must be arrays of one length."""
        if not self.rows:
            raise UsageError("an empty transcript has no data")
        return np.array([np.asarray(x, dtype=np.float64) for x in self.rows]), np.asarray(self.labels)


class Stream:
    """The nature that reads from a fixed sequence of (x, y), whatever is predicted.

    Parameters
    ----------
    pairs : iterable of (x, y)
        Played to its end, once.

    Examples
    --------
    >>> import separatrix as sx
    >>> from separatrix.theory.game import Stream
    >>> rows = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> sx.play(sx.Perceptron(), Stream(zip(rows, [1, -1, 1]))).rounds
    3
    """

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        self._pairs: Iterator[tuple[Any, Any]] = iter(pairs)
        self._label: Any = None

    def show(self) -> Any:
        x, self._label = next(self._pairs, (None, None))
        return x

    def reveal(self, predicted: Any) -> Any:
        return self._label


def play(learner: Learner, nature: Nature, *, rounds: int | None = None) -> Transcript:
    """Play a learner against a nature.

    Parameters
    ----------
    learner : with `predict_one(x)` and `learn_one(x, y)`
        Any learner, of this library or not.
    nature : with `show()` and `reveal(predicted)`
        A `Stream`, an adversary of `separatrix.theory.adversary`, a person.
    rounds : int, at least 0, optional
        When to stop, if nature does not end the game first.

    Returns
    -------
    Transcript

    Examples
    --------
    >>> import separatrix as sx
    >>> from separatrix.theory.adversary import Orthogonal
    >>> sx.play(sx.Perceptron(bias=False), Orthogonal(margin=0.25)).mistakes, sx.bounds.lower_bound(0.25)
    (16, 16)
    """
    limit = None if rounds is None else whole("rounds", rounds, 0)
    transcript = Transcript()
    while limit is None or transcript.rounds < limit:
        x = nature.show()
        if x is None:
            break
        predicted = learner.predict_one(x)
        try:
            y = nature.reveal(predicted)
        except GameOver:
            break
        learner.learn_one(x, y)
        transcript.rows.append(x)
        transcript.predicted.append(predicted)
        transcript.labels.append(y)
    return transcript
