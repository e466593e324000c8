"""Natures that make learners err: lower bounds, played.

Each knows, at every moment, a separator that agrees with all it has revealed: `separator()`.
"""

import math
from typing import Any

import numpy as np

from separatrix.errors import UsageError
from separatrix.theory.bounds import lower_bound
from separatrix.theory.bounds._checks import inside, whole
from separatrix.theory.rows import Floats


def _against(predicted: Any) -> int:
    """Return the label that the prediction was not."""
    return -1 if predicted == 1 else 1


class Orthogonal:
    """T5's adversary: e_1, …, e_k, k = ⌊1/γ²⌋, each labelled against the prediction.

    Every deterministic learner errs in every round, and `separator()` has norm at most 1 and margin γ.

    Parameters
    ----------
    margin : float, in (0, 1]
        γ. The rows have ⌊1/γ²⌋ columns.

    Examples
    --------
    >>> import separatrix as sx
    >>> from separatrix.theory.adversary import Orthogonal
    >>> nature = Orthogonal(margin=0.5)
    >>> sx.play(sx.Winnow(n_features=4), nature).mistakes
    4
    >>> float(abs(nature.separator()).max())
    0.5
    """

    def __init__(self, margin: float) -> None:
        self.margin = inside("margin", margin, 0.0, 1.0, open_left=True)
        self.length = whole("⌊1/margin²⌋", lower_bound(margin), 1)
        if self.length > 10**6:
            raise UsageError(
                f"margin should leave at most a million rounds, but {margin!r} gives {self.length}"
            )
        self.labels: list[int] = []

    def show(self) -> Floats | None:
        if len(self.labels) == self.length:
            return None
        row = np.zeros(self.length)
        row[len(self.labels)] = 1.0
        return row

    def reveal(self, predicted: Any) -> int:
        self.labels.append(_against(predicted))
        return self.labels[-1]

    def separator(self) -> Floats:
        """Return γ Σ ±e_i over the rounds so far."""
        w = np.zeros(self.length)
        w[: len(self.labels)] = np.array(self.labels) * self.margin
        return w


class Contrary:
    """Labels against the learner as long as a separator of margin γ is left, truthfully where none is.

    Rows are unit vectors from a pool, each shown at most once; one that no separator of margin γ can
    put on either side is passed over. After every round some unit w still has y w·x ≥ γ in all rounds,
    so that T2 allows 1/γ² mistakes; this nature finds out how many of them it can force.

    Parameters
    ----------
    margin : float, in (0, 1]
        γ.
    dimension : int, at least 1
        Columns.
    rows : int, at least 1
        The size of the pool.
    seed : int, at least 0
        Of the pool.

    Examples
    --------
    >>> import separatrix as sx
    >>> from separatrix.theory.adversary import Contrary
    >>> nature = Contrary(margin=0.2, dimension=5, rows=60, seed=1)
    >>> transcript = sx.play(sx.Perceptron(bias=False), nature)
    >>> X, y = transcript.data()
    >>> bool((y * (X @ nature.separator())).min() >= 0.2 - 1e-9), transcript.mistakes <= 25
    (True, True)
    """

    def __init__(self, margin: float, dimension: int, rows: int = 200, seed: int = 0) -> None:
        self.margin = inside("margin", margin, 0.0, 1.0, open_left=True)
        d, n = whole("dimension", dimension, 1), whole("rows", rows, 1)
        pool = np.random.default_rng(whole("seed", seed, 0)).normal(size=(n, d))
        self._pool = iter(pool / np.linalg.norm(pool, axis=1, keepdims=True))
        self._signed: list[Floats] = []
        self._row: Floats = np.zeros(d)
        self._possible: set[int] = set()

    def show(self) -> Floats | None:
        for row in self._pool:
            self._possible = {y for y in (-1, 1) if self._margin_with(y * row) >= self.margin}
            if self._possible:
                self._row = row
                return np.array(row)
        return None

    def reveal(self, predicted: Any) -> int:
        wanted = _against(predicted)
        y = wanted if wanted in self._possible else -wanted
        self._signed.append(y * self._row)
        return y

    def separator(self) -> Floats:
        """Return the unit w of the largest margin over the rounds so far."""
        if not self._signed:
            return np.asarray(np.eye(len(self._row))[0])
        u = least_norm(np.array(self._signed))
        return np.asarray(u / np.linalg.norm(u))

    def _margin_with(self, signed: Floats) -> float:
        u = least_norm(np.array([*self._signed, signed]))
        # The solver's own rounding must not cost the promise.
        return (1.0 - 1e-10) / float(np.linalg.norm(u)) if np.isfinite(u).all() else 0.0


def least_norm(Z: Floats) -> Floats:
    """Return the u of least norm with Zu ≥ 1, or infinities where there is none.

    Lawson and Hanson's reduction of least-distance programming to non-negative least squares: with λ
    minimising ‖(Zᵀλ, Σλ − 1)‖ over λ ≥ 0 and r the residual, u = −r_1..d/r_{d+1}.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.theory.adversary import least_norm
    >>> least_norm(np.array([[2.0, 0.0], [2.0, 1.0]]))
    array([0.5, 0. ])
    """
    from scipy.optimize import nnls

    n, d = Z.shape
    E = np.vstack([Z.T, np.ones(n)])
    weights, _ = nnls(E, np.append(np.zeros(d), 1.0), maxiter=100 * (n + d))
    r = E @ weights - np.append(np.zeros(d), 1.0)
    u = -r[:d] / min(float(r[d]), -1e-300) + 0.0
    separates = r[d] < -1e-12 and (Z @ u >= 1.0 - 1e-6).all()
    return np.asarray(u) if separates else np.full(d, np.inf)


def slow_pair(margin: float) -> tuple[Floats, Floats]:
    """Return a two-dimensional set on which the Perceptron needs about R²/(2γ*²) updates (T3).

    Rows (γ, ½), (γ, −1), (γ, 1), all positive, visited in this order again and again: γ* = γ and
    R² = 1 + γ². The first puts w₂ at ½; then the other two take turns, w₂ = −½, ½, −½, …, while w₁
    grows by γ an update, until γ·w₁ > ½: after 1/(2γ²) updates and not before. So in two dimensions the
    bound R²/γ*² is met up to the factor ½, and can be as large as one likes.

    Parameters
    ----------
    margin : float, in (0, 0.5]
        γ*.

    Examples
    --------
    >>> import separatrix as sx
    >>> from separatrix.theory.adversary import slow_pair
    >>> X, y = slow_pair(0.125)
    >>> learner = sx.Perceptron(bias=False, passes="until-clean").fit(X, y)
    >>> learner.n_mistakes_, round(sx.bounds.repeated_passes((1 + 0.125**2) ** 0.5, 0.125))
    (33, 65)
    """
    gamma = inside("margin", margin, 0.0, 0.5, open_left=True)
    return np.array([[gamma, 0.5], [gamma, -1.0], [gamma, 1.0]]), np.array([1.0, 1.0, 1.0])


def slow_updates(margin: float) -> int:
    """Return the least number of updates that `slow_pair(margin)` takes: ⌊1/(2γ²)⌋.

    Parameters
    ----------
    margin : float, in (0, 0.5]
        γ*.

    Examples
    --------
    >>> from separatrix.theory.adversary import slow_updates
    >>> slow_updates(0.125)
    32
    """
    return math.floor(0.5 / inside("margin", margin, 0.0, 0.5, open_left=True) ** 2)
