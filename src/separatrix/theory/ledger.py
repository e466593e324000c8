"""The ledger of a run: mistakes made beside every bound that applies, and whether its assumption holds.

What may be said follows docs/theory.md, "Rules for reporting". An assumption that was checked in every
row of the data (by a certificate) is *verified*, and only then does an entry say "holds". One that is
contradicted, by the data or by more mistakes than it allows, is *violated*. All else is *not checkable*.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from separatrix.errors import UsageError
from separatrix.theory import bounds
from separatrix.theory.certificate import Certificate
from separatrix.theory.run import Run

Status = Literal["verified", "violated", "not checkable"]

_ADDITIVE = ("perceptron", "averaged-perceptron", "voted-perceptron")
_STATEMENTS = {
    "T1": "M ≤ ⌊log₂ |C|⌋",
    "T2": "M ≤ (R‖u‖ / min y u·x)²",
    "T3": "M ≤ (R‖u‖ / min y u·x)² over all passes together",
    "T4a": "M ≤ H_M(u) + ‖u‖·√(Σ_M ‖x‖²)",
    "T4b": "M ≤ ((R‖u‖ + √(R²‖u‖² + 4H(u))) / 2)²",
    "T4c": "M ≤ R²‖u‖² + 2H(u)",
    "T6": "M ≤ 1 + 2r(1 + log₂ n) by elimination, 2 + 3r(1 + log₂ n) by halving",
    "T7": "M ≤ (2 + ε)P + (1 + ε)/ε, P ≤ (2k/(k+1))·[r(1 + log_{1+ε} n) + (k−1)(1+ε)/ε]",
    "T8": "M ≤ (1 + β)·[Σμ·(1 + ln θ/ln β) + (1−δ)·β/(β−1)·n/θ]/(1 − (1−δ)β) + β/(β−1)·n/θ",
    "T9 separable": "M ≤ (p−1)·(‖u‖_q R_p / min y u·x)²",
    "T9": "M ≤ ((a + √(a² + 4H(u))) / 2)², a = √(p−1)·R_p·‖u‖_q",
    "T10": "M ≤ max K(x, x) / γ² in feature space",
    "T14": "average risk of the T hypotheses ≤ M/T + √(2 ln(1/η)/T), with probability 1 − η",
}
_SEPARABLE = "some u has y u·x > 0 in every round"


@dataclass(frozen=True)
class Entry:
    """One theorem beside one run.

    Parameters
    ----------
    theorem, statement, assumption : str
    status : {"verified", "violated", "not checkable"}
        Of the assumption.
    bound : float or None
        What the theorem allows, where it could be computed.
    observed : float
        Mistakes; for T14 the rate of mistakes.
    holds : bool or None
        Whether observed ≤ bound; None unless the assumption is verified.
    note : str
        Why the status is what it is.
    """

    theorem: str
    statement: str
    assumption: str
    status: Status
    bound: float | None
    observed: float
    holds: bool | None
    note: str


def _entry(
    theorem: str, assumption: str, status: Status, bound: float | None, observed: float, note: str
) -> Entry:
    if bound is not None and observed > bound and status == "not checkable" and theorem != "T14":
        status, note = (
            "violated",
            f"{observed:g} mistakes are more than {bound:g}, so this is false: {assumption}",
        )
    holds = observed <= bound if status == "verified" and bound is not None else None
    return Entry(theorem, _STATEMENTS[theorem], assumption, status, bound, observed, holds, note)


@dataclass(frozen=True)
class Ledger:
    """Mistakes beside every bound that applies to the learner; `learner.ledger_` has one.

    Parameters
    ----------
    run : Run
    entries : tuple of Entry

    Examples
    --------
    >>> import separatrix as sx
    >>> from separatrix.theory.run import Run
    >>> X, y = [[2.0, 1.0], [-1.0, -2.0]], [1, -1]
    >>> run = Run(rule="perceptron", parameters={"tie": "mistake"}, classes=2, features=2, rounds=2,
    ...           mistakes=1, mistakes_by_class=(0, 1), radius=5**0.5, squared_norms=5.0)
    >>> proof = sx.Certificate.make("T2", {"u": sx.vector([1.0, 1.0])}, X, y)
    >>> entry = sx.Ledger.from_run(run, [proof]).entry("T2")
    >>> entry.status, entry.bound, entry.observed, entry.holds
    ('verified', 1, 1, True)
    """

    run: Run
    entries: tuple[Entry, ...]

    @classmethod
    def from_run(
        cls,
        run: Run,
        certificates: Iterable[Certificate] = (),
        *,
        iid: bool = False,
        failure: float = 0.05,
        margin: float | None = None,
        hypotheses: int | None = None,
    ) -> "Ledger":
        """Set a run's mistakes beside the theorems that speak of its rule.

        Parameters
        ----------
        run : Run
            The counters of a finished game, `learner.run_`.
        certificates : iterable of Certificate
            Proofs about the data of the run, each verified as it was made: T2, T4b, T9, T11 …
        iid : bool
            Declare that rows are independent draws from one distribution: T14, after a single pass.
        failure : float, in (0, 1)
            T14's η.
        margin : float, positive, optional
            Claim, without proof, that some u separates with this margin: too many mistakes refute it.
        hypotheses : int, at least 1, optional
            For Halving: the size of the class (T1), claimed to hold a hypothesis that is always right.
        """
        if margin is not None and not margin > 0.0:
            raise UsageError(f"margin should be positive, but is {margin!r}")
        proofs = {c.theorem: c for c in certificates if _same_game(run, c)}
        entries: list[Entry] = []
        if run.rule in _ADDITIVE and run.classes <= 2:
            entries += _perceptron(run, proofs, margin)
        elif run.rule == "p-norm" and run.classes <= 2:
            entries += _p_norm(run, proofs)
        elif run.rule == "winnow" and run.classes <= 2:
            entries += _winnow(run, proofs)
        elif run.rule == "kernel-perceptron" and run.classes <= 2:
            bound = (
                None if margin is None else bounds.kernel_separable(run.radius**2, min(margin, run.radius))
            )
            note = (
                "needs a comparator in feature space" if margin is None else f"margin {margin:g} is claimed"
            )
            assumption = "some u in feature space has y u(x) > 0 in every round"
            entries.append(_entry("T10", assumption, "not checkable", bound, run.mistakes, note))
        elif run.rule == "halving" and hypotheses is not None:
            assumption = "some hypothesis of the class is right in every round"
            bound = bounds.halving(hypotheses)
            entries.append(
                _entry("T1", assumption, "not checkable", bound, run.mistakes, "claimed, not checked")
            )
        # T14 says nothing of repeated passes.
        if iid and run.passes == 1 and run.order != "misclassified" and run.rounds:
            entries.append(_risk(run, failure))
        return cls(run, tuple(entries))

    def entry(self, theorem: str) -> Entry:
        """Return the entry of a theorem; a KeyError says which there are."""
        for entry in self.entries:
            if entry.theorem == theorem:
                return entry
        raise KeyError(f"{theorem!r} is not among {[entry.theorem for entry in self.entries]}")

    @property
    def violated(self) -> tuple[Entry, ...]:
        """The entries whose assumption is false."""
        return tuple(entry for entry in self.entries if entry.status == "violated")

    def to_dict(self) -> dict[str, Any]:
        """Return the ledger as JSON's objects: the run's counters and `theorems`, a list of entries."""
        run = asdict(self.run)
        return {"run": run, "theorems": [asdict(entry) for entry in self.entries]}

    def __str__(self) -> str:
        run = self.run
        passes = "one pass" if run.passes == 1 else f"{run.passes} passes"
        rate = f" ({run.mistakes / run.rounds:.2%})" if run.rounds else ""
        lines = [
            f"{run.rule}: {run.mistakes} mistakes in {run.rounds} rounds{rate}, {passes}, order: {run.order}",
            f"largest ‖x‖ {run.radius:.6g}; Σ‖x‖² over the mistakes {run.squared_norms:.6g}",
        ]
        if run.rule in _ADDITIVE and run.classes <= 2 and run.mistakes:
            most = math.sqrt(run.squared_norms) / run.mistakes
            lines.append(
                f"so no u separates these rounds with a margin above {most:.6g} (T4a read backwards)"
            )
        for entry in self.entries:
            bound = "no bound" if entry.bound is None else f"bound {entry.bound:.6g}"
            verdict = {True: "holds", False: "DOES NOT HOLD: please report this", None: ""}[entry.holds]
            lines.append(f"  {entry.theorem:<4} {bound}, observed {entry.observed:.6g}  {verdict}".rstrip())
            lines.append(f"       {entry.statement}")
            lines.append(
                f"       assumes {entry.assumption}: {entry.status}"
                + (f" ({entry.note})" if entry.note else "")
            )
        if not self.entries:
            lines.append(f"  no theorem here speaks of {run.rule} with {run.classes} classes")
        return "\n".join(lines)


def _same_game(run: Run, certificate: Certificate) -> bool:
    """Whether a certificate's rows are the run's: as many, with the same bias and normalisation."""
    data: Mapping[str, Any] = certificate.data
    flags = all(bool(run.parameters.get(name, False)) == data[name] for name in ("bias", "normalize"))
    shown = run.order == "misclassified" or run.rounds == run.passes * data["rows"]
    return flags and shown and data["columns"] <= run.features


def _separability(
    run: Run, proofs: Mapping[str, Certificate], theorem: str, name: str, claimed: float | None, claim: str
) -> Entry:
    """Return the entry of a theorem that needs a separator, which may be proved, refuted or only claimed."""
    if name in proofs:
        note = f"min y u·x > 0 on all {proofs[name].data['rows']} rows"
        return _entry(theorem, _SEPARABLE, "verified", proofs[name].bound, run.mistakes, note)
    for refutation in ("T11 not separable", "T11 weakly separable"):
        if refutation in proofs:
            rows = len(proofs[refutation].witness["rows"])
            note = f"{rows} rows, weighted, sum to zero (T11)"
            return _entry(theorem, _SEPARABLE, "violated", None, run.mistakes, note)
    note = claim if claimed is not None else "no separator was shown for these rows"
    return _entry(theorem, claim or _SEPARABLE, "not checkable", claimed, run.mistakes, note)


def _any_data(run: Run, proofs: Mapping[str, Certificate], theorem: str) -> Entry:
    assumption = "none, on each row shown once"
    if theorem in proofs and run.passes == 1 and run.order != "misclassified":
        note = f"u with H(u) over all {run.rounds} rows"
        return _entry(theorem, assumption, "verified", proofs[theorem].bound, run.mistakes, note)
    if theorem in proofs:
        return _entry(
            theorem, assumption, "not checkable", None, run.mistakes, "H(u) was summed over one pass only"
        )
    return _entry(
        theorem, assumption, "not checkable", None, run.mistakes, "needs a comparator u: certify the data"
    )


def _perceptron(run: Run, proofs: Mapping[str, Certificate], margin: float | None) -> list[Entry]:
    theorem = "T2" if run.passes == 1 and run.order != "misclassified" else "T3"
    claimed = (
        None if margin is None or run.radius == 0.0 else bounds.separable(run.radius, min(margin, run.radius))
    )
    claim = "" if margin is None else f"some u separates with margin {margin:g}, as claimed"
    name = theorem if theorem in proofs else "T2"  # T2's bound is T3's too
    entries = [_separability(run, proofs, theorem, name, claimed, claim)]
    # A replayed pass is that run only if it made the very same mistakes.
    replayed = proofs.get("T4a")
    if replayed is not None and run.passes == 1 and run.order == "file" and replayed.observed == run.mistakes:
        note = f"replayed: {replayed.observed} mistakes"
        entries.append(
            _entry("T4a", "none, on the run itself", "verified", replayed.bound, run.mistakes, note)
        )
    return entries + [
        _any_data(run, proofs, name) for name in ("T4b", "T4c") if name == "T4b" or name in proofs
    ]


def _p_norm(run: Run, proofs: Mapping[str, Certificate]) -> list[Entry]:
    p = run.parameters.get("p", 2.0)
    # Certificates of another p say nothing of this run.
    usable = {k: c for k, c in proofs.items() if not k.startswith("T9") or c.witness["p"] == p}
    return [
        _separability(run, usable, "T9 separable", "T9 separable", None, ""),
        _any_data(run, usable, "T9"),
    ]


def _winnow(run: Run, proofs: Mapping[str, Certificate]) -> list[Entry]:
    settings = run.parameters
    n, factor, theta = run.features, settings.get("factor"), settings.get("threshold")
    eliminates = settings.get("demotion") == "eliminate"
    entries = []
    for name in ("T6", "T7", "T8"):
        if name not in proofs or settings.get("bias"):
            continue
        witness, proof = proofs[name].witness, proofs[name]
        if name == "T6":
            played = (2.0, n, witness["demotion"] == "elimination")
        elif name == "T7":
            played = (1.0 + 0.5 / witness["k"], n, False)
        else:
            played = (witness["factor"], witness["threshold"], False)
        if witness["variables"] == n and played == (factor, theta, eliminates):
            entries.append(
                _entry(
                    name,
                    proof.assumption,
                    "verified",
                    proof.bound,
                    run.mistakes,
                    "target checked in every row",
                )
            )
        else:
            note = "the certificate is of other parameters than the run's"
            entries.append(_entry(name, proof.assumption, "not checkable", None, run.mistakes, note))
    if not entries:
        theorem = "T6" if factor == 2.0 else "T8"
        assumption = (
            "a disjunction is right in every round" if theorem == "T6" else "some μ ≥ 0 separates by δ"
        )
        entries.append(
            _entry(theorem, assumption, "not checkable", None, run.mistakes, "no target was shown")
        )
    return entries


def _risk(run: Run, failure: float) -> Entry:
    assumption = "rows are independent draws from one distribution, each shown once"
    bound = bounds.risk(run.mistakes, run.rounds, failure)
    note = f"declared by you; true with probability {1 - failure:g}"
    return _entry("T14", assumption, "not checkable", bound, run.mistakes / run.rounds, note)
