"""The command line: one command a file, each loaded only when it is called.

Exit status: 0 done (or: yes); 1 the answer is no, or bad rows were met; 2 the command could not be
carried out (usage, unreadable input, damaged file); 3 the answer is unknown within the limit; 130 stopped
by Ctrl-C, with what was done so far saved where the command says so.
"""

from importlib import import_module
from typing import Any

import click

import separatrix
from separatrix.errors import SeparatrixError

# command → module with a click command of that name. One line a command, sorted.
_COMMANDS: dict[str, str] = {
    "certify": "separatrix.cli.certify",
    "erm": "separatrix.cli.erm",
    "generate": "separatrix.cli.generate",
    "inspect": "separatrix.cli.inspect",
    "play": "separatrix.cli.play",
    "plot": "separatrix.cli.plot",
    "predict": "separatrix.cli.predict",
    "regress": "separatrix.cli.regress",
    "separate": "separatrix.cli.separate",
    "train": "separatrix.cli.train",
    "verify": "separatrix.cli.verify",
}


class _Refused(click.ClickException):
    """An expected error: one line on standard error."""

    exit_code = 2


class _Commands(click.Group):
    """Commands are imported when they are asked for, so that `--version` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        home = _COMMANDS.get(cmd_name)
        if home is None:
            return None
        command: click.Command = getattr(import_module(home), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SeparatrixError as error:
            raise _Refused(str(error)) from error
        except BrokenPipeError:
            # Whoever read our output has seen enough: click ends quietly.
            raise
        except (KeyboardInterrupt, click.Abort):
            # Not click's exit status 1, which says that the answer is no.
            click.echo("stopped", err=True)
            ctx.exit(130)
        except MemoryError as error:
            raise _Refused(
                f"there is not enough memory for this: {error or 'the data are too large'}"
            ) from error
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise _Refused(f"{where}{error.strerror or error}") from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(separatrix.__version__, prog_name="separatrix")
def main() -> None:
    """Learn linear separators online, at the speed of the hardware, and prove what was learnt."""
