"""A saved model as the estimator that saved it."""

import os
from typing import Any

import numpy as np

from separatrix import _native
from separatrix.data.model_file import read_model
from separatrix.online.balanced_winnow import BalancedWinnow
from separatrix.online.base import OnlineClassifier
from separatrix.online.perceptron import Perceptron
from separatrix.online.pnorm import PNormPerceptron
from separatrix.online.winnow import Winnow


def load(path: str | os.PathLike[str]) -> OnlineClassifier:
    """Read a model file that an estimator or ``separatrix train`` wrote.

    The estimator that comes back goes on where the saved one stopped, to the bit.

    Raises
    ------
    ModelError
        The file is damaged, of another version, or not a model.

    Examples
    --------
    >>> import tempfile, separatrix as sx
    >>> learner = sx.Perceptron().fit([[1.0], [-1.0]], [1, -1])
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     learner.save(file.name)
    ...     sx.load(file.name).predict([[2.0]])
    array([1])
    """
    return estimator_of(read_model(path))


def estimator_of(learner: _native.Learner) -> OnlineClassifier:
    """The estimator around a native learner."""
    asked = learner.about()["asked"]
    rule, parameters = asked["rule"], dict(asked["parameters"])
    estimator: OnlineClassifier
    if rule == "winnow":
        # The factor that k or delta stand for, or that is the default, is not asked for a second time.
        if parameters["k"] is not None or parameters["delta"] is not None or parameters["factor"] == 2.0:
            parameters["factor"] = None
        estimator = Winnow(**_automatic(parameters, "threshold"))
    elif rule == "balanced-winnow":
        estimator = BalancedWinnow(**parameters)
    elif rule == "p-norm":
        estimator = PNormPerceptron(**_automatic(parameters, "p"))
    else:
        prediction = {"averaged-perceptron": "averaged", "voted-perceptron": "voted"}.get(rule, "plain")
        estimator = Perceptron(prediction=prediction, **parameters)  # type: ignore[arg-type]
    estimator._learner = learner
    estimator.n_passes_ = learner.about()["passes"]
    estimator.n_features_in_ = learner.columns
    names = learner.names
    if names is not None and len(names) == learner.columns:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    return estimator


def _automatic(parameters: dict[str, Any], name: str) -> dict[str, Any]:
    return {**parameters, name: "auto" if parameters[name] is None else parameters[name]}
