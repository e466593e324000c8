"""Checks a certificate against the data it speaks of, trusting neither its maker nor any solver.

This package is the whole checker. It imports nothing else of Separatrix and uses three kinds of arithmetic:
whole numbers and fractions, which are exact; decimals of sixty digits for logarithms and powers; and
doubles with a proved bound on their error, whose answer counts only where that bound leaves no doubt.

A certificate is a JSON object. `theorem`, `assumption`, `witness`, `observed`, `bound`, `data`, `order`
and `version` are its claim, and `seal` the SHA-256 of the canonical JSON text of all that. To verify it:

    1. the seal must match, so that a number altered by hand or in transport is noticed;
    2. from the data, the witness and the two flags `bias` and `normalize` alone, derive every other
       field again: fingerprint, counts, labels, assumption, observed mistakes, bound;
    3. the claim must be that, digit by digit: neither smaller nor larger.

Step 2 reads the data once, in batches. The rows are those of the file with explicit zeros dropped;
with `normalize` each value is divided by its row's norm (squares added in index order, one square root,
one division, all in doubles), and the rounded quotients are the data; with `bias` a 1 is appended then.
The greater of two labels is +1.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from separatrix.theory.verify.comparison import Comparison, comparator_bound
from separatrix.theory.verify.numbers import AgainError, RefutedError, UnreadableError, number
from separatrix.theory.verify.replay import Replay
from separatrix.theory.verify.rows import Data, Rows, Vector
from separatrix.theory.verify.weights import Weights, margin_ends
from separatrix.theory.verify.winnow import Winnow

__all__ = [
    "ASSUMPTIONS",
    "VERSION",
    "RefutedError",
    "UnreadableError",
    "Verdict",
    "canonical",
    "derive",
    "parse",
    "seal",
    "verify",
]

Batches = Callable[[], Iterable[tuple[Any, Any]]]
VERSION = 1
_COMPARATOR = "none: any u bounds the mistakes of one pass"
ASSUMPTIONS = {
    "T2": "y u·x > 0 in every row",
    "T3": "y u·x > 0 in every row, shown in any order, any number of times",
    "T4a": "none: the Perceptron's one pass in file order, replayed",
    "T4b": _COMPARATOR,
    "T4c": _COMPARATOR,
    "T6": "x in {0,1}^n, and y = +1 exactly where one of the variables is 1",
    "T7": "x in {0,1}^n, and y = +1 exactly where at least k of the variables are 1",
    "T8": "x in [0,1]^n, μ ≥ 0, μ·x ≥ 1 where y = +1, μ·x ≤ 1 − δ where y = −1",
    "T9 separable": "y u·x > 0 in every row",
    "T9": _COMPARATOR,
    "T11 separable": "y w·x > 0 in every row",
    "T11 weakly separable": "y w·x ≥ 0 in every row, > 0 in one, and Σ λ_i y_i x_i = 0, λ > 0, Σ λ_i = 1",
    "T11 not separable": "Σ λ_i y_i x_i = 0, λ > 0, Σ λ_i = 1",
    "T11 margin": "y w·x > 0 in every row; λ > 0 weighs some rows",
}
_COMPARATOR_FIELDS = {"u", "replay"}
WITNESSES = {
    "T2": _COMPARATOR_FIELDS,
    "T3": _COMPARATOR_FIELDS,
    "T4a": _COMPARATOR_FIELDS,
    "T4b": _COMPARATOR_FIELDS,
    "T4c": _COMPARATOR_FIELDS,
    "T6": {"variables", "relevant", "demotion"},
    "T7": {"variables", "relevant", "k"},
    "T8": {"variables", "target", "separation", "threshold", "factor"},
    "T9 separable": {"u", "p"},
    "T9": {"u", "p"},
    "T11 separable": {"u"},
    "T11 weakly separable": {"u", "rows", "weights"},
    "T11 not separable": {"rows", "weights"},
    "T11 margin": {"u", "rows", "weights"},
}
"""A witness's fields: nothing may stand in a proof that is not looked at. Only `replay` may be left out."""


