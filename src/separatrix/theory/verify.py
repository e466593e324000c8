"""Checks a certificate against the data it speaks of, trusting neither its maker nor any solver.

This one file is the whole checker. It imports nothing of Separatrix and uses three kinds of arithmetic:
whole numbers and fractions, which are exact; decimals of sixty digits for logarithms and powers; and
doubles with a proved bound on their error, whose answer counts only where that bound leaves no doubt.

A certificate is a JSON object. `theorem`, `assumption`, `witness`, `observed`, `bound`, `data`, `order`
and `version` are its claim, and `seal` the SHA-256 of the canonical JSON text of all that. To verify it:

    1. the seal must match, so that a number altered by hand or in transport is noticed;
    2. from the data, the witness and the two flags `bias` and `normalize` alone, derive every other
       field again: fingerprint, counts, labels, assumption, observed mistakes, bound;
    3. the claim must be that, digit by digit: neither smaller nor larger.

Step 2 reads the data once, in batches. The rows are those of the file with explicit zeros dropped;
with `normalize` each value is divided by its row's norm (squares added in index order, one square root,
one division, all in doubles), and the rounded quotients are the data; with `bias` a 1 is appended then.
The greater of two labels is +1.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

VERSION = 1
_COMPARATOR = "none: any u bounds the mistakes of one pass"
ASSUMPTIONS = {
    "T2": "y u·x > 0 in every row",
    "T3": "y u·x > 0 in every row, shown in any order, any number of times",
    "T4a": "none: the Perceptron's one pass in file order, replayed",
    "T4b": _COMPARATOR,
    "T4c": _COMPARATOR,
    "T6": "x in {0,1}^n, and y = +1 exactly where one of the variables is 1",
    "T7": "x in {0,1}^n, and y = +1 exactly where at least k of the variables are 1",
    "T8": "x in [0,1]^n, μ ≥ 0, μ·x ≥ 1 where y = +1, μ·x ≤ 1 − δ where y = −1",
    "T9 separable": "y u·x > 0 in every row",
    "T9": _COMPARATOR,
    "T11 separable": "y w·x > 0 in every row",
    "T11 weakly separable": "y w·x ≥ 0 in every row, w ≠ 0, and Σ λ_i y_i x_i = 0, λ > 0, Σ λ_i = 1",
    "T11 not separable": "Σ λ_i y_i x_i = 0, λ > 0, Σ λ_i = 1",
    "T11 margin": "y w·x > 0 in every row; λ > 0 weighs some rows",
}


class Verdict(NamedTuple):
    """Whether a certificate is proved, and why or why not."""

    proved: bool
    reason: str


class RefutedError(Exception):
    """The data or the witness contradict the claim."""


class UnreadableError(ValueError):
    """The certificate is not one, or the data is not a two-class data set."""


def parse(text: str) -> dict[str, Any]:
    """Return the JSON object of a certificate; repeated names and numbers that are not finite are refused."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise UnreadableError(f"a name is repeated among {[name for name, _ in pairs]}")
        return dict(pairs)

    def refuse(word: str) -> None:
        raise UnreadableError(f"expected a finite number, found {word}")

    try:
        document = json.loads(text, object_pairs_hook=once, parse_constant=refuse)
    except (json.JSONDecodeError, RecursionError) as e:
        raise UnreadableError(f"not JSON: {e}") from e
    needed = {"theorem", "assumption", "witness", "observed", "bound", "data", "order", "version", "seal"}
    if not isinstance(document, dict) or set(document) != needed:
        raise UnreadableError(f"a certificate has the fields {sorted(needed)} and no other")
    return document


