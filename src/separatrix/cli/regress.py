"""`separatrix regress`: least squares and ridge regression, with the digits that are proved."""

from typing import Any

import click

from separatrix.cli.common import bad_rows_option, data_argument, finish, index_base_option
from separatrix.errors import BadRowsWarning, InputError

_FIELDS = ("coef", "intercept", "alpha", "rmse", "loo_rmse", "condition", "digits", "solver", "rank")


@click.command()
@data_argument
@click.option("--alpha", type=float, help="Ridge: at least 0. Without it, least squares.")
@click.option("--alphas", help="A grid, as A,B,C or FIRST:LAST:COUNT (geometric); the best is chosen.")
@click.option("--loo", is_flag=True, help="Choose α from a default grid by exact leave-one-out errors.")
@click.option("--online", is_flag=True, help="Play the rows one by one: the Vovk–Azoury–Warmuth forecaster.")
@click.option("--stream", is_flag=True, help="One pass in constant memory; no residual, so no digits.")
@click.option("--penalize-intercept", is_flag=True, help="Penalise the intercept too: the homogeneous form.")
@click.option("--bias/--no-bias", default=True, help="Whether there is an intercept (default: yes).")
@click.option(
    "--refine/--no-refine", default=True, help="Refine up to twelve certified digits (default: yes)."
)
@click.option(
    "--features", type=click.IntRange(min=1), help="Columns, where the largest index is not the last."
)
@bad_rows_option
@index_base_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def regress(
    data: tuple[str, ...],
    alpha: float | None,
    alphas: str | None,
    loo: bool,
    online: bool,
    stream: bool,
    penalize_intercept: bool,
    bias: bool,
    refine: bool,
    features: int | None,
    bad_rows: str,
    index_base: Any,
    as_json: bool,
) -> None:
    """Fit the real-valued labels of DATA (libsvm text, - for standard input) by a linear function.

    Coefficients are in column order, counted from 0: column 0 is index 1 of a file that counts from 1.
    Exit status: 0 done; 1 done, but rows were left out; 2 it could not be carried out.
    """
    import warnings

    given = [
        name
        for name, value in [("--alpha", alpha is not None), ("--alphas", alphas is not None), ("--loo", loo)]
        if value
    ]
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} exclude each other")
    if (online or stream) and (alphas is not None or loo):
        raise click.UsageError(f"{given[0]} needs all rows at once: not with --online or --stream")
    if online and stream:
        raise click.UsageError("--online already is one pass in constant memory: leave --stream out")
    reading: dict[str, Any] = {
        "n_features": features,
        "bad_rows": bad_rows,
        "index_base": index_base,
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if online:
            result = _online(data, reading, 1.0 if alpha is None else alpha, bias)
        elif stream:
            result = _stream(data, reading, alpha or 0.0, bias, penalize_intercept)
        else:
            grid = _grid(alphas) if alphas is not None else None
            options = {"fit_intercept": bias, "penalize_intercept": penalize_intercept, "refine": refine}
            result = _batch(data, reading, alpha, grid, loo, options)
    for warning in caught:
        click.echo(f"warning: {warning.message}", err=True)
    finish(result, as_json, lambda: _show(result))
    if any(issubclass(warning.category, BadRowsWarning) for warning in caught):
        raise click.exceptions.Exit(1)


def _grid(text: str) -> Any:
    import numpy as np

    try:
        if ":" in text:
            first, last, count = text.split(":")
            return np.geomspace(float(first), float(last), int(count))
        return np.array([float(part) for part in text.split(",")])
    except ValueError:
        raise click.UsageError(
            f"--alphas must be numbers A,B,C or FIRST:LAST:COUNT with FIRST and LAST above 0, but is {text!r}"
        ) from None


def _batch(
    data: tuple[str, ...],
    reading: dict[str, Any],
    alpha: float | None,
    grid: Any,
    loo: bool,
    options: dict[str, bool],
) -> dict[str, Any]:
    import numpy as np

    from separatrix.batch.regression.path import path
    from separatrix.batch.regression.problem import make_problem
    from separatrix.batch.ridge import Ridge
    from separatrix.batch.ridge_path import RidgePath
    from separatrix.data.reading import read

    loo_rmse: float | None
    X, y = read(list(data), **reading)
    if not X.shape[0]:
        raise InputError(f"{', '.join(data)}: expected rows, found none")
    if not X.shape[1]:
        raise InputError(f"{', '.join(data)}: expected features, found labels alone")
    # As many zeros as values or fewer: dense is faster.
    if X.shape[0] * X.shape[1] <= max(4 * X.nnz, 1_000_000):
        X = X.toarray()
    if grid is not None or loo:
        chosen = RidgePath(grid, **options).fit(X, y)  # type: ignore[arg-type]
        model, loo_rmse = chosen.best_, chosen.loo_rmse_
        extra = {
            "alphas": chosen.alphas_.tolist(),
            "loo_rmses": [_finite(v) for v in chosen.loo_rmses_],
        }
    else:
        model, extra = Ridge(alpha or 0.0, **options).fit(X, y), {}
        problem = make_problem(
            X,
            y,
            None,
            alpha=0.0,
            intercept=options["fit_intercept"],
            penalize_intercept=options["penalize_intercept"],
        )
        wide = min(X.shape) > 3000
        loo_rmse = None
        if not wide:
            found = path(problem, np.array([model.alpha]))
            loo_rmse = float(np.sqrt(found.loo[0])) * found.unit
    return {
        **_model(model, model.alpha, len(y)),
        "loo_rmse": _finite(loo_rmse),
        **extra,
    }


def _stream(
    data: tuple[str, ...], reading: dict[str, Any], alpha: float, bias: bool, penalize: bool
) -> dict[str, Any]:
    from separatrix.batch.ridge import Ridge
    from separatrix.data.reading import open_stream

    model = Ridge(alpha, fit_intercept=bias, penalize_intercept=penalize)
    model.fit_stream(open_stream(list(data), **reading))
    return {**_model(model, alpha, model.state_.rows), "loo_rmse": None}


def _online(data: tuple[str, ...], reading: dict[str, Any], alpha: float, bias: bool) -> dict[str, Any]:
    from dataclasses import asdict

    from separatrix.data.reading import open_stream
    from separatrix.online.forecaster import VovkAzouryWarmuth

    learner = VovkAzouryWarmuth(alpha, bias=bias)
    learner.fit_stream(open_stream(list(data), **reading))
    ledger = learner.ledger_
    return {
        "coef": learner.coef_.tolist(),
        "intercept": learner.intercept_,
        "alpha": alpha,
        "rmse": (ledger.loss / ledger.rounds) ** 0.5 if ledger.rounds else None,
        "loo_rmse": None,
        "condition": None,
        "digits": None,
        "solver": "online",
        "rank": None,
        "ledger": asdict(ledger),
    }


def _model(model: Any, alpha: float, rows: int) -> dict[str, Any]:
    return {
        "coef": model.coef_.tolist(),
        "intercept": model.intercept_,
        "alpha": float(alpha),
        "rmse": model.rmse_,
        "condition": _finite(model.condition_),
        "digits": model.digits_,
        "solver": model.solver_,
        "rank": int(model.rank_),
        "rows": rows,
        "degrees_of_freedom": model.degrees_of_freedom_,
        "dependent_columns": list(model.dependent_columns_),
        "refinements": model.certificate_.refinements,
        "digits_before": model.certificate_.digits_before,
        "why": model.certificate_.why,
    }


def _finite(value: float | None) -> float | None:
    """Return the value, or None for what JSON has no number for."""
    return float(value) if value is not None and abs(value) != float("inf") and value == value else None


def _show(result: dict[str, Any]) -> None:
    for name in (*_FIELDS[2:], "dependent_columns", "why"):
        if result.get(name) not in (None, "", []):
            click.echo(f"{name.replace('_', ' '):18} {result[name]}")
    for name, value in result.get("ledger", {}).items():
        click.echo(f"{name.replace('_', ' '):18} {value}")
    click.echo(f"{'intercept':18} {result['intercept']!r}")
    for column, value in enumerate(result["coef"]):
        click.echo(f"{'coef ' + str(column):18} {value!r}")
