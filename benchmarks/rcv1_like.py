"""Text like rcv1's, made fast: sparse rows of unit length, Zipf's columns, planted classes, noisy labels.

Columns come in pairs of equal frequency, one for each class: a row of a class takes 70 % of its
words from its own side. So one weight vector separates nearly all rows, before 5 % of the labels
are flipped. Values are whole multiples of 1e-7, so that text and arrays hold the same doubles.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

COLUMNS = 47_236
DRAWN = 84  # of which 73 are different, on average
NOISE = 0.05
CHUNK = 5_000
BYTES_A_ROW = 1_145


class Text(NamedTuple):
    libsvm: Path
    vw: Path
    X: sparse.csr_matrix
    y: NDArray[np.float64]


def _rows(rng: np.random.Generator, rows: int) -> tuple[NDArray, NDArray, NDArray]:
    """Labels, sorted columns and values × 10^7 (0 where a column came twice)."""
    truth = rng.random(rows) < 0.5
    rank = (COLUMNS / 2) ** rng.random((rows, DRAWN), dtype=np.float32)
    side = (rng.random((rows, DRAWN), dtype=np.float32) < 0.7) == truth[:, None]
    columns = (2 * rank.astype(np.int32) + side) * 7919 % COLUMNS
    columns.sort(axis=1)
    # Frequent words weigh less, as with tf-idf; which words are frequent is 7919's inverse away.
    idf = 1.0 + np.log(((columns.astype(np.int64) * pow(7919, -1, COLUMNS)) % COLUMNS) / 2 + 1.0)
    values = idf * (0.5 + rng.random((rows, DRAWN)))
    values[:, 1:][columns[:, 1:] == columns[:, :-1]] = 0.0
    values /= np.sqrt((values**2).sum(axis=1, keepdims=True))
    labels = np.where(truth != (rng.random(rows) < NOISE), 1, -1)
    return labels, columns, np.rint(values * 1e7).astype(np.int32)


def _digits(numbers: NDArray, width: int) -> NDArray[np.uint8]:
    places = 10 ** np.arange(width - 1, -1, -1, dtype=np.int32)
    return (numbers[..., None] // places % 10 + ord("0")).astype(np.uint8)


def _text(labels: NDArray, columns: NDArray, values: NDArray, bar: bool) -> bytes:
    """``+1 17:0.0123456 …``; with ``bar``, VW's ``+1 | 17:0.0123456 …``."""
    rows, width = columns.shape
    numbers = np.empty((rows, width, 16), dtype=np.uint8)
    numbers[..., 0] = ord(" ")
    numbers[..., 1:6] = _digits(columns + 1, 5)
    numbers[..., 6:9] = np.frombuffer(b":0.", dtype=np.uint8)
    numbers[..., 9:] = _digits(values, 7)
    keep = np.ones(numbers.shape, dtype=bool)
    keep[..., 1:5] = np.logical_or.accumulate(numbers[..., 1:5] != ord("0"), axis=-1)
    keep[values == 0] = False
    head = np.empty((rows, 4), dtype=np.uint8)
    head[:] = np.frombuffer(b"+1 |", dtype=np.uint8)
    head[labels < 0, 0] = ord("-")
    kept_head = np.tile(np.array([True, True, bar, bar]), (rows, 1))
    ends = np.full((rows, 1), ord("\n"), dtype=np.uint8)
    line = np.concatenate([head, numbers.reshape(rows, -1), ends], axis=1)
    kept = np.concatenate([kept_head, keep.reshape(rows, -1), np.ones((rows, 1), dtype=bool)], axis=1)
    return line[kept].tobytes()


def make(folder: Path, megabytes: int, seed: int) -> Text:
    """The files and the same rows as arrays; what is there already is read again."""
    rows = megabytes * 1_000_000 // BYTES_A_ROW
    stem = folder / f"rcv1_like_{megabytes}mb_seed{seed}"
    libsvm, vw, arrays = stem.with_suffix(".libsvm"), stem.with_suffix(".vw"), stem.with_suffix(".npz")
    if not arrays.exists():
        folder.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(seed)
        y, columns, values, lengths = [], [], [], [np.zeros(1, dtype=np.int64)]
        with open(libsvm, "wb") as plain, open(vw, "wb") as barred:
            for start in range(0, rows, CHUNK):
                some, where, what = _rows(rng, min(CHUNK, rows - start))
                plain.write(_text(some, where, what, bar=False))
                barred.write(_text(some, where, what, bar=True))
                y.append(some.astype(np.float64))
                columns.append(where[what != 0])
                values.append(what[what != 0])
                lengths.append(np.count_nonzero(what, axis=1))
        np.savez(
            arrays,
            y=np.concatenate(y),
            indices=np.concatenate(columns),
            values=np.concatenate(values),
            indptr=np.cumsum(np.concatenate(lengths)).astype(np.int32),
        )
    held = np.load(arrays)
    X = sparse.csr_matrix((held["values"] / 1e7, held["indices"], held["indptr"]), shape=(rows, COLUMNS))
    return Text(libsvm, vw, X, held["y"])
