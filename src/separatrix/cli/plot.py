"""``separatrix plot``: pictures of runs and bounds."""

from typing import Any

import click

from separatrix.cli.common import check_output, finish, say

_OF_DATA = ("margins", "mistakes", "plane")
_KINDS = ("irrelevant", "margins", "mistakes", "plane", "xor")


@click.command()
@click.argument("kind", type=click.Choice(_KINDS))
@click.argument("data", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False), help="PNG, SVG or PDF, by its ending."
)
@click.option("--bias/--no-bias", default=True, show_default=True, help="Append a constant 1 to every row.")
@click.option("--normalize", is_flag=True, help="Scale each row to unit length first.")
@click.option(
    "--seconds",
    type=click.FloatRange(0.0, min_open=True),
    default=4.0,
    show_default=True,
    help="For the search of comparators.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plot(
    kind: str, data: str | None, output: str, bias: bool, normalize: bool, seconds: float, as_json: bool
) -> None:
    """Draw a picture. Needs matplotlib.

    \b
    mistakes DATA   the Perceptron's mistakes against every bound as rounds go by
    plane DATA      two columns: rows, line, margin, and the path of the updates
    margins DATA    how far rows are from the widest separator, or else the best comparator
    irrelevant      Perceptron against Winnow as irrelevant columns are added
    xor             XOR failing, and why
    """
    from separatrix import plots
    from separatrix.data.reading import read

    if (data is not None) != (kind in _OF_DATA):
        raise click.UsageError(f"{kind} {'needs' if kind in _OF_DATA else 'takes no'} DATA")
    if output.rpartition(".")[2].lower() not in ("png", "svg", "pdf"):
        raise click.UsageError(f"--output should end in .png, .svg or .pdf, but is {output!r}")
    check_output(output, *([data] if data is not None else []))
    flags: dict[str, Any] = {"bias": bias, "normalize": normalize, "seconds": seconds}
    if kind == "irrelevant":
        figure = plots.irrelevant()
    elif kind == "xor":
        figure = plots.xor()
    else:
        X, y = read(data)
        if kind == "mistakes":
            figure = plots.mistakes(X, y, **flags)
        elif kind == "plane":
            if normalize:
                raise click.UsageError("plane draws raw rows: leave out --normalize")
            figure = plots.plane(X, y, bias=bias)
        else:
            figure = _margins(X, y, flags)
    figure.savefig(output)
    finish({"kind": kind, "output": output}, as_json, lambda: say(output))


def _margins(X: Any, y: Any, flags: dict[str, Any]) -> Any:
    """Draw the margins of the widest separator, or else of the comparator with the least bound."""
    import numpy as np

    from separatrix import plots
    from separatrix.errors import InputError
    from separatrix.theory.comparator import search
    from separatrix.theory.rows import Game
    from separatrix.theory.separate import separate

    shape = {"bias": flags["bias"], "normalize": flags["normalize"]}
    found = separate(X, y, **shape) if len(np.unique(y)) == 2 else None
    if found is not None and found.separable and found.w is not None and found.intercept is not None:
        top = max(map(abs, (*found.w, found.intercept)))  # integers may be beyond doubles, their ratios not
        u, weight = np.array([v / top for v in found.w]), found.intercept / top
    else:
        best = search(Game.of(X, y, **shape), seconds=flags["seconds"])
        if not best.norm > 0.0:
            raise InputError(
                "the best comparator is 0: no hyperplane bounds fewer mistakes than there are rows"
            )
        u, weight = best.u, best.bias_weight if flags["bias"] else 0.0
    return plots.margins(X, y, u, bias_weight=weight, normalize=flags["normalize"])
