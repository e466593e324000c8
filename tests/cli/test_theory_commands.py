"""certify, verify, play, generate and plot on the command line."""

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import separatrix as sx
from separatrix.cli import main
from separatrix.cli.plot import _margins

VOTES = str(Path(__file__).parents[2] / "examples" / "data" / "votes.libsvm")


def run(*arguments, answers=None):
    return CliRunner().invoke(main, [str(a) for a in arguments], input=answers)


def test_certify_and_verify(tmp_path):
    done = run("certify", VOTES, "--iid", "--json", "--seconds", 1, "--certificates", tmp_path / "proofs")
    assert done.exit_code == 0, done.output
    result = json.loads(done.output)
    for entry in result["theorems"]:
        assert {"theorem", "assumption", "status", "bound", "observed"} <= set(entry)
        assert entry["holds"] is not False
    by_name = {(e["learner"], e["theorem"]): e for e in result["theorems"]}
    assert by_name["perceptron", "T4b"]["observed"] == 31
    assert 31 <= by_name["perceptron", "T4b"]["bound"] <= 93
    assert by_name["perceptron", "T14"]["status"] == "not checkable"
    assert result["recommendation"]["learner"] in ("perceptron", "winnow")
    proof = result["certificates"]["T4b"]
    good = run("verify", proof, VOTES, "--json")
    assert (good.exit_code, json.loads(good.output)["proved"]) == (0, True)
    altered = tmp_path / "altered.json"
    altered.write_text(Path(proof).read_text().replace('"rows":435', '"rows":436'))
    bad = run("verify", altered, VOTES, "--json")
    assert (bad.exit_code, json.loads(bad.output)["proved"]) == (1, False)
    assert "altered" in json.loads(bad.output)["reason"]
    other = tmp_path / "other.libsvm"
    other.write_text("1 1:1\n-1 1:2\n")
    wrong = run("verify", proof, other)
    assert wrong.exit_code == 1
    assert "REFUTED: the data's sha256" in wrong.output
    altered.write_text("{}")
    assert run("verify", altered, VOTES).exit_code == 2
    other.write_text("1 1:x\n")
    assert run("verify", proof, other).exit_code == 2


def test_certify_in_words_and_shuffled():
    done = run("certify", VOTES, "--seconds", 0.5, "--order", "shuffle", "--seed", 3, "--normalize")
    assert done.exit_code == 0, done.output
    assert "order: shuffle" in done.output
    assert "T4a  " not in done.output  # the replay is of file order, and this run was not
    assert "should make fewer mistakes" in done.output


def test_certify_refuses_many_classes(tmp_path):
    data = tmp_path / "three.libsvm"
    data.write_text("1 1:1\n2 1:2\n3 1:3\n")
    done = run("certify", data)
    assert done.exit_code == 2
    assert "expected two labels, found 3" in done.output


def test_generate_writes_what_it_says(tmp_path):
    out = tmp_path / "made.libsvm"
    done = run("generate", "disjunction", "--rows", 50, "--columns", 8, "-o", out, "--json")
    result = json.loads(done.output)
    assert result["rows"] == 50
    assert result["bytes"] == out.stat().st_size
    assert run("generate", "disjunction", "--rows", 50, "--columns", 8).stdout_bytes == out.read_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["made.libsvm"]
    assert run("generate", "disjunction", "--json").exit_code == 2
    assert run("generate", "nothing").exit_code == 2


def test_play_with_piped_answers():
    done = run("play", "--rounds", 4, answers="+\n-\nwhat\n-\nq\n")
    assert done.exit_code == 0, done.output
    assert "round 1: x = " in done.output
    assert "MISTAKE; 1 so far, T2 allows 1" in done.output
    assert "expected +, - or q, found 'what'" in done.output
    assert "3 rounds, 3 mistakes by the perceptron." in done.output
    done = run("play", VOTES, "--rule", "winnow", "--rounds", 3, "--json", answers="+\n+\n+\n")
    assert done.exit_code in (0, 2)
    short = CliRunner().invoke(main, ["play", "--json", "--rounds", "5"], input="+\n")
    result = json.loads(short.stdout)
    assert (result["rounds"], result["labels"], result["bound"]) == (1, [1], 1)


