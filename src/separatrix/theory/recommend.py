"""Which learner should make fewer mistakes on this data, and what is proved of each: certify, recommend.

T9's comparison sets (L₂(u)L₂(X)/α)² of the Perceptron beside (L₁(u)L_∞(X)/α)²·log n of Winnow: a dense
target on sparse examples favours the one, a sparse target on dense examples the other. Here each side
is minimised over its own u; where data is not separable, α = 1 and a side's product A becomes
((√A + √(A + 4H(u)))/2)², as in T4b.
"""

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from separatrix.errors import InputError, UsageError
from separatrix.theory import targets
from separatrix.theory.bounds import p_for_dimension
from separatrix.theory.certificate import Certificate, vector
from separatrix.theory.comparator import Comparator, search, separator
from separatrix.theory.ledger import Entry, Ledger
from separatrix.theory.rows import Floats, Game
from separatrix.theory.run import Run

Play = Callable[[str, Mapping[str, Any]], tuple[Run, Floats | None]]
"""Plays one pass of a rule with its settings; returns its counters, and its weights (the bias's last)."""

Decide = Callable[[], Certificate | None]
"""Proves that the data is separable or not (T11), or returns None where that could not be settled."""


@dataclass(frozen=True)
class Recommendation:
    """Perceptron or Winnow: both sides of T9's comparison on one data set.

    Parameters
    ----------
    learner : str
        "perceptron" or "winnow" (with weights of both signs: balanced Winnow, or p-norm with large p).
    factor : float
        How many times smaller its side is.
    perceptron_side, winnow_side : float
        T9's comparison, each for its best u.
    perceptron_bound, p_norm_bound : int
        What is proved: T4b, and T9 for p = 2 ln d.
    p : float
        2 ln d.
    observed : mapping
        Mistakes of one pass by rule, where learners were run.
    reason : str
        In words.
    """

    learner: str
    factor: float
    perceptron_side: float
    winnow_side: float
    perceptron_bound: int
    p_norm_bound: int
    p: float
    observed: Mapping[str, int]
    reason: str


@dataclass(frozen=True)
class Report:
    """What `certify` found: a ledger for each learner, the certificates behind them, a recommendation."""

    ledgers: Mapping[str, Ledger]
    certificates: tuple[Certificate, ...]
    recommendation: Recommendation

    def to_dict(self) -> dict[str, Any]:
        """Return JSON's objects: `theorems` (each entry with its learner) and `recommendation`."""
        theorems = [
            {"learner": name, **asdict(entry)}
            for name, ledger in self.ledgers.items()
            for entry in ledger.entries
        ]
        return {"theorems": theorems, "recommendation": asdict(self.recommendation)}

    def entries(self) -> list[tuple[str, Entry]]:
        return [(name, entry) for name, ledger in self.ledgers.items() for entry in ledger.entries]


def recommend(
    X: Any, y: Any, *, bias: bool = False, normalize: bool = False, seconds: float = 4.0
) -> Recommendation:
    """Compute both sides of T9's comparison on data, and say who should win and by how much.

    Parameters
    ----------
    X : array or sparse matrix of shape (rows, columns)
        The rows.
    y : array of two labels
        The greater is +1.
    bias : bool
        Whether a 1 is appended to every row.
    normalize : bool
        Whether each row is divided by its norm first.
    seconds : float, positive
        When to stop searching for better comparators.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.generate("disjunction", rows=300, columns=200, relevant=2, density=0.5, seed=1)
    >>> sx.recommend(X, y, bias=True).learner
    'winnow'
    """
    if not seconds > 0.0:
        raise UsageError(f"seconds should be positive, but is {seconds!r}")
    game = Game.of(X, y, bias=bias, normalize=normalize)
    found = _Comparators(game, seconds, [])
    return _recommendation(game, found, *found.proofs(X, y, None)[:2], {})


class _Comparators:
    """The best u found for the Perceptron, for the p-norm at p = 2 ln d, and for Winnow's side."""

    def __init__(
        self, game: Game, seconds: float, proposals: list[tuple[Floats, float]], p: float | None = None
    ) -> None:
        self.p = p_for_dimension(max(game.columns, 1)) if p is None else p
        self.perceptron = search(game, seconds=seconds / 3.0, proposals=proposals)
        sparse = [
            *proposals,
            (self.perceptron.u, self.perceptron.bias_weight),
            *_least_l1(game, seconds / 3.0),
        ]
        self.winnow = search(game, p=np.inf, seconds=seconds / 6.0, proposals=sparse)
        # What is good for L₁ and L_∞ is near what is good for q and p.
        sparse.append((self.winnow.u, self.winnow.bias_weight))
        self.p_norm = search(game, p=self.p, seconds=seconds / 6.0, proposals=sparse)

    def proofs(self, X: Any, y: Any, replay: str | None) -> tuple[Certificate, Certificate]:
        return self.perceptron.certificate(X, y, replay=replay), self.p_norm.certificate(X, y)