def canonical(value: Any) -> str:
    """Return the one JSON text of a value: names sorted, no blanks, shortest decimals that read back."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def seal(document: Mapping[str, Any]) -> str:
    claim = {name: value for name, value in document.items() if name != "seal"}
    return hashlib.sha256(canonical(claim).encode()).hexdigest()


# ---- exact numbers ------------------------------------------------------------------------------


def _whole(text: str) -> int:
    # Python refuses to read more than 4300 digits at once; conflict weights may have more.
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    if not (digits.isascii() and digits.isdigit()):
        raise UnreadableError(f"expected a whole number, found {text[:40]!r}")
    value = 0
    for at in range(0, len(digits), 4000):
        part = digits[at : at + 4000]
        value = value * 10 ** len(part) + int(part)
    return sign * value


def number(value: Any) -> Fraction:
    """Return what a witness's number is: a JSON number exactly as the double it reads as, or "p/q"."""
    if isinstance(value, str):
        above, _, below = value.partition("/")
        denominator = _whole(below or "1")
        if denominator <= 0:
            raise UnreadableError(f"expected a positive denominator, found {below[:40]!r}")
        return Fraction(_whole(above), denominator)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UnreadableError(f"expected a finite number or 'p/q', found {value!r}")
    return Fraction(value)


def exact_sum(values: np.ndarray) -> Fraction:
    """Return the sum of doubles, exactly: mantissas are whole numbers, added exponent by exponent."""
    mantissas, exponents = np.frexp(values)
    wholes = np.ldexp(mantissas, 53).astype(np.int64)
    total = Fraction(0)
    for e in np.unique(exponents).tolist():
        part = wholes[exponents == e]
        high, low = int((part >> 26).sum()), int((part & 0x3FF_FFFF).sum())
        total += Fraction((high << 26) + low) * Fraction(2) ** (e - 53)
    return total


def floor_half_of_sum(x: Fraction, y: Fraction) -> int:
    """Return ⌊(x + √y)/2⌋ exactly: over a common denominator D it is ⌊(X + ⌊√Y⌋)/(2D)⌋ in whole numbers."""
    D = x.denominator * y.denominator
    return (int(x * D) + math.isqrt(int(y * D * D))) // (2 * D)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


# ---- rows and vectors ---------------------------------------------------------------------------


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
        """Return sums of entries by row, added in index order (bincount adds one after the other)."""
        return np.bincount(self.of, weights=entries, minlength=len(self.y))


class Vector:
    """A witness vector: exact by column, and rounded to doubles for the quick look."""

    def __init__(self, given: Any, columns: int, bias: bool) -> None:
        if not isinstance(given, dict) or set(given) != {"indices", "values", "bias"}:
            raise UnreadableError("a vector has indices, values and bias")
        at, values = given["indices"], [number(v) for v in given["values"]]
        if at != sorted(set(at)) or len(at) != len(values) or not all(type(j) is int for j in at):
            raise UnreadableError("a vector's indices rise, one for each value")
        if at and not (at[0] >= 0 and at[-1] < columns < 2**28):
            raise UnreadableError(
                f"a vector's indices are at least 0 and below the data's columns, {columns}"
            )
        self.exact = dict(zip(at, values, strict=True))
        self.bias = number(given["bias"])
        if self.bias and not bias:
            raise UnreadableError("a vector has a bias only where the data has")
        self.squared_norm = sum((v * v for v in values), self.bias * self.bias)
        self.rounded = np.zeros(at[-1] + 2 if at else 1)  # the last place stays zero, for columns beyond
        self.rounded[at] = [float(v) for v in values]
        self.grid = _grid(np.append(self.rounded, float(self.bias)))
        if any(Fraction(float(v)) != v for v in [*values, self.bias]):
            self.grid = None

    def dot(self, row: Mapping[int, Fraction]) -> Fraction:
        zero = Fraction(0)
        total = sum((v * self.exact.get(j, zero) for j, v in row.items() if j >= 0), zero)
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
            constant = float(self.bias)
            s = rows.sum(products) + constant
            size = rows.sum(np.abs(products)) + abs(constant)
            k = rows.sum((weights != 0.0).astype(float)) + (constant != 0.0)
            error = np.where(k > 0, (k + 4) * 2.0**-52 * size + k * 2.0**-1060, 0.0)
            grid = None if self.grid is None else _grid(rows.values)
            if grid is not None and self.grid is not None:
                error[size <= 2.0 ** (53 - grid - self.grid)] = 0.0
            signed = rows.y * s
            lo, hi = signed - error, signed + error
            unknown = ~(np.isfinite(lo) & np.isfinite(hi))
            lo[unknown], hi[unknown] = -np.inf, np.inf
        return lo, hi


