"""The examples of docs/separability.md are true."""

import doctest
from pathlib import Path

import separatrix.theory.margin
import separatrix.theory.separate


def test_the_page():
    page = Path(__file__).parents[2] / "docs" / "separability.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried >= 8
    assert failed == 0


def test_the_docstrings():
    for module in (separatrix.theory.separate, separatrix.theory.margin):
        failed, tried = doctest.testmod(module)
        assert tried > 0
        assert failed == 0
