"""Pictures of runs and bounds; needs matplotlib (`pip install 'separatrix[plot]'`).

Each function returns a matplotlib Figure, drawn without a display; `figure.savefig("picture.png")` keeps it.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from separatrix.errors import UsageError
from separatrix.theory.rows import Floats, Game

_POSITIVE, _NEGATIVE, _INK, _GREY = "#1f6fb4", "#d1602b", "#222222", "#8a8a8a"
_BOUNDS = ("#2a8c56", "#8a5cc0", "#b8860b", "#c2457b")


def _figure(panels: int, width: float = 7.0, height: float = 4.6) -> tuple[Any, Sequence[Any]]:
    try:
        from matplotlib.figure import Figure
    except ImportError as e:
        raise UsageError("pictures need matplotlib: pip install 'separatrix[plot]'") from e
    figure = Figure(figsize=(width if panels == 1 else 5.6 * panels, height), layout="constrained", dpi=150)
    axes = np.atleast_1d(figure.subplots(1, panels)).tolist()
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def mistakes(X: Any, y: Any, *, bias: bool = True, normalize: bool = False, seconds: float = 2.0) -> Any:
    """Draw the Perceptron's mistakes against its bounds as rounds go by.

    The bounds use one comparator, found on all rows (`separatrix.comparator`, and the widest separator
    if there is one); after t rounds each is that of the first t rows, so it holds at every t.

    Parameters
    ----------
    X : array or sparse matrix of shape (rows, columns)
        The rows, in the order in which they are played.
    y : array of two labels
        The greater is +1.
    bias : bool
        Whether a 1 is appended to every row.
    normalize : bool
        Whether each row is divided by its norm first.
    seconds : float, positive
        When to stop searching for comparators.
    """
    from separatrix.theory.comparator import search, separator

    game = Game.of(X, y, bias=bias, normalize=normalize)
    figure, (ax,) = _figure(1)
    t = np.arange(1, len(game.signs) + 1)
    squares = np.asarray(game.rows.multiply(game.rows).sum(axis=1)).ravel() + float(bias)
    radii = np.maximum.accumulate(squares)
    found = search(game, seconds=0.7 * seconds)
    wide = separator(game, 0.3 * seconds)
    wrong = _mistaken(game)
    made = np.cumsum(wrong)
    m = game.margins(found.u, found.bias_weight)
    hinge, on_mistakes = np.maximum(0.0, 1.0 - m), np.where(wrong, np.maximum(0.0, 1.0 - m), 0.0)
    A, H = radii * found.norm**2, np.cumsum(hinge)
    curves = {
        "T4b  any data": ((np.sqrt(A) + np.sqrt(A + 4.0 * H)) / 2.0) ** 2,
        "T4c  any data, simple": A + 2.0 * H,
        "T4a  on this run": np.cumsum(on_mistakes)
        + found.norm * np.sqrt(np.cumsum(np.where(wrong, squares, 0.0))),
    }
    if wide is not None:
        least = np.minimum.accumulate(game.margins(wide.u, wide.bias_weight))
        curves["T2  separable"] = radii * wide.norm**2 / least**2
    for (name, curve), color in zip(curves.items(), _BOUNDS, strict=False):
        ax.plot(t, curve, color=color, linewidth=1.4, label=f"{name}: {int(curve[-1]):,}")
    ax.step(t, made, where="post", color=_INK, linewidth=2.0, label=f"mistakes: {int(made[-1]):,}")
    ax.plot(t, t, color=_GREY, linewidth=0.8, linestyle=":", label="every round a mistake")
    # A bound far above T4b's would squeeze the rest flat: the legend has its figure.
    tops = [float(c[-1]) for c in curves.values() if c[-1] <= 2.0 * curves["T4b  any data"][-1]]
    ax.set_ylim(0.0, 1.3 * max(*tops, float(made[-1]) + 1.0))
    ax.set_xlim(0, len(t))
    ax.set_xlabel("rounds")
    ax.set_ylabel("mistakes")
    ax.set_title("The Perceptron's mistakes, and what it could have been made to make", fontsize=11)
    ax.legend(frameon=False, fontsize=9, loc="upper left", ncols=2)
    return figure


def _mistaken(game: Game) -> Any:
    """Return which rounds of one pass in file order are the Perceptron's mistakes."""
    import separatrix as sx

    learner = sx.Perceptron(bias=game.bias, n_features=max(1, int(game.rows.shape[1])))
    starts, indices, values = game.rows.indptr, game.rows.indices, game.rows.data
    labels = game.signs.astype(int).tolist()
    rows = ((indices[a:b], values[a:b]) for a, b in pairwise(starts.tolist()))
    return np.array([learner.learn_one(x, label) for x, label in zip(rows, labels, strict=True)], dtype=bool)