def _grid(values: np.ndarray) -> int | None:
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
        squares = rows.sum(values * values)
        extreme = ~((squares >= 1e-280) & (squares <= 1e280))[rows.of]
        if extreme.any():  # a power of two changes no digit
            tops = np.zeros(len(rows.y))
            np.maximum.at(tops, rows.of, np.abs(values))
            values = np.where(extreme, np.ldexp(values, 1 - np.frexp(tops[rows.of])[1]), values)
            squares = rows.sum(values * values)
    return np.asarray(values / np.sqrt(squares)[rows.of])


class Data:
    """Turns batches into rows, and counts and fingerprints what goes by."""

    def __init__(self, labels: Any, bias: bool, normalize: bool) -> None:
        self.labels, self.bias, self.normalize = labels, bias, normalize
        self.rows = self.columns = 0
        self.found: set[float] = set()
        self.digests = {name: hashlib.sha256() for name in ("labels", "lengths", "columns", "values")}

    def read(self, batches: Iterable[tuple[Any, Any]]) -> Iterator[Rows]:
        for X, labels in batches:
            csr = sparse.csr_matrix(X)
            if not csr.has_canonical_format or (csr.data == 0).any():
                csr = csr.copy()
                csr.sum_duplicates()
                csr.eliminate_zeros()
            values, columns = csr.data.astype(np.float64, copy=False), csr.indices
            y = np.asarray(labels, dtype=np.float64) + 0.0  # −0.0 becomes 0.0
            if len(y) != csr.shape[0] or not (np.isfinite(values).all() and np.isfinite(y).all()):
                raise UnreadableError(
                    f"rows {self.rows + 1} and on: expected finite numbers, a label for each row"
                )
            lengths = np.diff(csr.indptr)
            for name, array in (("labels", y.astype("<f8")), ("lengths", lengths.astype("<u8"))):
                self.digests[name].update(array.tobytes())
            self.digests["columns"].update(np.ascontiguousarray(columns, dtype="<u4").data)
            self.digests["values"].update(np.ascontiguousarray(values, dtype="<f8").data)
            self.found.update(np.unique(y).tolist())
            if len(self.found) > 2:
                raise UnreadableError(f"expected two labels, found {sorted(self.found)[:3]}")
            of = np.repeat(np.arange(len(y)), lengths)
            rows = Rows(self.rows + 1, self.signs(y), csr.indptr, of, columns, values, self.bias)
            if self.normalize:
                rows = rows._replace(values=_unit(rows))
            self.rows += len(y)
            self.columns = max(self.columns, int(columns.max()) + 1 if len(columns) else 0)
            yield rows

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


# ---- what is gathered in the pass ---------------------------------------------------------------


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


