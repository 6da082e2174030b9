"""Exit codes of all commands."""

from __future__ import annotations

CONFORMING, NOT_CONFORMING, USAGE, BROKEN, NO_VERDICT = 0, 1, 2, 3, 4

INTERRUPTED, BROKEN_PIPE = 130, 141
"""After Ctrl-C and after a closed pipe, as in a shell; 143 after SIGTERM and 129 after SIGHUP."""
