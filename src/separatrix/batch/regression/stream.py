"""Least squares in one pass and constant memory, by QR of row blocks (TSQR), with exact merging.

Rows of [1 X y] are gathered into blocks of :data:`BLOCK`, each reduced to its triangle by LAPACK's QR,
and triangles are paired as in a binary counter: block 2i with block 2i + 1, then pairs of pairs. Which
blocks are paired depends on row numbers alone, not on how the rows arrived. So a state keeps the triangles
of the largest such pairs within its range of rows, and the rows at both ends that fill no block; and two
states that are told where they stand (`first_row`) combine to the same bits as one state that saw both
streams, wherever the cut was. At most 2·log₂(blocks) triangles and two blocks of rows are kept.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import lapack

from separatrix.batch.regression.facts import EPSILON, dependent_columns
from separatrix.batch.regression.problem import Floats, check_triangle
from separatrix.errors import InputError, UsageError

BLOCK = 4096


@dataclass
class TriangularState:
    """The rows of [1 X y] from `first_row` on, up to an orthogonal transformation."""

    features: int
    targets: int
    first_row: int = 0
    rows: int = 0
    weight: float = 0.0
    head: list[Floats] = field(default_factory=list)
    """Rows before the first block boundary."""
    nodes: list[tuple[int, int, Floats]] = field(default_factory=list)
    """(level, index, triangle): rows index·2^level·BLOCK and on, 2^level blocks of them."""
    tail: list[Floats] = field(default_factory=list)
    """Rows after the last block boundary."""

    @property
    def width(self) -> int:
        """Columns of a triangle: one for the intercept, the features, the targets."""
        return 1 + self.features + self.targets

    def add(self, X: Any, y: Floats, weights: Floats | None = None) -> None:
        """Take in rows."""
        check_triangle(max(int(X.shape[1]), self.features))
        if X.shape[1] > self.features:
            self.widen(int(X.shape[1]))
        y = y[:, None] if y.ndim == 1 else y
        if y.shape[1] != self.targets:
            raise InputError(f"expected {self.targets} target columns, found {y.shape[1]}")
        if not np.isfinite(y).all() or not np.isfinite(X.data if sparse.issparse(X) else X).all():
            raise InputError("X and y must be finite")
        for start in range(0, X.shape[0], BLOCK):
            part = slice(start, start + BLOCK)
            some = X[part].toarray() if sparse.issparse(X) else X[part]
            rows = np.empty((len(some), self.width), order="F")
            rows[:, 0] = 1.0
            rows[:, 1 : 1 + some.shape[1]] = some
            rows[:, 1 + some.shape[1] : 1 + self.features] = 0.0
            rows[:, 1 + self.features :] = y[part]
            if weights is not None:
                rows *= np.sqrt(weights[part])[:, None]
                self.weight += float(weights[part].sum())
            else:
                self.weight += len(rows)
            self._append(rows)

    def widen(self, features: int) -> None:
        """Have more features, which were zero in all rows so far."""
        at, more = 1 + self.features, features - self.features

        def wider(rows: Floats) -> Floats:
            return np.insert(rows, [at] * more, 0.0, axis=1)

        self.head, self.tail = [wider(r) for r in self.head], [wider(r) for r in self.tail]
        self.nodes = [(level, i, np.insert(wider(R), [at] * more, 0.0, axis=0)) for level, i, R in self.nodes]
        self.features = features

    def _append(self, rows: Floats) -> None:
        while len(rows):
            position = self.first_row + self.rows
            room = BLOCK - position % BLOCK
            now, rows = rows[:room], rows[room:]
            self.rows += len(now)
            before_boundary = self.first_row % BLOCK != 0 and position // BLOCK == self.first_row // BLOCK
            (self.head if before_boundary else self.tail).append(now)
            if not before_boundary and (self.first_row + self.rows) % BLOCK == 0:
                block = self.tail[0] if len(self.tail) == 1 else np.vstack(self.tail)
                self.tail = []
                self._push(0, position // BLOCK, triangle(block))

    def _push(self, level: int, index: int, R: Floats) -> None:
        """Put a triangle at the right end, pairing as long as its left neighbour is its sibling."""
        while self.nodes and index % 2 == 1 and self.nodes[-1][:2] == (level, index - 1):
            R = triangle(np.vstack([self.nodes.pop()[2], R]))
            level, index = level + 1, index // 2
        self.nodes.append((level, index, R))

    def merge(self, other: "TriangularState") -> None:
        """Take in the rows of another state, which must begin where this one ends (or at row 0).

        If it begins where this one ends, the result is that of one stream, to the bit. A state that begins
        at row 0 does not know where it stands: its triangles are added as they are, which is as
        accurate, but not the same bits.
        """
        if self.targets != other.targets:
            raise UsageError(
                f"states to merge need as many targets, found {self.targets} and {other.targets}"
            )
        if other.features > self.features:
            self.widen(other.features)
        other = other.copy()
        if other.features < self.features:
            other.widen(self.features)
        if other.first_row == self.first_row + self.rows:
            weight = self.weight + other.weight
            for rows in other.head:
                self._append(rows)
            for level, index, R in other.nodes:
                self._push(level, index, R)
                self.rows += BLOCK << level
            for rows in other.tail:
                self._append(rows)
            self.weight = weight
            return
        if other.first_row != 0:
            raise UsageError(
                f"first_row of the state to merge must be {self.first_row + self.rows}, where this one ends, "
                f"or 0 if it is not known, but is {other.first_row}"
            )
        self.nodes.insert(0, (62, 0, other.reduced()))
        self.rows, self.weight = self.rows + other.rows, self.weight + other.weight
        # Rows no longer tell where a block begins: what was pending is reduced and numbering starts anew.
        whole = self.reduced()
        self.head, self.tail, self.nodes = [], [], [(62, 0, whole)]
        self.first_row = -self.rows % BLOCK

    def copy(self) -> "TriangularState":
        """Return a state that shares no list with this one."""
        return TriangularState(
            self.features,
            self.targets,
            self.first_row,
            self.rows,
            self.weight,
            list(self.head),
            list(self.nodes),
            list(self.tail),
        )

    def reduced(self) -> Floats:
        """Return the triangle of all rows."""
        parts = [*self.head, *[R for _, _, R in self.nodes], *self.tail]
        if not parts:
            return np.zeros((self.width, self.width))
        return triangle(np.vstack(parts))


def triangle(rows: Floats) -> Floats:
    """Return R of a QR factorisation, square."""
    width = rows.shape[1]
    if len(rows) < width:
        rows = np.vstack([rows, np.zeros((width - len(rows), width))])
    factored, _, _, info = lapack.dgeqrf(np.asfortranarray(rows), lwork=64 * width)
    if info != 0 or not np.isfinite(factored[:width]).all():
        raise InputError("the squares of the values overflow a double")
    return np.triu(factored[:width])


@dataclass(frozen=True)
class StreamSolution:
    """What a triangle says of the coefficients."""

    theta: Floats
    rmse: Floats
    rank: int
    degrees_of_freedom: float
    eigenvalues: Floats
    condition: float
    solver: str
    dependent: tuple[int, ...]


def solve_triangle(
    state: TriangularState, alpha: float, *, intercept: bool, penalize_intercept: bool
) -> StreamSolution:
    """Solve least squares or ridge from a state's triangle; the intercept comes last in θ."""
    with np.errstate(all="ignore"):
        return _solve_triangle(state, alpha, intercept=intercept, penalize_intercept=penalize_intercept)


