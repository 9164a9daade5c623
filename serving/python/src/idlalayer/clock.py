"""Clocks, so that tests decide what time it is and how long a pause takes."""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time and waits. Any thread may use one."""

    def now_millis(self) -> int:
        """Epoch milliseconds; may jump."""

    def monotonic(self) -> float:
        """Seconds that never go back, from any start."""

    def pause(self, until: threading.Event, seconds: float) -> bool:
        """Waits until an event is set, at most this long; returns whether it is set."""


class SystemClock:
    """The clock of the machine."""

    def now_millis(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()

    def pause(self, until: threading.Event, seconds: float) -> bool:
        return until.wait(seconds)
