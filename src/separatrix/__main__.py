"""``python -m separatrix`` is the command ``separatrix``."""

from separatrix.cli import main

main(prog_name="separatrix")
