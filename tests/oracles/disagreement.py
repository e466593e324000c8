"""Brute force for the fewest errors of any hyperplane, exactly, in rational arithmetic.

Every way in which a vector w can stand to the rows (the sign of each row·w) is a face of the
arrangement of the rows' planes. Each face touches a flat spanned by rows; on it, w is one of the two
directions of the line that d − 1 independent rows leave, moved off those rows by smaller and smaller
steps. `sign_vectors` lists them all by recursion: the signs on a plane, and those beside it.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product


def _orthogonal(rows: Sequence[Sequence[Fraction]], row: Sequence[Fraction]) -> list[list[Fraction]]:
    """The rows in coordinates of the plane row⊥, up to positive factors."""
    drop = next(j for j, v in enumerate(row) if v)
    sign = 1 if row[drop] > 0 else -1
    return [
        [
            sign * (row[drop] * v - other[drop] * r)
            for j, (v, r) in enumerate(zip(other, row, strict=True))
            if j != drop
        ]
        for other in rows
    ]


def sign_vectors(rows: Sequence[Sequence[Fraction]]) -> set[tuple[int, ...]]:
    """Every vector (sign(row·w) for each row) that some w makes."""
    if not rows:
        return {()}
    if not any(any(row) for row in rows):
        return {(0,) * len(rows)}
    found: set[tuple[int, ...]] = set()
    done: set[int] = set()
    for i, row in enumerate(rows):
        if not any(row) or i in done:
            continue
        below = sign_vectors(_orthogonal(rows, row))
        for signs in below:
            found.add(signs)
        # A step off the plane: rows that vanish on the flat reached are decided by it alone only if they
        # are parallel to `row`; any face beside the plane has such a face of the plane on its border, on
        # which no row but those parallel to `row` vanishes.
        parallel = {}
        for k, other in enumerate(rows):
            if not any(_orthogonal([other], row)[0]):
                lead = next(j for j, v in enumerate(row) if v)
                ratio = other[lead] * row[lead]
                parallel[k] = (ratio > 0) - (ratio < 0)
        done.update(k for k, s in parallel.items() if s)
        for signs in below:
            if all(s != 0 or k in parallel for k, s in enumerate(signs)):
                for step in (1, -1):
                    found.add(tuple(step * parallel[k] if k in parallel else s for k, s in enumerate(signs)))
    return found


def errors(scores: Iterable[int], labels: Iterable[int], weights: Iterable[Fraction], tie: str) -> Fraction:
    """The weight of the rows that a classifier with these scores gets wrong."""
    total = Fraction(0)
    for score, label, weight in zip(scores, labels, weights, strict=True):
        if tie == "mistake":
            wrong = score * label <= 0
        else:
            at_zero = 1 if tie == "positive" else -1
            wrong = (at_zero if score == 0 else score) * label <= 0
        total += weight if wrong else 0
    return total


def fewest_errors(
    X: Sequence[Sequence[float]],
    y: Sequence[int],
    *,
    bias: bool,
    tie: str,
    weights: Sequence[float] | None = None,
) -> Fraction:
    """The least weight of errors of any w (and b); a few rows in a few dimensions only."""
    rows = [[Fraction(v) for v in row] + ([Fraction(1)] if bias else []) for row in X]
    loads = [Fraction(v) for v in weights] if weights is not None else [Fraction(1)] * len(rows)
    return min(errors(signs, y, loads, tie) for signs in sign_vectors(rows))


def signs_by_sampling(rows: Sequence[Sequence[int]], reach: int) -> set[tuple[int, ...]]:
    """The sign vectors of all integer w with entries up to `reach`: a check of `sign_vectors` itself."""
    width = len(rows[0])
    return {
        tuple((s > 0) - (s < 0) for s in (sum(a * b for a, b in zip(row, w, strict=True)) for row in rows))
        for w in product(range(-reach, reach + 1), repeat=width)
    }
