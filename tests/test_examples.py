"""What the documentation shows is what happens."""

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = [
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "src").rglob("*.py"))
    if ">>>" in path.read_text()
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 0
    assert failed == 0


@pytest.mark.parametrize("page", sorted(p.name for p in (ROOT / "docs").glob("*.md")))
def test_examples_in_the_docs(page):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, _ = doctest.testfile(str(ROOT / "docs" / page), module_relative=False, optionflags=flags)
    assert failed == 0


def test_the_demo_does_what_the_readme_shows():
    ran = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"], capture_output=True, text=True, check=True
    )
    readme = (ROOT / "README.md").read_text()
    transcript = re.search(r"<!-- demo -->\n```text\n(.*?)```", readme, re.S).group(1)
    assert steady(ran.stdout) == steady(transcript)


def steady(text):
    """Without what differs from run to run: times and rates."""
    return re.sub(r"[\d.,]+ (MB/s|seconds|µs)", r"N \1", text).strip()
