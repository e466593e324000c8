"""``separatrix train``: learn a linear separator from labelled text."""

import sys
import time
from typing import Any

import click

from separatrix import _native
from separatrix.cli.common import (
    bad_rows_option,
    check_output,
    data_argument,
    fail,
    finish,
    plain_labels,
    reading_options_shared,
    say,
)
from separatrix.data.text_options import (
    LARGEST_COUNT,
    LARGEST_K,
    LARGEST_SEED,
    MOST_COLUMNS,
    refused_in_words,
    source_name,
)

RULES = ("perceptron", "averaged-perceptron", "voted-perceptron", "p-norm", "winnow", "balanced-winnow")

# Options that only some rules take, and which.
_OWN = {
    "p": ("p-norm",),
    "threshold": ("winnow",),
    "factor": ("winnow", "balanced-winnow"),
    "k": ("winnow",),
    "delta": ("winnow",),
    "demotion": ("winnow",),
}


@click.command()
@data_argument
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), help="Where the model goes.")
@click.option("--rule", type=click.Choice(RULES), help="How to learn.  [default: perceptron]")
@click.option(
    "--passes", default="1", metavar="N|until-clean", show_default=True, help="Passes over the data."
)
@click.option(
    "--max-passes",
    type=click.IntRange(1, LARGEST_COUNT),
    default=1000,
    show_default=True,
    help="The limit of until-clean.",
)
@click.option(
    "--from", "from_model", type=click.Path(exists=True, dir_okay=False), help="Go on from this model."
)
@click.option(
    "--bias/--no-bias",
    default=None,
    help="Append a constant 1 to every row.  [default: --bias, Winnow: --no-bias]",
)
@click.option("--normalize", is_flag=True, default=None, help="Scale every row to unit length first.")
@click.option(
    "--tie",
    type=click.Choice(["positive", "negative", "mistake"]),
    help="What a score of 0 means.  [default: mistake, Winnow: positive]",
)
@click.option(
    "--order",
    type=click.Choice(["file", "shuffle", "misclassified"]),
    default="file",
    show_default=True,
    help="Rows as they stand, in a new order each pass, or always the first still misclassified.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, LARGEST_SEED),
    default=0,
    show_default=True,
    help="Of the shuffled orders.",
)
@click.option("--p", type=float, help="p-norm: p >= 2.  [default: 2 ln d]")
@click.option("--threshold", type=float, help="Winnow: the threshold.  [default: n]")
@click.option("--factor", type=float, help="Winnow: the factor of an update.  [default: 2, balanced: 1.5]")
@click.option(
    "--k", type=click.IntRange(1, LARGEST_K), help="Winnow: the factor 1 + 1/(2k) for k-of-r functions."
)
@click.option("--delta", type=float, help="Winnow: the factor 1 + delta/2 for targets of that gap.")
@click.option(
    "--demotion", type=click.Choice(["divide", "eliminate"]), help="Winnow: what a false alarm does."
)
@click.option("--classes", help="All labels, with commas between.  [default: learnt from the data]")
@click.option(
    "--features",
    type=click.IntRange(1, MOST_COLUMNS),
    help="Columns there will be.  [default: learnt from the data]",
)
@click.option(
    "--memory-limit",
    type=click.IntRange(1, LARGEST_COUNT),
    help="Bytes that weights may take.  [default: 1 GiB]",
)
@click.option(
    "--certify", "certified", is_flag=True, help="Set the mistakes beside every bound that can be proved."
)
@click.option(
    "--iid", is_flag=True, help="Declare that rows are independent draws of one distribution (T14)."
)
@bad_rows_option
@reading_options_shared
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def train(data: tuple[str, ...], output: str, as_json: bool, **options: Any) -> None:
    """Learn a linear separator from DATA, libsvm text, plain or gzip; - is standard input.

    The model is written at the end, whole or not at all. Ctrl-C ends the run after the rows being
    learnt and still writes it (exit status 130).
    """
    began = time.perf_counter()
    reading = options["reading"]
    learner = _resumed(options) if options["from_model"] else _new(options)
    if options["classes"]:
        learner.declare([_label(word) for word in options["classes"].split(",")])
    passes, until_clean = _passes(options["passes"], options["max_passes"])
    check_output(output, *data, bad_rows=reading["bad_rows"])
    from separatrix.cli.progress import Progress

    with Progress() as progress:
        told, raised = _native.train_text(
            learner,
            list(data),
            reading,
            order=options["order"],
            seed=options["seed"],
            passes=passes,
            until_clean=until_clean,
            hold=24 << 20,
            tick=progress.tick,
        )
    if raised is not None and not isinstance(raised, KeyboardInterrupt):
        raise raised
    for name in data:
        learner.note_source(source_name(name))
    learner.save(output)
    about = learner.about()
    rounds = told["rounds"]
    mistakes = sum(told["mistakes_by_class"])
    classes = plain_labels(learner.classes())
    seconds = time.perf_counter() - began
    result = {
        "model": output,
        "rule": about["rule"],
        "rounds": rounds,
        "passes": told["passes"],
        "clean": told["clean"],
        "mistakes": mistakes,
        "mistake_rate": mistakes / rounds if rounds else 0.0,
        "mistakes_by_class": dict(zip(map(str, classes), told["mistakes_by_class"], strict=False)),
        "rows": told["rows"],
        "rows_refused": told["rows_refused"],
        "features": about["columns"],
        "classes": classes,
        "radius": about["radius"],
        "squared_norms_of_mistakes": about["squared_norms"],
        "total_rounds": about["rounds"],
        "total_mistakes": about["mistakes"],
        "stopped": bool(told["stopped"]),
        "seconds": seconds,
    }
    ledger = (
        _certified(learner, data, options, resumed=about["rounds"] > rounds) if options["certified"] else None
    )
    if ledger is not None:
        result["theorems"] = ledger.to_dict()["theorems"]
    if told["rows_refused"]:
        click.echo(refused_in_words(told["rows_refused"], told["first_bad"]), err=True)
    finish(result, as_json, lambda: _ledger(result, about, told, until_clean, ledger))
    if told["stopped"]:
        click.echo(f"stopped: {output} holds what was learnt so far; go on with --from {output}", err=True)
        sys.exit(130)
    if told["rows_refused"]:
        sys.exit(1)


