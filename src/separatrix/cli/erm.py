"""``separatrix erm``: the fewest errors any hyperplane makes on a file."""

import sys
from typing import Any

import click

from separatrix.cli.common import finish, index_base_option, say


@click.command()
@click.argument("data", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--bias/--no-bias", default=True, show_default=True, help="Whether the hyperplane has an intercept."
)
@click.option(
    "--tie",
    type=click.Choice(["mistake", "positive", "negative"]),
    default="mistake",
    show_default=True,
    help="What a score of exactly zero counts as.",
)
@click.option("--at-most", type=click.FloatRange(0), help="Only decide whether so few errors are possible.")
@click.option(
    "--time-limit", type=click.FloatRange(0), help="Seconds; both bounds are shown when they are over."
)
@click.option(
    "--degree", type=click.Choice(["1", "2", "3"]), default="1", help="Polynomial features up to this degree."
)
@index_base_option
@click.option("--threads", type=click.IntRange(1), help="All cores by default.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def erm(
    context: click.Context,
    data: str,
    bias: bool,
    tie: str,
    at_most: float | None,
    time_limit: float | None,
    degree: str,
    index_base: Any,
    threads: int | None,
    as_json: bool,
) -> None:
    """Find the hyperplane that gets the fewest rows of DATA (libsvm text) wrong, and prove it.

    Of two labels the larger is the positive class. Ctrl-C shows what is known by then. With --at-most
    the exit status is 0 for yes, 1 for no, 3 for unknown.
    """
    import numpy as np

    from separatrix.batch.disagreement import min_disagreement
    from separatrix.data.reading import read
    from separatrix.errors import InputError

    X, y = read(data, index_base=index_base)
    found = np.unique(y)
    if len(found) != 2:
        raise InputError(f"{data}: expected two different labels, found {len(found)}")
    features: Any = X
    names: list[str] | None = None
    if degree != "1":
        from separatrix.batch.polynomial import polynomial_features

        features, names = polynomial_features(X, int(degree))
    watched = sys.stderr.isatty()

    def tell(errors: float, bound: float) -> None:
        click.echo(f"\rerrors {errors:g}, at least {bound:g}   ", err=True, nl=False)

    outcome = min_disagreement(
        features,
        y,
        bias=bias,
        tie=tie,
        at_most=at_most,
        time_limit=time_limit,
        threads=threads,
        progress=tell if watched else None,
    )
    if watched:
        click.echo(err=True)
    result: dict[str, Any] = {
        "errors": int(outcome.errors),
        "lower_bound": int(outcome.lower_bound),
        "optimal": outcome.optimal,
        "coef": outcome.coef.tolist(),
        "intercept": outcome.intercept,
        "error_rows": (outcome.error_rows + 1).tolist(),
        "rows": int(X.shape[0]),
        "tie": tie,
        "seconds": outcome.seconds,
    }
    if degree != "1":
        result["features"] = names
    if at_most is not None:
        result["answer"] = outcome.answer
    finish(result, as_json, lambda: _in_words(result, at_most, names))
    if at_most is not None:
        context.exit({"yes": 0, "no": 1}.get(outcome.answer or "", 3))


def _in_words(result: dict[str, Any], at_most: float | None, names: list[str] | None) -> None:
    if at_most is not None:
        say(f"at most {at_most:g} errors: {result['answer']}")
    share = result["errors"] / result["rows"]
    counted = f"{result['errors']:,} errors in {result['rows']:,} rows ({share:.2%})"
    if result["optimal"]:
        say(f"{counted}, optimal: no hyperplane makes fewer")
    else:
        say(f"{counted}; no hyperplane makes fewer than {result['lower_bound']:,}")
    say(f"found in {result['seconds']:.3g} s")
    for column, weight in enumerate(result["coef"]):
        if weight:
            say(f"  {names[column] if names else f'x{column + 1}':>12}  {weight:+.6g}")
    say(f"  {'intercept':>12}  {result['intercept']:+.6g}")
    if result["error_rows"]:
        shown = result["error_rows"][:20]
        more = f" and {len(result['error_rows']) - 20:,} more" if len(result["error_rows"]) > 20 else ""
        say(f"wrong rows: {', '.join(map(str, shown))}{more}")