class Verdict(NamedTuple):
    """Whether a certificate is proved, and why or why not."""

    proved: bool
    reason: str


def parse(text: str) -> dict[str, Any]:
    """Return the JSON object of a certificate; repeated names and numbers that are not finite are refused."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise UnreadableError(f"a name is repeated among {[name for name, _ in pairs]}")
        return dict(pairs)

    def refuse(word: str) -> None:
        raise UnreadableError(f"expected a finite number, found {word}")

    try:
        document = json.loads(text, object_pairs_hook=once, parse_constant=refuse)
        canonical(document).encode()  # refuses 1e999, and half of a surrogate pair
    except UnreadableError:
        raise
    except (ValueError, RecursionError) as e:
        raise UnreadableError(f"not JSON: {e}") from e
    needed = {"theorem", "assumption", "witness", "observed", "bound", "data", "order", "version", "seal"}
    if not isinstance(document, dict) or set(document) != needed:
        raise UnreadableError(f"a certificate has the fields {sorted(needed)} and no other")
    return document


def canonical(value: Any) -> str:
    """Return the one JSON text of a value: names sorted, no blanks, shortest decimals that read back."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def seal(document: Mapping[str, Any]) -> str:
    claim = {name: value for name, value in document.items() if name != "seal"}
    return hashlib.sha256(canonical(claim).encode()).hexdigest()


_COMPARED = {"T2", "T3", "T4a", "T4b", "T4c", "T9", "T9 separable"}
_SEPARATED = {"T11 separable", "T11 weakly separable", "T11 margin"}
_WEIGHTED = {"T11 not separable", "T11 weakly separable", "T11 margin"}


class _Claim:
    """A theorem and its witness: sees the rows go by, then has the bound."""

    def __init__(
        self, theorem: str, witness: Mapping[str, Any], data: Mapping[str, Any], exact: bool
    ) -> None:
        if theorem not in ASSUMPTIONS:
            raise UnreadableError(f"expected one of the theorems {sorted(ASSUMPTIONS)}, found {theorem!r}")
        fields = WITNESSES[theorem]
        if not fields - {"replay"} <= set(witness) <= fields:
            raise UnreadableError(f"the witness of {theorem} is {sorted(fields)}, found {sorted(witness)}")
        self.theorem, self.exact = theorem, exact
        self.compare = self.replay = self.winnow = self.weights = None
        if theorem in _COMPARED | _SEPARATED:
            p = number(witness["p"]) if theorem.startswith("T9") else None
            if p is not None and p < 2:
                raise UnreadableError(f"p should be at least 2, but is {float(p)!r}")
            self.compare = Comparison(Vector(witness["u"], data["columns"], data["bias"]), exact, p)
        if "replay" in witness:
            self.replay = Replay(witness["replay"])
        if theorem == "T4a" and self.replay is None:
            raise UnreadableError("T4a speaks of a run, and its witness should say how to replay it")
        if theorem in ("T6", "T7", "T8"):
            if data["bias"] or data["normalize"]:
                raise UnreadableError("Winnow's theorems have neither a bias nor unit rows")
            self.winnow = Winnow(theorem, witness, data["columns"])
        if theorem in _WEIGHTED:
            self.weights = Weights(witness)

    def see(self, rows: Rows) -> None:
        mistakes = self.replay.see(rows) if self.replay else None
        if self.compare:
            self.compare.see(rows, mistakes if self.theorem == "T4a" else None)
        if self.winnow:
            self.winnow.see(rows)
        if self.weights:
            self.weights.see(rows)

    def bound(self, rows: int) -> Any:
        bound: Any = None
        if self.compare and self.theorem in _COMPARED:
            bound = comparator_bound(self.theorem, self.compare, self.exact)
        elif self.compare and self.theorem == "T11 separable":
            self.compare.separating()
        elif self.compare and self.theorem == "T11 weakly separable":
            self.compare.weakly_separating()
        elif self.winnow:
            bound = self.winnow.bound()
        if self.weights and self.theorem != "T11 margin":
            self.weights.balance(rows)
        elif self.weights and self.compare:
            bound = margin_ends(self.compare, self.weights, rows)
        if self.replay and bound is not None and self.replay.mistakes > bound:
            observed = self.replay.mistakes
            raise RefutedError(
                f"{observed} mistakes are more than the bound, {bound}: the replay met rounding error"
            )
        return bound


