"""The examples in docs/regression.md are true."""

import doctest
from pathlib import Path


def test_the_page():
    page = Path(__file__).parents[2] / "docs" / "regression.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried >= 6
    assert failed == 0


def test_docstrings():
    import separatrix.batch.least_squares as least_squares
    import separatrix.batch.ridge as ridge
    import separatrix.batch.ridge_path as ridge_path
    import separatrix.online.forecaster as forecaster
    import separatrix.online.recursive_ridge as recursive_ridge

    for module in (least_squares, ridge, ridge_path, forecaster, recursive_ridge):
        failed, tried = doctest.testmod(module)
        assert tried > 0
        assert failed == 0, module.__name__
