"""The problem as given, checked once: what every solver of this package takes and what it returns."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import InputError

Floats = NDArray[np.float64]

UNIT = float(np.finfo(np.float64).eps) / 2
BLOCK_ROWS = 1024
# What keeps a triangle of columns × columns holds up to 3 GB.
MOST_TRIANGLE_COLUMNS = 20_000
# As many as every decimal of that length survives in a double; a last bit is 15.95 digits.
MOST_DIGITS = 15.0


def gamma(count: float) -> float:
    """Higham's γ: `count` roundings, in any order, err by at most this factor of the sum of sizes."""
    return count * UNIT / (1 - count * UNIT) if count * UNIT < 0.5 else float("inf")


def is_number(value: Any, *, above: float | None = None, least: float | None = None) -> bool:
    """Whether `value` is a finite number, above or at least a limit."""
    if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
        return False
    return (above is None or float(value) > above) and (least is None or float(value) >= least)


def check_triangle(columns: int) -> None:
    """Refuse more columns than a triangle of them fits in memory for."""
    if columns > MOST_TRIANGLE_COLUMNS:
        raise InputError(
            f"a stream or an online learner keeps columns × columns numbers, for at most "
            f"{MOST_TRIANGLE_COLUMNS} columns, but there are {columns}"
        )


@dataclass(frozen=True)
class Problem:
    """min over θ = (w, b) of Σ_i s_i (y_i − x_i·w − b)² + α‖w‖² (+ αb² on request)."""

    X: Any
    """Dense C-contiguous float64, or canonical CSR float64; n × d."""
    y: Floats
    """n × k."""
    weights: Floats | None
    """s > 0, or None for ones. Rows of weight zero are gone."""
    alpha: float
    intercept: bool
    penalize_intercept: bool
    exponent: int = 0
    """The columns as given were divided by 2**exponent (see :mod:`~.regression.scaling`)."""

    @property
    def rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def features(self) -> int:
        return int(self.X.shape[1])

    @property
    def unknowns(self) -> int:
        return self.features + int(self.intercept)

    @property
    def is_sparse(self) -> bool:
        return bool(sparse.issparse(self.X))

    @property
    def free_intercept(self) -> bool:
        """The intercept is there and nothing holds it near zero."""
        return self.intercept and (not self.penalize_intercept or self.alpha == 0)

    @property
    def centred(self) -> bool:
        """The norm that ridge and minimum-norm solutions speak of leaves the intercept out."""
        return self.intercept and not self.penalize_intercept

    @property
    def penalty(self) -> Floats:
        """α for every unknown that is penalised, features first."""
        penalty = np.full(self.unknowns, self.alpha)
        if self.centred:
            penalty[-1] = 0.0
        return penalty

    @property
    def units(self) -> Floats:
        """Return how large each column as given is to the one of this problem, the largest as 1."""
        units = np.ones(self.unknowns)
        if self.intercept:
            units[:-1] = 2.0 ** min(self.exponent, 0)
            units[-1] = 2.0 ** min(-self.exponent, 0)
        return units

    def blocks(self, rows: int = BLOCK_ROWS) -> Iterator[tuple[slice, Any, Floats]]:
        """Yield (which rows, their X, their weights)."""
        ones = np.ones(min(rows, self.rows))
        for start in range(0, self.rows, rows):
            part = slice(start, min(start + rows, self.rows))
            weights = ones[: part.stop - part.start] if self.weights is None else self.weights[part]
            yield part, self.X[part], weights


