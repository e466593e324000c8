"""`separate` against brute force in fractions, against its NumPy twin, and on sets where doubles lie."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

import separatrix as sx
from oracles.minimum_norm_point import minimum_norm_point, strictly_separable
from separatrix.errors import InputError, UsageError
from theory.checks import check, signed_rows

DATA = Path(__file__).parents[2] / "examples" / "data"

# From independent programs: (set, bias, normalize) -> separable, lower and upper bound on the margin.
KNOWN = {
    ("sonar", True, False): (0.0010793133869392137, 0.0010793133869393034),
    ("sonar", True, True): (0.00018335773412200745, 0.00018335773412278943),
    ("wdbc", True, False): (4.1369494493102664e-05, 4.137073010902667e-05),
    ("wdbc", True, True): (6.096822428261917e-08, 6.096822428267112e-08),
    ("digits_1", True, False): (0.03499475094868085, 0.03499475094868656),
    ("digits_1", True, True): (0.00019319264059320263, 0.00019319264059341194),
    ("digits_1", False, False): None,
    ("votes", False, False): None,
    ("votes", True, True): None,
    ("iris_vv", False, False): None,
    ("iris_vv", True, False): None,
    ("monks1", True, False): None,
    ("heart_scale", True, True): None,
}


@pytest.mark.parametrize(("name", "bias", "normalize"), KNOWN, ids=lambda v: str(v))
def test_real_sets(name, bias, normalize):
    X, y = sx.read(DATA / f"{name}.libsvm")
    found = sx.separate(X, y, bias=bias, normalize=normalize)
    known = KNOWN[name, bias, normalize]
    assert found.separable == (known is not None)
    if not normalize:
        check(found, X, y)
    assert found.verified == "exact"
    if known:
        assert known[0] * (1 - 1e-6) <= found.margin <= known[1] * (1 + 1e-6)
        assert found.margin_bounds[1] / found.margin < 1 + 1e-9
        assert found.updates_bound == pytest.approx((found.radius / found.margin) ** 2)
    assert sx.separate(X, y, bias=bias, normalize=normalize, only_decide=True).separable == found.separable


def test_one_zero_row_is_a_conflict_of_one_row():
    X, y = sx.read(DATA / "votes.libsvm")
    found = sx.separate(X, y, bias=False)
    assert found.conflict_rows == (248,)
    assert X[248].nnz == 0 or not X[248].data.any()


grids = st.integers(1, 3).flatmap(
    lambda d: st.lists(
        st.tuples(st.lists(st.integers(-2, 2), min_size=d, max_size=d), st.booleans()), min_size=2, max_size=8
    )
)


@given(grids, st.booleans(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_integer_grids_against_brute_force(data, bias, as_sparse):
    X, y = np.array([x for x, _ in data], dtype=float), np.array([label for _, label in data])
    assume(y.any() and not y.all())
    found = sx.separate(sparse.csr_matrix(X) if as_sparse else X, y, bias=bias)
    check(found, X, y)
    Z = np.array([[int(v) for v in z] for z in signed_rows(X, y, bias)])
    assert found.separable == strictly_separable(Z)
    assert sx.separate(X, y, bias=bias, only_decide=True).answer == found.answer
    if not found.separable:
        # Weakly separable, or not: the sum of z·w over z·w ≥ 0, |w| ≤ 1, is positive or cannot be.
        best = linprog(-Z.sum(0), A_ub=-Z, b_ub=np.zeros(len(Z)), bounds=[(-1, 1)] * Z.shape[1])
        assert (found.answer == "weakly separable") == (-best.fun > 1e-7)


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(5, 60), st.sampled_from([1.0, 1e-3, 1e3]))
@settings(max_examples=40, deadline=None)
def test_random_sets_against_the_numpy_twin(seed, d, n, scale):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * scale
    y = np.sign(X @ random.normal(size=d) + 0.1 * scale * random.normal(size=n) * (seed % 2))
    assume(len(np.unique(y)) == 2)
    found = sx.separate(X, y)
    check(found, X, y)
    p, _ = minimum_norm_point(np.column_stack([X, np.ones(n)]) * y[:, None])
    size = np.linalg.norm(p)
    if size > 1e-6 * found.radius:
        assert found.margin == pytest.approx(size, rel=1e-6)
    if found.separable:
        assert size >= found.margin * (1 - 1e-9)


def near_degenerate():
    """Sets where rounding decides wrongly: one unit in the last place parts one answer from another."""
    third = 1 / 3
    up = np.nextafter(third, 1)
    tiny = 2.0**-60
    line = [[0.1, 0.2], [0.2, 0.4], [0.3, 0.6000000000000001], [0.1 + 0.2, 0.6]]
    yield "three on a line, in doubles only", [[0.0, 0.0], [third, third], [1.0, 1.0]], [1, -1, 1], True
    yield "the middle one unit off the line", [[0.0, 0.0], [third, up], [1.0, 1.0]], [1, -1, 1], True
    yield "multiples of a tenth", line, [1, -1, 1, -1], True
    yield "opposite but for one unit", [[third, 1.0], [up, 1.0]], [1, -1], False
    yield "opposite exactly", [[third, 1.0], [third, 1.0]], [1, -1], False
    yield "margin below 2^-60", [[1.0, tiny], [-1.0, tiny], [1.0, -tiny]], [1, 1, -1], False
    yield "margin below 2^-60, blocked", [[1.0, tiny], [-1.0, tiny], [0.0, tiny]], [1, 1, -1], False
    yield "scales 1e150 apart", [[1e150, 1.0], [-1e150, 1.0], [1e150, -1.0]], [1, 1, -1], False
    yield "subnormal", [[5e-324, 1.0], [-5e-324, 1.0], [0.0, 1.0]], [1, 1, -1], False
    yield "subnormal, parted", [[5e-324, 0.0], [-5e-324, 0.0]], [1, -1], False
    hilbert = [[1 / (i + j + 1) for j in range(8)] for i in range(9)]
    yield "Hilbert's rows", hilbert, [1, -1] * 4 + [1], False
    yield "Hilbert's rows and a bias", hilbert, [1, 1, -1] * 3, True


def exactly_separable(X, y, bias):
    found = sx.separate(X, y, bias=bias)
    check(found, X, y)
    return found


@pytest.mark.parametrize(
    ("name", "X", "y", "bias"), list(near_degenerate()), ids=lambda v: v if isinstance(v, str) else ""
)
def test_near_degenerate_sets_are_settled(name, X, y, bias):
    exactly_separable(X, y, bias)


def test_a_unit_in_the_last_place_decides():
    third = 1 / 3
    X = [[0.0, 0.0], [third, third], [1.0, 1.0]]
    assert not exactly_separable(X, [1, -1, 1], True).separable
    X[1][1] = np.nextafter(third, 1)
    assert exactly_separable(X, [1, -1, 1], True).separable


@pytest.mark.parametrize("exponent", [20, 45, 52, 70, 120])
def test_margins_far_below_a_unit_in_the_last_place(exponent):
    tiny = 2.0**-exponent
    X = np.array([[1.0, 1.0, tiny], [-1.0, 0.5, tiny], [0.25, -1.0, tiny], [1.0, 0.75, -tiny]])
    y = [1, 1, 1, -1]
    found = exactly_separable(X, y, False)
    assert found.separable
    assert found.margin == pytest.approx(tiny, rel=1e-9) or found.margin <= 2 * tiny
    low, high = found.margin_bounds
    assert high - low <= 1e-9 * high


def test_weakly_separable_needs_a_row_off_the_hyperplane():
    # w = (0, 1) is orthogonal to every row, and proves nothing.
    assert sx.separate([[1.0, 0.0], [1.0, 0.0]], [0, 1], bias=False).answer == "not separable"
    found = sx.separate([[1.0, 0.0], [1.0, 0.0], [0.0, 3.0]], [0, 1, 1], bias=False)
    assert found.answer == "weakly separable"
    check(found, [[1.0, 0.0], [1.0, 0.0], [0.0, 3.0]], [0, 1, 1])


def test_more_columns_than_rows_and_repeated_columns():
    random = np.random.default_rng(3)
    X = random.normal(size=(12, 300))
    found = sx.separate(X, [0, 1] * 6)
    check(found, X, [0, 1] * 6)
    assert found.separable
    X = np.repeat(random.integers(-2, 3, size=(40, 3)).astype(float), 5, axis=1)
    found = sx.separate(X, [0, 1] * 20)
    check(found, X, [0, 1] * 20)
    assert found.answer == "not separable"


def test_a_conflict_of_a_hundred_rows_of_doubles():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 30))
    y = np.sign(X[:, 0])
    y[:20] *= -1
    found = sx.separate(X, y)
    check(found, X, y)
    assert len(found.conflict_rows) == 32


def test_large_sparse_text_is_decided():
    random = np.random.default_rng(1)
    X = sparse.random(9000, 9000, density=0.002, random_state=random, format="csr")
    y = np.sign(X @ random.normal(size=9000) + 1e-9)
    found = sx.separate(X, y, only_decide=True)
    assert found.separable
    w = np.array(found.w)
    assert (y * (X @ w + found.intercept) > 0).all()
    both = sparse.vstack([X, X[:1]]).tocsr()
    found = sx.separate(both, np.append(y, -y[0]), only_decide=True)
    assert found.conflict_rows == (0, 9000)
    assert found.conflict_weights == (Fraction(1, 2), Fraction(1, 2))


def test_large_text_with_flipped_labels_is_separable_still():
    """Where coordinate ascent had not found the separator after hundreds of passes."""
    X, y = sx.generate("text", rows=12_000, columns=10_000, noise=0.05, seed=3)
    found = sx.separate(X, y, only_decide=True)
    assert (found.answer, found.verified) == ("separable", "exact")
    assert found.certificate(X, y).verify(X, y).proved


def test_a_conflict_of_three_is_found_in_large_data():
    """Three rows on a line, the middle one of the other class, none equal to another."""
    n = 9_000
    first, second = [1.0, 2.0], [3.0, -2.0]
    middle = [2.0, 0.0]
    three = sparse.csr_matrix([first, middle, second])
    X = sparse.block_diag([three, sparse.eye(n)], format="csr")
    y = np.array([1, 0, 1, *(np.arange(n) % 2)])
    found = sx.separate(X, y)
    assert found.conflict_rows == (0, 1, 2)
    assert found.conflict_weights == (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4))
    # A column of one sign: some w is never wrong and right on a row.
    assert (found.answer, found.verified) == ("weakly separable", "exact")


def test_labels_are_any_two_values_and_the_greater_is_positive():
    X = [[1.0], [2.0]]
    for labels in ([0, 1], ["a", "b"], [-3.5, 7.0], [False, True]):
        found = sx.separate(X, labels)
        assert found.labels == tuple(labels)
        assert found.w[0] > 0


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [2.0]], [1, 1], "two different labels, found 1"),
        ([[1.0], [2.0], [3.0]], [1, 2, 3], "two different labels, found 3"),
        ([[1.0], [2.0]], [1], "two different labels"),
        ([[1.0], [2.0], [3.0]], [1, 2], "3 rows, but y has 2"),
        ([[1.0], [np.nan]], [1, 2], "finite numbers"),
        ([[1.0], [2.0]], [1, np.inf], "finite labels, found inf in row 1"),
        ([1.0, 2.0], [1, 2], "rows and columns"),
        ([[1.0], ["x"]], [1, 2], "expected numbers"),
    ],
)
def test_bad_data_is_named(X, y, message):
    with pytest.raises(InputError, match=message):
        sx.separate(X, y)


def test_bad_parameters_are_named():
    with pytest.raises(UsageError, match="bias must be True or False, but is 2"):
        sx.separate([[1.0], [2.0]], [0, 1], bias=2)


@pytest.mark.parametrize("scale", [2.0**1020, 2.0**-600, 2.0**-1074])
def test_unit_rows_are_the_learner_s_and_the_checker_s_at_any_scale(scale):
    rows, labels = [[3 * scale, 4 * scale], [-4 * scale, 0.0]], [1, -1]
    found = sx.separate(rows, labels, bias=False, normalize=True)
    assert found.margin == sx.separate([[0.6, 0.8], [-1.0, 0.0]], labels, bias=False).margin
    assert found.certificate(rows, labels).verify(rows, labels).proved
    assert sx.comparator(rows, labels, normalize=True).radius == 1.0
    assert sx.Perceptron(bias=False, normalize=True).fit(rows, labels).run_.radius == 1.0


def test_certificates_are_proved_by_the_checker():
    pytest.importorskip("separatrix.theory.certificate")
    for name in ("sonar", "digits_1", "votes", "monks1"):
        X, y = sx.read(DATA / f"{name}.libsvm")
        for bias in (False, True):
            found = sx.separate(X, y, bias=bias)
            assert found.certificate(X, y).verify(X, y).proved


def test_updates_are_bounded_at_any_scale():
    """Squares of such rows over- or underflow; a bound that is no double is none."""
    for scale in (1e-310, 1e-200, 1e300):
        found = sx.separate([[3 * scale], [-4 * scale]], [1, -1], bias=False)
        assert found.radius == pytest.approx(4 * scale)
        assert found.updates_bound == pytest.approx(16 / 9, rel=1e-9)
    assert sx.separate([[1e300], [-1.0]], [1, 0], bias=False).updates_bound is None
    assert sx.separate([[1e300], [-1e-300]], [1, 0], bias=False).updates_bound is None
