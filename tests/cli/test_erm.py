"""``separatrix erm``."""

import json

import pytest
from click.testing import CliRunner

from separatrix.cli import main

_XOR = "0 1:0 2:0\n1 1:0 2:1\n1 1:1 2:0\n0 1:1 2:1\n"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "xor.libsvm"
    path.write_text(_XOR)
    return str(path)


def _run(*arguments):
    return CliRunner().invoke(main, ["erm", *arguments])


def test_the_fields(data):
    done = _run(data, "--json")
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert (result["errors"], result["lower_bound"], result["optimal"]) == (1, 1, True)
    assert len(result["coef"]) == 2
    assert len(result["error_rows"]) == 1
    assert 1 <= result["error_rows"][0] <= 4
    assert {"intercept", "seconds"} <= result.keys()


@pytest.mark.parametrize(("limit", "options", "answer", "status"), [
    ("1", [], "yes", 0),
    ("0", [], "no", 1),
    ("0", ["--time-limit", "0"], "unknown", 3),
    ("0", ["--degree", "2"], "yes", 0),
])  # fmt: skip
def test_the_decision_problem(data, limit, options, answer, status):
    done = _run(data, "--at-most", limit, "--json", *options)
    assert json.loads(done.stdout)["answer"] == answer
    assert done.exit_code == status


def test_words_say_optimal_only_when_proved(data):
    assert "optimal" in _run(data).stdout
    assert "optimal" not in _run(data, "--time-limit", "0").stdout


def test_the_index_base_is_as_for_other_commands(tmp_path):
    path = tmp_path / "one.libsvm"
    path.write_text("0 1:1\n1 1:2\n")
    assert len(json.loads(_run(str(path), "--json").stdout)["coef"]) == 1
    assert len(json.loads(_run(str(path), "--json", "--index-base", "0").stdout)["coef"]) == 2


def test_three_labels_are_refused(tmp_path):
    path = tmp_path / "three.libsvm"
    path.write_text("0 1:1\n1 1:2\n2 1:3\n")
    done = _run(str(path))
    assert done.exit_code == 2
    assert "two different labels" in done.output