def make_problem(
    X: Any,
    y: Floats,
    sample_weight: Floats | None,
    *,
    alpha: float,
    intercept: bool,
    penalize_intercept: bool,
) -> Problem:
    """Check weights, drop rows of weight zero, and bring the arrays into the form solvers want."""
    if sparse.issparse(X):
        X = sparse.csr_matrix(X, dtype=np.float64)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    else:
        X = np.ascontiguousarray(X, dtype=np.float64)
    y = np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64)
    weights = None
    if sample_weight is not None:
        weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
        if (weights < 0).any():
            at = int(np.argmax(weights < 0))
            raise InputError(f"sample_weight must not be negative, but sample_weight[{at}] is {weights[at]}")
        keep = weights > 0
        if not keep.any():
            raise InputError("sample_weight must have a positive value, but all are zero")
        if not keep.all():
            X, y, weights = X[keep], y[keep], weights[keep]
        if (weights == 1).all():
            weights = None
    return Problem(X, y, weights, float(alpha), intercept, penalize_intercept)


@dataclass(frozen=True)
class Certificate:
    """How near the returned coefficients are to the exact solution of the problem as given (T13).

    With g the residual of the normal equations at the returned θ, H their matrix and Z a matrix with
    ‖ZᵀHZ − I‖ ≤ δ < 1, the exact solution θ* satisfies, coefficient by coefficient,
    `|θ_j − θ*_j| ≤ ‖Z_j‖·‖Zᵀg‖/(1 − δ)`, which implies T13's `‖g‖/(α + λ_min)` and does not depend on
    how columns are scaled. g, δ and Z's action are all evaluated with bounds on their own rounding.
    """

    digits: float | None
    """Correct decimal digits of every coefficient, at least (−log10 of the largest relative error
    bound, rounded down to tenths); None if not even the first is proved."""
    method: str
    """How it was proved: from the summed normal equations ("gram"), a residual in
    double-double ("double-double"), in exact arithmetic ("exact"), or not ("none")."""
    digits_before: float | None
    """The same for the plain solution, before any refinement."""
    refinements: int = 0
    seconds: float = 0.0
    """Time spent on proving and refining."""
    delta: float | None = None
    """δ: how far the approximate inverse is from one."""
    why: str = ""
    """If fewer than twelve digits are certified: why."""

    def __post_init__(self) -> None:
        for name in ("digits", "digits_before"):
            object.__setattr__(self, name, getattr(self, name) or None)


@dataclass
class Solution:
    """What a solver found; arrays are unknowns × targets, the intercept last."""

    high: Floats
    low: Floats
    solver: str
    rank: int
    certificate: Certificate
    bound: Floats | None = None
    """Bounds on |θ_j − θ*_j| for the rounded coefficients."""
    squares: Floats | None = None
    """Σ s r², one a target."""
    eigenvalues: Floats | None = None
    """Of XᵀSX, centred where the intercept is free; rising."""
    condition: float | None = None
    """σ_max/σ_min of the system as given, [√S(X 1); √α]."""
    dependent: tuple[int, ...] = field(default=())
    """Columns of X that are combinations of columns before them (and of the intercept)."""
    rmse: Floats | None = None
    """√(Σ s r² / Σ s), one a target."""
    degrees_of_freedom: float | None = None
    """tr S(SᵀS + P)⁻¹Sᵀ, the effective number of coefficients."""


def of_rounded(bound: Floats, low: Floats) -> Floats:
    """Return bounds for `high` alone, from those of the pair."""
    return np.nextafter(bound + np.abs(low), np.inf, where=(bound > 0) | (low != 0), out=np.zeros_like(bound))


def certified_digits(high: Floats, low: Floats, bound: Floats, sizes: Floats) -> float:
    """Return how many digits of every coefficient are proved.

    `bound` is of the pair; rounding to `high` alone adds |low|. A coefficient that is no larger than its
    bound has no digit, unless its column is zero (`sizes`): then so is the coefficient.
    """
    total = of_rounded(bound, low)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        relative = total / np.maximum(np.abs(high) - total, 0)
    relative[((sizes[:, None] == 0) & (high == 0)) | (total == 0)] = 0.0
    worst = float(np.max(relative, initial=0.0)) if np.isfinite(relative).all() else float("inf")
    if worst >= 1:
        return 0.0
    digits = MOST_DIGITS if worst == 0 else min(MOST_DIGITS, -float(np.log10(worst)))
    return float(np.floor(digits * 10) / 10)
