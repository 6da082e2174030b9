"""Describe how a process ended."""

from __future__ import annotations

import signal


def signal_name(number: int) -> str:
    """Return the name of a signal, or its number if it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def ending(exit_code: int) -> str:
    """Describe the end of a process by its exit code, which is negative after a signal."""
    if exit_code < 0:
        return f"its end by signal {signal_name(-exit_code)}"
    return f"its end with exit code {exit_code}"
