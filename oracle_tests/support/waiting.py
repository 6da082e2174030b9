"""Wait for events: tests under load must not depend on how long anything takes."""

from __future__ import annotations

import time
from collections.abc import Callable

DEADLINE = 600.0
"""Seconds after which a test that waits fails instead of hanging; only a test that hangs takes as long."""


def wait_until(condition: Callable[[], object]) -> bool:
    """Poll a condition; return whether it was true before the deadline."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