def derive(
    theorem: str, witness: Mapping[str, Any], data: Mapping[str, Any], batches: Batches
) -> dict[str, Any]:
    """Return all that a certificate of this theorem with this witness may claim of the data.

    `data` gives `bias` and `normalize`, and `labels` and `columns`, which are found again. Raises
    RefutedError where the witness does not do what the theorem needs, UnreadableError where it is none.
    """
    try:
        try:
            found, error = _derive(theorem, witness, data, batches(), exact=False)
        except AgainError:
            found, error = _derive(theorem, witness, data, batches(), exact=True)
    except UnreadableError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError) as e:
        raise UnreadableError(f"the witness of {theorem} is not complete: {type(e).__name__}: {e}") from e
    if error is not None:
        error.data = found["data"]
        raise error
    return found


def _derive(
    theorem: str, witness: Mapping[str, Any], data: Mapping[str, Any], batches: Iterable[Any], exact: bool
) -> tuple[dict[str, Any], RefutedError | None]:
    claim, source = (
        _Claim(theorem, witness, data, exact),
        Data(data["labels"], data["bias"], data["normalize"]),
    )
    refuted, bound = None, None
    for rows in source.read(batches):
        # After a refutation the rest is still fingerprinted: "this is other data" is the better reason.
        if refuted is None:
            try:
                claim.see(rows)
            except RefutedError as e:
                refuted = e
    if refuted is None:
        try:
            bound = claim.bound(source.rows)
        except RefutedError as e:
            refuted = e
    return {
        "theorem": theorem,
        "assumption": ASSUMPTIONS[theorem],
        "witness": dict(witness),
        "observed": claim.replay.mistakes if claim.replay else None,
        "bound": bound,
        "data": source.described(),
        "order": "file" if claim.replay else "any",
        "version": VERSION,
    }, refuted


def verify(document: Mapping[str, Any], batches: Batches) -> Verdict:
    """Check a parsed certificate against data, given as a function that starts a pass over (X, y) batches.

    Raises UnreadableError where the data cannot be read as two-class rows, or the certificate is none.
    """
    if seal(document) != document["seal"]:
        return Verdict(False, "the seal does not match: the certificate was altered after it was made")
    claimed = document["data"]
    fields = {"sha256", "rows", "columns", "labels", "bias", "normalize"}
    if not isinstance(claimed, dict) or set(claimed) != fields:
        raise UnreadableError(f"a certificate's data has the fields {sorted(fields)}")
    if type(claimed["bias"]) is not bool or type(claimed["normalize"]) is not bool:
        raise UnreadableError("a certificate's bias and normalize are true or false")
    refuted = None
    try:
        derived = derive(document["theorem"], document["witness"], claimed, batches)
    except RefutedError as e:
        refuted, derived = e, {"data": e.data}
    for name, value in derived["data"].items():
        if canonical(value) != canonical(claimed[name]):
            return Verdict(False, f"the data's {name} is {value}, not {claimed[name]}")
    if refuted is not None:
        return Verdict(False, str(refuted))
    for name, value in derived.items():
        if canonical(value) != canonical(document[name]):
            return Verdict(False, f"{name} is {value!r}, not {document[name]!r}")
    return Verdict(True, f"{document['theorem']} on {claimed['rows']} rows: {document['assumption']}")
