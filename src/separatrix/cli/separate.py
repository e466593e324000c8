"""``separatrix separate``: is it separable, by how much, and the proof."""

from typing import Any

import click

from separatrix.cli.common import check_output, finish, index_base_option, say


@click.command()
@click.argument("data", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--bias/--no-bias", default=True, show_default=True, help="Append a constant 1 to every row.")
@click.option("--normalize", is_flag=True, help="Scale every row to unit length first.")
@click.option("--only-decide", is_flag=True, help="Yes or no, faster: no margin is sought.")
@index_base_option
@click.option("--certificate", type=click.Path(dir_okay=False), help="Write the proof to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def separate(
    context: click.Context,
    data: str,
    bias: bool,
    normalize: bool,
    only_decide: bool,
    index_base: Any,
    certificate: str | None,
    as_json: bool,
) -> None:
    """Decide whether DATA is linearly separable, find its largest margin, and prove it (T11).

    Exit status 0 if separable, 1 if weakly or not, 2 if DATA cannot be read.
    """
    from separatrix.data.reading import read
    from separatrix.theory.separate import fraction_text
    from separatrix.theory.separate import separate as decide

    if certificate is not None:
        check_output(certificate, data, option="--certificate")
    X, y = read(data, index_base=index_base)
    found = decide(X, y, bias=bias, normalize=normalize, only_decide=only_decide)
    if certificate is not None:
        found.certificate(X, y).write(certificate)
    result = {
        "answer": found.answer,
        "margin": found.margin,
        "margin_bounds": found.margin_bounds,
        "updates_bound": found.updates_bound,
        "support_rows": [row + 1 for row in found.support_rows],
        "conflict_rows": [row + 1 for row in found.conflict_rows],
        "conflict_weights": [fraction_text(weight) for weight in found.conflict_weights],
        "verified": found.verified,
        "rows": X.shape[0],
        "columns": X.shape[1],
    }
    finish(result, as_json, lambda: _in_words(result))
    context.exit(0 if found.separable else 1)


def _in_words(result: dict[str, Any]) -> None:
    proof = "proved exactly" if result["verified"] == "exact" else "numerical: too large to settle exactly"
    say(f"{result['answer']} ({proof}): {result['rows']:,} rows, {result['columns']:,} columns")
    if result["margin"] is not None:
        (low, high), bound = result["margin_bounds"], result["updates_bound"]
        say(f"  largest margin      {low:.12g}  (at most {high:.12g})")
        updates = "beyond any double" if bound is None else f"at most {bound:.6g}"
        say(f"  Perceptron updates  {updates}, in any order (T2, T3)")
        say(f"  held by             {len(result['support_rows'])} rows: {_some(result['support_rows'])}")
    if result["conflict_rows"]:
        say(f"  in conflict         {len(result['conflict_rows'])} rows: {_some(result['conflict_rows'])}")
        say("  their signed sum is zero with positive rational weights (--json shows them)")
    if result["answer"] == "weakly separable":
        say("  some hyperplane has every row on its side or on the hyperplane itself, and not all on it")


def _some(rows: list[int]) -> str:
    return ", ".join(map(str, rows[:12])) + (", …" if len(rows) > 12 else "")
