"""Runs the command as a person does: another process, another shell's conventions."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"


@dataclass
class Ran:
    status: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


def separatrix(*arguments, stdin=b"", cwd=None):
    program = [sys.executable, "-m", "separatrix", *map(str, arguments)]
    done = subprocess.run(program, input=stdin, capture_output=True, cwd=cwd, timeout=120, check=False)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
