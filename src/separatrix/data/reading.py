"""Labelled rows from libsvm text: whole files at once, or as a stream in constant memory.

Files may be plain or gzip, which their first bytes tell. The grammar, in short: ``label index:value …``
with comments from ``#`` on, ``qid:n`` after the label, blanks and tabs as you like, indices in any order
but each once a row. Numbers read as Python's ``float`` reads them; NaN and infinity are errors.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from separatrix._native import RowStream
from separatrix.data.text_options import MAX_LINE_BYTES, reading_options, warn_of_refused
from separatrix.errors import InputError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from separatrix._native import _Rows

IndexBase = Literal["auto", 0, 1]

_NO_LIMIT = 2**32 - 1


def read(
    source: Any,
    *,
    n_features: int | None = None,
    index_base: IndexBase = "auto",
    bad_rows: str = "fail",
    query_id: bool = False,
    threads: int | None = None,
    max_line_bytes: int = MAX_LINE_BYTES,
) -> tuple[Any, ...]:
    """Read labelled rows into memory, as scikit-learn's ``load_svmlight_file`` does, many times faster.

    Parameters
    ----------
    source : path, binary file, or a list of them
        ``"-"`` is standard input. The rows of several sources are stacked.
    n_features : int >= 1, optional
        Columns of ``X``. By default the largest index decides.
    index_base : {"auto", 0, 1}
        What the first column is called in the text. "auto": 0 if any index is 0, else 1.
    bad_rows : {"fail", "skip", "quarantine=FILE"}
        What becomes of rows that cannot be read: an error that says where and why, or left out and
        counted in a `BadRowsWarning`, or, besides, written to a file as they were.
    query_id : bool
        Return the ``qid`` of each row too; every row must then have one.
    threads : int from 1 to 1024, optional
        Threads that parse; by default as many as there are processors, four at most. The result is the same.
    max_line_bytes : int >= 1
        The longest line.

    Returns
    -------
    X : scipy.sparse.csr_matrix of shape (rows, n_features), float64
        Indices are sorted and each is there once; explicit zeros are kept.
    y : ndarray of shape (rows,), float64
    qid : ndarray of shape (rows,), int64
        Only if `query_id`.

    Raises
    ------
    InputError
        A row cannot be read; the message has ``file:line:column``, what was expected and what was found.
    OSError
        A file cannot be opened or read.

    Examples
    --------
    >>> import io, separatrix as sx
    >>> X, y = sx.read(io.BytesIO(b"+1 1:0.5 3:2\\n-1 2:1  # a comment\\n"))
    >>> X.toarray()
    array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]])
    >>> y
    array([ 1., -1.])
    """
    _check_n_features(n_features)
    stream = _open(
        source,
        # Zero-based first; with all rows at hand, "auto" need not guess from the first.
        index_base=0 if index_base == "auto" else index_base,
        bad_rows=bad_rows,
        threads=threads,
        max_line_bytes=max_line_bytes,
    )
    rows, summary = stream.read_all()
    labels, starts, indices, values, columns, qids = rows
    if index_base == "auto" and indices.size and indices.min() > 0:
        indices -= 1
        columns -= 1
    if n_features is not None and n_features < columns:
        raise _too_few(n_features, columns)
    X = _csr(labels, starts, indices, values, n_features or columns)
    warn_of_refused(summary["rows_refused"], summary["first_bad"])
    if not query_id:
        return X, labels
    with_id, ids = qids
    if len(ids) != labels.size:
        lacking = int(np.setdiff1d(np.arange(labels.size), with_id)[0])
        raise InputError(f"query_id asks for a qid in every row, but row {lacking} (counted from 0) has none")
    return X, labels, np.asarray(ids, dtype=np.int64)


class Stream:
    """Batches ``(X, y)`` of labelled rows in constant memory; made by `open_stream`.

    Attributes
    ----------
    rows, rows_refused : int
        Rows handed out, and left out, so far.
    first_bad : list of str
        The first few rows left out: ``file:line:column``, expected, found.
    index_base : {0, 1, None}
        As told or as found; None as long as no row has had an index.
    columns : int
        The width of the last batch.
    """

    def __init__(self, native: RowStream, n_features: int | None) -> None:
        self._native = native
        self._n_features = n_features
        self.columns = n_features or 0

    rows = property(lambda self: self._native.so_far()[0])
    rows_refused = property(lambda self: self._native.so_far()[1])
    first_bad = property(lambda self: self._native.so_far()[2])
    index_base = property(lambda self: self._native.so_far()[3])

    def __iter__(self) -> Iterator[tuple["csr_matrix", "NDArray[np.float64]"]]:
        return self

    def __next__(self) -> tuple["csr_matrix", "NDArray[np.float64]"]:
        batch: _Rows | None = self._native.next_batch()
        if batch is None:
            warn_of_refused(self.rows_refused, self.first_bad)
            raise StopIteration
        labels, starts, indices, values, columns, _ = batch
        if self._n_features is None:
            self.columns = max(self.columns, columns)
        elif columns > self._n_features:
            raise _too_few(self._n_features, columns)
        return _csr(labels, starts, indices, values, self.columns), labels


def open_stream(
    source: Any,
    *,
    n_features: int | None = None,
    index_base: IndexBase = "auto",
    bad_rows: str = "fail",
    max_line_bytes: int = MAX_LINE_BYTES,
) -> Stream:
    """Open labelled rows as a stream of batches ``(X, y)``, in constant memory whatever the size.

    Parameters are those of `read`, except that "auto" decides the index base by the first 256 KiB of
    text with any index in it; an index 0 that turns up later is an error. Without `n_features` each
    batch is as wide as the largest index met so far.

    Examples
    --------
    >>> import io, separatrix as sx
    >>> stream = sx.open(io.BytesIO(b"1 1:0.5 3:2\\n-1 2:1\\n"))
    >>> for X, y in stream:
    ...     print(X.shape, y)
    (2, 3) [ 1. -1.]
    >>> stream.rows, stream.index_base
    (2, 1)
    """
    _check_n_features(n_features)
    native = _open(source, index_base=index_base, bad_rows=bad_rows, threads=1, max_line_bytes=max_line_bytes)
    return Stream(native, n_features)


# `sx.open` reads well; here the name would hide the built-in one.
globals()["open"] = open_stream


def _open(
    source: Any, *, index_base: IndexBase, bad_rows: str, threads: int | None, max_line_bytes: int
) -> RowStream:
    options = reading_options(index_base, bad_rows, threads, max_line_bytes)
    sources = [
        one if hasattr(one, "read") else os.fsdecode(one)
        for one in (source if isinstance(source, list | tuple) else [source])
    ]
    # A file object is read under the interpreter's lock, so other threads would only wait for it.
    held = any(hasattr(s, "read") for s in sources)
    return RowStream(
        sources,
        index_base=options["index_base"],
        bad_rows=bad_rows,
        optional_labels=False,
        column_limit=_NO_LIMIT,
        line_limit=max_line_bytes,
        threads=1 if held else options["threads"],
    )


def _check_n_features(n_features: int | None) -> None:
    if n_features is not None and n_features < 1:
        raise UsageError(f"n_features must be at least 1, but is {n_features}")


def _too_few(n_features: int, columns: int) -> InputError:
    return InputError(f"n_features must be at least {columns}, the columns of the data, but is {n_features}")


def _csr(labels: Any, starts: Any, indices: Any, values: Any, columns: int) -> "csr_matrix":
    from scipy.sparse import csr_matrix

    X = csr_matrix((values, indices, starts), shape=(labels.size, columns), copy=False)
    # The reader has sorted them and refused repeated ones; SciPy need not look again.
    X.has_sorted_indices = True
    X.has_canonical_format = True
    return X