def _least_l1(game: Game, seconds: float) -> list[tuple[Floats, float]]:
    """Return u that minimise ‖u‖₁ + C·H(u) for a few C, by linear programming, where that is cheap."""
    from scipy import sparse
    from scipy.optimize import linprog

    n, width = game.rows.shape[0], game.columns
    if game.rows.nnz > 100_000 or n == 0:
        return []
    rows = sparse.hstack([game.rows, np.ones((n, 1))]) if game.bias else game.rows
    signed = sparse.diags(-game.signs) @ rows
    constraints = sparse.hstack([signed, -signed, -sparse.eye(n)]).tocsr()
    found = []
    for penalty in (0.1, 10.0):
        costs = np.concatenate([np.ones(2 * width), np.full(n, penalty)])
        options = {"time_limit": seconds / 2.0}
        solved = linprog(costs, A_ub=constraints, b_ub=-np.ones(n), method="highs", options=options)
        if solved.x is not None:
            u = solved.x[:width] - solved.x[width : 2 * width]
            found.append((u[:-1], float(u[-1])) if game.bias else (u, 0.0))
    return found


def _recommendation(
    game: Game, found: _Comparators, additive: Certificate, p_norm: Certificate, observed: Mapping[str, int]
) -> Recommendation:
    left, right = found.perceptron.bound, found.winnow.bound
    learner = "perceptron" if left <= right else "winnow"
    factor = max(left, right) / min(left, right) if min(left, right) > 0.0 else 1.0
    words = {"perceptron": "the Perceptron", "winnow": "Winnow (balanced, or a p-norm with large p)"}
    reason = (
        f"{words[learner]} should make fewer mistakes: T9's sides are {left:.4g} for the Perceptron "
        f"and {right:.4g} for Winnow, {factor:.3g} times apart"
    )
    if factor < 1.5:
        reason += "; that is too close for its constants to decide"
    return Recommendation(
        learner=learner,
        factor=factor,
        perceptron_side=left,
        winnow_side=right,
        perceptron_bound=additive.bound,
        p_norm_bound=p_norm.bound,
        p=found.p,
        observed=dict(observed),
        reason=reason,
    )


def certify(
    X: Any,
    y: Any,
    play: Play,
    *,
    decide: Decide = lambda: None,
    bias: bool = False,
    normalize: bool = False,
    iid: bool = False,
    seconds: float = 6.0,
) -> Report:
    """Run the learners once over the data and set what they did beside what is proved.

    Parameters
    ----------
    X : array or sparse matrix of shape (rows, columns)
        The rows, in the order in which they are played.
    y : array of two labels
        The greater is +1.
    play : callable
        Plays one pass of a rule; see `Play`.
    decide : callable
        Asked whether the data is separable; see `Decide`.
    bias : bool
        Whether a 1 is appended to every row.
    normalize : bool
        Whether each row is divided by its norm first.
    iid : bool
        Declare that the rows are independent draws from one distribution.
    seconds : float, positive
        When to stop searching for better comparators.
    """
    if not seconds > 0.0:
        raise UsageError(f"seconds should be positive, but is {seconds!r}")
    game = Game.of(X, y, bias=bias, normalize=normalize)
    runs: dict[str, Run] = {}
    proposals: list[tuple[Floats, float]] = []

    def run(rule: str, settings: Mapping[str, Any]) -> None:
        runs[rule], weights = play(rule, settings)
        if weights is not None:
            split = (weights[:-1], float(weights[-1])) if bias else (weights, 0.0)
            proposals.append(split)

    run("perceptron", {})
    run("p-norm", {"p": p_for_dimension(max(game.columns, 1))})
    found = _Comparators(game, seconds, proposals)
    # Of a run that began before this data, or in another order, the replay is not the run.
    replay = runs["perceptron"].parameters.get("tie", "mistake")
    additive, p_norm = found.proofs(X, y, replay)
    proofs = [additive, p_norm]
    proofs += _about(game, found, X, y, additive, decide, seconds / 3.0)
    winnow = min(_winnow_proofs(game, X, y, seconds / 2.0), key=lambda c: c.bound, default=None)
    if winnow is not None:
        proofs.append(winnow)
        run("winnow", _winnow_settings(winnow))
    run("balanced-winnow", {})
    ledgers = {name: Ledger.from_run(one, proofs, iid=iid) for name, one in runs.items()}
    observed = {name: one.mistakes for name, one in runs.items()}
    return Report(ledgers, tuple(proofs), _recommendation(game, found, additive, p_norm, observed))


