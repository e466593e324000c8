"""The command line: one command a file, each loaded only when it is called.

Exit status: 0 done (or: yes); 1 the answer is no, or bad rows were met; 2 the command could not be
carried out (usage, unreadable input, damaged file); 3 the answer is unknown within the limit.
"""

from importlib import import_module

import click

import separatrix

# command → module with a click command of that name. One line a command, sorted.
_COMMANDS: dict[str, str] = {}


class _LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for, so that `--version` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        home = _COMMANDS.get(cmd_name)
        if home is None:
            return None
        command: click.Command = getattr(import_module(home), cmd_name)
        return command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(separatrix.__version__, prog_name="separatrix")
def main() -> None:
    """Learn linear separators online, at the speed of the hardware, and prove what was learnt."""
