"""Every error that Separatrix raises on purpose.

::

    SeparatrixError
    ├── InputError (ValueError)            a value, a row or a file is not what was expected
    │   └── ModelError                     a model file is damaged, or not a model
    └── UsageError (ValueError)            a parameter breaks its rule
    BadRowsWarning (UserWarning)           rows were left out, as ``bad_rows`` asked
    RankDeficientWarning (UserWarning)     the data do not determine all coefficients

Each error is also the built-in error a caller would expect, so ``except ValueError`` goes on working.
"""


class SeparatrixError(Exception):
    """The base of every error that Separatrix raises on purpose."""


class InputError(SeparatrixError, ValueError):
    """A value, a row or a file is not what was expected; the message says where, what, and what was found."""


class ModelError(InputError):
    """A model file is damaged, of another version, or not a model at all."""


class UsageError(SeparatrixError, ValueError):
    """A parameter breaks its rule; the message names the parameter, the rule and the value."""


class BadRowsWarning(UserWarning):
    """Rows that cannot be read were left out, as asked; the message has their count and the first few."""


class RankDeficientWarning(UserWarning):
    """Columns are combinations of others: the data do not determine the coefficients, the norm does."""
