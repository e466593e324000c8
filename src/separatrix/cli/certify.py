"""``separatrix certify``: every theorem that applies to a data set, evaluated, and who should win."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from separatrix.cli.common import finish, index_base_option, say
from separatrix.errors import InputError


@click.command()
@click.argument("data", type=click.Path(exists=True, dir_okay=False))
@click.option("--bias/--no-bias", default=True, show_default=True, help="Append a constant 1 to every row.")
@click.option("--normalize", is_flag=True, help="Scale each row to unit length first.")
@click.option(
    "--iid", is_flag=True, help="Declare that rows are independent draws of one distribution (T14)."
)
@click.option(
    "--tie",
    type=click.Choice(["mistake", "positive", "negative"]),
    default="mistake",
    show_default=True,
    help="What a score of 0 means to the Perceptron.",
)
@click.option(
    "--order",
    type=click.Choice(["file", "shuffle"]),
    default="file",
    show_default=True,
    help="Rows as they stand, or in a random order.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the shuffled order.")
@click.option(
    "--seconds",
    type=click.FloatRange(0.0, min_open=True),
    default=6.0,
    show_default=True,
    help="For the search of comparators.",
)
@click.option("--certificates", type=click.Path(file_okay=False), help="Write each proof to this directory.")
@index_base_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def certify(
    data: str,
    bias: bool,
    normalize: bool,
    iid: bool,
    tie: str,
    order: str,
    seed: int,
    seconds: float,
    certificates: str | None,
    index_base: Any,
    as_json: bool,
) -> None:
    """Play each learner once through DATA, and set its mistakes beside every bound.

    Winnow is played where one of its own theorems can be proved: with --no-bias, on raw rows in [0, 1] for
    which a target is found.
    """
    import numpy as np

    from separatrix.data.reading import read
    from separatrix.theory.recommend import certify as examine
    from separatrix.theory.separate import proof

    X, y = read(data, index_base=index_base)
    if len(np.unique(y)) > 2:
        raise InputError(
            f"{data}: expected two labels, found {len(np.unique(y))}; these theorems speak of two classes"
        )
    if not X.shape[1]:
        raise InputError(
            f"{data}: expected rows with features, found {X.shape[0]} rows and no feature in any"
        )
    play = _player(X, y, tie, {"bias": bias, "normalize": normalize, "order": order, "seed": seed})

    flags = {"bias": bias, "normalize": normalize}
    report = examine(X, y, play, decide=lambda: proof(X, y, **flags), iid=iid, seconds=seconds, **flags)
    written = {}
    if certificates is not None:
        Path(certificates).mkdir(parents=True, exist_ok=True)
        for one in report.certificates:
            path = Path(certificates) / f"{one.theorem.replace(' ', '-')}.json"
            one.write(path)
            written[one.theorem] = str(path)
    result = {**report.to_dict(), "certificates": written}

    def in_words() -> None:
        for ledger in report.ledgers.values():
            say(str(ledger))
            say("")
        say(report.recommendation.reason)
        for theorem, path in written.items():
            say(f"{theorem}: {path}")

    finish(result, as_json, in_words)


def _player(X: Any, y: Any, tie: str, flags: dict[str, Any]) -> Any:
    import numpy as np

    import separatrix as sx

    def play(rule: str, settings: Mapping[str, Any]) -> Any:
        learner: Any
        if rule == "perceptron":
            learner = sx.Perceptron(tie=tie, **flags)
        elif rule == "p-norm":
            learner = sx.PNormPerceptron(p=settings["p"], tie=tie, **flags)
        elif rule == "winnow":
            learner = sx.Winnow(**settings, **flags)
        else:
            learner = sx.BalancedWinnow(tie=tie, **flags)
        learner.fit(X, y)
        weights = learner.coef_[0]
        if flags["bias"]:
            weights = np.append(weights, learner.intercept_[0])
        if not np.isfinite(weights).all():
            raise InputError(f"{rule}: the learner's weights are not finite")
        return learner.run_, weights if rule != "winnow" else None

    return play