class Comparison:
    """Gathers, for a vector u: the least y u·x, H(u), max ‖x‖² or ‖x‖_p², over the rows."""

    def __init__(self, u: Vector, exact: bool, p: Fraction | None = None) -> None:
        self.u, self.exact, self.p = u, exact, p
        self.least: tuple[Fraction, int] | None = None
        self.hinge_lo = self.hinge_hi = self.radius_lo = self.radius_hi = self.norms_lo = self.norms_hi = (
            Fraction(0)
        )
        self.powers: dict[tuple[float, ...], Decimal] = {}
        self.largest = 0.0

    def see(self, rows: Rows, chosen: np.ndarray | None = None) -> None:
        lo, hi = self.u.margins(rows)
        settled = {}
        if self.exact:
            for i in np.flatnonzero(lo != hi).tolist():
                settled[i] = int(rows.y[i]) * self.u.dot(rows.exact(i))
        self._least(rows, lo, hi)
        use = np.zeros(len(lo), dtype=bool)
        use[slice(None) if chosen is None else chosen] = True
        for i, m in settled.items():
            loss = max(Fraction(0), 1 - m) if use[i] else Fraction(0)
            self.hinge_lo, self.hinge_hi, use[i] = self.hinge_lo + loss, self.hinge_hi + loss, False
        # Σ (1 − m) over m < 1, with no rounding: how many, less the exact sum.
        below = use & (hi < 1.0)
        self.hinge_lo += int(below.sum()) - exact_sum(hi[below])
        below = use & (lo < 1.0)
        if not np.isfinite(lo[below]).all():
            raise _AgainError
        self.hinge_hi += int(below.sum()) - exact_sum(lo[below])
        if self.p is None:
            self._squares(rows, chosen)
        else:
            self._powers(rows)

    def _least(self, rows: Rows, lo: np.ndarray, hi: np.ndarray) -> None:
        limit = min(hi.min(initial=np.inf), float("inf") if self.least is None else _above(self.least[0]))
        for i in np.flatnonzero(lo <= limit).tolist():
            m = Fraction(lo[i]) if lo[i] == hi[i] else int(rows.y[i]) * self.u.dot(rows.exact(i))
            if self.least is None or m < self.least[0]:
                self.least = (m, rows.first + i)
                limit = min(limit, _above(m))
            if lo[i] == hi[i] == limit:
                break  # the rest cannot be lower than an exact value that equals the limit

    def _squares(self, rows: Rows, chosen: np.ndarray | None) -> None:
        with np.errstate(over="ignore"):
            q = rows.sum(rows.values * rows.values) + rows.bias
        k = np.diff(rows.starts) + 1
        grid = _grid(rows.values)
        error = (k + 2) * 2.0**-52 * q + k * 2.0**-1060
        if grid is not None:
            error[q <= 2.0 ** (53 - 2 * grid)] = 0.0
        lo, hi = np.nan_to_num(np.maximum(q - error, 0.0), posinf=0.0), q + error
        if not (self.exact or np.isfinite(hi).all()):
            raise _AgainError
        if self.exact:
            candidates = ~(hi < lo.max(initial=0.0)) if chosen is None else np.isin(np.arange(len(q)), chosen)
            for i in np.flatnonzero(candidates & (lo != hi)).tolist():
                square = sum((v * v for v in rows.exact(i).values()), Fraction(0))
                self.radius_lo, self.radius_hi = max(self.radius_lo, square), max(self.radius_hi, square)
                self.norms_lo, self.norms_hi = self.norms_lo + square, self.norms_hi + square
            lo, hi = (np.where(lo == hi, bound, 0.0) for bound in (lo, hi))
        if len(q):
            self.radius_lo = max(self.radius_lo, Fraction(lo.max()))
            self.radius_hi = max(self.radius_hi, Fraction(hi.max()))
        if chosen is not None:
            self.norms_lo += exact_sum(lo[chosen])
            self.norms_hi += exact_sum(hi[chosen])

    def _powers(self, rows: Rows) -> None:
        # Doubles choose the candidates, with a slack of 1e-6 beside which any library's `power` is
        # exact; sixty digits decide among them.
        p = float(self.p or 2)
        magnitudes = np.abs(rows.values)
        tops = np.full(len(rows.y), float(rows.bias))
        np.maximum.at(tops, rows.of, magnitudes)
        scale = np.where(tops > 0.0, tops, 1.0)
        sums = rows.sum((magnitudes / scale[rows.of]) ** p) + rows.bias * (1.0 / scale) ** p
        norms = tops * sums ** (1.0 / p)
        self.largest = max(self.largest, norms.max(initial=0.0))
        for i in np.flatnonzero(norms >= self.largest * (1.0 - 1e-6)).tolist():
            part = magnitudes[rows.starts[i] : rows.starts[i + 1]].tolist()
            key = tuple(sorted([*part, 1.0] if rows.bias else part))
            if key not in self.powers:
                self.powers[key] = _decimal_norm((Fraction(v) for v in key), self.p or Fraction(2))

    def squared_radius(self) -> tuple[Fraction, Fraction]:
        if self.p is None:
            return self.radius_lo, self.radius_hi
        top = Fraction(max(self.powers.values(), default=Decimal(0)))
        return _widened(top * top)

    def scale(self) -> tuple[Fraction, Fraction]:
        """Return bounds on A: R²‖u‖², or (p−1)R_p²‖u‖_q²."""
        lo, hi = self.squared_radius()
        if self.p is None:
            return lo * self.u.squared_norm, hi * self.u.squared_norm
        q = self.p / (self.p - 1)
        values = (abs(v) for v in [*self.u.exact.values(), self.u.bias])
        norm_lo, norm_hi = _widened(Fraction(_decimal_norm(values, q)) ** 2)
        return (self.p - 1) * lo * norm_lo, (self.p - 1) * hi * norm_hi

    def separating(self) -> Fraction:
        """Return min y u·x, which must be positive."""
        if self.least is None:
            raise RefutedError("there are no rows")
        if self.least[0] <= 0:
            m, row = self.least
            raise RefutedError(f"row {row}: y u·x should be positive, but is {float(m)!r}")
        return self.least[0]


