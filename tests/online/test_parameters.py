"""A parameter that breaks its rule is an error of its name, its rule and its value; never an overflow."""

import numpy as np
import pytest
from scipy import sparse

import separatrix as sx

X, Y = [[1.0], [0.0]], [1, 0]
HUGE = 10**30


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (sx.Perceptron(passes=HUGE), "passes must be a whole number from 1 to"),
        (sx.Perceptron(passes="until-clean", max_passes=HUGE), "max_passes must be a whole number from 1 to"),
        (sx.Perceptron(passes=0), "or 'until-clean', but is 0"),
        (sx.Perceptron(passes="clean"), "or 'until-clean', but is 'clean'"),
        (sx.Perceptron(order="shuffle", seed=HUGE), "seed must be a whole number from 0 to"),
        (sx.Perceptron(n_features=HUGE), "n_features must be a whole number from 1 to 4294967296"),
        (sx.Perceptron(memory_limit=HUGE), "memory_limit must be a whole number from 1 to"),
        (sx.Perceptron(tie="maybe"), "tie must be"),
        (sx.Perceptron(order="sorted"), "order must be"),
        (sx.Perceptron(bias=1), "bias must be True or False, but is 1"),
        (sx.Perceptron(prediction="best"), "prediction must be"),
        (sx.PNormPerceptron(p=10**400), "p must be within the range of a double"),
        (sx.PNormPerceptron(p=np.nan), "p must be at least 2"),
        (sx.Winnow(k=HUGE), "k must be a whole number from 1 to 4294967295"),
        (sx.Winnow(k=2.5), "k must be a whole number from 1 to"),
        (sx.Winnow(delta=0.0), "delta must be above 0 and at most 1, but is 0"),
        (sx.Winnow(threshold=-1.0), "threshold must be positive"),
        (sx.BalancedWinnow(factor=1.0), "factor must be above 1"),
    ],
)
def test_a_parameter_that_breaks_its_rule(learner, message):
    with pytest.raises(sx.UsageError, match=message):
        learner.fit(X, Y)


def test_memory_that_the_limit_allows_and_no_machine_has():
    wide = sparse.csr_matrix(([1.0, 1.0], [0, 0], [0, 1, 2]), shape=(2, 1 << 58))
    with pytest.raises(sx.UsageError, match="more than memory_limit"):
        sx.Perceptron().fit(wide, Y)
    with pytest.raises(sx.UsageError, match="more than this machine can give"):
        sx.Perceptron(memory_limit=1 << 62).fit(wide, Y)


@pytest.mark.parametrize("label", [HUGE, np.inf, np.nan])
def test_labels_that_are_none(label):
    with pytest.raises(sx.InputError, match="expected a"):
        sx.Perceptron().learn_one({"a": 1.0}, label)
