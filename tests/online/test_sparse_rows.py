"""Sparse matrices whose arrays are not what they are said to be: refused, wherever they come in."""

import numpy as np
import pytest
from scipy import sparse

import separatrix as sx

ROWS, COLUMNS = 100, 9
BAD = 70


def said_to_be_sorted(bad_row: list[int]) -> sparse.csr_matrix:
    """Two entries a row, in order but for one row; SciPy is told not to look."""
    columns = np.tile([2, 5], (ROWS, 1))
    columns[BAD] = bad_row
    X = sparse.csr_matrix((ROWS, COLUMNS))
    X.indptr = np.arange(0, 2 * ROWS + 1, 2, dtype=np.int32)
    X.indices, X.data = columns.astype(np.int32).ravel(), np.ones(2 * ROWS)
    X.has_canonical_format = True
    return X


@pytest.mark.parametrize("bad_row", [[5, 2], [3, 3], [-1, 4], [2, COLUMNS]])
@pytest.mark.parametrize("order", ["file", "shuffle", "misclassified"])
def test_a_row_out_of_order_is_refused(bad_row, order):
    y = np.arange(ROWS) % 2
    with pytest.raises(ValueError, match=f"row {BAD}: expected column indices that rise strictly"):
        sx.Perceptron(order=order).fit(said_to_be_sorted(bad_row), y)


def test_rows_before_it_stay_learnt():
    X, y = said_to_be_sorted([5, 2]), np.arange(ROWS) % 2
    learner, twin = sx.Perceptron(), sx.Perceptron()
    with pytest.raises(ValueError, match=f"row {BAD}: expected column indices"):
        learner.partial_fit(X, y)
    twin.partial_fit(said_to_be_sorted([2, 5])[:BAD], y[:BAD])
    assert learner.run_.rounds == BAD
    assert learner.run_.mistakes == twin.run_.mistakes
    assert np.array_equal(learner.coef_, twin.coef_)


def test_while_one_label_is_known_too():
    learner = sx.Perceptron()
    with pytest.raises(ValueError, match=f"row {BAD}: expected column indices"):
        learner.partial_fit(said_to_be_sorted([5, 2]), np.ones(ROWS))
    assert learner.run_.rounds == BAD


def test_nothing_is_predicted_of_it():
    learner = sx.Perceptron().fit(said_to_be_sorted([2, 5]), np.arange(ROWS) % 2)
    for ask in (learner.predict, learner.decision_function):
        with pytest.raises(ValueError, match=f"row {BAD}: expected column indices"):
            ask(said_to_be_sorted([8, 1]))
