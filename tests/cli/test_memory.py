"""Data too wide for memory end in words."""

import resource
import subprocess
import sys

import pytest

COMMANDS = [
    ("separate",),
    ("separate", "--no-bias", "--normalize"),
    ("erm",),
    ("erm", "--degree", "2"),
    ("regress",),
    ("play",),
    ("plot", "mistakes", "-o", "picture.png"),
    ("plot", "margins", "-o", "picture.png"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_index_beyond_memory_is_an_error(tmp_path, command):
    (tmp_path / "far.libsvm").write_text("1 4294967295:1\n-1 1:2\n")
    done = subprocess.run(
        [sys.executable, "-m", "separatrix", *command, "far.libsvm"],
        cwd=tmp_path,
        input=b"",
        capture_output=True,
        timeout=120,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30)),
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"Error: there is not enough memory for this: "), done.stderr