def certify_run(
    run: Run,
    X: Any,
    y: Any,
    *,
    weights: Floats | None = None,
    decide: Decide = lambda: None,
    iid: bool = False,
    seconds: float = 6.0,
) -> tuple[Ledger, tuple[Certificate, ...]]:
    """Set a finished run on these rows beside every bound that can be proved for it.

    Parameters
    ----------
    run : Run
        The counters of the game, `learner.run_`.
    X, y
        The rows it was played on, in their order.
    weights : array, optional
        What was learnt, the bias's weight last: a first guess at a comparator.
    decide, iid, seconds
        As in `certify`.
    """
    bias, normalize = bool(run.parameters["bias"]), bool(run.parameters["normalize"])
    game = Game.of(X, y, bias=bias, normalize=normalize)
    proposals: list[tuple[Floats, float]] = []
    if weights is not None:
        proposals.append((weights[:-1], float(weights[-1])) if bias else (weights, 0.0))
    p = run.parameters["p"] if run.rule == "p-norm" else None
    found = _Comparators(game, seconds, proposals, p)
    additive, p_norm = found.proofs(X, y, run.parameters.get("tie", "mistake"))
    proofs = [additive, p_norm, *_about(game, found, X, y, additive, decide, seconds / 3.0)]
    proofs += _winnow_proofs(game, X, y, seconds / 2.0, run.parameters) if run.rule == "winnow" else []
    return Ledger.from_run(run, proofs, iid=iid), tuple(proofs)


def _about(
    game: Game, found: _Comparators, X: Any, y: Any, additive: Certificate, decide: Decide, seconds: float
) -> list[Certificate]:
    """Return T4a and T4c of the Perceptron's u, and what is known of separability."""
    flags = {"bias": additive.data["bias"], "normalize": additive.data["normalize"]}

    def made(theorem: str, u: Comparator | Mapping[str, Any], **more: Any) -> list[Certificate]:
        witness = {"u": vector(u.u, u.bias_weight) if isinstance(u, Comparator) else u, **more}
        try:
            return [Certificate.make(theorem, witness, X, y, **flags)]
        except InputError:  # not a separator after all, in exact arithmetic
            return []

    proofs = made("T4a", found.perceptron, replay=additive.witness["replay"])
    proofs += made("T4c", found.perceptron)
    known = decide()
    proofs += [known] if known is not None else []
    wide = separator(game, seconds) if known is None else None
    candidates = [
        c for c in (wide, found.perceptron, found.p_norm, found.winnow) if c is not None and c.separates
    ]
    separators: list[Any] = sorted(candidates, key=lambda c: -c.margin)
    if known is not None and known.theorem in ("T11 separable", "T11 margin"):
        separators.insert(0, known.witness["u"])  # of the largest margin, proved
    separable: list[Certificate] = []
    for u in separators:
        separable = separable or made("T2", u)
    for u in [*sorted(candidates, key=lambda c: c.bound), *separators]:
        separable += made("T9 separable", u, p=found.p) if len(separable) == 1 else []
    return proofs + separable


def _winnow_proofs(
    game: Game, X: Any, y: Any, seconds: float, settings: Mapping[str, Any] | None = None
) -> list[Certificate]:
    """Return T6's and T8's certificates of targets found in the data, for a run with these settings."""
    if game.bias or game.normalize or not game.rows.shape[1]:
        return []
    n, made = int(game.rows.shape[1]), []
    played = settings or {"factor": 2.0, "threshold": float(n), "demotion": "eliminate"}
    eliminates = played["demotion"] == "eliminate"
    relevant = targets.disjunction(game)
    if relevant is not None and (played["factor"], played["threshold"]) == (2.0, n):
        demotion = "elimination" if eliminates else "halving"
        witness = {"variables": n, "relevant": relevant, "demotion": demotion}
        made.append(Certificate.make("T6", witness, X, y))
    if settings is None:
        threshold = targets.threshold_target(game, seconds)
    elif not eliminates:
        threshold = targets.threshold_target(game, seconds, settings["factor"], settings["threshold"])
    else:
        threshold = None
    if threshold is not None:
        with contextlib.suppress(InputError):  # where HiGHS's tolerance was more than was allowed for
            made.append(Certificate.make("T8", threshold, X, y))
    return made


def _winnow_settings(proof: Certificate) -> dict[str, Any]:
    n = float(proof.witness["variables"])
    if proof.theorem == "T6":
        return {"threshold": n, "factor": 2.0, "demotion": "eliminate"}
    return {"threshold": proof.witness["threshold"], "factor": proof.witness["factor"], "demotion": "divide"}
