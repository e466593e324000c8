"""T11: is the data linearly separable, by how much, and what proves it."""

from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from typing import Any, Literal

import numpy as np

from separatrix._native import separate as native_separate
from separatrix.errors import InputError
from separatrix.theory.signed import flag, rows_of, signs_of

Answer = Literal["separable", "weakly separable", "not separable"]


@dataclass(frozen=True, repr=False)
class Separation:
    """The answer of `separate`, and what proves it.

    With ``z_i = y_i (x_i, 1)`` (or ``y_i x_i`` without a bias), rows counted from 0.

    Examples
    --------
    >>> import separatrix as sx
    >>> found = sx.separate([[0.0], [1.0], [2.0]], [-1, 1, -1])
    >>> found.answer, found.verified
    ('not separable', 'exact')
    """

    answer: Answer
    """"separable": some w has z_i·w > 0 on every row. "weakly separable": none has, but some w has z_i·w >= 0
    on every row and > 0 on at least one. "not separable": neither."""
    verified: Literal["exact", "numerical"]
    """"exact": the answer is proved in exact arithmetic on the floats of the data. "numerical": the sizes
    were beyond what is settled exactly; a margin's bounds and a conflict are proved still, where given."""
    margin: float | None
    """The largest margin γ*, rounded down: `w` attains it. None if there is none, or with `only_decide`."""
    margin_bounds: tuple[float, float] | None
    """Proved bounds, low <= γ* <= high; the first is `margin`."""
    radius: float
    """R, the largest norm of a z_i."""
    updates_bound: float | None
    """R²/γ*², the most updates of a Perceptron on this data, in any order (T2, T3). None, too, where that is
    beyond doubles."""
    w: tuple[float | int, ...] | None
    """The separator's weights, the bias left out: floats, or integers (exact, of any common scale) where
    floats are too coarse. Strict if separable, weak if weakly separable."""
    intercept: float | int | None
    """The bias of the separator; 0 without a bias."""
    support_rows: tuple[int, ...]
    """Rows that hold the largest margin."""
    support_weights: tuple[Fraction, ...] = field(repr=False)
    """Their weights: ‖Σ weight z‖ / Σ weight is the upper bound on the margin."""
    conflict_rows: tuple[int, ...]
    """Rows that no w satisfies together, at most one more than the columns (the bias's counted)."""
    conflict_weights: tuple[Fraction, ...] = field(repr=False)
    """Positive, of sum 1, with Σ weight z = 0 exactly."""
    labels: tuple[Any, Any]
    """The two labels; the second is +1."""
    bias: bool
    normalize: bool
    cycles: int = field(repr=False)
    """Major cycles of Wolfe's method."""
    passes: int = field(repr=False)
    """Its passes over all rows."""

    def __repr__(self) -> str:
        parts = [repr(self.answer), f"verified={self.verified!r}"]
        if self.margin is not None:
            parts += [f"margin={self.margin:.6g}", f"support_rows={len(self.support_rows)}"]
        if self.conflict_rows:
            parts.append(f"conflict_rows={len(self.conflict_rows)}")
        return f"Separation({', '.join(parts)})"

    @property
    def separable(self) -> bool:
        """Whether some w puts every row strictly on its side."""
        return self.answer == "separable"

    def claim(self) -> tuple[str, dict[str, Any]] | None:
        """Return the theorem and the witness of a certificate, as `Certificate.make` takes them.

        None where the answer is only numerical. Rows are counted from 1 there; numbers are floats or "p/q".

        Examples
        --------
        >>> import separatrix as sx
        >>> theorem, witness = sx.separate([[0.0], [1.0], [2.0]], [1, 0, 1]).claim()
        >>> theorem, witness["rows"], witness["weights"]
        ('T11 not separable', [1, 2, 3], ['1/4', '1/2', '1/4'])
        """
        if self.verified != "exact":
            return None
        witness: dict[str, Any] = {}
        if self.w is not None:
            kept = [(j, v) for j, v in enumerate(self.w) if v]
            plain = [v if isinstance(v, float) else f"{v}/1" for v in (*(v for _, v in kept), self.intercept)]
            witness["u"] = {"indices": [j for j, _ in kept], "values": plain[:-1], "bias": plain[-1]}
        rows, weights = self.conflict_rows, self.conflict_weights
        theorem = f"T11 {self.answer}"
        if self.answer == "separable" and self.support_rows:
            theorem = "T11 margin"
            rows, weights = self.support_rows, self.support_weights
        if rows:
            witness["rows"] = [row + 1 for row in rows]
            witness["weights"] = [fraction_text(weight) for weight in weights]
        return theorem, witness

    def certificate(self, X: Any, y: Any) -> Any:
        """Return the `Certificate` that proves the answer on its data, which is needed again.

        Raises
        ------
        InputError
            The answer is only numerical, or the data is not that of the answer.
        """
        claim = self.claim()
        if claim is None:
            raise InputError("this answer is numerical: the data is too large for it to be certified")
        make = import_module("separatrix.theory.certificate").Certificate.make
        return make(*claim, X, y, bias=self.bias, normalize=self.normalize)


