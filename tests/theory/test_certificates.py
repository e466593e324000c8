"""Certificates: proved on their data, refuted wherever a number is altered."""

import ast
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

import separatrix as sx
from oracles import game_twins as twins
from separatrix.errors import InputError, UsageError
from separatrix.theory import verify as checker
from separatrix.theory.verify import numbers

RANDOM = np.random.default_rng(3)
X2, Y2 = sx.generate("separable", rows=30, columns=3, margin=0.2, seed=4)
XN, YN = np.round(RANDOM.normal(size=(40, 4)), 3), np.where(RANDOM.random(40) < 0.5, 0.0, 3.0)
XB, YB = sx.generate("disjunction", rows=40, columns=8, relevant=2, seed=2)
XK, YK = sx.generate("k-of-r", rows=40, columns=8, relevant=3, k=2, seed=2)
CORNERS = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
XOR = np.array([1.0, 1.0, -1.0, -1.0])


def _wide():
    return sx.vector(sx.comparator(X2, Y2).u)


def _cases():
    u = sx.vector([0.25, -0.3, 0.1, 0.7], bias=0.125)
    n = {"bias": True, "normalize": True}
    target = {"indices": [0, 1], "values": [1.0, 1.0], "bias": 0}
    eighth = {"variables": 8, "target": target, "separation": 0.5, "threshold": 8.0, "factor": 1.25}
    conflict = {"rows": [1, 2, 3, 4], "weights": ["1/4"] * 4}
    ties = {"u": {"indices": [0], "values": ["1/3"], "bias": 0}, "rows": [1, 2], "weights": ["1/3", "2/3"]}
    tied = np.array([[0.0, 2.0], [0.0, 1.0], [1.0, 5.0]])
    points = {"rows": [1, 2], "weights": [0.5, 0.5]}
    return {
        "T2": ("T2", {"u": _wide(), "replay": "mistake"}, X2, Y2, {}),
        "T3": ("T3", {"u": _wide()}, X2, Y2, {}),
        "T4a": ("T4a", {"u": u, "replay": "positive"}, XN, YN, n),
        "T4b": ("T4b", {"u": u, "replay": "mistake"}, XN, YN, n),
        "T4b raw": ("T4b", {"u": u, "replay": "negative"}, XN, YN, {"bias": True}),
        "T4c": ("T4c", {"u": sx.vector([0.25, -0.3, 0.1])}, XN, YN, {}),
        "T6": ("T6", {"variables": 8, "relevant": [0, 1], "demotion": "elimination"}, XB, YB, {}),
        "T6 halving": ("T6", {"variables": 9, "relevant": [0, 1], "demotion": "halving"}, XB, YB, {}),
        "T7": ("T7", {"variables": 8, "relevant": [0, 1, 2], "k": 2}, XK, YK, {}),
        "T8": ("T8", eighth, XB, YB, {}),
        "T9": ("T9", {"u": u, "p": 5.5}, XN, YN, n),
        "T9 separable": ("T9 separable", {"u": _wide(), "p": 3.0}, X2, Y2, {}),
        "T11 separable": ("T11 separable", {"u": _wide()}, X2, Y2, {}),
        "T11 not separable": ("T11 not separable", conflict, CORNERS, XOR, {"bias": True}),
        "T11 weakly separable": ("T11 weakly separable", ties, tied, np.array([1, -1, 1]), {}),
        "T11 margin": ("T11 margin", {"u": _wide(), **points}, X2, Y2, {}),
    }


CASES = _cases()
MADE = {name: sx.Certificate.make(t, w, X, y, **f) for name, (t, w, X, y, f) in CASES.items()}


def _verdict(document, X, y):
    try:
        return checker.verify(document, lambda: [(X, y)])
    except checker.UnreadableError as e:
        return checker.Verdict(False, f"unreadable: {e}")