def plane(X: Any, y: Any, *, bias: bool = True, max_passes: int = 200) -> Any:
    """Draw two-dimensional rows, the Perceptron's line and margin, and the path of its updates.

    Left: rows, the line of every hypothesis held on the way (faint to strong), and the last line with its
    margin. Right: the weights' path, an arrow an update.

    Parameters
    ----------
    X : array or sparse matrix of shape (rows, 2)
        The rows.
    y : array of two labels
        The greater is +1.
    bias : bool
        Whether a 1 is appended to every row.
    max_passes : int, at least 1
        When to stop if no pass is clean.
    """
    game = Game.of(X, y, bias=bias, normalize=False)
    if game.rows.shape[1] > 2:
        raise UsageError(f"X should have two columns, but has {game.rows.shape[1]}")
    rows = np.zeros((len(game.signs), 3))
    rows[:, : game.rows.shape[1]] = game.rows.toarray()
    rows[:, 2] = float(bias)
    path, clean = _updates(rows, game.signs, max_passes)
    figure, (left, right) = _figure(2)
    signs = game.signs
    for sign, color, marker in ((1.0, _POSITIVE, "o"), (-1.0, _NEGATIVE, "s")):
        part = rows[signs == sign]
        left.scatter(
            part[:, 0],
            part[:, 1],
            c=color,
            marker=marker,
            s=28,
            zorder=3,
            label=f"y = {int(sign):+d}",
            alpha=0.9,
        )
    low, high = rows[:, :2].min(axis=0), rows[:, :2].max(axis=0)
    pad = 0.15 * np.maximum(high - low, 1e-9)
    left.set_xlim(low[0] - pad[0], high[0] + pad[0])
    left.set_ylim(low[1] - pad[1], high[1] + pad[1])
    shown = path[1:] if len(path) <= 60 else path[1 :: len(path) // 60]
    for i, w in enumerate(shown[:-1]):
        _line(left, w, 0.0, color=_GREY, alpha=0.3 + 0.5 * i / len(shown), linewidth=0.8)
    last = path[-1]
    length = float(np.linalg.norm(last[:2]))
    least = float((signs * (rows @ last)).min())
    if length > 0.0:
        _line(left, last, 0.0, color=_INK, linewidth=2.0)
        if least > 0.0:
            for side in (-1.0, 1.0):
                _line(left, last, side * least, color=_INK, linewidth=0.9, linestyle="--")
    state = (
        f"separated, distance {least / length:.3g}"
        if least > 0.0 and length > 0.0
        else f"no clean pass in {max_passes}"
    )
    left.set_title(
        f"{len(path) - 1} updates; {state if clean else f'no clean pass in {max_passes}'}", fontsize=11
    )
    left.set_xlabel("x₁")
    left.set_ylabel("x₂")
    left.legend(frameon=False, fontsize=9)
    from matplotlib.ticker import MaxNLocator

    steps = np.array(path)
    right.plot(steps[:, 0], steps[:, 1], color=_GREY, linewidth=0.7)
    colors = np.arange(len(steps))
    marks = right.scatter(steps[:, 0], steps[:, 1], c=colors, cmap="viridis", s=18, zorder=3)
    right.scatter(*steps[0, :2], marker="x", color=_INK, zorder=4)
    figure.colorbar(marks, ax=right, label="updates", ticks=MaxNLocator(integer=True))
    right.set_title("the path of the weights from 0 (×)", fontsize=11)
    right.set_xlabel("w₁")
    right.set_ylabel("w₂")
    return figure


def _updates(rows: Floats, signs: Floats, max_passes: int) -> tuple[list[Floats], bool]:
    """Return the Perceptron's weights after each update, and whether the last pass was clean."""
    path = [np.zeros(rows.shape[1])]
    for _ in range(max_passes):
        before = len(path)
        for x, y in zip(rows, signs, strict=True):
            if y * (path[-1] @ x) <= 0.0:
                path.append(path[-1] + y * x)
        if len(path) == before:
            return path, True
    return path, False


def _line(ax: Any, w: Floats, level: float, **style: Any) -> None:
    """Draw where w·(x, 1) is the level."""
    square = float(w[0] ** 2 + w[1] ** 2)
    if square > 0.0:
        foot = (level - w[2]) / square * w[:2]
        ax.axline(foot, foot + np.array([-w[1], w[0]]), zorder=2, **style)


def margins(X: Any, y: Any, u: Any, *, bias_weight: float = 0.0, normalize: bool = False) -> Any:
    """Draw the histogram of margins y u·x / ‖u‖.

    Parameters
    ----------
    X : array or sparse matrix of shape (rows, columns)
        The rows.
    y : array of two labels
        The greater is +1.
    u : array of shape (columns,)
        A separator, or any vector that is not 0.
    bias_weight : float
        The weight of an appended 1; with 0 none is appended.
    normalize : bool
        Whether each row is divided by its norm first.
    """
    u = np.asarray(u, dtype=np.float64)
    length = float(np.linalg.norm(np.append(u, bias_weight)))
    if not length > 0.0:
        raise UsageError("u should not be 0")
    game = Game.of(X, y, bias=bias_weight != 0.0, normalize=normalize)
    m = game.margins(u, bias_weight) / length
    figure, (ax,) = _figure(1)
    low, high = float(m.min()), float(m.max())
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # all but equal: too near for bars between them
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, min(60, max(10, len(m) // 10)) + 1)
    edges = np.unique(np.append(edges, 0.0))  # so that no bar mixes right with wrong
    ax.hist(m[m <= 0.0], bins=edges, color=_NEGATIVE, label=f"wrong side or on it: {int((m <= 0.0).sum()):,}")
    ax.hist(m[m > 0.0], bins=edges, color=_POSITIVE, label=f"right side: {int((m > 0.0).sum()):,}")
    ax.axvline(0.0, color=_INK, linewidth=1.0)
    least = float(m.min())
    ax.axvline(least, color=_INK, linewidth=1.0, linestyle="--", label=f"least margin: {least:.4g}")
    ax.set_xlabel("margin  y u·x / ‖u‖")
    ax.set_ylabel("rows")
    ax.set_ylim(top=1.25 * ax.get_ylim()[1])
    ax.set_title(f"Margins of {len(m):,} rows", fontsize=11)
    ax.legend(frameon=False, fontsize=9)
    return figure


def irrelevant(*, relevant: int = 3, rows: int = 2000, largest: int = 1024, seed: int = 0) -> Any:
    """Draw mistakes of Perceptron and Winnow on a disjunction as irrelevant columns are added.

    Parameters
    ----------
    relevant : int, at least 1
        Columns in the disjunction.
    rows : int, at least 1
        Rounds of each game.
    largest : int, at least 2·relevant
        The greatest number of columns.
    seed : int, at least 0
        Of the data.
    """
    import separatrix as sx

    if largest < 2 * relevant:
        raise UsageError(f"largest should be at least 2·relevant, {2 * relevant}, but is {largest}")
    sizes = sorted({round(v) for v in np.geomspace(2 * relevant, largest, 9)})
    made: dict[str, list[int]] = {"Perceptron": [], "p-norm, p = 2 ln n": [], "Winnow": []}
    for n in sizes:
        X, y = sx.generate("disjunction", rows=rows, columns=n, relevant=relevant, density=0.3, seed=seed)
        made["Perceptron"].append(sx.Perceptron().fit(X, y).n_mistakes_)
        made["p-norm, p = 2 ln n"].append(sx.PNormPerceptron(p="auto").fit(X, y).n_mistakes_)
        made["Winnow"].append(sx.Winnow(factor=2.0).fit(X, y).n_mistakes_)
    figure, (ax,) = _figure(1)
    for (name, counts), color, marker in zip(
        made.items(), (_POSITIVE, "#2a8c56", _NEGATIVE), "os^", strict=True
    ):
        ax.plot(sizes, counts, color=color, marker=marker, markersize=5, linewidth=1.6, label=name)
    bound = [sx.bounds.winnow_disjunction(n, relevant, "halving") for n in sizes]
    ax.plot(sizes, bound, color=_NEGATIVE, linewidth=1.0, linestyle="--", label="Winnow's bound (T6)")
    ax.set_xscale("log", base=2)
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel("columns, of which only " + str(relevant) + " matter")
    ax.set_ylabel(f"mistakes in {rows:,} rounds")
    ax.set_title(f"A disjunction of {relevant} variables among more and more others", fontsize=11)
    ax.legend(frameon=False, fontsize=9)
    return figure


def xor(*, passes: int = 12) -> Any:
    """Draw XOR failing, and why: its rows, signed, average to zero; a product column mends it.

    Parameters
    ----------
    passes : int, at least 1
        How many passes of the Perceptron are drawn.
    """
    corners = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    signs = corners[:, 0] * corners[:, 1]
    plain = np.hstack([corners, np.ones((4, 1))])
    lifted = np.hstack([plain, signs[:, None]])
    figure, (left, middle, right) = _figure(3, height=4.4)
    path, _ = _updates(plain, signs, passes)
    for sign, color, marker in ((1.0, _POSITIVE, "o"), (-1.0, _NEGATIVE, "s")):
        part = corners[signs == sign]
        left.scatter(
            part[:, 0], part[:, 1], c=color, marker=marker, s=70, zorder=3, label=f"y = {int(sign):+d}"
        )
    for w in path[1:]:
        _line(left, w, 0.0, color=_GREY, linewidth=0.8, alpha=0.5)
    left.set_xlim(-1.8, 1.8)
    left.set_ylim(-1.8, 1.8)
    left.set_aspect("equal")
    left.set_title("every line held is wrong somewhere", fontsize=11)
    left.legend(frameon=False, fontsize=9, loc="upper center", ncols=2)
    order = [0, 2, 1, 3]  # so that the four arrows go round
    signed = (signs[:, None] * plain)[order]
    offsets = accumulate(
        signed.tolist(), lambda a, b: [p + q for p, q in zip(a, b, strict=True)], initial=[0.0] * 3
    )
    walk = np.array(list(offsets))
    for a, b, at in zip(walk[:-1], walk[1:], order, strict=True):
        middle.annotate(
            "", xy=b[:2], xytext=a[:2], arrowprops={"arrowstyle": "-|>", "color": _POSITIVE, "lw": 1.8}
        )
        middle.text(
            *((a + b)[:2] / 2.0 + 0.08),
            f"{int(signs[at]):+d}·({corners[at, 0]:g}, {corners[at, 1]:g})",
            fontsize=9,
        )
    middle.scatter([0.0], [0.0], color=_INK, zorder=4)
    middle.set_xlim(-1.6, 1.9)
    middle.set_ylim(-0.6, 2.6)
    middle.set_aspect("equal")
    middle.set_title("why: ¼ of each y·(x, 1) sums to 0 (T11)", fontsize=11)
    for rows, color, name in ((plain, _NEGATIVE, "x₁, x₂, 1"), (lifted, _POSITIVE, "x₁, x₂, 1, x₁x₂")):
        counts = [len(_updates(rows, signs, k)[0]) - 1 for k in range(1, passes + 1)]
        right.plot(range(1, passes + 1), counts, marker="o", markersize=4, color=color, label=name)
    right.set_xlabel("passes")
    right.set_ylabel("updates so far")
    right.set_title("with the product as a column it ends", fontsize=11)
    right.legend(frameon=False, fontsize=9)
    return figure