@pytest.mark.parametrize("kind", ["mistakes", "margins", "irrelevant", "xor", "plane"])
def test_plot_draws(kind, tmp_path):
    pytest.importorskip("matplotlib")
    data = [VOTES] if kind in ("mistakes", "margins") else []
    if kind == "plane":
        data = [str(tmp_path / "plane.libsvm")]
        run("generate", "separable", "--columns", 2, "--rows", 20, "-o", data[0])
    out = tmp_path / "picture.png"
    done = run("plot", kind, *data, "-o", out, "--seconds", 0.5, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.output) == {"kind": kind, "output": str(out)}
    assert out.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert run("plot", kind, *([] if data else [VOTES]), "-o", out).exit_code == 2
    assert run("plot", kind, *data, "-o", tmp_path / "picture.txt").exit_code == 2


def test_proofs_of_the_last_file_say_nothing_of_a_model_s_earlier_rows(tmp_path):
    """As many rows of the other labels came before: no u separates both, though one separates the last."""
    first, last, model = tmp_path / "first.libsvm", tmp_path / "last.libsvm", tmp_path / "model.sx"
    first.write_text("1 1:1\n-1 1:-1\n")
    last.write_text("-1 1:1\n1 1:-1\n")
    run("train", first, "-o", model)
    fresh = json.loads(run("train", last, "-o", tmp_path / "other.sx", "--certify", "--json").output)
    assert fresh["theorems"][0]["holds"] is True
    done = run("train", last, "--from", model, "-o", model, "--certify", "--iid", "--json")
    entries = json.loads(done.output)["theorems"]
    assert {e["theorem"] for e in entries} == {"T3", "T4b"}  # two passes, for all that is known: no T14
    assert {e["status"] for e in entries} == {"not checkable"}


def test_extreme_rows_end_in_words(tmp_path):
    data, proof = tmp_path / "data.libsvm", tmp_path / "proof.json"
    data.write_text("1\n-1\n")
    done = run("certify", data)
    assert (done.exit_code, done.exception.__class__) == (2, SystemExit)
    assert "no feature in any" in done.output
    for scale in ("1e-310", "1e300"):
        data.write_text(f"1 1:{scale}\n-1 1:-{scale}\n")
        done = run("certify", data, "--no-bias", "--seconds", 1)
        assert (done.exit_code, done.exception.__class__) == (2, SystemExit)
        assert "scale" in done.output
        done = run("certify", data, "--no-bias", "--normalize", "--seconds", 1)
        assert done.exit_code == 0
    data.write_text("1 1:1\n-1 1:-1\n")
    run("separate", data, "--certificate", proof)
    data.write_text("1 1:1\n-1 1:x\n")
    assert f"{data}:2:6: expected" in run("verify", proof, data).output.replace("\n", "")
    assert "witness" not in run("verify", proof, data).output


def test_play_tells_a_tiny_margin_from_none(tmp_path):
    data = tmp_path / "near.libsvm"
    data.write_text("1 1:1 2:1e-12\n-1 1:1 2:2e-12\n")
    done = run("play", data, "--json", answers="+\n-\n")
    result = json.loads(done.stdout)
    assert result["separable"] is True
    assert 0 < result["margin"] < 1e-11
    data.write_text("1 1:1\n-1 1:1\n")
    assert json.loads(run("play", data, "--json", answers="+\n-\n").stdout)["separable"] is False


class _AnswersThenCtrlC(io.BytesIO):
    def read1(self, size=-1):
        read = super().read1(size)
        if not read:
            raise KeyboardInterrupt
        return read


