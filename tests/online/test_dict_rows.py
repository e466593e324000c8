"""Rows as dicts: whatever objects their keys are, they are the rows that their names say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import separatrix as sx

NAMES = [
    "",
    "a",
    "abc",
    "abcd",
    "abce",
    "sixteen letters!",
    "seventeen letters",
    "seventeen lettert",
    "Größe",
    "語",
]


def again(name: str) -> str:
    """An equal string that is another object."""
    return "".join([*name[:1], name[1:]]) if len(name) > 1 else name


class Text(str):
    """A str that is not just a str."""


KINDS = {
    "the same objects": lambda name: name,
    "new objects": again,
    "a subclass": Text,
    "NumPy's": np.str_,
}

ROWS = st.lists(
    st.tuples(
        st.permutations(NAMES).flatmap(lambda names: st.integers(0, len(names)).map(lambda n: names[:n])),
        st.lists(st.integers(-3, 3), min_size=len(NAMES), max_size=len(NAMES)),
        st.booleans(),
        st.sampled_from(sorted(KINDS)),
        st.booleans(),
    ),
    max_size=25,
)


@settings(deadline=None)
@given(ROWS)
def test_dicts_are_the_sparse_rows_of_their_names(rows) -> None:
    by_name, by_column = sx.Perceptron(), sx.Perceptron()
    columns: dict[str, int] = {}
    for names, values, label, kind, predict_first in rows:
        row = {KINDS[kind](name): value for name, value in zip(names, values, strict=False)}
        unknown = [name for name in names if name not in columns]
        pair = (
            np.array(
                [
                    columns.get(name, len(columns) + (unknown.index(name) if name in unknown else 0))
                    for name in names
                ],
                dtype=np.int64,
            ),
            np.array(values[: len(names)], dtype=np.float64),
        )
        if predict_first:
            assert by_name.predict_one(row) == by_column.predict_one(pair)
        assert by_name.learn_one(row, label) == by_column.learn_one(pair, label)
        for name in unknown:
            columns[name] = len(columns)
    if any(names for names, *_ in rows):
        width = by_column.coef_.shape[1]
        np.testing.assert_array_equal(by_name.coef_[:, :width], by_column.coef_)
        assert not by_name.coef_[:, width:].any()
        assert by_name._learner.names == list(columns)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.permutations(range(400, 408)),
            st.lists(st.floats(-9, 9), min_size=8, max_size=8),
            st.booleans(),
        ),
        max_size=10,
    )
)
def test_numbered_dicts_are_sparse_rows(rows) -> None:
    dicts, pairs = sx.Perceptron(), sx.Perceptron()
    for columns, values, label in rows:
        row = dict(zip(columns, values, strict=True))
        dicts.predict_one(row)
        assert dicts.learn_one(row, label) == pairs.learn_one((np.array(columns), np.array(values)), label)
    if rows:
        np.testing.assert_array_equal(dicts.coef_, pairs.coef_)


def test_a_dict_that_was_changed_is_read_anew() -> None:
    learner = sx.Perceptron()
    learner.learn_one({"a": 1.0, "b": 2.0}, True)
    row = {"a": 1.0, "b": 2.0}
    learner.predict_one(row)
    row["b"] = -8.0
    assert learner._learner.scores_one(row) == [1.0 - 16.0 + 1.0]
    del row["a"]
    row["c"] = 5.0
    assert learner._learner.scores_one(row) == [-16.0 + 1.0]
    assert learner.learn_one(row, True)
    assert learner._learner.names == ["a", "b", "c"]
    np.testing.assert_array_equal(learner.coef_, [[1.0, -6.0, 5.0]])


def test_memory_that_keys_lived_in_may_be_used_again() -> None:
    """Equal addresses are not equal keys, once the keys are gone."""
    learner, twin = sx.Perceptron(), sx.Perceptron()
    rng = np.random.default_rng(3)
    for _ in range(500):
        columns = rng.choice(300, 6, replace=False)
        values = rng.integers(-3, 4, 6).astype(float)
        label = bool(rng.random() < 0.5)
        row = {f"column {j}": v for j, v in zip(columns.tolist(), values.tolist(), strict=True)}
        learner.predict_one(row)
        del row
        row = {f"column {j}": v for j, v in zip(columns.tolist(), values.tolist(), strict=True)}
        learner.learn_one(row, label)
        twin.learn_one((columns, values), label)
    order = [int(name.split()[1]) for name in learner._learner.names]
    np.testing.assert_array_equal(learner.coef_[0], twin.coef_[0][order])


@pytest.mark.parametrize("value", ["x", None, [1.0]])
def test_what_is_no_number_is_refused_and_nothing_stays(value) -> None:
    learner = sx.Perceptron()
    learner.learn_one({"a": 1.0, "b": 2.0}, True)
    for _ in range(2):
        with pytest.raises(sx.InputError, match="feature b: expected a number"):
            learner.learn_one({"a": 1.0, "b": value}, False)
    assert learner._learner.scores_one({"a": 1.0, "b": 2.0}) == [6.0]


def test_a_value_that_changes_its_own_dict() -> None:
    learner = sx.Perceptron()
    row: dict = {}

    class Sly:
        def __float__(self) -> float:
            row.clear()
            return 1.0

    row.update({"a": 1.0, "b": Sly(), "c": 2.0})
    learner.learn_one(row, True)
    assert learner._learner.names[:2] == ["a", "b"]


def test_many_names() -> None:
    learner = sx.Perceptron()
    for start in range(0, 3000, 100):
        learner.learn_one({f"name {j}": float(j) for j in range(start, start + 150)}, start % 200 == 0)
    assert learner._learner.names == [f"name {j}" for j in range(3050)]
    back = sx.Perceptron()
    back._learner = type(learner._learner).from_bytes(learner._learner.to_bytes())
    for j in (0, 17, 2999):
        row = {f"name {j}": 2.0}
        assert back._learner.scores_one(row) == learner._learner.scores_one(row)


def test_names_after_numbers_are_refused_even_if_they_were_asked_before() -> None:
    learner = sx.Perceptron()
    row = {"a": 1.0}
    assert learner.predict_one(row) is None
    learner.learn_one((np.array([0]), np.array([1.0])), True)
    for _ in range(2):
        with pytest.raises(sx.InputError, match="columns have numbers"):
            learner.learn_one(row, True)


def test_a_value_may_change_the_dict_it_stands_in() -> None:
    row: dict[str, object] = {}

    class Clearing:
        def __float__(self) -> float:
            row.clear()
            return 2.0

    row.update({f"a {j} that nothing else keeps": float(j) for j in range(1, 20)})
    row["clearing"] = Clearing()
    row.update({f"b {j} that nothing else keeps": 1.0 for j in range(20)})
    names = list(row)
    learner = sx.Perceptron(bias=False)
    assert learner.learn_one(row, True)
    assert not row
    assert learner._learner.names == names
    np.testing.assert_array_equal(learner.coef_[0], [*range(1, 20), 2.0, *[1.0] * 20])


@pytest.mark.parametrize("count", [15, 16, 17, 191, 192, 193, 400])
def test_long_rows_in_any_order(count) -> None:
    """Few columns are put in order by counting, many by sorting."""
    rng = np.random.default_rng(count)
    dicts, pairs = sx.Perceptron(), sx.Perceptron()
    for _ in range(3):
        columns, values = rng.permutation(1000)[:count], rng.standard_normal(count)
        row = dict(zip(columns.tolist(), values.tolist(), strict=True))
        label = bool(rng.integers(2))
        assert dicts.learn_one(row, label) == pairs.learn_one((columns, values), label)
    np.testing.assert_array_equal(dicts.coef_, pairs.coef_)
