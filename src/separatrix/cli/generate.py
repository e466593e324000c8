"""``separatrix generate``: data made to order, as libsvm text."""

import os
import sys
from typing import Any

import click

from separatrix.cli.common import finish, say


@click.command()
@click.argument("kind")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="The file.  [default: standard output]")
@click.option("--rows", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--columns", type=click.IntRange(1), default=20, show_default=True)
@click.option("--margin", type=float, default=0.1, show_default=True, help="For separable and threshold.")
@click.option("--noise", type=float, default=0.0, show_default=True, help="The share of labels flipped.")
@click.option(
    "--relevant", type=int, default=3, show_default=True, help="Columns that the target depends on."
)
@click.option("--k", type=int, default=2, show_default=True, help="For k-of-r.")
@click.option("--density", type=float, default=0.5, show_default=True, help="The share of entries not 0.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; needs -o.")
def generate(kind: str, output: str | None, as_json: bool, **parameters: Any) -> None:
    """Write rows with a known target.

    KIND is separable, disjunction, k-of-r, threshold, sparse-target, dense-target, xor or text.
    """
    import numpy as np

    from separatrix.data.generate import generate as make
    from separatrix.data.writing import write_libsvm

    if as_json and output is None:
        raise click.UsageError("--json prints on standard output, so the rows need -o FILE")
    X, y = make(kind, **parameters)
    if output is None:
        write_libsvm(sys.stdout.buffer, X, y)
        return
    partial = f"{output}.partial-{os.getpid()}"
    try:
        with open(partial, "xb") as file:
            written = write_libsvm(file, X, y)
        os.replace(partial, output)
    except BaseException:
        if os.path.exists(partial):
            os.unlink(partial)
        raise
    result = {
        "kind": kind,
        "output": output,
        "rows": int(X.shape[0]),
        "columns": int(X.shape[1]),
        "entries": int(np.count_nonzero(X) if isinstance(X, np.ndarray) else X.nnz),
        "positives": int((y > 0).sum()),
        "bytes": written,
        "seed": parameters["seed"],
    }
    finish(
        result,
        as_json,
        lambda: say(
            f"{output}: {result['rows']:,} rows, {result['entries']:,} entries, {result['bytes']:,} bytes"
        ),
    )
