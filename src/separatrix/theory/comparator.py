"""The comparator u whose bound is the smallest: T4b and T9 hold for every u, so search, then prove.

Along the soft-margin path min ½‖u‖² + C·H(u), one-dimensional in C, a u that is smaller pays more hinge:
T4b weighs R‖u‖ against H(u), and its least value over all u is reached on that path. The solver is
native (dual coordinate descent, warm-started from C to C); each u it proposes is scaled to its best
length, and any of them is a valid witness however early the search was stopped.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix._native import hinge_path
from separatrix.data.arrays import native_matrix
from separatrix.errors import UsageError
from separatrix.theory.bounds import any_data, conjugate
from separatrix.theory.certificate import Certificate, vector
from separatrix.theory.rows import Floats, Game, norm


@dataclass(frozen=True)
class Comparator:
    """A vector u and what T4b (p = 2) or T9 (p > 2) says with it; made by `comparator`.

    The figures are doubles as they were computed; `certificate` derives the proved whole number.
    """

    u: Floats
    bias_weight: float
    p: float
    radius: float
    """R_p of the rows."""
    norm: float
    """‖u‖_q, 1/p + 1/q = 1."""
    hinge: float
    """H(u), over all rows."""
    least: float
    """min y u·x; above 0 where u separates."""
    bound: float
    """T4b's or T9's; for p = ∞ the right-hand side of T9's comparison, which has log n for p − 1."""
    bias: bool
    normalize: bool

    @property
    def separates(self) -> bool:
        """Whether y u·x > 0 in every row, as doubles see it; a T2 certificate proves it."""
        return self.least > 0.0

    @property
    def margin(self) -> float:
        """min y u·x / ‖u‖_q."""
        return self.least / self.norm if self.norm else 0.0

    def certificate(self, X: Any, y: Any, *, replay: str | None = None) -> Certificate:
        """Return the proof of the bound: T4b's for p = 2, T9's otherwise.

        Parameters
        ----------
        X : array or sparse matrix
            The rows that the comparator was found on.
        y : array of two labels
            Theirs.
        replay : {"mistake", "positive", "negative"}, optional
            Also state the mistakes of the Perceptron's one pass in file order, with this tie.
        """
        witness: dict[str, Any] = {"u": vector(self.u, self.bias_weight)}
        if self.p != 2.0:
            witness["p"] = self.p
        elif replay is not None:
            witness["replay"] = replay
        theorem = "T4b" if self.p == 2.0 else "T9"
        return Certificate.make(theorem, witness, X, y, bias=self.bias, normalize=self.normalize)


def comparator(
    X: Any,
    y: Any,
    *,
    bias: bool = False,
    normalize: bool = False,
    p: float = 2.0,
    seconds: float = 2.0,
    seed: int = 0,
) -> Comparator:
    """Search for the u with the smallest T4b bound, or T9's for p > 2.

    Parameters
    ----------
    X : array or sparse matrix of shape (rows, columns)
        The rows.
    y : array of two labels
        The greater is +1.
    bias : bool
        Whether a 1 is appended to every row.
    normalize : bool
        Whether each row is divided by its norm first.
    p : float, at least 2
        Of the p-norm Perceptron; 2 is the Perceptron.
    seconds : float, positive
        When to stop searching; what was found by then is returned.
    seed : int, not negative
        Of the order in which the solver visits rows.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.generate("separable", rows=200, columns=5, margin=0.5, seed=1)
    >>> found = sx.comparator(X, y)
    >>> found.separates, found.certificate(X, y).bound
    (True, 3)
    """
    conjugate(p)
    return search(Game.of(X, y, bias=bias, normalize=normalize), p=p, seconds=seconds, seed=seed)


def search(
    game: Game,
    *,
    p: float = 2.0,
    seconds: float = 2.0,
    seed: int = 0,
    proposals: Iterable[tuple[Floats, float]] = (),
) -> Comparator:
    """Do `comparator`'s work on rows that are ready; p may be infinite; more proposals are welcome."""
    if not seconds > 0.0:
        raise UsageError(f"seconds should be positive, but is {seconds!r}")
    matrix = native_matrix(game.rows if _is_sparse(game.rows) else game.rows.toarray())
    radius = game.radius(p)
    best = _fitted(game, np.zeros(game.rows.shape[1]), 0.0, p, radius)
    if radius == 0.0:
        return best
    scale = game.penalty_unit()
    for u, b in proposals:
        for w, c in _variants(np.append(u, b), p):
            best = min(best, _fitted(game, w, c, p, radius), key=lambda tried: tried.bound)

    def along(penalties: list[float], budget: float, tolerance: float) -> tuple[Comparator, float]:
        found, at = best, penalties[0]
        path = hinge_path(
            matrix,
            game.signs,
            penalties,
            bias=float(game.bias),
            tolerance=tolerance,
            passes=2000,
            seconds=budget,
            seed=seed,
        )
        for penalty, u, *_ in path:
            for w, b in _variants(u, p):
                tried = _fitted(game, w, b, p, radius)
                if tried.bound < found.bound:
                    found, at = tried, penalty
        return found, at

    # Below C = 1/(R²n) no hinge is paid off; the dual grows with C until it separates or ends in noise.
    coarse = [scale * 4.0**k for k in range(-int(np.log2(len(game.signs) + 1) / 2) - 1, 12)]
    best, at = along(coarse, 0.5 * seconds, 0.1)
    best, at = along([at / 4.0, *(at * 2.0 ** (k / 4) for k in range(-6, 7))], 0.3 * seconds, 0.01)
    best, _ = along([at / 2.0, *(at * 2.0 ** (k / 16) for k in range(-2, 3))], 0.2 * seconds, 0.001)
    return best


