"""Separatrix learns linear separators online, at the speed of the hardware, and proves what it says.

Names are loaded when they are first used, so that ``import separatrix`` costs next to nothing.
"""

from importlib import import_module
from typing import Any

from separatrix._native import __version__

# Where each public name lives. One line a name, sorted; `__all__` is made from it.
_HOME = {
    "BadRowsWarning": "separatrix.errors",
    "BalancedWinnow": "separatrix.online.balanced_winnow",
    "Certificate": "separatrix.theory.certificate",
    "Disagreement": "separatrix.batch.disagreement",
    "InputError": "separatrix.errors",
    "LeastSquares": "separatrix.batch.least_squares",
    "Ledger": "separatrix.theory.ledger",
    "MinDisagreement": "separatrix.batch.disagreement",
    "ModelError": "separatrix.errors",
    "PNormPerceptron": "separatrix.online.pnorm",
    "Perceptron": "separatrix.online.perceptron",
    "Pocket": "separatrix.batch.pocket",
    "RankDeficientWarning": "separatrix.errors",
    "RecursiveRidge": "separatrix.online.recursive_ridge",
    "Ridge": "separatrix.batch.ridge",
    "RidgePath": "separatrix.batch.ridge_path",
    "Separation": "separatrix.theory.separate",
    "SeparatrixError": "separatrix.errors",
    "UsageError": "separatrix.errors",
    "VovkAzouryWarmuth": "separatrix.online.forecaster",
    "Winnow": "separatrix.online.winnow",
    "bounds": "separatrix.theory",
    "comparator": "separatrix.theory.comparator",
    "distances": "separatrix.theory.margin",
    "generate": "separatrix.data.generate",
    "load": "separatrix.online.loading",
    "local_search": "separatrix.batch.pocket",
    "margin": "separatrix.theory.margin",
    "margin_l1": "separatrix.theory.margin",
    "min_disagreement": "separatrix.batch.disagreement",
    "open": "separatrix.data.reading",
    "play": "separatrix.theory.game",
    "polynomial_features": "separatrix.batch.polynomial",
    "project": "separatrix.theory.margin",
    "read": "separatrix.data.reading",
    "recommend": "separatrix.theory.recommend",
    "separate": "separatrix.theory.separate",
    "vector": "separatrix.theory.certificate",
    "write_libsvm": "separatrix.data.writing",
}

__all__ = [*sorted(_HOME), "__version__"]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'separatrix' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
