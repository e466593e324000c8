"""``separatrix verify``: check a certificate against data."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from separatrix.cli.common import finish, index_base_option, say
from separatrix.errors import InputError


@click.command()
@click.argument("certificate", type=click.Path(exists=True, dir_okay=False))
@click.argument("data", type=click.Path(exists=True, dir_okay=False))
@index_base_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def verify(certificate: str, data: str, index_base: Any, as_json: bool) -> None:
    """Check CERTIFICATE against DATA in one pass, trusting no learner and no solver.

    Exit status: 0 proved, 1 refuted, 2 could not be read.
    """
    from separatrix.theory import verify as checker

    try:
        document = checker.parse(Path(certificate).read_text(encoding="utf-8"))
    except (checker.UnreadableError, UnicodeDecodeError) as e:
        raise InputError(f"{certificate}: {e}") from e
    try:
        verdict = checker.verify(document, lambda: _batches(data, index_base))
    except checker.UnreadableError as e:
        raise InputError(f"{certificate} on {data}: {e}") from e
    result = {"proved": verdict.proved, "reason": verdict.reason}
    finish(result, as_json, lambda: say(f"{'proved' if verdict.proved else 'REFUTED'}: {verdict.reason}"))
    sys.exit(0 if verdict.proved else 1)


def _batches(data: str, index_base: Any) -> Iterator[tuple[Any, Any]]:
    from separatrix.data.reading import open_stream
    from separatrix.theory.verify import UnreadableError

    try:
        yield from open_stream(data, index_base=index_base)
    except InputError as e:  # of the data, not of the certificate
        raise UnreadableError(str(e)) from e
