"""Certificates: a claim about data, with the witness that lets a third party check it in one pass.

A certificate's numbers are those that `separatrix.theory.verify` derives from data and witness; making
one is deriving them, so a certificate that could not be verified cannot be made.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.errors import InputError, UsageError
from separatrix.theory import verify as checker
from separatrix.theory.verify import Verdict

__all__ = ["Certificate", "Verdict", "vector"]

Number = float | int | str
"""A JSON number, meant exactly as the double it is, or a fraction "p/q"."""


@dataclass(frozen=True)
class Certificate:
    """A theorem about one data set, with its witness and the data's fingerprint.

    Made by `Certificate.make`, or read from a file; `verify` checks it against data.

    Parameters
    ----------
    theorem : str
        One of `separatrix.theory.verify.ASSUMPTIONS`: "T2", "T4b", "T11 not separable" …
    assumption : str
        What the theorem needs of the data, in words; the checker verifies it in every row.
    witness : mapping
        The theorem's own: a vector `u`, or rows and weights, or Winnow's target.
    observed : int or None
        Mistakes of the Perceptron's single pass in file order, where the witness has `replay`.
    bound : int, [float, float] or None
        The greatest number of mistakes; for "T11 margin" the two ends of the largest margin.
    data : mapping
        sha256, rows, columns, labels, bias, normalize.
    order : str
        "file" where a run was replayed, else "any".
    version : int
        Of the format.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = [[2.0, 1.0], [-1.0, -2.0]], [1, -1]
    >>> certificate = sx.Certificate.make("T2", {"u": sx.vector([1.0, 1.0])}, X, y)
    >>> certificate.bound
    1
    >>> certificate.verify(X, y).proved
    True
    >>> certificate.verify(X, [1, 1]).reason  # doctest: +ELLIPSIS
    "the data's sha256 is ..., not ..."
    """

    theorem: str
    assumption: str
    witness: Mapping[str, Any]
    observed: int | None
    bound: Any
    data: Mapping[str, Any]
    order: str
    version: int

    @classmethod
    def make(
        cls,
        theorem: str,
        witness: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        bias: bool = False,
        normalize: bool = False,
    ) -> "Certificate":
        """Derive a certificate's numbers from data and witness.

        Parameters
        ----------
        theorem : str
            One of `separatrix.theory.verify.ASSUMPTIONS`.
        witness : mapping
            As docs/ledger-and-certificates.md lists them by theorem.
        X : array or sparse matrix of shape (rows, columns)
            The rows.
        y : array of two labels
            The greater is +1.
        bias : bool
            Whether a 1 is appended to every row.
        normalize : bool
            Whether each row is divided by its norm first.

        Raises
        ------
        InputError
            Where the witness does not do what the theorem needs; the message names the row.
        UsageError
            Where the witness is not one of that theorem.
        """
        rows = as_rows(X)
        labels = np.asarray(y, dtype=np.float64)
        nonzero = rows.indices[rows.data != 0]
        data = {
            "labels": np.unique(labels + 0.0).tolist(),
            "columns": int(nonzero.max()) + 1 if len(nonzero) else 0,
            "bias": bool(bias),
            "normalize": bool(normalize),
        }
        try:
            derived = checker.derive(
                theorem, _within(witness, data["columns"]), data, lambda: [(rows, labels)]
            )
        except checker.RefutedError as e:
            raise InputError(f"{theorem} cannot be certified: {e}") from e
        except checker.UnreadableError as e:
            raise UsageError(f"{theorem} cannot be certified: {e}") from e
        return cls(**derived)

    def verify(self, X: Any, y: Any) -> Verdict:
        """Check the certificate against data in memory, by `separatrix.theory.verify` alone."""
        rows, labels = as_rows(X), np.asarray(y, dtype=np.float64)
        return self.verify_batches(lambda: [(rows, labels)])

    def verify_batches(self, batches: Callable[[], Iterable[tuple[Any, Any]]]) -> Verdict:
        """Check the certificate against a stream: a function that starts a pass over (X, y) batches."""
        try:
            return checker.verify(self.to_dict(), batches)
        except checker.UnreadableError as e:
            raise InputError(str(e)) from e

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object, sealed."""
        document = asdict(self)
        return {**document, "seal": checker.seal(document)}

    def to_json(self) -> str:
        """Return the canonical JSON text: one line, names sorted."""
        return checker.canonical(self.to_dict()) + "\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON text, whole or not at all."""
        path = Path(path)
        partial = path.with_name(f".{path.name}.partial-{os.getpid()}")
        try:
            partial.write_text(self.to_json(), encoding="utf-8")
            os.replace(partial, path)
        except OSError as e:
            partial.unlink(missing_ok=True)
            raise OSError(e.errno, e.strerror, os.fspath(path)) from e
        except BaseException:
            partial.unlink(missing_ok=True)
            raise

    @classmethod
    def from_json(cls, text: str) -> "Certificate":
        """Read the JSON text; refuse it where the seal does not match."""
        try:
            document = checker.parse(text)
        except checker.UnreadableError as e:
            raise InputError(f"not a certificate: {e}") from e
        if document.pop("seal") != checker.seal(document):
            raise InputError("the certificate's seal does not match: it was altered after it was made")
        return cls(**document)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Certificate":
        """Read a certificate's file."""
        try:
            return cls.from_json(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as e:
            raise InputError(f"{os.fspath(path)}: {e}") from e


def vector(weights: Sequence[Number] | np.ndarray, bias: Number = 0) -> dict[str, Any]:
    """Return a vector in the form that witnesses have: its entries that are not zero.

    Parameters
    ----------
    weights : sequence of float, int or "p/q"
        One for each column.
    bias : float, int or "p/q"
        The weight of the appended 1.

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.vector([0.5, 0.0, "1/3"], bias=-1)
    {'indices': [0, 2], 'values': [0.5, '1/3'], 'bias': -1}
    """
    plain = weights.tolist() if isinstance(weights, np.ndarray) else list(weights)
    kept = [(j, v) for j, v in enumerate(plain) if v not in (0, "0", "0/1")]
    return {"indices": [j for j, _ in kept], "values": [v for _, v in kept], "bias": bias}


def as_rows(X: Any) -> Any:
    """Return rows as a canonical CSR matrix of doubles, whatever they came as."""
    from scipy import sparse

    if not sparse.issparse(X):
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2:
            raise UsageError(f"X should have two dimensions, but has {X.ndim}")
    rows = sparse.csr_matrix(X)
    if rows.dtype != np.float64 or not rows.has_canonical_format:
        rows = rows.astype(np.float64)
        rows.sum_duplicates()
    return rows


def _within(witness: Mapping[str, Any], columns: int) -> dict[str, Any]:
    """Drop the weights of columns in which no row has an entry: they only add to a norm."""
    plain = dict(witness)
    for name, value in witness.items():
        if isinstance(value, Mapping) and set(value) == {"indices", "values", "bias"}:
            pairs = [(j, v) for j, v in zip(value["indices"], value["values"], strict=True) if j < columns]
            plain[name] = {**value, "indices": [j for j, _ in pairs], "values": [v for _, v in pairs]}
    return plain
