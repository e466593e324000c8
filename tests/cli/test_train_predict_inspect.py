"""train, predict and inspect as scripts use them."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

import separatrix as sx

from .run import EXAMPLES, separatrix

MUSHROOM = EXAMPLES / "mushroom.libsvm"
EXPECTED = json.loads((EXAMPLES / "expected.json").read_text())
KINDS = ("perceptron_raw_nobias", "perceptron_raw_bias", "perceptron_norm_bias")


COUNTED = [
    (name, kind)
    for name, answers in EXPECTED.items()
    for kind in KINDS
    if (EXAMPLES / f"{name}.libsvm").exists() and answers.get(kind, {}).get("rounding_robust")
]


@pytest.mark.parametrize(("name", "kind"), COUNTED)
def test_the_counts_that_independent_code_found(name, kind):
    expected = EXPECTED[name][kind]
    flags = {"perceptron_raw_nobias": {"bias": False}, "perceptron_norm_bias": {"normalize": True}}.get(
        kind, {}
    )
    learner = sx.Perceptron(passes="until-clean", max_passes=1000, **flags).fit_stream(
        EXAMPLES / f"{name}.libsvm"
    )
    assert (learner.n_mistakes_, learner.n_passes_) == (expected["updates"], expected["epochs"])
    assert learner.clean_ == expected["converged"]
    first = sx.Perceptron(**flags).fit_stream(EXAMPLES / f"{name}.libsvm")
    assert first.n_mistakes_ == expected["first_epoch"]


def test_train_tells_everything_that_scripts_rely_on(tmp_path):
    ran = separatrix("train", MUSHROOM, "-o", tmp_path / "m", "--passes", "until-clean", "--json")
    assert ran.status == 0
    assert ran.err == ""
    told = ran.json
    assert told["passes"] == 13
    assert told["mistakes"] == 150
    assert told["rounds"] == 13 * 8124
    assert told["mistake_rate"] == 150 / (13 * 8124)
    assert told["rows_refused"] == 0
    assert told["features"] == 126
    assert told["seconds"] > 0
    assert told["clean"] is True
    assert told["classes"] == [-1, 1]
    assert told["mistakes_by_class"] == {"-1": 75, "1": 75}


def test_predict_writes_labels_or_scores_and_counts_errors(tmp_path):
    separatrix("train", MUSHROOM, "-o", tmp_path / "m", "--passes", "until-clean")
    ran = separatrix("predict", tmp_path / "m", MUSHROOM, "-o", tmp_path / "p", "--json")
    assert (ran.status, ran.json["rows"], ran.json["errors"], ran.json["error_rate"]) == (0, 8124, 0, 0.0)
    labels = (tmp_path / "p").read_text().split()
    assert labels == [line.split()[0].lstrip("+") for line in MUSHROOM.read_text().splitlines()]
    ran = separatrix("predict", tmp_path / "m", MUSHROOM, "--scores")
    assert "0 errors" in ran.err
    scores = [float(word) for word in ran.out.split()]
    X, _ = sx.read(MUSHROOM)
    assert scores == sx.load(tmp_path / "m").decision_function(X).tolist()
    assert [("1" if s > 0 else "-1") for s in scores] == labels


def test_predict_needs_no_labels(tmp_path):
    separatrix("train", MUSHROOM, "-o", tmp_path / "m")
    bare = "\n".join(line.split(" ", 1)[1] for line in MUSHROOM.read_text().splitlines())
    ran = separatrix("predict", tmp_path / "m", "-", "-o", tmp_path / "p", "--json", stdin=bare.encode())
    assert (ran.json["rows"], ran.json["errors"], ran.json["error_rate"]) == (8124, None, None)
    dummy = "\n".join(f"0 {line}" for line in bare.splitlines())
    ran = separatrix("predict", tmp_path / "m", "-", stdin=dummy.encode())
    assert "no labels" in ran.err
    assert ran.out == (tmp_path / "p").read_text()


def test_resumed_training_is_never_having_stopped(tmp_path):
    lines = MUSHROOM.read_bytes().splitlines(keepends=True)
    a, b = tmp_path / "a", tmp_path / "b.gz"
    a.write_bytes(b"".join(lines[:3000]))
    b.write_bytes(gzip.compress(b"".join(lines[3000:])))
    for rule in (
        "perceptron",
        "averaged-perceptron",
        "voted-perceptron",
        "p-norm",
        "balanced-winnow",
        "winnow",
    ):
        flags = ["--rule", rule, "--features", "126"]
        whole = separatrix("train", a, b, "-o", tmp_path / "whole", "--threads", 2, *flags, "--json")
        separatrix("train", a, "-o", tmp_path / "half", "--threads", 1, *flags)
        rest = separatrix("train", b, "-o", tmp_path / "rest", "--from", tmp_path / "half", "--json")
        assert rest.status == whole.status == 0
        assert rest.json["total_mistakes"] == whole.json["mistakes"]
        one, other = (
            separatrix("predict", tmp_path / m, MUSHROOM, "--scores").out for m in ("whole", "rest")
        )
        assert one == other


def test_more_than_two_classes_are_found(tmp_path):
    digits = EXAMPLES / "digits_multi.libsvm"
    ran = separatrix("train", digits, "-o", tmp_path / "m", "--rule", "averaged-perceptron", "--json")
    assert ran.json["classes"] == list(range(10))
    X, y = sx.read(digits)
    learner = sx.Perceptron(prediction="averaged").fit(X, y)
    assert ran.json["mistakes"] == learner.n_mistakes_
    ran = separatrix("predict", tmp_path / "m", digits, "-o", tmp_path / "p", "--json")
    assert ran.json["errors"] == int((learner.predict(X) != y).sum())
    text = digits.read_bytes()
    ran = separatrix("train", "-", "-o", tmp_path / "m2", stdin=text)
    assert ran.status == 2
    assert "--classes" in ran.err
    every = ",".join(map(str, range(10)))
    ran = separatrix("train", "-", "-o", tmp_path / "m2", "--classes", every, "--json", stdin=text)
    assert ran.json["mistakes"] == learner.n_mistakes_


@pytest.mark.parametrize("policy", ["skip", "quarantine"])
def test_bad_rows_are_left_out_counted_and_kept(policy, tmp_path):
    good = "+1 1:1\n-1 1:-1\n"
    text = good + "+1 1:abc\n" + good + "+1 2:1 2:2\n"
    aside = tmp_path / "aside"
    flag = f"quarantine={aside}" if policy == "quarantine" else policy
    ran = separatrix("train", "-", "-o", tmp_path / "m", "--bad-rows", flag, "--json", stdin=text.encode())
    assert ran.status == 1
    assert (ran.json["rounds"], ran.json["rows_refused"]) == (4, 2)
    assert "-:3:6: expected" in ran.err
    if policy == "quarantine":
        assert aside.read_text() == "+1 1:abc\n+1 2:1 2:2\n"
    failed = separatrix("train", "-", "-o", tmp_path / "none", stdin=text.encode())
    assert failed.status == 2
    assert failed.err.startswith("Error: -:3:6: expected")
    assert not (tmp_path / "none").exists()


HUGE = "9" * 30


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train"], "Missing argument"),
        (["train", "nothing.txt", "-o", "m"], "nothing.txt: No such file"),
        (["train", ".", "-o", "m"], "directory"),
        (["train", "DATA", "-o", "no/folder/m"], "there is no folder"),
        (["train", "DATA", "-o", "m", "--rule", "cake"], "'cake' is not one of"),
        (["train", "DATA", "-o", "m", "--passes", "0"], "--passes must be"),
        (["train", "DATA", "-o", "m", "--passes", "many"], "--passes must be"),
        (["train", "DATA", "-o", "m", "--p", "3"], "--p belongs to --rule p-norm"),
        (["train", "DATA", "-o", "m", "--rule", "p-norm", "--p", "1.5"], "p must be at least 2"),
        (["train", "DATA", "-o", "m", "--rule", "winnow", "--k", "2", "--delta", "0.5"], "at most one"),
        (["train", "DATA", "-o", "m", "--bad-rows", "eat"], "bad_rows must be"),
        (["train", "DATA", "-o", "m", "--classes", "1,zwei"], "--classes must be"),
        (["train", "DATA", "-o", "m", "--classes", "1,2"], "expected one of the classes 1, 2, found -1"),
        (["train", "DATA", "-o", "m", "--memory-limit", "100"], "memory"),
        (["train", "DATA", "-o", "m", "--from", "DATA"], "not a Separatrix model"),
        (["train", "DATA", "-o", "m", "--threads", "0"], "--threads"),
        (["train", "DATA", "-o", "m", "--threads", HUGE], "--threads"),
        (["train", "DATA", "-o", "m", "--passes", HUGE], "--passes must be"),
        (["train", "DATA", "-o", "m", "--max-passes", HUGE], "--max-passes"),
        (["train", "DATA", "-o", "m", "--features", HUGE], "--features"),
        (["train", "DATA", "-o", "m", "--memory-limit", HUGE], "--memory-limit"),
        (["train", "DATA", "-o", "m", "--max-line-bytes", HUGE], "--max-line-bytes"),
        (["train", "DATA", "-o", "m", "--rule", "winnow", "--k", HUGE], "--k"),
        (["train", "DATA", "-o", "m", "--classes", "1,nan"], "expected a finite label, found NaN"),
        (["train", "DATA", "-o", ""], "-o needs the name of a file"),
        (["train", "DATA", "-o", "m", "--bad-rows", "quarantine=m"], "expected another file"),
        (["inspect", "/dev/null"], "not a Separatrix model"),
        (["inspect", "/dev/zero"], "not a Separatrix model"),
        (["train", "HEART", "-o", "m", "--rule", "winnow"], "Negative values in data"),
        (["predict", "DATA", "DATA"], "not a Separatrix model"),
        (["predict", "nothing", "DATA"], "does not exist"),
        (["inspect", "DATA"], "not a Separatrix model"),
        (["frobnicate"], "No such command"),
    ],
)
def test_wrong_use_ends_with_status_2_and_says_what_is_wrong(arguments, message, tmp_path):
    names = {"DATA": MUSHROOM, "HEART": EXAMPLES / "heart_scale.libsvm"}
    ran = separatrix(*[names.get(a, a) for a in arguments], cwd=tmp_path)
    assert ran.status == 2
    assert message in ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert list(tmp_path.iterdir()) == []


def test_an_index_beyond_the_memory_limit_names_the_option(tmp_path):
    ran = separatrix("train", "-", "-o", tmp_path / "m", stdin=b"1 4294967295:1\n-1 1:1\n")
    assert ran.status == 2
    assert "--memory-limit" in ran.err


@pytest.mark.parametrize(
    ("flags", "columns"),
    [
        (["--classes", "-1,1"], 100),
        (["--classes", "-1,1", "--rule", "averaged-perceptron"], 50),
        (["--classes", "-1,0,1"], 33),
        (["--classes", "-1,0,1", "--rule", "p-norm", "--p", "3"], 16),
    ],
)
def test_an_index_that_needs_too_much_memory_is_a_bad_row_for_every_rule(flags, columns, tmp_path):
    text = f"1 {columns}:1\n-1 {columns + 1}:1\n-1 1:1\n".encode()
    told = ["-o", tmp_path / "m", "--index-base", "1", "--memory-limit", "800", *flags]
    ran = separatrix("train", "-", *told, stdin=text)
    assert (ran.status, "-:2:4: expected an index within the first" in ran.err) == (2, True)
    ran = separatrix("train", "-", *told, "--bad-rows", "skip", "--json", stdin=text)
    assert (ran.status, ran.json["rounds"], ran.json["features"]) == (1, 2, columns)


def test_weights_that_outgrow_the_limit_before_the_second_label_name_the_row(tmp_path):
    ran = separatrix("train", "-", "-o", tmp_path / "m", "--memory-limit", "800", stdin=b"1 1:1\n1 60:1\n")
    assert ran.status == 2
    assert ran.err.startswith("Error: -:2: 60 columns need 960 bytes of weights")


def test_standard_input_cannot_be_surveyed(tmp_path):
    text = MUSHROOM.read_bytes()
    ran = separatrix("train", "-", "-o", tmp_path / "m", "--rule", "winnow", stdin=text)
    assert ran.status == 2
    assert "--features" in ran.err
    known = separatrix(
        "train", "-", "-o", tmp_path / "m", "--rule", "winnow", "--features", 126, "--json", stdin=text
    )
    surveyed = separatrix("train", MUSHROOM, "-o", tmp_path / "m2", "--rule", "winnow", "--json")
    assert known.json["mistakes"] == surveyed.json["mistakes"]


def test_ctrl_c_saves_what_was_learnt(tmp_path):
    feed, model = tmp_path / "feed", tmp_path / "m"
    os.mkfifo(feed)
    program = [sys.executable, "-m", "separatrix", "train", str(feed), "-o", str(model), "--json"]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    text = MUSHROOM.read_bytes()
    with open(feed, "wb", buffering=0) as pipe:
        pipe.write(text)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    told = json.loads(out)
    assert told["stopped"] is True
    assert "--from" in err
    assert 0 < told["rounds"] <= 8124
    assert sx.load(model).run_.rounds == told["rounds"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["feed", "m"]


def test_ctrl_c_is_no_answer(tmp_path):
    separatrix("train", MUSHROOM, "-o", tmp_path / "m")
    program = [sys.executable, "-m", "separatrix", "predict", str(tmp_path / "m"), "-"]
    process = subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (130, "", "stopped\n")


def test_what_is_read_is_never_written_over(tmp_path):
    data, model = tmp_path / "data", tmp_path / "m"
    data.write_bytes(MUSHROOM.read_bytes())
    (tmp_path / "link").symlink_to(data)
    separatrix("train", data, "-o", model)
    before = data.read_bytes(), model.read_bytes()
    for command in (
        ("train", data, "-o", data),
        ("train", data, "-o", tmp_path / "link"),
        ("predict", model, data, "-o", data),
        ("predict", model, data, "-o", model),
    ):
        ran = separatrix(*command)
        assert (ran.status, "expected another file" in ran.err) == (2, True), command
    assert (data.read_bytes(), model.read_bytes()) == before
    # A model may take its own place.
    assert separatrix("train", data, "-o", model, "--from", model).status == 0


def test_a_resumed_run_tells_its_own_mistakes(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("1 1:1\n1 2:1\n1 1:-1\n")
    second.write_text("-1 3:1\n1 1:1\n-1 1:-1\n")
    a = separatrix("train", first, "-o", tmp_path / "a", "--json").json
    assert (a["mistakes"], a["mistakes_by_class"]) == (2, {"1": 2})
    b = separatrix("train", second, "-o", tmp_path / "b", "--from", tmp_path / "a", "--json").json
    assert sum(b["mistakes_by_class"].values()) == b["mistakes"] == b["total_mistakes"] - a["mistakes"]
    assert b["rounds"] == 3
    whole = separatrix("train", first, second, "-o", tmp_path / "c", "--json").json
    assert whole["mistakes"] == b["total_mistakes"]


def test_names_that_are_no_text_and_models_from_a_pipe(tmp_path):
    name = os.fsdecode(os.fsencode(tmp_path) + b"/data\xff")
    shutil.copy(MUSHROOM, name)
    assert separatrix("train", name, "-o", tmp_path / "m").status == 0
    ran = separatrix("inspect", "/dev/stdin", stdin=(tmp_path / "m").read_bytes())
    assert (ran.status, "data\N{REPLACEMENT CHARACTER}" in ran.out) == (0, True)


def test_a_closed_standard_output_is_an_error_and_a_closed_error_output_is_none(tmp_path):
    separatrix("train", MUSHROOM, "-o", tmp_path / "m")
    command = f"{sys.executable} -m separatrix"
    shell = lambda line: subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, check=False)  # noqa: E731
    ran = shell(f"{command} predict m {MUSHROOM} >&-")
    assert (ran.returncode, b"standard output is closed" in ran.stderr) == (2, True)
    assert shell(f"{command} train {MUSHROOM} -o m --json 2>&-").returncode == 0


def test_inspect_shows_a_model_in_words(tmp_path):
    separatrix("train", MUSHROOM, "-o", tmp_path / "m", "--passes", "until-clean")
    ran = separatrix("inspect", tmp_path / "m", "--top", 2)
    for words in ("perceptron (bias=True", "-1 (negative), 1 (positive)", "150 mistakes", "mushroom.libsvm"):
        assert words in ran.out
    told = separatrix("inspect", tmp_path / "m", "--top", 2, "--json").json
    coef = sx.load(tmp_path / "m").coef_[0]
    heaviest = told["vectors"][0]["heaviest"]
    assert len(heaviest) == 2
    assert abs(heaviest[0]["weight"]) == abs(coef).max()
    assert coef[int(heaviest[0]["feature"]) - 1] == heaviest[0]["weight"]


def test_empty_input_is_an_empty_model(tmp_path):
    ran = separatrix("train", "-", "-o", tmp_path / "m", "--json", stdin=b"# nothing\n\n")
    assert (ran.status, ran.json["rounds"], ran.json["mistake_rate"]) == (0, 0, 0.0)
    ran = separatrix("predict", tmp_path / "m", MUSHROOM)
    assert ran.status == 2
    assert "learnt nothing" in ran.err


def test_help_and_version():
    assert separatrix("--version").out.strip() == f"separatrix, version {sx.__version__}"
    listed = separatrix("--help").out
    for command in ("train", "predict", "inspect"):
        assert command in listed
        assert "Usage" in separatrix(command, "-h").out


def test_a_file_that_is_not_there_is_named_whatever_the_rule_needs_first(tmp_path):
    for missing, why in ((tmp_path / "none", "No such file"), (tmp_path, "directory")):
        done = separatrix("train", missing, "-o", tmp_path / "m.sx", "--rule", "winnow")
        assert done.status == 2
        assert f"{missing}: " in done.err
        assert why in done.err
