"""Ledgers say what the rules for reporting allow, and nothing else."""

import dataclasses

import numpy as np
import pytest

import separatrix as sx
from separatrix.errors import UsageError
from separatrix.theory.run import Run

X, Y = sx.generate("separable", rows=60, columns=3, margin=0.2, seed=1)
RUN = sx.Perceptron(bias=False).fit(X, Y).run_
PROOF = sx.Certificate.make("T2", {"u": sx.vector(sx.comparator(X, Y).u)}, X, Y)


def test_a_verified_assumption_holds():
    entry = sx.Ledger.from_run(RUN, [PROOF]).entry("T2")
    assert (entry.status, entry.holds, entry.bound) == ("verified", True, PROOF.bound)
    assert entry.observed == RUN.mistakes <= entry.bound


def test_nothing_holds_without_proof():
    for learner in (sx.Perceptron(), sx.PNormPerceptron(p=3.0), sx.BalancedWinnow()):
        ledger = sx.Ledger.from_run(learner.fit(X, Y).run_)
        assert all(e.holds is None and e.status == "not checkable" for e in ledger.entries)
        assert "holds" not in str(ledger)


def test_too_many_mistakes_refute_a_claim_and_it_is_named():
    many = dataclasses.replace(RUN, mistakes=26, squared_norms=26.0)
    assert sx.Ledger.from_run(many, margin=0.19).entry("T2").status == "not checkable"
    ledger = sx.Ledger.from_run(many, margin=0.25)
    (entry,) = ledger.violated
    assert (entry.theorem, entry.bound, entry.holds) == ("T2", pytest.approx(16.0), None)
    assert "some u separates with margin 0.25, as claimed" in entry.note
    with pytest.raises(UsageError, match="margin should be positive, but is -1"):
        sx.Ledger.from_run(RUN, margin=-1.0)


def test_a_conflict_violates_separability_and_t4_still_holds():
    corners, labels = np.array([[1.0, 1], [-1, -1], [1, -1], [-1, 1]]), [1, 1, -1, -1]
    run = sx.Perceptron().fit(corners, labels).run_
    weights = {"rows": [1, 2, 3, 4], "weights": ["1/4"] * 4}
    conflict = sx.Certificate.make("T11 not separable", weights, corners, labels, bias=True)
    any_data = sx.comparator(corners, labels, bias=True).certificate(corners, labels)
    ledger = sx.Ledger.from_run(run, [conflict, any_data])
    assert ledger.entry("T2").status == "violated"
    assert ledger.entry("T2").bound is None
    assert ledger.entry("T4b").holds is True


def test_proofs_of_another_game_are_not_used():
    for other in (
        sx.Perceptron(bias=True).fit(X, Y).run_,
        sx.Perceptron(bias=False, normalize=True).fit(X, Y).run_,
        sx.Perceptron(bias=False).fit(X[:50], Y[:50]).run_,
    ):
        assert sx.Ledger.from_run(other, [PROOF]).entry("T2").status == "not checkable"


def test_many_passes_have_t3_and_no_t4_nor_t14():
    run = sx.Perceptron(bias=False, passes=3).fit(X, Y).run_
    any_data = sx.comparator(X, Y).certificate(X, Y)
    ledger = sx.Ledger.from_run(run, [PROOF, any_data], iid=True)
    assert ledger.entry("T3").holds is True
    assert ledger.entry("T4b").status == "not checkable"
    assert "T14" not in [e.theorem for e in ledger.entries]
    with pytest.raises(KeyError, match="T2"):
        ledger.entry("T2")


def test_t14_is_only_for_declared_draws_and_never_holds():
    assert "T14" not in [e.theorem for e in sx.Ledger.from_run(RUN).entries]
    entry = sx.Ledger.from_run(RUN, iid=True, failure=0.1).entry("T14")
    assert entry.bound == sx.bounds.risk(RUN.mistakes, 60, 0.1)
    assert (entry.status, entry.holds) == ("not checkable", None)


def test_winnow_needs_the_parameters_of_its_theorem():
    bits, labels = sx.generate("disjunction", rows=80, columns=10, relevant=2, seed=3)
    proof = sx.Certificate.make(
        "T6", {"variables": 10, "relevant": [0, 1], "demotion": "halving"}, bits, labels
    )
    run = sx.Winnow(factor=2.0, demotion="divide").fit(bits, labels).run_
    assert sx.Ledger.from_run(run, [proof]).entry("T6").holds is True
    for settings in (
        {"factor": 1.5},
        {"factor": 2.0, "demotion": "eliminate"},
        {"factor": 2.0, "threshold": 5.0},
    ):
        run = sx.Winnow(**settings).fit(bits, labels).run_
        assert sx.Ledger.from_run(run, [proof]).entry("T6").status == "not checkable"


def test_other_rules_say_what_they_can():
    halving = dataclasses.replace(RUN, rule="halving", mistakes=5)
    assert sx.Ledger.from_run(halving, hypotheses=16).entry("T1").status == "violated"
    assert sx.Ledger.from_run(halving, hypotheses=32).entry("T1").status == "not checkable"
    kernel = dataclasses.replace(RUN, rule="kernel-perceptron")
    assert sx.Ledger.from_run(kernel, margin=0.01).entry("T10").status == "not checkable"
    three = sx.Perceptron().fit(X, np.arange(60) % 3).run_
    assert sx.Ledger.from_run(three).entries == ()
    assert "no theorem here speaks of perceptron with 3 classes" in str(sx.Ledger.from_run(three))


def test_words_and_json_agree():
    ledger = sx.Ledger.from_run(RUN, [PROOF], iid=True)
    text, data = str(ledger), ledger.to_dict()
    assert [e["theorem"] for e in data["theorems"]] == ["T2", "T4b", "T14"]
    assert f"bound {PROOF.bound}, observed {RUN.mistakes}  holds" in text
    assert "T4a read backwards" in text
    assert data["run"]["mistakes"] == RUN.mistakes
    assert isinstance(RUN, Run)
