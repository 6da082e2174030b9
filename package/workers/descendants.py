"""End the processes that a command would leave behind, even those that have left its process group.

A program that is started with a badge passes it on to its children, in an environment variable if they are
started by a command and as an open file if they are forked. On Linux, `end_wearers` finds both in /proc. The
warden, which is this file run as a program, does the same when the process that started it is killed.
Other systems have process groups only.

This module imports the standard library alone, so that the warden starts quickly.
"""

from __future__ import annotations

import itertools
import os
import secrets
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

VARIABLE = "PRIVBOOST_BADGE"
PROCESSES = Path("/proc")
PATIENCE = 3.0
"""Maximum number of seconds to wait for killed processes to disappear."""
TICK = 0.02


class _Own:
    """The badges of this process and of the workers that are forked from it."""

    prefix = ""
    numbers = itertools.count()
    worn: int | None = None


def new_badge() -> str:
    """Return a badge for the processes to be started next, and start the warden of this process if needed."""
    if not _Own.prefix:
        _Own.prefix = f"privboost-{secrets.token_hex(8)}."
        _start_warden()
    # Forked workers continue the same count, hence the process id.
    return f"{_Own.prefix}{os.getpid()}-{next(_Own.numbers)}."


def environment(badge: str) -> dict[str, str]:
    """Return the environment for a program that carries a badge, besides those of this process."""
    return {**os.environ, VARIABLE: os.environ.get(VARIABLE, "") + badge}


def wear(badge: str) -> None:
    """Mark this process, which was forked for a task, and all that it will start or fork."""
    os.environ[VARIABLE] = environment(badge)[VARIABLE]
    if sys.platform == "linux":
        _Own.worn = os.memfd_create(badge)


def end_wearers(badge: str) -> None:
    """Kill all processes that carry a badge, other than this one."""
    if sys.platform != "linux":
        return
    deadline = time.monotonic() + PATIENCE
    while (wearers := list(_wearers(badge.encode()))) and time.monotonic() < deadline:
        for process_id in wearers:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process_id, signal.SIGKILL)
        time.sleep(TICK)


def _wearers(badge: bytes) -> Iterator[int]:
    for folder in PROCESSES.iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            # Processes of other users, and those that have just ended, cannot be read.
            with suppress(OSError):
                if badge in (folder / "environ").read_bytes() or _has_open(folder / "fd", badge):
                    yield int(folder.name)


def _has_open(descriptors: Path, badge: bytes) -> bool:
    for descriptor in descriptors.iterdir():
        with suppress(OSError):
            if badge in os.fsencode(descriptor.readlink()):
                return True
    return False


def _start_warden() -> None:
    """Start a process that kills all wearers of this process's badges when this process has ended."""
    if sys.platform != "linux" or not sys.executable:
        return
    command = [sys.executable, "-I", "-S", __file__, _Own.prefix, str(os.getpid())]
    closed = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    os.posix_spawn(sys.executable, command, {}, file_actions=closed)


def _stand_guard(badge: str, process_id: int) -> None:
    """Wait for the end of the parent, then end all wearers of its badges."""
    # Signals to the group of the parent, such as Ctrl-C, are not for the warden.
    os.setsid()
    with suppress(OSError):
        watched = os.pidfd_open(process_id)
        if os.getppid() == process_id:
            select.select([watched], [], [])
    while os.getppid() == process_id:
        time.sleep(TICK)
    end_wearers(badge)


if __name__ == "__main__":
    _stand_guard(sys.argv[1], int(sys.argv[2]))
