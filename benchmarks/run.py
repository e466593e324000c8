"""Measure every area against its peers, in an environment of its own.

    python benchmarks/run.py                    every area
    python benchmarks/run.py AREA [options]     one, with its own options

Makes `benchmarks/.venv` with the peers of requirements.txt and Separatrix as it stands in this
repository, then runs each area's script. An area is any script here that can be run alone.
"""

import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENT = HERE / ".venv"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def areas() -> list[str]:
    scripts = (path for path in HERE.glob("*.py") if path.name != Path(__file__).name)
    return sorted(path.stem for path in scripts if "if __name__ ==" in path.read_text())


def prepare() -> None:
    if not PYTHON.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    print("benchmarks: installing the peers and Separatrix into benchmarks/.venv ...", flush=True)
    subprocess.run([*pip, "-r", str(HERE / "requirements.txt")], check=True)
    subprocess.run([*pip, "-e", str(HERE.parent)], check=True)


def main() -> None:
    known = areas()
    asked, options = sys.argv[1:2], sys.argv[2:]
    if asked and asked[0] not in known:
        sys.exit(f"benchmarks: expected one of {', '.join(known)}, found {asked[0]!r}")
    prepare()
    failed = []
    for area in asked or known:
        print(f"\n=== {area} ===", flush=True)
        if subprocess.run([str(PYTHON), str(HERE / f"{area}.py"), *options]).returncode != 0:
            failed.append(area)
    if failed:
        sys.exit(f"benchmarks: failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
