"""Libsvm text from arrays, fast enough for millions of rows."""

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import UsageError

# Rows are written in pieces of about so many entries, to bound memory.
_PIECE = 1 << 20
Bytes = NDArray[np.uint8]


def write_libsvm(file: BinaryIO, X: Any, y: Any) -> int:
    """Write rows as libsvm text, indices from 1, zeros left out; return how many bytes.

    Every value reads back to the same double. Labels that are whole numbers are written as such.

    Parameters
    ----------
    file : binary file
        Open for writing.
    X : array or sparse matrix of shape (rows, columns)
        The rows.
    y : array
        Their labels.

    Examples
    --------
    >>> import io, separatrix as sx
    >>> file = io.BytesIO()
    >>> sx.write_libsvm(file, [[0.5, 0.0], [0.0, -3.5]], [1, -1])
    18
    >>> file.getvalue()
    b'1 1:0.5\\n-1 2:-3.5\\n'
    """
    from scipy import sparse

    rows = sparse.csr_matrix(X, dtype=np.float64)
    labels = np.asarray(y, dtype=np.float64)
    if labels.shape != (rows.shape[0],):
        raise UsageError(
            f"y should have one label for each of {rows.shape[0]} rows, but has shape {labels.shape}"
        )
    if not (np.isfinite(rows.data).all() and np.isfinite(labels).all()):
        raise UsageError("X and y should be finite numbers, but there is NaN or infinity")
    if not rows.has_canonical_format or (rows.data == 0.0).any():
        rows = rows.copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return sum(file.write(piece) for piece in _pieces(rows, labels))


def _pieces(rows: Any, labels: NDArray[np.float64]) -> Iterator[bytes]:
    step = max(1, int(_PIECE / max(1.0, rows.nnz / max(rows.shape[0], 1))))
    for at in range(0, rows.shape[0], step):
        part, y = rows[at : at + step], labels[at : at + step]
        plain = np.array_equal(y, np.rint(y)) and np.abs(y).max(initial=0.0) < 1e15
        decimals = next((d for d in (0, 1, 3, 6) if plain and _fits(part.data, d)), None)
        yield _by_token(part, y) if decimals is None else _by_column(part, y, decimals)


def _fits(values: NDArray[np.float64], decimals: int) -> bool:
    """Whether each value is the double nearest to a number of so few decimals, and not large."""
    scale = 10.0**decimals
    if not np.abs(values).max(initial=0.0) < 1e15:
        return False
    units = np.rint(values * scale)
    return bool(np.abs(units).max(initial=0.0) < 1e15 and np.array_equal(units / scale, values))


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _by_token(rows: Any, labels: NDArray[np.float64]) -> bytes:
    indices, values, starts = (rows.indices + 1).tolist(), rows.data.tolist(), rows.indptr.tolist()
    lines = []
    for i, label in enumerate(labels.tolist()):
        part = range(starts[i], starts[i + 1])
        tokens = [_number(label), *(f"{indices[k]}:{_number(values[k])}" for k in part)]
        lines.append(" ".join(tokens))
    return ("\n".join(lines) + "\n").encode()


def _by_column(rows: Any, labels: NDArray[np.float64], decimals: int) -> bytes:
    """Set all tokens of a piece at once, each in a row of a byte matrix, with 0 where it is shorter.

    A row begins with a token of its label, which ends the line before it.
    """
    n, nnz = len(labels), rows.nnz
    places = np.arange(nnz) + np.repeat(np.arange(n), np.diff(rows.indptr)) + 1
    heads = rows.indptr[:-1] + np.arange(n)
    units = np.rint(np.abs(rows.data) * 10**decimals).astype(np.int64)
    whole, rest = np.divmod(units, 10**decimals)
    columns = [
        np.full((nnz, 1), ord(" "), dtype=np.uint8),
        _digits(rows.indices.astype(np.int64) + 1),
        np.full((nnz, 1), ord(":"), dtype=np.uint8),
        np.where(rows.data < 0.0, ord("-"), 0).astype(np.uint8)[:, None],
        _digits(whole),
    ]
    if decimals:
        columns += [np.full((nnz, 1), ord("."), dtype=np.uint8), _digits(rest, decimals)]
    entries = np.concatenate(columns, axis=1)
    signs = np.where(labels < 0.0, ord("-"), 0).astype(np.uint8)[:, None]
    newline = np.full((n, 1), ord("\n"), dtype=np.uint8)
    label = np.concatenate([newline, signs, _digits(np.abs(labels).astype(np.int64))], axis=1)
    text = np.zeros((n + nnz, max(entries.shape[1], label.shape[1])), dtype=np.uint8)
    text[places, : entries.shape[1]] = entries
    text[heads, : label.shape[1]] = label
    flat: bytes = text[text != 0].tobytes()
    return flat[1:] + b"\n"


def _digits(numbers: NDArray[np.int64], width: int | None = None) -> Bytes:
    """Return decimal digits as a byte matrix; without a width, leading zeros are 0 bytes."""
    count = width or len(str(int(numbers.max(initial=0))))
    digits = np.zeros((len(numbers), count), dtype=np.uint8)
    rest = numbers.copy()
    for place in range(count - 1, -1, -1):
        rest, digit = np.divmod(rest, 10)
        shown = digit + ord("0")
        if width is None and place < count - 1:
            shown = np.where((digit == 0) & (rest == 0), 0, shown)
        digits[:, place] = shown
    return digits