class _AgainError(Exception):
    """Doubles leave a doubt: read the data again, exactly."""


def _above(value: Fraction) -> float:
    """Return a double that is at least the value, and is it if it can."""
    nearest = float(value)
    return nearest if nearest >= value else math.nextafter(nearest, math.inf)


def _widened(value: Fraction) -> tuple[Fraction, Fraction]:
    slack = value / 10**40
    return value - slack, value + slack


def _decimal_norm(values: Iterable[Fraction], p: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**9), 10**9
        power = _decimal(p)
        total = sum((_decimal(v) ** power for v in values if v), Decimal(0))
        return total ** (1 / power) if total else total


# ---- the claims ---------------------------------------------------------------------------------


def _floor(lo: Fraction, hi: Fraction, exact: bool) -> int:
    if math.floor(lo) != math.floor(hi) and not exact:
        raise _AgainError
    return math.floor(hi)


def _comparator_bound(theorem: str, seen: Comparison, exact: bool) -> int:
    A_lo, A_hi = seen.scale()
    if theorem in ("T2", "T3", "T9 separable"):
        least = seen.separating() ** 2
        return _floor(A_lo / least, A_hi / least, exact)
    if theorem == "T4c":
        return _floor(A_lo + 2 * seen.hinge_lo, A_hi + 2 * seen.hinge_hi, exact)
    if theorem == "T4a":
        ends = ((seen.hinge_lo, seen.norms_lo), (seen.hinge_hi, seen.norms_hi))
        lo, hi = (floor_half_of_sum(2 * H, 4 * seen.u.squared_norm * S) for H, S in ends)
    else:
        ends = ((A_lo, seen.hinge_lo), (A_hi, seen.hinge_hi))
        lo, hi = (floor_half_of_sum(A + 2 * H, A * A + 4 * A * H) for A, H in ends)
    return _floor(Fraction(lo), Fraction(hi), exact)


