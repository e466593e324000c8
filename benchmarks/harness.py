"""What every benchmark shares: interleaved medians, the table, and where it was measured.

Engines take turns, so that whatever else the machine does meets all of them alike. Two times are
kept: the wall's, and the processor's (user and system), which other people's work disturbs less.
"""

import argparse
import datetime
import importlib.util
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Peers must not keep the other core spinning: what is measured here is one core's work.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"


class WrongAnswerError(AssertionError):
    """An engine was fast and wrong."""


def must(holds: bool, what: str) -> None:
    """State a right answer."""
    if not holds:
        raise WrongAnswerError(what)


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@dataclass
class Time:
    """Seconds of repeated runs."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def add(self, wall: float, processor: float) -> None:
        self.wall.append(wall)
        self.processor.append(processor)

    @property
    def median(self) -> float:
        return statistics.median(self.wall)

    @property
    def processor_median(self) -> float:
        return statistics.median(self.processor)

    def times_faster_than(self, other: "Time") -> float:
        """By processor time."""
        return other.processor_median / self.processor_median


def race(engines: dict[str, Callable[[], object]], repeats: int) -> dict[str, Time]:
    """Let functions take turns, after one turn each that is not counted."""
    times = {name: Time() for name in engines}
    for repeat in range(repeats + 1):
        for name, run in engines.items():
            wall, processor = time.perf_counter(), time.process_time()
            run()
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            if repeat:
                times[name].add(wall, processor)
    return times


def within(seconds: float, function: Callable[..., Any], *arguments: object) -> Any:
    """What a function answers in a process of its own; None where it fails there, or takes longer."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send(function(*arguments)))
    child.start()
    sender.close()  # Else the end of the child would not be seen.
    try:
        return receiver.recv() if receiver.poll(seconds) else None
    except EOFError:
        return None
    finally:
        child.kill()
        child.join()


# Printed by the process itself: what the kernel tells of a child counts its parent's memory too.
_PEAK = """
import atexit
atexit.register(lambda: print("peak", next(l for l in open("/proc/self/status") if "VmHWM" in l).split()[1]))
"""


def python(code: str, *arguments: str) -> list[str]:
    """A command that runs Python code and, at its end, prints its largest memory."""
    return [sys.executable, "-c", f"{_PEAK}\n{code}", *arguments]


def process(command: list[str], environment: dict[str, str] | None = None) -> tuple[float, float, str]:
    """Run a process: its wall time, processor time, and what it printed."""
    began = time.perf_counter()
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **(environment or {})}
    )
    assert child.stdout is not None
    printed = child.stdout.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    must(child.returncode == 0, f"{' '.join(command[:6])} … ended with {child.returncode}")
    return wall, usage.ru_utime + usage.ru_stime, printed


def peak(printed: str) -> tuple[str, int]:
    """What a process of `python` printed, and its largest memory in bytes."""
    before, _, kilobytes = printed.rpartition("peak ")
    return before, int(kilobytes) * 1024


def where_and_when(seed: int) -> str:
    """Machine, seed and date."""
    model = platform.processor() or platform.machine()
    wide = False
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(
            (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model
        )
        wide = any("avx512f" in line for line in lines)
    load = os.getloadavg()[0]
    now = datetime.datetime.now(datetime.UTC)
    return (
        f"{model}, {os.cpu_count()} cores, {'AVX-512' if wide else 'no AVX-512'}; load {load:.1f}; "
        f"Python {platform.python_version()}; seed {seed}; {now:%Y-%m-%d %H:%M} UTC"
    )


def table(title: str, head: list[str], rows: list[list[str]]) -> None:
    """Print rows under their heads."""
    widths = [max(len(line[k]) for line in [head, *rows]) for k in range(len(head))]
    print(f"\n{title}")
    for number, line in enumerate([head, *rows]):
        print("  " + "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
        if number == 0:
            print("  " + "  ".join("-" * width for width in widths))
    sys.stdout.flush()


def arguments(about: str, **more: dict) -> argparse.Namespace:
    """--quick, --repeats and --seed, and what an area adds."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument(
        "--quick", action="store_true", help="small sizes: whether it runs, not how fast it is"
    )
    parser.add_argument("--repeats", type=int, default=7, help="turns each engine has (default 7)")
    parser.add_argument("--seed", type=int, default=1)
    for name, options in more.items():
        parser.add_argument(f"--{name}", **options)
    return parser.parse_args()
