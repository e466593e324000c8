"""``separatrix predict``: label rows with a model."""

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import click

from separatrix import _native
from separatrix.cli.common import (
    bad_rows_option,
    check_output,
    data_argument,
    fail,
    finish,
    reading_options_shared,
    say,
)
from separatrix.data.text_options import refused_in_words


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@data_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="Where predictions go.  [default: standard output]",
)
@click.option("--scores", is_flag=True, help="Write scores, not labels: one a row, or one a class.")
@bad_rows_option
@reading_options_shared
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, and predictions only to -o.")
def predict(
    model: str,
    data: tuple[str, ...],
    output: str | None,
    scores: bool,
    as_json: bool,
    reading: dict[str, Any],
) -> None:
    """Predict the rows of DATA with MODEL: a line a row.

    Rows need no label; where labels are there, errors are counted.
    """
    from separatrix.cli.progress import Progress
    from separatrix.data.model_file import read_model

    began = time.perf_counter()
    if output is not None:
        check_output(output, model, *data, bad_rows=reading["bad_rows"])
    learner = read_model(model)
    if not learner.classes():
        raise click.UsageError(f"{model}: the model has learnt nothing yet")
    with _writer(output, quiet=as_json) as write, Progress() as progress:
        told = _native.predict_text(
            learner, list(data), reading, scores=scores, write=write, tick=progress.tick
        )
    labelled = told["labelled"]
    # Labels of which none is a class, such as the 0 that stands for "unknown", are no labels.
    judged = labelled + told["strange_labels"] if labelled else 0
    errors = told["errors"] + (told["strange_labels"] if labelled else 0)
    result = {
        "rows": told["rows"],
        "labelled": judged,
        "errors": errors if judged else None,
        "error_rate": errors / judged if judged else None,
        "rows_refused": told["rows_refused"],
        "output": output,
        "seconds": time.perf_counter() - began,
    }
    if told["rows_refused"]:
        click.echo(refused_in_words(told["rows_refused"], told["first_bad"]), err=True)
    finish(result, as_json, lambda: _in_words(result, told))
    if told["rows_refused"]:
        sys.exit(1)


def _in_words(result: dict[str, Any], told: dict[str, Any]) -> None:
    """The count of errors: on standard error where predictions are on standard output."""
    if result["errors"] is None:
        words = f"{result['rows']:,} rows predicted; no labels to compare with"
    else:
        errors, labelled = result["errors"], result["labelled"]
        words = f"{errors:,} errors in {labelled:,} labelled rows ({result['error_rate']:.2%})"
    if told["labelled"] and told["strange_labels"]:
        words += f"; {told['strange_labels']:,} of them have a label that is none of the model's classes"
    if result["output"] is None:
        click.echo(words, err=True)
    else:
        say(words)


@contextlib.contextmanager
def _writer(output: str | None, *, quiet: bool) -> Iterator[Callable[[bytes], Any] | None]:
    """Something to write predictions to: standard output, or a file that appears when it is whole."""
    if output is None:
        if sys.stdout is None and not quiet:
            fail("standard output is closed: -o FILE says where predictions go")
        yield None if quiet else sys.stdout.buffer.write
        if not quiet:
            sys.stdout.buffer.flush()
        return
    if os.path.exists(output) and not os.path.isfile(output):
        try:
            with open(output, "wb") as stream:
                yield stream.write
        except OSError as error:
            error.filename = error.filename or output
            raise
        return
    folder, name = os.path.split(os.path.realpath(output))
    handle, beside = tempfile.mkstemp(prefix=f".{name}.", suffix=".part", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file.write
        mode = os.stat(output).st_mode & 0o777 if os.path.exists(output) else 0o666 & ~_umask()
        os.chmod(beside, mode)
        os.replace(beside, os.path.join(folder, name))
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