class Winnow:
    """T6, T7, T8: checks the target in every row and gives the bound of its numbers."""

    def __init__(self, theorem: str, witness: Mapping[str, Any], columns: int) -> None:
        self.theorem = theorem
        self.n = _count(witness, "variables", max(columns, 1))
        self.least_entry = Fraction(1)
        if theorem == "T8":
            self.target = Vector(witness["target"], columns, bias=False)
            self.delta, self.theta, self.factor = (
                number(witness[k]) for k in ("separation", "threshold", "factor")
            )
            if any(v < 0 for v in self.target.exact.values()) or not 0 < self.delta <= 1 <= self.theta:
                raise UnreadableError("expected μ ≥ 0, 0 < δ ≤ 1 and θ ≥ 1")
            if not 1 < self.factor < Fraction(27, 10) or (1 - self.delta) * self.factor >= 1:
                raise UnreadableError("expected 1 < β < 2.7 and (1 − δ)β < 1")
            return
        self.relevant = witness["relevant"]
        ones = {"indices": self.relevant, "values": [1] * len(self.relevant), "bias": 0}
        self.target = Vector(ones, columns, bias=False)
        self.k = _count(witness, "k", 1) if theorem == "T7" else 1
        if theorem == "T6" and witness["demotion"] not in ("elimination", "halving"):
            raise UnreadableError("expected a demotion by elimination or halving")
        self.demotion = witness.get("demotion")

    def see(self, rows: Rows) -> None:
        values = rows.values
        if (values < 0.0).any() or (values > 1.0).any() or (self.theorem != "T8" and (values != 1.0).any()):
            raise RefutedError(f"rows {rows.first} and on: an entry is not in the range of {self.theorem}")
        if len(values):
            self.least_entry = min(self.least_entry, Fraction(values.min()))
        lo, hi = self.target.margins(rows._replace(y=np.ones(len(rows.y))))
        high, low = (
            (Fraction(1), 1 - self.delta)
            if self.theorem == "T8"
            else (Fraction(self.k), self.k - Fraction(1))
        )
        sure = np.where(rows.y > 0, lo >= _above(high), hi <= -_above(-low))
        for i in np.flatnonzero(~sure).tolist():
            value = Fraction(lo[i]) if lo[i] == hi[i] else self.target.dot(rows.exact(i))
            if (value < high) if rows.y[i] > 0 else (value > low):
                side = f"at least {high}" if rows.y[i] > 0 else f"at most {low}"
                raise RefutedError(f"row {rows.first + i}: the target should be {side}, but is {value}")

    def bound(self) -> int:
        if self.theorem == "T6":
            factor, extra = (2, 1) if self.demotion == "elimination" else (3, 2)
            steps = factor * len(self.relevant)
            power: int = self.n**steps
            return extra + steps + power.bit_length() - 1  # ⌊log₂ n^steps⌋
        with localcontext() as context:
            context.prec = 60
            n, one = Decimal(self.n), Decimal(1)
            if self.theorem == "T7":
                k, r, eps = self.k, len(self.relevant), one / (2 * self.k)
                start = (1 + eps) / eps
                growth = r * (1 + n.ln() / (1 + eps).ln())
                value = (2 + eps) * (Decimal(2 * k) / (k + 1) * (growth + (k - 1) * start)) + start
            else:
                beta, delta, theta = _decimal(self.factor), _decimal(self.delta), _decimal(self.theta)
                xi, mu = _decimal(self.least_entry), _decimal(sum(self.target.exact.values(), Fraction(0)))
                growth = mu * (xi + (theta / xi).ln() / beta.ln())
                start = beta / (beta - 1) * n / theta
                value = (1 + beta) * (growth + (1 - delta) * start) / (1 - (1 - delta) * beta) + start
            return math.floor(value + value.scaleb(-40))


