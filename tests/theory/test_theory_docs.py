"""Every example in the docstrings of this part, and in its page, is true."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import separatrix.theory

NAMES = [
    *(m.name for m in pkgutil.walk_packages(separatrix.theory.__path__, "separatrix.theory.")),
    "separatrix.data.generate",
    "separatrix.data.writing",
]


@pytest.mark.parametrize("name", NAMES)
def test_docstrings(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_the_page():
    page = Path(__file__).parents[2] / "docs" / "ledger-and-certificates.md"
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 5
    assert failed == 0