def _solve_triangle(
    state: TriangularState, alpha: float, *, intercept: bool, penalize_intercept: bool
) -> StreamSolution:
    R = state.reduced()
    d, D = state.features, state.features + 1
    if not intercept:
        R = triangle(R[:, 1:])
        D = d
    A, t = R[:, :D], R[:, D:]
    centred = intercept and not penalize_intercept
    if alpha > 0:
        penalty = np.full(D, np.sqrt(alpha))
        if centred:
            penalty[0] = 0.0
        pulled = np.vstack([R, np.hstack([np.diag(penalty), np.zeros((D, state.targets))])])
        pulled = triangle(pulled)
    else:
        pulled = R
    root, moments = pulled[:D, :D], pulled[:D, D:]
    tolerance = max(state.rows, D) * EPSILON
    if dependent_columns(root, tolerance):
        # The intercept stands first, so that the rest of the triangle is centred.
        first = int(centred)
        left, values, right = linalg.svd(root[first:, first:], full_matrices=False)
        kept = values > (values[0] if len(values) else 0.0) * tolerance
        part = right[kept].T @ ((left[:, kept].T @ moments[first:]) / values[kept, None])
        theta, solver, condition = part, "tsqr, svd", float("inf")
        if centred:
            theta = np.vstack([(moments[:1] - root[:1, 1:] @ part) / root[0, 0], part])
    else:
        theta, solver = linalg.solve_triangular(root, moments), "tsqr"
        singular = linalg.svdvals(root)
        condition = float(singular[0] / singular[-1])
    dependent = dependent_columns(A, tolerance)
    rank = D - len(dependent)
    # BLAS's norms neither over- nor underflow.
    left_over = np.array([linalg.norm(r, check_finite=False) for r in (t - A @ theta).T])
    rmse = left_over / np.sqrt(state.weight)
    values = np.sort(linalg.svdvals(A[1:, 1:] if centred else A) ** 2)
    freedom = float(rank)
    if alpha > 0:
        freedom = float((values / (values + alpha)).sum()) + int(centred)
    if intercept:
        theta = np.vstack([theta[1:], theta[:1]])
    names = tuple(j - int(intercept) for j in dependent)
    return StreamSolution(theta, rmse, rank, freedom, values, condition, solver, names)
