"""Mistake bounds with explicit constants, one file a theorem: `sx.bounds`.

Each function is a theorem's right-hand side. Statements, sources and proof ideas stand in its
docstring; docs/theory.md has all of them on one page.
"""

from separatrix.theory.bounds.t01_halving import halving, halving_with_margin
from separatrix.theory.bounds.t02_separable import separable
from separatrix.theory.bounds.t03_repeated_passes import repeated_passes
from separatrix.theory.bounds.t04_any_data import any_data, any_data_on_run, any_data_simple
from separatrix.theory.bounds.t05_lower_bound import lower_bound
from separatrix.theory.bounds.t06_winnow_disjunctions import winnow_disjunction
from separatrix.theory.bounds.t07_winnow_k_of_r import winnow_k_of_r
from separatrix.theory.bounds.t08_winnow_threshold import winnow_threshold
from separatrix.theory.bounds.t09_p_norm import (
    balanced_winnow,
    conjugate,
    p_for_dimension,
    p_norm_any_data,
    p_norm_separable,
)
from separatrix.theory.bounds.t10_kernel import kernel_any_data, kernel_separable
from separatrix.theory.bounds.t13_regret import ridge_error, ridge_regret
from separatrix.theory.bounds.t14_risk import risk

__all__ = [
    "any_data",
    "any_data_on_run",
    "any_data_simple",
    "balanced_winnow",
    "conjugate",
    "halving",
    "halving_with_margin",
    "kernel_any_data",
    "kernel_separable",
    "lower_bound",
    "p_for_dimension",
    "p_norm_any_data",
    "p_norm_separable",
    "repeated_passes",
    "ridge_error",
    "ridge_regret",
    "risk",
    "separable",
    "winnow_disjunction",
    "winnow_k_of_r",
    "winnow_threshold",
]
