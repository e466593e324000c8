"""Progress of a long run, on standard error, only where a person is looking."""

import sys
import time
from types import TracebackType
from typing import Any, Self

AFTER_SECONDS = 0.5
"""A run that is over before anybody could read a line shows none."""


class Progress:
    """Shows how far a native run is; `tick` is what the run calls."""

    def __init__(self) -> None:
        self._shown: Any = None
        self._began = time.perf_counter()
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown is not None:
            self._shown.stop()

    def tick(
        self,
        passed: int,
        bytes_read: int,
        bytes_total: int | None,
        rows: int,
        rows_refused: int,
        rounds: int,
        mistakes: int,
    ) -> bool:
        """Take what the run says; False: go on."""
        seconds = time.perf_counter() - self._began
        if not self._is_terminal or seconds < AFTER_SECONDS:
            return False
        if self._shown is None:
            from rich.console import Console
            from rich.live import Live

            self._shown = Live(console=Console(stderr=True), transient=True, refresh_per_second=8)
            self._shown.start()
        parts = [f"pass {passed}" if passed else "surveying"]
        if bytes_total and bytes_read:
            parts.append(f"{bytes_read / bytes_total:4.0%} of {bytes_total / 1e6:,.0f} MB")
        elif bytes_read:
            parts.append(f"{bytes_read / 1e6:,.0f} MB")
        done = rounds or rows
        parts.append(f"{done:,} rounds" if rounds else f"{rows:,} rows")
        parts.append(f"{done / seconds:,.0f} rows/s")
        if rounds:
            parts.append(f"{mistakes:,} mistakes ({mistakes / rounds:.2%})")
        if rows_refused:
            parts.append(f"{rows_refused:,} refused")
        self._shown.update(" · ".join(parts))
        return False
