"""`separatrix regress`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from separatrix.cli import main

DATA = Path(__file__).parents[2] / "examples" / "data"
FIELDS = {"coef", "intercept", "alpha", "rmse", "loo_rmse", "condition", "digits", "solver", "rank"}


def run(*arguments, status=0, **options):
    found = CliRunner().invoke(main, ["regress", *map(str, arguments)], **options)
    assert found.exit_code == status, found.output
    return found


OPTIONS = [
    "",
    "--alpha 1",
    "--loo",
    "--alphas 0.1,1",
    "--alphas 1e-3:10:5",
    "--stream",
    "--online",
    "--no-bias",
]


@pytest.mark.parametrize("options", [options.split() for options in OPTIONS])
def test_one_json_object_with_all_fields(options):
    result = json.loads(run(DATA / "reg_longley.libsvm", *options, "--json").stdout)
    assert set(result) >= FIELDS
    assert len(result["coef"]) == 6
    if "--stream" not in options and "--online" not in options:
        assert result["digits"] >= 12
        assert result["loo_rmse"] > result["rmse"]


def test_longley():
    result = json.loads(run(DATA / "reg_longley.libsvm", "--json").stdout)
    assert result["coef"][0] == pytest.approx(15.061872271373295, rel=1e-12)
    assert result["intercept"] == pytest.approx(-3482258.6345958184, rel=1e-12)
    assert result["rank"] == 7
    assert result["condition"] == pytest.approx(4859257015.45, rel=1e-6)
    online = json.loads(run(DATA / "reg_longley.libsvm", "--online", "--json").stdout)
    homogeneous = run(DATA / "reg_longley.libsvm", "--alpha", 1, "--penalize-intercept", "--json").stdout
    assert online["coef"] == pytest.approx(json.loads(homogeneous)["coef"], rel=1e-6)
    assert online["ledger"]["holds"] is True
    words = run(DATA / "reg_longley.libsvm").stdout
    assert "digits             15.0" in words


def test_standard_input():
    command = [sys.executable, "-c", "from separatrix.cli import main; main()", "regress", "-", "--json"]
    found = subprocess.run(command, input=b"1 1:1\n2 1:2\n3 1:3\n", capture_output=True, check=True)
    assert json.loads(found.stdout)["coef"] == [1.0]


def test_dependent_columns_and_bad_rows(tmp_path):
    file = tmp_path / "rows"
    file.write_text("1 1:1 2:2\n2 1:2 2:4\n4 1:3 2:6\n")
    found = run(file, "--json")
    assert json.loads(found.stdout)["dependent_columns"] == [1]
    assert "column 1 depends on the intercept and columns before" in found.stderr
    file.write_text("1 1:x\n")
    assert "expected" in run(file, status=2).output
    file.write_text("1 1:1\n2 1:2\noops 1:3\n3 1:4\n")
    found = run(file, "--bad-rows", "skip", "--json", status=1)
    assert len(json.loads(found.stdout)["coef"]) == 1


@pytest.mark.parametrize("text", ["", "3\n1\n"])
@pytest.mark.parametrize("options", [[], ["--alpha", "1"], ["--loo"]])
def test_nothing_to_learn_from_is_said(tmp_path, text, options):
    file = tmp_path / "rows"
    file.write_text(text)
    assert "expected rows" in (found := run(file, *options, status=2).output) or "expected features" in found
    assert str(file) in found


def test_columns_far_out(tmp_path):
    file = tmp_path / "rows"
    file.write_text("1 1:1 3000000:2\n2 1:3 5:1\n3 2:1 3000000:1\n")
    for options in [[], ["--alpha", "1"]]:
        result = json.loads(run(file, *options, "--json").stdout)
        assert len(result["coef"]) == 3_000_000
        assert result["digits"] >= 12
        assert result["rank"] == 3
        assert {j for j, v in enumerate(result["coef"]) if v} <= {0, 1, 4, 2_999_999}
    for option in ["--stream", "--online"]:
        assert "at most 20000 columns, but there are 3000000" in run(file, option, status=2).output


@pytest.mark.parametrize("scale", ["e300", "e-300"])
@pytest.mark.parametrize("options", [[], ["--alpha", "1"], ["--loo"], ["--alphas", "0,1"], ["--stream"]])
def test_sizes_far_from_one(tmp_path, scale, options):
    file = tmp_path / "rows"
    file.write_text(f"1{scale} 1:1\n2{scale} 1:2\n4{scale} 1:3\n")
    far = run(file, *options, "--json")
    assert "warning" not in far.stderr
    file.write_text("1 1:1\n2 1:2\n4 1:3\n")
    near = json.loads(run(file, *options, "--json").stdout)
    result, unit = json.loads(far.stdout), float(f"1{scale}")
    for name in ["rmse", "loo_rmse", "intercept"]:
        assert near[name] is None or result[name] == pytest.approx(near[name] * unit, rel=1e-12, abs=0)
    assert result["coef"] == pytest.approx([v * unit for v in near["coef"]], rel=1e-12, abs=0)


def test_usage():
    longley = DATA / "reg_longley.libsvm"
    run(longley, "--alpha", "-1", status=2)
    run(longley, "--alpha", "1", "--loo", status=2)
    run(longley, "--loo", "--online", status=2)
    run(longley, "--alphas", "a,b", status=2)
    run(longley.with_name("none.libsvm"), status=2)
