"""What commands share: reading options, output for people or for machines, and how errors end."""

import json
import os
from collections.abc import Callable
from typing import Any, NoReturn

import click

from separatrix.data.text_options import LONGEST_LINE, MAX_LINE_BYTES, MOST_THREADS, reading_options

data_argument = click.argument("data", nargs=-1, required=True, metavar="DATA...")

bad_rows_option = click.option(
    "--bad-rows",
    default="fail",
    show_default=True,
    metavar="fail|skip|quarantine=FILE",
    help="What becomes of rows that cannot be read.",
)

index_base_option = click.option(
    "--index-base",
    type=click.Choice(["auto", "0", "1"]),
    default="auto",
    show_default=True,
    callback=lambda _context, _option, base: base if base == "auto" else int(base),
    help="The first index.",
)


def reading_options_shared(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --index-base, --threads and --max-line-bytes; the command gets them, checked, as `reading`."""
    import functools

    @index_base_option
    @click.option(
        "--threads",
        type=click.IntRange(1, MOST_THREADS),
        help="Threads that parse; the result is the same.  [default: all, at most 4]",
    )
    @click.option(
        "--max-line-bytes",
        type=click.IntRange(1, LONGEST_LINE),
        default=MAX_LINE_BYTES,
        show_default=True,
        help="The longest line.",
    )
    @functools.wraps(command)
    def with_reading(
        index_base: Any, threads: int | None, max_line_bytes: int, bad_rows: str, **rest: Any
    ) -> Any:
        return command(reading=reading_options(index_base, bad_rows, threads, max_line_bytes), **rest)

    return with_reading


def plain_labels(labels: list[Any]) -> list[Any]:
    """Labels as text files have them: 1, not 1.0."""
    return [int(label) if isinstance(label, float) and label.is_integer() else label for label in labels]


def say(line: str) -> None:
    """A line for people, on standard output."""
    click.echo(line)


def finish(result: dict[str, Any], as_json: bool, in_words: Callable[[], None]) -> None:
    """Print one JSON object, or the same in words."""
    if as_json:
        click.echo(json.dumps(result, allow_nan=False))
    else:
        in_words()


def check_output(output: str, *sources: str, bad_rows: str = "fail", option: str = "-o") -> None:
    """Refuse an output that cannot be written, or that would take the place of what is being read.

    An hour of work must not end in a folder that is not there.
    """
    if not output:
        fail(f"{option} needs the name of a file")
    kind, _, quarantine = bad_rows.partition("=")
    for other in (*sources, *([quarantine] if kind == "quarantine" else [])):
        if os.path.realpath(other) == os.path.realpath(output) and not _is_device(output):
            fail(f"{option} {output}: expected another file than those that are read or get the refused rows")
    folder = os.path.dirname(os.path.realpath(output))
    if not os.path.isdir(folder):
        fail(f"{option} {output}: there is no folder {folder}")
    if not os.access(output if _is_device(output) else folder, os.W_OK):
        fail(f"{option} {output}: no permission to write there")


def _is_device(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)


def fail(message: str) -> NoReturn:
    """End with exit status 2 and a message."""
    raise click.UsageError(message)