class Weights:
    """λ on some rows: gathers Σ λ_i y_i x_i by column, over a common denominator."""

    def __init__(self, witness: Mapping[str, Any]) -> None:
        self.rows, self.weights = witness["rows"], [number(v) for v in witness["weights"]]
        rising = self.rows == sorted(set(self.rows)) and all(type(i) is int and i >= 1 for i in self.rows)
        if not rising or len(self.rows) != len(self.weights) or not self.rows:
            raise UnreadableError("row numbers rise from 1 on, one for each weight")
        if any(v <= 0 for v in self.weights):
            raise RefutedError("a weight is not positive")
        self.denominator = math.lcm(*(v.denominator for v in self.weights))
        self.scaled = {i: int(v * self.denominator) for i, v in zip(self.rows, self.weights, strict=True)}
        self.sums: dict[int, dict[int, int]] = {}  # column → power of two → whole number

    def see(self, rows: Rows) -> None:
        from bisect import bisect_left

        for i in self.rows[
            bisect_left(self.rows, rows.first) : bisect_left(self.rows, rows.first + len(rows.y))
        ]:
            at = i - rows.first
            for j, v in rows.exact(at).items():
                # v is a whole number over a power of two; sums by power never need a common divisor.
                column = self.sums.setdefault(j, {})
                signed = int(rows.y[at]) * self.scaled[i] * v.numerator
                column[v.denominator] = column.get(v.denominator, 0) + signed

    def vector(self, seen: int) -> list[Fraction]:
        if self.rows[-1] > seen:
            raise RefutedError(f"there is no row {self.rows[-1]}, only {seen}")
        return [
            sum((Fraction(a, b) for b, a in column.items()), Fraction(0)) for column in self.sums.values()
        ]

    def balance(self, seen: int) -> None:
        """Σ λ_i = 1 and Σ λ_i y_i x_i = 0, exactly."""
        if sum(self.weights) != 1:
            raise RefutedError(f"the weights should sum to 1, but sum to {float(sum(self.weights))!r}")
        if any(self.vector(seen)):
            raise RefutedError("the weighted rows should sum to zero, but do not")


def _largest_double(holds: Callable[[Fraction], bool], guess: float) -> float:
    """Return the largest double that holds, for a test that is true below a threshold near the guess."""
    while not holds(Fraction(guess)):
        guess = math.nextafter(guess, -math.inf)
    while holds(Fraction(math.nextafter(guess, math.inf))):
        guess = math.nextafter(guess, math.inf)
    return guess