def proof(X: Any, y: Any, *, bias: bool, normalize: bool) -> Any:
    """Return the certificate of `separate`'s answer; None where it is numerical, or y has one label only."""
    if len(np.unique(y)) < 2:
        return None
    found = separate(X, y, bias=bias, normalize=normalize)
    return found.certificate(X, y) if found.verified == "exact" else None


def fraction_text(value: Fraction) -> str:
    """Return "p/q" with all digits, however many: Python refuses to print very long integers by `str`."""
    return f"{_digits(value.numerator)}/{_digits(value.denominator)}"


def _digits(value: int) -> str:
    # Below the smallest limit that can be set (sys.set_int_max_str_digits), and cut in halves above it.
    if value.bit_length() < 2000:
        return str(value)
    half = int(value.bit_length() * 0.30103 / 2)
    high, low = divmod(value, 10**half)
    return _digits(high) + _digits(low).zfill(half)


def separate(
    X: Any, y: Any, *, bias: bool = True, normalize: bool = False, only_decide: bool = False
) -> Separation:
    """Decide whether data is linearly separable, find its largest margin, and prove both (T11).

    With ``z_i = y_i (x_i, 1)`` let p be the point of conv{z_i} nearest to the origin. If p ≠ 0, the data is
    separable, ‖p‖ is the largest margin and p/‖p‖ attains it. If p = 0, it is not, and the weights of p are
    the proof. p is found by Wolfe's method; every answer is then proved in exact arithmetic on the floats.

    Parameters
    ----------
    X : array or sparse matrix of shape (rows, columns)
        Finite numbers.
    y : sequence of length rows
        Two different labels; the greater is +1.
    bias : bool
        Append a constant 1 to each row; margins are then those of the longer rows.
    normalize : bool
        Scale each row to unit length first (before the constant); the rounded unit rows are then the data.
    only_decide : bool
        Stop at yes or no: faster, and without a margin.

    Returns
    -------
    Separation

    Raises
    ------
    InputError
        X is not finite, y has not two labels, or their lengths differ.
    UsageError
        A parameter is not True or False.

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.separate([[0.0, 0.0], [3.0, 4.0]], [-1, 1], bias=True)
    Separation('separable', verified='exact', margin=0.928477, support_rows=2)
    >>> found = sx.separate([[0.0], [1.0], [2.0]], ["no", "yes", "no"])
    >>> found.answer, found.conflict_rows, [str(v) for v in found.conflict_weights]
    ('not separable', (0, 1, 2), ['1/4', '1/2', '1/4'])
    """
    bias, normalize, only_decide = (
        flag("bias", bias),
        flag("normalize", normalize),
        flag("only_decide", only_decide),
    )
    signs, labels = signs_of(y)
    found = native_separate(rows_of(X, signs, normalize), signs, bias, only_decide)
    w, intercept = _separator(found["w"], bias)
    total = sum(found["conflict_weights"])
    bounds = found["margin"]
    margin = bounds[0] if bounds else None
    return Separation(
        answer=found["answer"],
        verified="exact" if found["exact"] else "numerical",
        margin=margin,
        margin_bounds=bounds,
        radius=found["radius"],
        updates_bound=_updates_bound(found["radius"], margin) if margin else None,
        w=w,
        intercept=intercept,
        support_rows=tuple(found["support_rows"]) if bounds else (),
        support_weights=tuple(map(_weight, found["support_weights"])) if bounds else (),
        conflict_rows=tuple(found["conflict_rows"]),
        conflict_weights=tuple(Fraction(weight, total) for weight in found["conflict_weights"]),
        labels=labels,
        bias=bias,
        normalize=normalize,
        cycles=found["cycles"],
        passes=found["passes"],
    )


def _updates_bound(radius: float, margin: float) -> float | None:
    ratio = radius / margin
    return ratio * ratio if ratio < 1e154 else None


def _weight(found: int | tuple[float, float]) -> Fraction:
    return Fraction(found) if isinstance(found, int) else Fraction(found[0]) + Fraction(found[1])


def _separator(found: Any, bias: bool) -> tuple[tuple[float | int, ...] | None, float | int | None]:
    if found is None:
        return None, None
    numbers = found.tolist() if isinstance(found, np.ndarray) else list(found)
    return (
        (tuple(numbers[:-1]), numbers[-1])
        if bias
        else (tuple(numbers), 0.0 if isinstance(found, np.ndarray) else 0)
    )
