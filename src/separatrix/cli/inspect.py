"""``separatrix inspect``: what a model is, in words."""

import heapq
from typing import Any

import click

from separatrix.cli.common import finish, plain_labels, say


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--top", type=click.IntRange(0), default=10, show_default=True, help="How many of the heaviest features."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def inspect(model: str, top: int, as_json: bool) -> None:
    """Show MODEL: its rule and parameters, classes, the heaviest features, and where it came from."""
    from separatrix.data.model_file import read_model

    learner = read_model(model)
    about = learner.about()
    classes = plain_labels(learner.classes())
    both = learner.coefficients() if classes else None
    vectors = [] if both is None else _heaviest(both, learner.names, about["index_base"], top)
    result = {
        "model": model,
        "rule": about["rule"],
        "parameters": about["parameters"],
        "classes": classes,
        "features": about["columns"],
        "rounds": about["rounds"],
        "passes": about["passes"],
        "mistakes": about["mistakes"],
        "mistakes_by_class": dict(zip(map(str, classes), about["mistakes_by_class"], strict=False)),
        "radius": about["radius"],
        "squared_norms_of_mistakes": about["squared_norms"],
        "curve": about["curve"],
        "rows_refused": about["rows_refused"],
        "order": about["order"],
        "index_base": about["index_base"],
        "sources": about["sources"],
        "vectors": vectors,
    }
    finish(result, as_json, lambda: _in_words(result))


def _heaviest(both: Any, names: list[str] | None, base: int | None, top: int) -> list[dict[str, Any]]:
    """The features of largest weight of each vector, named as the data names them."""
    shown = []
    for vector, intercept in zip(both[0].tolist(), both[1].tolist(), strict=True):
        best = heapq.nlargest(top, range(len(vector)), key=lambda j: (abs(vector[j]), -j))
        features = [
            {"feature": names[j] if names and j < len(names) else str(j + (base or 0)), "weight": vector[j]}
            for j in best
            if vector[j] != 0
        ]
        shown.append(
            {"intercept": intercept, "nonzero": sum(w != 0 for w in vector), "heaviest": features},
        )
    return shown


def _in_words(result: dict[str, Any]) -> None:
    parameters = ", ".join(f"{k}={v}" for k, v in result["parameters"].items() if v is not None)
    say(f"{result['rule']} ({parameters})")
    classes = result["classes"]
    if len(classes) == 2:
        say(f"  classes        {classes[0]} (negative), {classes[1]} (positive)")
    else:
        say(f"  classes        {', '.join(map(str, classes)) or 'none yet'}")
    rate = f" ({result['mistakes'] / result['rounds']:.2%})" if result["rounds"] else ""
    mistakes = f"{result['mistakes']:,} mistakes{rate}"
    say(f"  learnt         {result['rounds']:,} rounds, {result['passes']:,} passes, {mistakes}")
    say(f"  order          {result['order'] or 'file'}")
    say(f"  features       {result['features']:,}")
    say(f"  from           {', '.join(result['sources']) or 'not recorded'}")
    if result["rows_refused"]:
        say(f"  refused        {result['rows_refused']:,} rows")
    for at, vector in enumerate(result["vectors"]):
        whose = f"class {classes[at]}" if len(result["vectors"]) > 1 else "weights"
        say(f"  {whose}: {vector['nonzero']:,} not zero, intercept {vector['intercept']:.6g}")
        for feature in vector["heaviest"]:
            say(f"    {feature['feature']:>12}  {feature['weight']:+.6g}")
    if not result["vectors"] and classes:
        say("  weights        none: it predicts by the votes of many hypotheses")
