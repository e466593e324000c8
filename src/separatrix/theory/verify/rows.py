"""The data as the claims speak of it: rows, their fingerprint, and products with a witness."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from separatrix.theory.verify.numbers import UnreadableError, nearest, number, sum_of_squares


class Rows(NamedTuple):
    """A batch: row i has `values` and `columns` from starts[i] to starts[i+1], `of` says which i is whose."""

    first: int  # number of the batch's first row, from 1
    y: np.ndarray
    starts: np.ndarray
    of: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    bias: bool

    def exact(self, i: int) -> dict[int, Fraction]:
        """Return row i as exact numbers by column; the appended 1 is column −1."""
        part = slice(self.starts[i], self.starts[i + 1])
        row = {
            int(j): Fraction(v) for j, v in zip(self.columns[part], self.values[part].tolist(), strict=True)
        }
        return {**row, -1: Fraction(1)} if self.bias else row

    def sum(self, entries: np.ndarray) -> np.ndarray:
        """Return sums of entries by row, added in any order."""
        sums = np.zeros(len(self.y))
        there = np.flatnonzero(self.starts[1:] > self.starts[:-1])
        if len(there):  # of the rows with entries each one ends where the next begins
            sums[there] = np.add.reduceat(entries, self.starts[there])
        return sums

    def sum_in_order(self, entries: np.ndarray) -> np.ndarray:
        """Return sums of entries by row, added in index order (bincount adds one after the other)."""
        return np.bincount(self.of, weights=entries, minlength=len(self.y))


class Vector:
    """A witness vector: exact by column, and rounded to doubles for the quick look."""

    def __init__(self, given: Any, columns: int, bias: bool) -> None:
        if not isinstance(given, dict) or set(given) != {"indices", "values", "bias"}:
            raise UnreadableError("a vector has indices, values and bias")
        at, values = given["indices"], given["values"]
        if at != sorted(set(at)) or len(at) != len(values) or not all(type(j) is int for j in at):
            raise UnreadableError("a vector's indices rise, one for each value")
        if at and not (at[0] >= 0 and at[-1] < columns < 2**28):
            raise UnreadableError(
                f"a vector's indices are at least 0 and below the data's columns, {columns}"
            )
        self.given = dict(zip(at, values, strict=True))
        self.bias = number(given["bias"])
        if self.bias and not bias:
            raise UnreadableError("a vector has a bias only where the data has")
        self.squared_norm = sum_of_squares(values) + self.bias * self.bias
        self.rounded = np.zeros(at[-1] + 2 if at else 1)  # the last place stays zero, for columns beyond
        self.rounded[at] = [nearest(v) for v in values]
        self.rounded_bias = nearest(given["bias"])
        plain = all(type(v) is float for v in values) and Fraction(self.rounded_bias) == self.bias
        self.grid = grid_of(np.append(self.rounded, self.rounded_bias)) if plain else None

    @cached_property
    def exact(self) -> dict[int, Fraction]:
        return {j: number(v) for j, v in self.given.items()}

    def dot(self, row: Mapping[int, Fraction]) -> Fraction:
        zero = Fraction(0)
        total = sum((v * number(self.given[j]) for j, v in row.items() if j in self.given), zero)
        return total + self.bias * row.get(-1, zero)

    def margins(self, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """Return lo ≤ y u·x ≤ hi by row; lo = hi only where the value is exactly that.

        A sum of k products in doubles, in any order, is within k·2^-53/(1 − k·2^-53)·Σ|products| of the
        true one, and roundings of u to doubles add 2^-53·Σ|products|; (k+4)·2^-52·Σ covers both, and the
        error of Σ itself, twice. 2^-1060 each covers underflow. On a grid (all values multiples of
        2^-g, all u of 2^-h, Σ|products| ≤ 2^(53−g−h)) every intermediate sum is a double: no error.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            weights = self.rounded[np.minimum(rows.columns, len(self.rounded) - 1)]
            products = rows.values * weights
            constant = self.rounded_bias
            s = rows.sum(products) + constant
            size = rows.sum(np.abs(products)) + abs(constant)
            # Not `size > 0`: products may all have underflowed.
            k = rows.sum((weights != 0.0).astype(float)) + (constant != 0.0)
            error = np.where(k > 0, (k + 4) * 2.0**-52 * size + k * 2.0**-1060, 0.0)
            grid = None if self.grid is None else grid_of(rows.values)
            if grid is not None and self.grid is not None:
                error[size <= 2.0 ** (53 - grid - self.grid)] = 0.0
            signed = rows.y * s
            lo, hi = signed - error, signed + error
            unknown = ~(np.isfinite(lo) & np.isfinite(hi))
            lo[unknown], hi[unknown] = -np.inf, np.inf
        return lo, hi


