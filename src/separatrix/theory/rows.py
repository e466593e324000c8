"""The rows that a game is played on: signs, unit lengths, norms."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._native import unit_values
from separatrix.data.arrays import native_matrix
from separatrix.errors import InputError
from separatrix.theory.certificate import as_rows

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Game:
    """Two-class data as the learner sees it: rows (unit if normalised), signs, whether a 1 is appended."""

    rows: Any
    """A canonical CSR matrix of doubles."""
    signs: Floats
    """−1 or +1; the greater label is +1."""
    bias: bool
    normalize: bool

    @classmethod
    def of(cls, X: Any, y: Any, *, bias: bool, normalize: bool) -> "Game":
        from scipy import sparse

        rows = as_rows(X)
        labels = np.asarray(y, dtype=np.float64)
        if labels.shape != (rows.shape[0],):
            raise InputError(
                f"{rows.shape[0]} rows need as many labels, found an array of shape {labels.shape}"
            )
        if not (np.isfinite(rows.data).all() and np.isfinite(labels).all()):
            raise InputError("expected finite numbers, found NaN or infinity")
        found = np.unique(labels)
        if not 1 <= len(found) <= 2:
            raise InputError(f"expected two labels, found {len(found)}: {found[:3].tolist()}")
        signs = np.where(labels >= found[1] if len(found) == 2 else labels > 0.0, 1.0, -1.0)
        if normalize:
            unit = unit_values(native_matrix(rows))
            rows = sparse.csr_matrix((unit, rows.indices, rows.indptr), shape=rows.shape)
        return cls(rows, signs, bias, normalize)

    @property
    def columns(self) -> int:
        """How many variables a learner has, the bias's counted."""
        return int(self.rows.shape[1]) + int(self.bias)

    def margins(self, u: Floats, bias_weight: float = 0.0) -> Floats:
        """Return y u·x by row."""
        return np.asarray(self.signs * (self.rows @ u + (bias_weight if self.bias else 0.0)))

    def radius(self, p: float = 2.0) -> float:
        """Return the largest ‖x‖_p, the appended 1 counted; p may be infinity."""
        values = np.abs(self.rows.data)
        largest = max(float(values.max(initial=0.0)), float(self.bias))
        if np.isinf(p) or largest == 0.0:
            return largest
        of = np.repeat(np.arange(self.rows.shape[0]), np.diff(self.rows.indptr))
        sums = np.bincount(of, weights=(values / largest) ** p, minlength=self.rows.shape[0])
        if self.bias:  # then largest is at least 1
            sums = sums + largest**-p
        return float(largest * sums.max(initial=0.0) ** (1.0 / p))

    def penalty_unit(self) -> float:
        """Return 1/R², the unit of C on the soft-margin path; rows that are not all 0."""
        radius = self.radius()
        if not 1e-100 < radius < 1e100:
            raise InputError(
                f"expected the longest row to have a norm from 1e-100 to 1e100, found {radius:g}: scale"
            )
        return 1.0 / radius**2


def norm(u: Floats, bias_weight: float, q: float) -> float:
    """Return ‖(u, b)‖_q."""
    return float(np.linalg.norm(np.append(u, bias_weight), q))
