"""``separatrix play``: you are nature. A row is shown, the learner predicts, you say the label."""

import sys
from typing import Any

import click

from separatrix.cli.common import finish, say

_RULES = ("perceptron", "p-norm", "winnow", "balanced-winnow")


@click.command()
@click.argument("data", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("--rule", type=click.Choice(_RULES), default="perceptron", show_default=True)
@click.option("--bias/--no-bias", default=True, show_default=True, help="Append a constant 1 to every row.")
@click.option("--rounds", type=click.IntRange(1), default=20, show_default=True, help="When to stop.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the rows made up.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end, and nothing else.")
def play(data: str | None, rule: str, bias: bool, rounds: int, seed: int, as_json: bool) -> None:
    """Play nature against a learner, in a terminal or with answers piped in, one a line.

    Rows come from DATA (its labels are not looked at), or are made up, with two columns. Answer + or -,
    nothing to agree with the learner, q to stop. After each round: how many mistakes, and the bound that
    your answers so far allow.
    """
    import separatrix as sx
    from separatrix.theory.game import play as protocol

    rows = _rows(data, rounds, seed)
    width = {"n_features": rows.shape[1]}
    made: dict[str, Any] = {
        "perceptron": sx.Perceptron,
        "p-norm": sx.PNormPerceptron,
        "winnow": sx.Winnow,
        "balanced-winnow": sx.BalancedWinnow,
    }
    person = _Person(rows, bias, quiet=as_json)
    transcript = protocol(made[rule](bias=bias, **width), person, rounds=rounds)
    margin, bound = person.allowed()
    result = {
        "rule": rule,
        "rounds": transcript.rounds,
        "mistakes": transcript.mistakes,
        "predicted": transcript.predicted,
        "labels": transcript.labels,
        "separable": None if not transcript.rounds else margin is not None,
        "margin": margin,
        "bound": bound,
    }

    def in_words() -> None:
        say(f"{result['rounds']} rounds, {result['mistakes']} mistakes by the {rule}.")
        if margin is not None:
            say(f"Your answers are separable, margin {margin:.4g}.")
            say(f"T2 allows a Perceptron {_count(bound)} mistakes on them.")
        elif transcript.rounds:
            say("No linear separator agrees with your answers: T2 promises nothing (T4 still does).")

    finish(result, as_json, in_words)
    if person.interrupted:
        sys.exit(130)


def _rows(data: str | None, rounds: int, seed: int) -> Any:
    import numpy as np

    if data is not None:
        from separatrix.data.reading import read

        return read(data)[0][:rounds].toarray()
    return np.round(np.random.default_rng(seed).uniform(0.0, 1.0, size=(rounds, 2)), 2)


def _count(bound: int | None) -> str:
    return "more than 1e300" if bound is None else str(bound)


class _Person:
    """The nature at the terminal."""

    def __init__(self, rows: Any, bias: bool, quiet: bool) -> None:
        self.rows, self.bias, self.quiet = rows, bias, quiet
        self.at = self.mistakes = 0
        self.answers: list[int] = []
        self.interrupted = False

    def tell(self, line: str) -> None:
        if not self.quiet:
            say(line)

    def show(self) -> Any:
        if self.at >= len(self.rows):
            return None
        self.at += 1
        return self.rows[self.at - 1]

    def reveal(self, predicted: Any) -> int:
        row = self.rows[self.at - 1]
        guess = {1: "+", -1: "-", None: "nothing yet"}[predicted]
        shown = "  ".join(f"{j + 1}:{v:g}" for j, v in enumerate(row) if v)
        self.tell(f"round {self.at}: x = {shown or '(all zero)'}; the learner says {guess}")
        answer = self._ask(predicted)
        self.answers.append(answer)
        self.mistakes += predicted != answer
        margin, bound = self.allowed()
        allowed = (
            f"T2 allows {_count(bound)}" if margin is not None else "no separator is left: T2 says nothing"
        )
        self.tell(f"  {'right' if predicted == answer else 'MISTAKE'}; {self.mistakes} so far, {allowed}")
        return answer

    def _ask(self, predicted: Any) -> int:
        from separatrix.theory.game import GameOver

        while True:
            try:
                line = click.prompt(
                    "  label + or - (nothing: agree)",
                    default="",
                    show_default=False,
                    prompt_suffix=" > ",
                    err=self.quiet,
                ).strip()
            except click.Abort as end:
                click.echo(err=self.quiet)  # what follows begins a line of its own
                self.interrupted = isinstance(end.__context__, KeyboardInterrupt)
                raise GameOver from None
            if line in ("+", "+1", "1"):
                return 1
            if line in ("-", "-1"):
                return -1
            if line == "" and predicted is not None:
                return int(predicted)
            if line == "q":
                raise GameOver
            click.echo(f"  expected +, - or q, found {line!r}", err=True)

    def allowed(self) -> tuple[float | None, int | None]:
        """Return the largest margin of the answers so far, and the mistakes that T2 allows with it."""
        import numpy as np

        from separatrix._native import separate

        if not self.answers:
            return None, None
        rows = np.ascontiguousarray(self.rows[: len(self.answers)], dtype=np.float64)
        found = separate(rows, np.array(self.answers, dtype=np.float64), self.bias, False)
        if found["answer"] != "separable" or not found["margin"][0]:
            return None, None
        margin = found["margin"][0]
        ratio = found["radius"] / margin
        return margin, int(ratio * ratio * (1.0 + 1e-9)) if ratio < 1e150 else None
