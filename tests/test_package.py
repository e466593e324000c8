"""The package as a whole: its names, its imports, what it costs to load."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import separatrix
from separatrix import errors

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "separatrix"

# Who may import whom: a part imports parts of its own level or below. cli sits on top.
LEVELS = {"errors": 0, "_native": 0, "data": 1, "theory": 2, "online": 3, "batch": 3, "plots": 4, "cli": 5}


def test_every_public_name_is_there_and_sorted():
    assert list(separatrix._HOME) == sorted(separatrix._HOME)
    assert separatrix.__all__ == [*sorted(separatrix._HOME), "__version__"]
    for name in separatrix.__all__:
        assert getattr(separatrix, name) is not None
    assert dir(separatrix) == sorted(separatrix.__all__)


def test_imports_go_down_only():
    for path in SOURCE.rglob("*.py"):
        part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if part in ("__init__", "__main__"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                words = name.split(".")
                if words[0] == "separatrix" and len(words) > 1 and words[1] in LEVELS:
                    assert LEVELS[words[1]] <= LEVELS[part], f"{path} imports {name}"


def loaded_by(code):
    program = f"import sys\n{code}\nprint(*sorted(m.split('.')[0] for m in sys.modules))"
    return set(
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout.split()
    )


def test_importing_loads_nothing_heavy():
    heavy = {"numpy", "scipy", "sklearn", "matplotlib", "rich", "click"}
    assert not heavy & loaded_by("import separatrix")
    commands = (
        "from separatrix.cli import main, _COMMANDS\nimport separatrix.cli.train, separatrix.cli.predict"
    )
    assert not (heavy - {"click"}) & loaded_by(commands)


def test_the_errors_are_drawn_as_they_are():
    drawn = errors.__doc__
    for name, error in vars(errors).items():
        if inspect.isclass(error) and error.__module__ == errors.__name__:
            assert name in drawn
            assert error.__doc__


def test_version_and_changelog_agree():
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert separatrix.__version__ == version
    assert re.search(rf"^## {re.escape(version)}\b", (ROOT / "CHANGELOG.md").read_text(), re.M)


def test_every_command_is_listed_in_the_readme():
    from separatrix.cli import _COMMANDS

    readme = (ROOT / "README.md").read_text()
    for command in _COMMANDS:
        assert f"separatrix {command}" in readme, command


def test_every_public_class_and_function_has_an_example():
    for name in separatrix.__all__:
        value = getattr(separatrix, name)
        if callable(value) and not (inspect.isclass(value) and issubclass(value, (Exception, Warning))):
            assert ">>>" in (value.__doc__ or ""), name


def test_estimators_only_assign_in_init():
    for name in separatrix.__all__:
        value = getattr(separatrix, name)
        if inspect.isclass(value) and hasattr(value, "get_params"):
            parameters = inspect.signature(value.__init__).parameters
            assert all(p.kind is p.KEYWORD_ONLY for n, p in parameters.items() if n != "self"), name


def test_modules_load_on_their_own():
    for path in SOURCE.rglob("*.py"):
        name = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
        if not name.endswith("__main__"):
            importlib.import_module(name)
