"""How text is read, checked once for everything that reads it. Imports nothing heavy: commands start here."""

import os
import warnings
from typing import Any

from separatrix.errors import BadRowsWarning, UsageError

MAX_LINE_BYTES = 16 << 20

# What the native side can count up to; whatever is larger is a slip of the hand.
LARGEST_COUNT = 2**63 - 1
LARGEST_SEED = 2**64 - 1
LARGEST_K = 2**32 - 1
MOST_COLUMNS = 2**32
MOST_THREADS = 1024
LONGEST_LINE = 1 << 40


def reading_options(
    index_base: Any = "auto",
    bad_rows: str = "fail",
    threads: int | None = None,
    max_line_bytes: int = MAX_LINE_BYTES,
) -> dict[str, Any]:
    """The native reader's options, each checked against its rule.

    Parameters
    ----------
    index_base : {"auto", 0, 1}
        What the first column is called; "auto" finds out.
    bad_rows : {"fail", "skip", "quarantine=FILE"}
        What becomes of rows that cannot be read.
    threads : int from 1 to 1024, optional
        By default as many as there are processors, four at most.
    max_line_bytes : int >= 1
        The longest line.

    Examples
    --------
    >>> reading_options(threads=1)["index_base"] is None
    True
    """
    if isinstance(index_base, bool) or index_base not in ("auto", 0, 1):
        raise UsageError(f'index_base must be "auto", 0 or 1, but is {index_base!r}')
    kind, separator, path = bad_rows.partition("=")
    if not (bad_rows in ("fail", "skip") or (kind == "quarantine" and separator and path)):
        raise UsageError(f'bad_rows must be "fail", "skip" or "quarantine=FILE", but is {bad_rows!r}')
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise UsageError(f"threads must be from 1 to {MOST_THREADS}, but is {threads}")
    if not 1 <= max_line_bytes <= LONGEST_LINE:
        raise UsageError(f"max_line_bytes must be from 1 to {LONGEST_LINE}, but is {max_line_bytes}")
    return {
        "index_base": None if index_base == "auto" else int(index_base),
        "bad_rows": bad_rows,
        "threads": threads or min(os.cpu_count() or 1, 4),
        "max_line_bytes": max_line_bytes,
    }


def source_name(source: Any) -> str:
    """What a model file calls a source that it learnt from; a name may be bytes that are no text."""
    if not isinstance(source, (str, bytes, os.PathLike)):
        return str(getattr(source, "name", type(source).__name__))
    name = os.path.basename(os.fsencode(source))
    return "standard input" if name == b"-" else name.decode("utf-8", "replace")


def refused_in_words(refused: int, first_bad: list[str]) -> str:
    """How many rows were left out, and the first few of them."""
    shown = "".join(f"\n  {row}" for row in first_bad)
    more = f"\n  and {refused - len(first_bad)} more" if refused > len(first_bad) else ""
    rows = "1 row was" if refused == 1 else f"{refused} rows were"
    return f"{rows} left out:{shown}{more}"


def warn_of_refused(refused: int, first_bad: list[str], stacklevel: int = 3) -> None:
    """Warn if rows were left out."""
    if refused:
        warnings.warn(refused_in_words(refused, first_bad), BadRowsWarning, stacklevel=stacklevel)