def test_play_ends_at_ctrl_c():
    done = CliRunner().invoke(main, ["play", "--rounds", "3"], input=_AnswersThenCtrlC(b"+\n"))
    assert done.exit_code == 130
    assert "\n1 rounds, 1 mistakes by the perceptron." in done.output
    assert run("play", "--rounds", 3, answers="+\n").exit_code == 0  # an end of input is no interruption


def test_margins_are_drawn_of_the_exact_separator():
    """Sonar's margin of 0.001 is out of a search's reach."""
    pytest.importorskip("matplotlib")
    X, y = sx.read(Path(VOTES).with_name("sonar.libsvm"))
    figure = _margins(X, y, {"bias": True, "normalize": False, "seconds": 0.1})
    words = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert words == ["wrong side or on it: 0", "right side: 208", "least margin: 0.001079"]


def test_train_certifies_what_was_played(tmp_path):
    model = tmp_path / "model.sx"

    def theorems(data, *options):
        done = run("train", data, "-o", model, "--certify", "--json", *options)
        assert done.exit_code == 0, done.output
        return {e["theorem"]: (e["status"], e["bound"]) for e in json.loads(done.output)["theorems"]}

    # T2 with the largest margin, not with one that a search came upon.
    wide = tmp_path / "separable.libsvm"
    run("generate", "separable", "--margin", 0.125, "--rows", 60, "--columns", 3, "-o", wide)
    assert theorems(wide, "--no-bias")["T2"] == ("verified", 64)
    # Winnow's theorems, with the factor, threshold and demotion of the run.
    bits = tmp_path / "bits.libsvm"
    run("generate", "disjunction", "--rows", 200, "--columns", 16, "-o", bits)
    assert theorems(bits, "--rule", "winnow", "--factor", 2)["T6"] == ("verified", 47)
    assert theorems(bits, "--rule", "winnow", "--factor", 2, "--demotion", "eliminate")["T6"][1] == 31
    status, bound = theorems(bits, "--rule", "winnow", "--factor", 1.5, "--threshold", 8)["T8"]
    assert status == "verified"
    assert bound == int(sx.bounds.winnow_threshold(16, 3.0 * (1 + 1e-6), 1.0, 8.0, 1.5))
    # One label, no row.
    bits.write_text("1 1:1\n1 1:2\n")
    assert theorems(bits)["T2"][0] == "verified"
    bits.write_text("")
    assert theorems(bits)["T2"] == ("not checkable", None)


@pytest.mark.parametrize("seconds", ["nan", "1e300", "inf"])
def test_any_number_of_seconds_ends_in_words_or_a_picture(tmp_path, seconds):
    data = tmp_path / "data.libsvm"
    data.write_text("1 1:1\n-1 1:-2\n1 2:1\n")
    drawn = run("plot", "mistakes", data, "-o", tmp_path / "p.png", "--seconds", seconds)
    assert drawn.exit_code == (2 if seconds == "nan" else 0), drawn.output
    assert ("seconds should be positive" in drawn.output) == (seconds == "nan")


def test_margins_that_are_all_but_equal_can_be_drawn(tmp_path):
    data = tmp_path / "data.libsvm"
    data.write_text("1 1:-1\n-1 1:2\n")  # both margins are the largest margin, but for rounding
    drawn = run("plot", "margins", data, "-o", tmp_path / "p.png")
    assert drawn.exit_code == 0, drawn.output


def test_a_certificate_is_checked_with_the_index_base_it_was_made_with(tmp_path):
    data, proof = tmp_path / "data.libsvm", tmp_path / "proof.json"
    data.write_text("1 1:1\n-1 2:1\n")
    assert run("separate", data, "--index-base", 0, "--certificate", proof).exit_code == 0
    assert run("verify", proof, data, "--index-base", 0).exit_code == 0
    assert run("verify", proof, data).exit_code == 1  # other columns: other data
    proofs = tmp_path / "proofs"
    assert run("certify", data, "--index-base", 0, "--seconds", 1, "--certificates", proofs).exit_code == 0
    for proof in proofs.iterdir():
        assert run("verify", proof, data, "--index-base", 0).exit_code == 0