def grid_of(values: np.ndarray) -> int | None:
    """Return some g for which every value is a multiple of 2^-g, or None where a few are tried in vain."""
    for g in (0, 12, 26):
        for sample in (values[:64], values):  # a look at the first few spares most passes
            scaled = np.ldexp(sample, g)
            if not np.array_equal(scaled, np.rint(scaled)):
                break
        else:
            return g
    return None


def _unit(rows: Rows) -> np.ndarray:
    values = rows.values
    with np.errstate(over="ignore"):
        squares = rows.sum_in_order(values * values)
        extreme = ~((squares >= 1e-280) & (squares <= 1e280))[rows.of]
        if extreme.any():  # a power of two changes no digit
            tops = np.zeros(len(rows.y))
            np.maximum.at(tops, rows.of, np.abs(values))
            values = np.where(extreme, np.ldexp(values, 1 - np.frexp(tops[rows.of])[1]), values)
            squares = rows.sum_in_order(values * values)
    return np.asarray(values / np.sqrt(squares)[rows.of])


class Data:
    """Turns batches into rows, and counts and fingerprints what goes by."""

    def __init__(self, labels: Any, bias: bool, normalize: bool) -> None:
        self.labels, self.bias, self.normalize = labels, bias, normalize
        self.rows = self.columns = 0
        self.found: set[float] = set()
        self.digests = {name: hashlib.sha256() for name in ("labels", "lengths", "columns", "values")}

    def read(self, batches: Iterable[tuple[Any, Any]]) -> Iterator[Rows]:
        """Yield rows in pieces of a good size: NumPy's calls cost the same for few rows as for many."""
        kept: list[tuple[Any, np.ndarray]] = []
        entries = 0
        for part in self._tidied(batches):
            kept.append(part)
            entries += part[0].nnz + len(part[1])
            if entries > 1 << 18:
                yield self._rows(kept)
                kept, entries = [], 0
        if kept:
            yield self._rows(kept)

    def _tidied(self, batches: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, np.ndarray]]:
        for X, labels in batches:
            csr = sparse.csr_matrix(X)
            if not csr.has_canonical_format or (csr.data == 0).any():
                csr = csr.copy()
                csr.sum_duplicates()
                csr.eliminate_zeros()
            y = np.asarray(labels, dtype=np.float64) + 0.0  # −0.0 becomes 0.0
            if len(y) != csr.shape[0] or not (np.isfinite(csr.data).all() and np.isfinite(y).all()):
                raise UnreadableError(
                    f"rows {self.rows + 1} and on: expected finite numbers, a label for each row"
                )
            yield csr, y

    def _rows(self, parts: list[tuple[Any, np.ndarray]]) -> Rows:
        y = np.concatenate([labels for _, labels in parts])
        values = np.concatenate([csr.data for csr, _ in parts]).astype("<f8", copy=False)
        columns = np.concatenate([csr.indices for csr, _ in parts]).astype("<u4")
        lengths = np.concatenate([np.diff(csr.indptr) for csr, _ in parts]).astype("<u8")
        for name, array in (("labels", y), ("lengths", lengths), ("columns", columns), ("values", values)):
            self.digests[name].update(array.astype(array.dtype.newbyteorder("<"), copy=False).data)
        self.found.update(np.unique(y).tolist())
        if len(self.found) > 2:
            raise UnreadableError(f"expected two labels, found {sorted(self.found)[:3]}")
        starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        of = np.repeat(np.arange(len(y)), lengths.astype(np.int64))
        rows = Rows(self.rows + 1, self.signs(y), starts, of, columns.astype(np.int64), values, self.bias)
        self.rows += len(y)
        self.columns = max(self.columns, int(columns.max()) + 1 if len(columns) else 0)
        return rows._replace(values=_unit(rows)) if self.normalize else rows

    def signs(self, y: np.ndarray) -> np.ndarray:
        greater = max(self.labels) if len(self.labels) == 2 else 0.0
        return np.where(y >= greater if len(self.labels) == 2 else y > 0.0, 1.0, -1.0)

    def described(self) -> dict[str, Any]:
        whole = hashlib.sha256(b"separatrix rows 1")
        for digest in self.digests.values():
            whole.update(digest.digest())
        return {
            "sha256": whole.hexdigest(),
            "rows": self.rows,
            "columns": self.columns,
            "labels": sorted(self.found),
            "bias": self.bias,
            "normalize": self.normalize,
        }
