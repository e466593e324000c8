"""``separatrix separate``: fields, exit status, messages."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from separatrix.cli import main

DATA = Path(__file__).parents[2] / "examples" / "data"


def run(*arguments):
    return CliRunner().invoke(main, ["separate", *map(str, arguments)])


def test_separable_data_has_a_margin():
    result = run(DATA / "wdbc.libsvm", "--normalize", "--json")
    assert result.exit_code == 0
    found = json.loads(result.output)
    assert found["answer"] == "separable"
    assert found["verified"] == "exact"
    assert found["margin"] == pytest.approx(6.0968224e-08, rel=1e-6)
    assert found["updates_bound"] == pytest.approx(5.3805e14, rel=1e-4)
    assert found["conflict_rows"] == found["conflict_weights"] == []
    assert min(found["support_rows"]) >= 1
    assert max(found["support_rows"]) <= 569


def test_a_conflict_has_rows_from_one_and_fractions(tmp_path):
    data = tmp_path / "three.libsvm"
    data.write_text("1 1:0\n0 1:1\n1 1:2\n")
    result = run(data, "--json")
    assert result.exit_code == 1
    found = json.loads(result.output)
    assert found["answer"] == "not separable"
    assert found["margin"] is None
    assert found["updates_bound"] is None
    assert found["conflict_rows"] == [1, 2, 3]
    assert [Fraction(v) for v in found["conflict_weights"]] == [
        Fraction(1, 4),
        Fraction(1, 2),
        Fraction(1, 4),
    ]


def test_weakly_separable_data_is_no(tmp_path):
    data = tmp_path / "weak.libsvm"
    data.write_text("1 1:1\n0 1:1\n1 2:3\n")
    result = run(data, "--no-bias")
    assert result.exit_code == 1
    assert "weakly separable (proved exactly): 3 rows, 2 columns" in result.output
    assert "not all on it" in result.output


def test_words_for_people():
    result = run(DATA / "sonar.libsvm")
    assert result.exit_code == 0
    assert "largest margin      0.00107931338" in result.output


def test_what_cannot_be_read_is_two(tmp_path):
    data = tmp_path / "bad.libsvm"
    data.write_text("1 1:x\n")
    result = run(data, "--json")
    assert result.exit_code == 2
    assert "bad.libsvm:1:" in result.stderr
    data.write_text("1 1:1\n1 1:2\n")
    result = run(data)
    assert result.exit_code == 2
    assert "two different labels" in result.stderr


def test_a_bound_beyond_doubles_is_null(tmp_path):
    data = tmp_path / "wide.libsvm"
    data.write_text("1 1:1e300\n-1 1:-1e-300\n")
    found = run(data, "--no-bias", "--json")
    assert (found.exit_code, json.loads(found.output)["updates_bound"]) == (0, None)
    assert "beyond any double" in run(data, "--no-bias").output


def test_a_certificate_never_takes_the_place_of_the_data(tmp_path):
    data = tmp_path / "data.libsvm"
    data.write_text("1 1:1\n-1 1:-2\n")
    done = run(data, "--certificate", data)
    assert done.exit_code == 2
    assert "another file" in done.output
    assert data.read_text() == "1 1:1\n-1 1:-2\n"
    done = run(data, "--certificate", tmp_path / "no" / "proof.json")
    assert done.exit_code == 2
    assert "there is no folder" in done.output
