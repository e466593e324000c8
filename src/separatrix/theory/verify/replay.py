"""The Perceptron's run, played again."""

import numpy as np

from separatrix.theory.verify.numbers import UnreadableError
from separatrix.theory.verify.rows import Rows


class Replay:
    """Plays the Perceptron's one pass in file order, to the bit as `separatrix train` does.

    In doubles. The k-th entry of a row adds its product to lane k mod 8; the lanes are added as in
    `scores`; the bias comes last. Between two mistakes w stands still, so a block of rows is scored at
    once, by the same additions as one row at a time, and its first mistake ends the block.
    """

    def __init__(self, tie: str) -> None:
        if tie not in ("mistake", "positive", "negative"):
            raise UnreadableError(f"expected a tie of mistake, positive or negative, found {tie!r}")
        self.tie, self.w, self.b, self.block = tie, np.zeros(0), 0.0, 64
        self.mistakes = 0

    def see(self, rows: Rows) -> np.ndarray:
        """Return which rows of the batch are mistakes."""
        needed = int(rows.columns.max()) + 1 if len(rows.columns) else 0
        self.w = np.pad(self.w, (0, max(0, needed - len(self.w))))
        wrong, at, n = [], 0, len(rows.y)
        lanes = (np.arange(len(rows.of)) - rows.starts[rows.of]) % 8
        with np.errstate(over="ignore", invalid="ignore"):
            while at < n:
                end = min(n, at + self.block)
                part = slice(rows.starts[at], rows.starts[end])
                products = rows.values[part] * self.w[rows.columns[part]]
                s = _scores(products, (rows.of[part] - at) * 8 + lanes[part], end - at) + self.b
                mistakes = np.flatnonzero(self._mistaken(s, rows.y[at:end]))
                if not len(mistakes):
                    at, self.block = end, min(2 * self.block, 1 << 16)
                    continue
                i = at + int(mistakes[0])
                self.block = max(8, (self.block + (i - at)) // 2)
                row = slice(rows.starts[i], rows.starts[i + 1])
                self.w[rows.columns[row]] += rows.y[i] * rows.values[row]
                self.b += rows.y[i] * rows.bias
                wrong.append(i)
                at = i + 1
        self.mistakes += len(wrong)
        return np.array(wrong, dtype=np.int64)

    def _mistaken(self, s: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.tie == "mistake":
            return np.asarray(~(y * s > 0.0))
        return np.asarray((y > 0.0) != (s >= 0.0 if self.tie == "positive" else s > 0.0))


def _scores(products: np.ndarray, lanes: np.ndarray, rows: int) -> np.ndarray:
    # bincount adds one after the other.
    a = np.bincount(lanes, weights=products, minlength=8 * rows).reshape(rows, 8).T
    return np.asarray(((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7])))