def _alterations(value, path=()):
    """Every way to alter one number, string or flag inside: (path, new value)."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _alterations(inner, (*path, name))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _alterations(inner, (*path, i))
        if value:
            yield path, value[:-1]
    elif isinstance(value, bool):
        yield path, not value
    elif isinstance(value, int):
        yield from ((path, v) for v in (value + 1, value - 1, 2 * value + 3, float(value)))
    elif isinstance(value, float):
        yield from ((path, v) for v in (math.nextafter(value, math.inf), -value - 1.0, value * 1.5 + 0.25))
    elif isinstance(value, str):
        swapped = value.replace("1", "2", 1) if "1" in value else value + "1"
        yield path, swapped
    elif value is None:
        yield path, 1


def _altered(document, path, new):
    copy = json.loads(json.dumps(document))
    at = copy
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = new
    return copy


@pytest.mark.parametrize("name", CASES)
def test_a_certificate_is_proved_on_its_data(name):
    _, _, X, y, _ = CASES[name]
    certificate = MADE[name]
    verdict = certificate.verify(X, y)
    assert verdict.proved, verdict.reason
    # Other spellings of the same data: sparse, in batches, with explicit zeros, wider.
    wide = sparse.csr_matrix(np.hstack([X, np.zeros((len(X), 2))]))
    wide.data[:] = wide.data
    parts = [(wide[:7], y[:7]), (wide[7:8], y[7:8]), (wide[8:], y[8:])]
    assert certificate.verify_batches(lambda: parts).proved
    again = sx.Certificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.to_json() == certificate.to_json()


@pytest.mark.parametrize("name", CASES)
def test_any_altered_field_is_refuted(name):
    _, _, X, y, _ = CASES[name]
    document = MADE[name].to_dict()
    tried = 0
    for path, new in _alterations(document):
        altered = _altered(document, path, new)
        assert not _verdict(altered, X, y).proved, (path, new)
        tried += 1
    assert tried > 20


@pytest.mark.parametrize("name", CASES)
def test_what_is_claimed_cannot_be_altered_even_with_a_new_seal(name):
    """A forger can seal anything; every field but the witness is then derived again, and differs.

    Of which rows it speaks, raw or unit, with or without a 1, is part of the question, as the witness is.
    """
    _, _, X, y, _ = CASES[name]
    document = MADE[name].to_dict()
    for path, new in _alterations(document):
        if path[0] in ("witness", "seal") or path[1:] in (("bias",), ("normalize",)):
            continue
        forged = _altered(document, path, new)
        forged["seal"] = checker.seal(forged)
        verdict = _verdict(forged, X, y)
        assert not verdict.proved, (path, new)
        assert "seal" not in verdict.reason


@pytest.mark.parametrize("name", CASES)
def test_a_forged_witness_is_a_true_proof_or_none(name):
    """With a new seal a witness may be another valid one of the same bound; then making it anew agrees."""
    theorem, _, X, y, flags = CASES[name]
    document = MADE[name].to_dict()
    refuted = 0
    for path, new in _alterations(document["witness"], ("witness",)):
        forged = _altered(document, path, new)
        forged["seal"] = checker.seal(forged)
        if _verdict(forged, X, y).proved:
            remade = sx.Certificate.make(theorem, forged["witness"], X, y, **flags)
            assert remade.to_dict() == forged
        else:
            refuted += 1
    assert refuted > 0


@pytest.mark.parametrize("name", CASES)
def test_other_data_is_refuted(name):
    _, _, X, y, _ = CASES[name]
    certificate = MADE[name]
    other = X.copy()
    other[1, 0] = np.nextafter(other[1, 0], 9.0)
    swapped = np.concatenate([[1, 0], np.arange(2, len(y))])
    labels = y.copy()
    labels[0] = y[y != y[0]][0]
    for data in ((other, y), (X[:-1], y[:-1]), (X, labels), (2.0 * X, y)):
        verdict = certificate.verify(*data)
        assert not verdict.proved
        assert "the data's" in verdict.reason
    assert not certificate.verify(X[swapped], y[swapped]).proved or np.array_equal(X[0], X[1])


def test_a_false_witness_cannot_be_certified():
    flags = {"bias": True}
    with pytest.raises(InputError, match="row 3: y u·x should be positive"):
        sx.Certificate.make("T2", {"u": sx.vector([1.0, 1.0], bias=1.5)}, CORNERS, XOR, **flags)
    short = {"rows": [1, 2, 3, 4], "weights": ["1/4", "1/4", "1/4", "1/5"]}
    with pytest.raises(InputError, match="should sum to 1"):
        sx.Certificate.make("T11 not separable", short, CORNERS, XOR, **flags)
    skew = {"rows": [1, 2, 3, 4], "weights": ["1/4", "1/4", "1/5", "3/10"]}
    with pytest.raises(InputError, match="should sum to zero"):
        sx.Certificate.make("T11 not separable", skew, CORNERS, XOR, **flags)
    weights = {"rows": [1, 2], "weights": ["-1/2", "3/2"]}
    with pytest.raises(InputError, match="not positive"):
        sx.Certificate.make("T11 not separable", weights, CORNERS, XOR, **flags)
    with pytest.raises(InputError, match="row 1"):
        sx.Certificate.make("T6", {"variables": 2, "relevant": [0], "demotion": "halving"}, [[0, 1]], [1])
    for witness in ({}, {"u": [1, 2]}, {"u": sx.vector(["1/0"])}, {"u": sx.vector([1.0]), "replay": "no"}):
        with pytest.raises(UsageError):
            sx.Certificate.make("T4b", witness, CORNERS, XOR)
    with pytest.raises(UsageError, match="expected one of the theorems"):
        sx.Certificate.make("T99", {}, CORNERS, XOR)


def test_floats_alone_would_get_these_wrong():
    """y u·x is ±2^-60 or 0 beside terms of size 1: doubles round it away, the checker does not."""
    tiny = 2.0**-60
    u = {"u": sx.vector([1.0, -1.0, 1.0])}
    rows = np.array([[1.0, 1.0, tiny], [0.1, 0.1, tiny]])
    assert sx.Certificate.make("T11 separable", u, rows, [1, 1]).verify(rows, [1, 1]).proved
    rows[1, 2] = -tiny
    with pytest.raises(InputError, match="row 2"):
        sx.Certificate.make("T11 separable", u, rows, [1, 1])
    rows[1, 2] = 0.0
    with pytest.raises(InputError, match="row 2"):
        sx.Certificate.make("T11 separable", u, rows, [1, 1])
    # 0.1 + 0.2 − 0.3 is not zero in doubles' exact values: no conflict of equal weights.
    near = np.array([[0.1], [0.2], [-0.3]])
    witness = {"rows": [1, 2, 3], "weights": ["1/3"] * 3}
    with pytest.raises(InputError, match="should sum to zero"):
        sx.Certificate.make("T11 not separable", witness, near, [1, 1, 1])


def test_huge_values_are_settled_exactly():
    rows = np.array([[1e300, 1e300], [1e-300, 2e-300]])
    made = sx.Certificate.make("T2", {"u": sx.vector([1.0, 1.0])}, rows, [1, 1])
    exact = 2 * Fraction(1e300) ** 2 * 2 / (Fraction(1e-300) + Fraction(2e-300)) ** 2
    assert made.bound == math.floor(exact)
    assert made.verify(rows, [1, 1]).proved


def test_weights_of_more_digits_than_python_reads_at_once():
    p = 7**6000  # 5071 digits
    digits = numbers_text(p)
    rows, labels = np.array([[1.0], [1.0]]), [1, -1]
    witness = {"rows": [1, 2], "weights": [f"{digits}/{numbers_text(2 * p)}", "1/2"]}
    assert sx.Certificate.make("T11 not separable", witness, rows, labels).verify(rows, labels).proved


def numbers_text(value):
    parts = []
    while value:
        value, rest = divmod(value, 10**4000)
        parts.append(str(rest).zfill(4000) if value else str(rest))
    return "".join(reversed(parts))


@settings(max_examples=60, deadline=None)
@given(
    arrays(float, (12, 3), elements=st.integers(-3, 3).map(float)),
    arrays(bool, 12),
    arrays(float, 3, elements=st.integers(-8, 8).map(lambda v: v / 4)),
)
def test_the_bound_is_the_exact_floor(X, positive, u):
    y = np.where(positive, 1.0, -1.0)
    y[0], y[1] = 1.0, -1.0
    u = np.where(X.any(axis=0), u, 0.0)  # weights of empty columns are left out of a witness
    made = sx.Certificate.make("T4b", {"u": sx.vector(u), "replay": "mistake"}, X, y)
    A = Fraction(float((X**2).sum(axis=1).max() * (u**2).sum()))
    H = Fraction(float(np.maximum(0.0, 1.0 - y * (X @ u)).sum()))
    # M satisfies 2M − A − 2H ≤ √(A² + 4AH), and M + 1 does not.
    assert 2 * made.bound - A - 2 * H <= 0 or (2 * made.bound - A - 2 * H) ** 2 <= A * A + 4 * A * H
    over = 2 * (made.bound + 1) - A - 2 * H
    assert over > 0
    assert over**2 > A * A + 4 * A * H
    assert made.observed == len(twins.perceptron(X, y)) <= made.bound


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["mistake", "positive", "negative"]),
)
def test_a_replay_is_the_run(seed, bias, normalize, tie):
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 20)) * (random.random((300, 20)) < 0.6)
    y = np.where(random.random(300) < 0.5, 1, -1)
    learner = sx.Perceptron(bias=bias, normalize=normalize, tie=tie).fit(X, y)
    made = sx.Certificate.make(
        "T4b", {"u": sx.vector([]), "replay": tie}, X, y, bias=bias, normalize=normalize
    )
    assert made.observed == learner.n_mistakes_


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=40))
def test_sums_are_exact(values):
    assert numbers.exact_sum(np.array(values)) == sum(map(Fraction, values))


@settings(max_examples=60, deadline=None)
@given(st.fractions(0, 100), st.fractions(0, 100))
def test_the_floor_of_a_root_is_exact(x, y):
    m = numbers.floor_half_of_sum(x, y)
    assert 2 * m - x <= 0 or (2 * m - x) ** 2 <= y
    assert 2 * (m + 1) - x > 0
    assert (2 * (m + 1) - x) ** 2 > y


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"theorem": 1}',
        "{" * 5000,
        '{"theorem": NaN}',
        '{"theorem": 1, "theorem": 2}',
        "\x00",
    ],
)
def test_what_is_not_a_certificate_is_refused(text):
    with pytest.raises(InputError, match="not a certificate"):
        sx.Certificate.from_json(text)


def _text(**changes):
    return json.dumps({**MADE["T4b"].to_dict(), **changes})


@pytest.mark.parametrize(
    "text",
    [
        _text(bound="HERE").replace('"HERE"', "1e999"),
        _text(bound="HERE").replace('"HERE"', "9" * 5000),
        _text(order="\ud800"),
        _text(witness="HERE").replace('"HERE"', "[" * 100_000 + "]" * 100_000),
    ],
    ids=["beyond doubles", "5000 digits", "half a surrogate pair", "deep"],
)
def test_json_that_python_would_choke_on_is_refused(text):
    with pytest.raises(checker.UnreadableError, match="not JSON"):
        checker.parse(text)


def _vector(*values):
    return {"indices": list(range(len(values))), "values": list(values), "bias": 0}


def test_no_row_is_overlooked_beside_one_whose_product_is_exact():
    """Row 1 is exactly 1 (or 0); doubles cannot tell row 2, which is −100, from either."""
    u = {"u": _vector(1.0, 1.0, 1.0)}
    rows, labels = np.array([[1.0, 0, 0], [2.0**60, -(2.0**60), -100.0], [-1.0, 0, 0]]), [1, 1, -1]
    for theorem in ("T2", "T11 separable"):
        with pytest.raises(InputError, match=r"row 2: .* is -100\.0"):
            sx.Certificate.make(theorem, u, rows, labels)
    rows[0] = 0.0
    with pytest.raises(InputError, match="row 2"):
        sx.Certificate.make("T11 weakly separable", {**u, "rows": [1], "weights": [1]}, rows, labels)


def test_weakly_separable_needs_a_row_that_is_not_on_the_hyperplane():
    rows, labels = np.array([[1.0, 1.0], [1.0, 1.0]]), [1, -1]
    witness = {"u": _vector(1.0, -1.0), "rows": [1, 2], "weights": ["1/2", "1/2"]}
    with pytest.raises(InputError, match="positive in some row, but is 0 in all"):
        sx.Certificate.make("T11 weakly separable", witness, rows, labels)


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-200])
@pytest.mark.parametrize("p", [3.0, 200.0, 1e10])
def test_a_p_norm_neither_overflows_nor_vanishes(p, scale):
    """Short rows to a high power are beyond doubles, and beyond decimals of any exponent."""
    rows, labels = scale * np.array([[0.5, 0.5], [-0.5, -0.25]]), [1, -1]
    made = sx.Certificate.make("T9 separable", {"u": _vector(1.0, 1.0), "p": p}, rows, labels)
    # R_p = 0.5·2^(1/p), ‖u‖_q = 2^(1/q), the least margin 0.75.
    assert made.bound == pytest.approx((p - 1) * (0.5 * 2 / 0.75) ** 2, abs=1, rel=1e-9)


def test_flags_are_true_or_false():
    """Anything else would be added to the squared norms as it is."""
    for name, value in (("bias", -1.5), ("bias", 1), ("normalize", "no"), ("bias", None)):
        document = MADE["T2"].to_dict()
        document["data"] = {**document["data"], name: value}
        document["seal"] = checker.seal(document)
        with pytest.raises(checker.UnreadableError, match="true or false"):
            checker.verify(document, lambda: [(X2, Y2)])


@pytest.mark.parametrize("name", CASES)
def test_a_witness_has_nothing_that_is_not_looked_at(name):
    _, _, X, y, _ = CASES[name]
    document = MADE[name].to_dict()
    document["witness"] = {**document["witness"], "margin": 99.0}
    document["seal"] = checker.seal(document)
    with pytest.raises(checker.UnreadableError, match="the witness of"):
        checker.verify(document, lambda: [(X, y)])


def test_a_refutation_beyond_doubles_is_one():
    rows, labels = np.array([[1e300]]), [1]
    with pytest.raises(InputError, match="y u·x should be positive"):
        sx.Certificate.make("T2", {"u": _vector(-1e300)}, rows, labels)
    witness = {"rows": [1], "weights": ["1" + "0" * 400]}
    with pytest.raises(InputError, match="should sum to 1"):
        sx.Certificate.make("T11 not separable", witness, rows, labels)


def test_files_are_whole_and_read_back(tmp_path):
    path = tmp_path / "proof.json"
    MADE["T4b"].write(path)
    assert sx.Certificate.read(path) == MADE["T4b"]
    assert [p.name for p in tmp_path.iterdir()] == ["proof.json"]
    path.write_text(path.read_text().replace('"bound":', '"bound":1'))
    with pytest.raises(InputError, match="altered"):
        sx.Certificate.read(path)
    with pytest.raises(InputError, match=r"gone\.json"):
        sx.Certificate.read(tmp_path / "gone.json")


def test_the_checker_imports_nothing_but_itself():
    for file in Path(checker.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            ours = [n for n in names if n.startswith("separatrix")]
            assert all(n.startswith("separatrix.theory.verify") for n in ours), (file.name, ours)


def test_witnesses_beyond_the_range_of_doubles():
    """Weights may be fractions of any size; where doubles cannot hold them, exact sums decide."""
    rows = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, 2.0], [0.5, 0.5]])
    labels = [1, 1, 1, -1]
    for huge in (10**400, Fraction(1, 10**400)):
        values = [f"{-Fraction(huge).numerator}/{Fraction(huge).denominator}", f"{Fraction(huge)}"]
        u = {
            "indices": [0, 1],
            "values": [values[0], values[1] if "/" in values[1] else values[1] + "/1"],
            "bias": 0,
        }
        witness = {"u": u, "rows": [1, 2], "weights": ["1/2", "1/2"]}
        assert sx.Certificate.make("T11 weakly separable", witness, rows, labels).verify(rows, labels).proved
        with pytest.raises(InputError, match="row 1"):
            sx.Certificate.make("T11 separable", {"u": u}, rows, labels)