def _ledger(
    result: dict[str, Any], about: dict[str, Any], told: dict[str, Any], until_clean: bool, bounds: Any
) -> None:
    """The run in words."""
    rounds, mistakes = result["rounds"], result["mistakes"]
    say(f"{about['rule']}: {mistakes:,} mistakes in {rounds:,} rounds ({result['mistake_rate']:.2%})")
    if result["passes"] > 1 or until_clean:
        _line("passes", f"{result['passes']:,}, the last one {'' if result['clean'] else 'not '}clean")
        if until_clean and not result["clean"] and not result["stopped"]:
            _line("", "--max-passes was reached: the data may not be separable")
    for label, count in result["mistakes_by_class"].items():
        _line(f"on label {label}", f"{count:,} mistakes")
    if len(about["curve"]) > 1:
        _line("curve", ", ".join(f"{made:,} after {after:,}" for after, made in about["curve"][-5:]))
    with_its_1 = " with its 1" if about["parameters"]["bias"] else ""
    _line("R", f"{about['radius']:.6g}, the largest norm of a row{with_its_1}")
    _line("features", f"{result['features']:,}")
    if told["restarted"]:
        _line(
            "classes", f"{len(result['classes'])}: found on the way, so the run began again with all of them"
        )
    megabytes = told["bytes"] / 1e6
    rate = megabytes / max(result["seconds"], 1e-9)
    _line(
        "read",
        f"{told['rows']:,} rows, {megabytes:,.1f} MB, {rate:,.0f} MB/s, refused {told['rows_refused']}",
    )
    _line("model", result["model"])
    if bounds is not None:
        say(str(bounds))


def _line(what: str, text: str) -> None:
    say(f"  {what:<15}{text}")


def _certified(
    learner: _native.Learner, data: tuple[str, ...], options: dict[str, Any], resumed: bool
) -> Any:
    """The ledger of the run, with every bound that could be proved on its rows."""
    import numpy as np

    from separatrix.data.reading import read
    from separatrix.online.loading import estimator_of
    from separatrix.theory.ledger import Ledger
    from separatrix.theory.recommend import certify_run
    from separatrix.theory.separate import proof

    estimator = estimator_of(learner)
    run = estimator.run_
    if resumed or "-" in data or run.classes > 2 or not run.rounds or not run.features:
        # Rows that are gone (a model's earlier ones, too), or a game of many classes: what is known without.
        return Ledger.from_run(run, iid=options["iid"])
    base = learner.about()["index_base"]
    X, y = read(list(data), index_base=base, n_features=learner.columns, bad_rows=_again(options["reading"]))
    flags = {"bias": run.parameters["bias"], "normalize": run.parameters["normalize"]}

    both = learner.coefficients()
    weights = None
    if both is not None:
        weights = np.append(both[0][0], both[1][0]) if flags["bias"] else both[0][0]
    return certify_run(run, X, y, weights=weights, decide=lambda: proof(X, y, **flags), iid=options["iid"])[0]


def _again(reading: dict[str, Any]) -> str:
    """The same rows once more, without writing the refused ones a second time."""
    return "fail" if reading["bad_rows"] == "fail" else "skip"


def _rule_parameters(options: dict[str, Any], rule: str) -> dict[str, Any]:
    for name, rules in _OWN.items():
        if options[name] is not None and rule not in rules:
            fail(f"--{name} belongs to --rule {' and '.join(rules)}, not to {rule}")
    return {
        name: options[name] for name, rules in _OWN.items() if rule in rules and options[name] is not None
    }


def _new(options: dict[str, Any]) -> _native.Learner:
    rule = options["rule"] or "perceptron"
    winnow = rule == "winnow"
    return _native.Learner(
        rule,
        bias=not winnow if options["bias"] is None else options["bias"],
        normalize=bool(options["normalize"]),
        tie=options["tie"] or ("positive" if winnow else "mistake"),
        memory_limit=options["memory_limit"] or 1 << 30,
        n_features=options["features"],
        **_rule_parameters(options, rule),
    )


def _resumed(options: dict[str, Any]) -> _native.Learner:
    """The model to go on from. What it is cannot be changed: an option that contradicts it is an error."""
    from separatrix.data.model_file import read_model

    learner = read_model(options["from_model"])
    about = learner.about()
    asked = {"rule": about["rule"], **about["parameters"]}
    for name in ("rule", "bias", "normalize", "tie", *_OWN, "memory_limit"):
        if options[name] is not None and options[name] != asked.get(name):
            flag = name.replace("_", "-")
            model = options["from_model"]
            fail(f"--from {model}: its {name} is {asked.get(name)}, not {options[name]} (--{flag})")
    if options["features"]:
        learner.begin(options["features"])
    return learner


def _passes(passes: str, most: int) -> tuple[int, bool]:
    if passes == "until-clean":
        return most, True
    # So few digits always fit, and int() takes no longer than it should.
    if not passes.isdecimal() or len(passes) > 18 or int(passes) < 1:
        fail(f"--passes must be a whole number from 1, at most 18 digits, or until-clean, but is {passes!r}")
    return int(passes), False


def _label(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        fail(f"--classes must be numbers with commas between, but has {word!r}")