def _root(value: Fraction) -> float:
    shift = 2 * (60 + abs(value.numerator.bit_length() - value.denominator.bit_length()))
    return float(Fraction(math.isqrt((value.numerator << shift) // value.denominator), 1 << (shift // 2)))


def _margin_ends(seen: Comparison, weights: Weights, rows: int) -> list[float]:
    """Return the margin's bounds, as doubles rounded outwards: min y w·x/‖w‖ ≤ γ* ≤ ‖Σ λ y x‖/Σ λ."""
    lower = seen.separating() ** 2 / seen.u.squared_norm
    length = sum((v * v for v in weights.vector(rows)), Fraction(0)) / sum(weights.scaled.values()) ** 2
    below = _largest_double(lambda v: v < 0 or v * v <= lower, _root(lower))
    above = -_largest_double(lambda v: v < 0 and v * v >= length, -_root(length) or -5e-324)
    return [below, above]


def _count(witness: Mapping[str, Any], name: str, least: int) -> int:
    value = witness[name]
    if type(value) is not int or not least <= value < 2**40:
        raise UnreadableError(f"{name} should be a whole number of at least {least}, but is {value!r}")
    return value


def derive(
    theorem: str,
    witness: Mapping[str, Any],
    data: Mapping[str, Any],
    batches: Callable[[], Iterable[tuple[Any, Any]]],
) -> dict[str, Any]:
    """Return all that a certificate of this theorem with this witness may claim of the data.

    `data` gives `bias` and `normalize`, and `labels` and `columns`, which are found again. Raises
    RefutedError where the witness does not do what the theorem needs.
    """
    try:
        try:
            return _derive(theorem, witness, data, batches(), exact=False)
        except _AgainError:
            return _derive(theorem, witness, data, batches(), exact=True)
    except (KeyError, TypeError, AttributeError, OverflowError) as e:
        raise UnreadableError(f"the witness of {theorem} is not complete: {type(e).__name__}: {e}") from e


def _derive(
    theorem: str, witness: Mapping[str, Any], data: Mapping[str, Any], batches: Iterable[Any], exact: bool
) -> dict[str, Any]:
    if theorem not in ASSUMPTIONS:
        raise UnreadableError(f"expected one of the theorems {sorted(ASSUMPTIONS)}, found {theorem!r}")
    columns, bias = data["columns"], data["bias"]
    source = Data(data["labels"], bias, data["normalize"])
    names = {"T2", "T3", "T4a", "T4b", "T4c", "T9", "T9 separable"}
    compare = replay = winnow = weights = None
    if theorem in names or theorem in ("T11 separable", "T11 margin", "T11 weakly separable"):
        p = number(witness["p"]) if theorem.startswith("T9") else None
        if p is not None and p < 2:
            raise UnreadableError(f"p should be at least 2, but is {float(p)!r}")
        compare = Comparison(Vector(witness["u"], columns, bias), exact, p)
    if theorem in names and not theorem.startswith("T9") and witness.get("replay") is not None:
        replay = Replay(witness["replay"])
    if theorem == "T4a" and replay is None:
        raise UnreadableError("T4a speaks of a run, which its witness should say how to replay")
    if theorem in ("T6", "T7", "T8"):
        if bias or data["normalize"]:
            raise UnreadableError("Winnow's theorems have neither a bias nor unit rows")
        winnow = Winnow(theorem, witness, columns)
    if theorem in ("T11 not separable", "T11 weakly separable", "T11 margin"):
        weights = Weights(witness)
    for rows in source.read(batches):
        mistakes = replay.see(rows) if replay else None
        if compare:
            compare.see(rows, mistakes if theorem == "T4a" else None)
        if winnow:
            winnow.see(rows)
        if weights:
            weights.see(rows)
    bound: Any = None
    if compare and theorem in names:
        bound = _comparator_bound(theorem, compare, exact)
    elif compare and theorem == "T11 separable":
        compare.separating()
    elif compare and theorem == "T11 weakly separable":
        if not compare.u.squared_norm:
            raise RefutedError("w is zero")
        if compare.least is not None and compare.least[0] < 0:
            raise RefutedError(f"row {compare.least[1]}: y w·x should not be negative")
    if winnow:
        bound = winnow.bound()
    if weights and theorem != "T11 margin":
        weights.balance(source.rows)
    elif weights and compare:
        bound = _margin_ends(compare, weights, source.rows)
    observed = replay.mistakes if replay else None
    if observed is not None and bound is not None and observed > bound:
        raise RefutedError(
            f"{observed} mistakes are more than the bound, {bound}: the replay met rounding error"
        )
    return {
        "theorem": theorem,
        "assumption": ASSUMPTIONS[theorem],
        "witness": dict(witness),
        "observed": observed,
        "bound": bound,
        "data": source.described(),
        "order": "file" if replay else "any",
        "version": VERSION,
    }


def verify(document: Mapping[str, Any], batches: Callable[[], Iterable[tuple[Any, Any]]]) -> Verdict:
    """Check a parsed certificate against data, given as a function that starts a pass over (X, y) batches.

    Raises UnreadableError where the data cannot be read as two-class rows, or the certificate is none.
    """
    if seal(document) != document["seal"]:
        return Verdict(False, "the seal does not match: the certificate was altered after it was made")
    data = document["data"]
    fields = {"sha256", "rows", "columns", "labels", "bias", "normalize"}
    if not isinstance(data, dict) or set(data) != fields:
        raise UnreadableError(f"a certificate's data has the fields {sorted(fields)}")
    try:
        derived = derive(document["theorem"], document["witness"], data, batches)
    except RefutedError as e:
        return Verdict(False, str(e))
    for name in ("sha256", "rows", "columns", "labels", "bias", "normalize"):
        if canonical(derived["data"][name]) != canonical(data[name]):
            return Verdict(False, f"the data's {name} is {derived['data'][name]}, not {data[name]}")
    for name, value in derived.items():
        if canonical(value) != canonical(document[name]):
            return Verdict(False, f"{name} is {value!r}, not {document[name]!r}")
    return Verdict(True, f"{document['theorem']} on {data['rows']} rows: {document['assumption']}")
