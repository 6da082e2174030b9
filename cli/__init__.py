"""The command line and the report. This package may import every other one, and none imports it."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line of this process, and return its exit code."""
    try:
        from .app import main as run
    except KeyboardInterrupt:
        # Imports take most of the start-up time, and no handler is installed yet.
        os.write(2, b"privboost: interrupted: stopped before it began\n")
        sys.exit(130)
    return run()