def norm_factor(p: float, columns: int) -> float:
    """Return √(p−1), or √ln n for p = ∞ (T9's comparison)."""
    return float(np.sqrt(np.log(max(columns, 2)) if np.isinf(p) else p - 1.0))


def dual(p: float) -> float:
    """Return q with 1/p + 1/q = 1, and 1 for ∞."""
    return 1.0 if np.isinf(p) else conjugate(p)


def separator(game: Game, seconds: float, seed: int = 0) -> Comparator | None:
    """Return the separating u of the largest margin on the soft-margin path as C grows, or None."""
    matrix = native_matrix(game.rows if _is_sparse(game.rows) else game.rows.toarray())
    radius = game.radius()
    if radius == 0.0:
        return None
    penalties = [4.0**k * game.penalty_unit() for k in range(2, 24)]
    path = hinge_path(
        matrix,
        game.signs,
        penalties,
        bias=float(game.bias),
        tolerance=0.01,
        passes=5000,
        seconds=seconds,
        seed=seed,
    )
    best: Comparator | None = None
    for _, u, *_ in path:
        w, b = u[:-1], float(u[-1])
        least = float(game.margins(w, b).min(initial=np.inf))
        if not 0.0 < least < np.inf:
            continue
        # At length 1/min y u·x no hinge is left, and the bound is T2's.
        tried = _measured(game, w / least, b / least, 2.0, radius)
        if tried.separates and (best is None or tried.margin > best.margin * 1.0001):
            best = tried
        elif best is not None:
            break  # a larger C gains nothing any more
    return best


def _is_sparse(rows: Any) -> bool:
    # Dense loops are several times as fast per entry as gathers.
    return bool(rows.nnz < 0.3 * rows.shape[0] * rows.shape[1])


def _variants(u: Floats, p: float) -> list[tuple[Floats, float]]:
    """Return the proposals that a path's u gives; for large p, whose ‖u‖_q is near ‖u‖₁, sparser ones too."""
    given = [(u[:-1], float(u[-1]))]
    if p == 2.0:
        return given
    sizes = np.sort(np.abs(u))
    for share in (0.5, 0.75, 0.9, 0.97):
        threshold = sizes[int(share * (len(sizes) - 1))]
        for kept in (
            np.sign(u) * np.maximum(np.abs(u) - threshold, 0.0),
            np.where(np.abs(u) > threshold, u, 0.0),
        ):
            given.append((kept[:-1], float(kept[-1])))
    return given


def _fitted(game: Game, u: Floats, bias_weight: float, p: float, radius: float) -> Comparator:
    """Return u at the length that makes its bound least.

    H(su) is piecewise linear in s with corners at 1/m for margins m > 0, so sorted margins and their
    running sums give it for every s at once. All corners are candidates (thinned where there are
    many), and so is s = 1/min m where u separates, which is T2.
    """
    m = game.margins(u, bias_weight)
    length = norm(u, bias_weight, dual(p))
    factor = norm_factor(p, game.columns)
    a = factor * radius * length
    scales = np.array([0.0])
    positive = np.sort(m[m > 0.0])
    if len(positive) and length > 0.0:
        corners = 1.0 / positive[np.unique(np.linspace(0, len(positive) - 1, 400).astype(int))]
        scales = np.concatenate([scales, corners, np.linspace(0.8, 1.25, 31)])
    order = np.sort(m)
    sums = np.concatenate([[0.0], np.cumsum(order)])
    below = np.array([np.searchsorted(order, 1.0 / s) if s > 0.0 else len(order) for s in scales])
    hinges = below - scales * sums[below]
    values = ((scales * a + np.sqrt((scales * a) ** 2 + 4.0 * np.maximum(hinges, 0.0))) / 2.0) ** 2
    best = int(np.argmin(values))
    w, b = scales[best] * u, float(scales[best] * bias_weight)
    # A coarse grid makes the checker's sums exact on whole-numbered data, and mostly costs nothing.
    grid = 2.0**26
    rounded = _measured(game, np.rint(w * grid) / grid, float(np.rint(b * grid) / grid), p, radius)
    return rounded if rounded.bound <= 1.0001 * values[best] else _measured(game, w, b, p, radius)


def _measured(game: Game, w: Floats, b: float, p: float, radius: float) -> Comparator:
    m = game.margins(w, b)
    hinge = float(np.maximum(0.0, 1.0 - m).sum())
    length = norm(w, b, dual(p))
    return Comparator(
        u=w,
        bias_weight=b,
        p=p,
        radius=radius,
        norm=length,
        hinge=hinge,
        least=float(m.min(initial=np.inf)) if len(m) else 0.0,
        bound=any_data(norm_factor(p, game.columns) * radius, length, hinge),
        bias=game.bias,
        normalize=game.normalize,
    )
