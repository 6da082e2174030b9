"""End the processes that a command would leave behind, even those that have left its process group.

A program that is started with a badge passes it on to its children, in an environment variable if they are
started by a command and as an open file if they are forked. On Linux, `wearers` finds both in /proc, and all
their descendants, which stay below them (`adopt_orphans`) even as daemons without environment and files. The
warden, which is this file run as a program, ends all of them when the process that started it is killed.
Other systems have process groups only.

This module imports the standard library alone, so that the warden starts quickly.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import secrets
import select
import signal
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

VARIABLE = "PRIVBOOST_BADGE"
PROCESSES = Path("/proc")
PATIENCE = 3.0
"""Maximum number of seconds to wait for killed processes to disappear."""
TICK = 0.02
SET_CHILD_SUBREAPER = 36
"""The operation of prctl that makes a process adopt its orphaned descendants, also after exec."""


try:
    # Looked up here, since a process that was just forked must not load anything.
    _prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None
except (OSError, AttributeError):
    _prctl = None


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
    adopt_orphans()


def adopt_orphans() -> None:
    """Keep all descendants of this process below it until it ends, also daemons; on Linux only."""
    if _prctl is not None:
        _prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wearers(badge: str) -> set[tuple[int, str]]:
    """Return all processes that carry a badge and their descendants, by their ids and start times."""
    if sys.platform != "linux":
        return set()
    statistics = dict(_statistics())
    marked = {process_id for process_id in statistics if _wears(process_id, badge.encode())}
    size = 0
    while size < len(marked):
        size = len(marked)
        marked |= {process_id for process_id, (parent, _) in statistics.items() if parent in marked}
    return {(process_id, statistics[process_id][1]) for process_id in marked - {os.getpid()}}


def end_wearers(badge: str, seen: Collection[tuple[int, str]] = ()) -> None:
    """Kill all processes that carry a badge, their descendants and those that were `seen` to be such."""
    deadline = time.monotonic() + PATIENCE
    while (left := wearers(badge) | {*seen} & _running(seen)) and time.monotonic() < deadline:
        for process_id, _ in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process_id, signal.SIGKILL)
        time.sleep(TICK)


def _running(seen: Collection[tuple[int, str]]) -> set[tuple[int, str]]:
    """Return which processes are still running; a new one with the id of an old one started later."""
    if not seen:
        return set()
    return {(process_id, start) for process_id, (_, start) in _statistics()}


def _statistics() -> Iterator[tuple[int, tuple[int, str]]]:
    """Yield the id, the parent and the start time of every process that has not ended."""
    folders: list[Path] = []
    with suppress(OSError):
        # Without /proc, or with too many open files, nothing is found.
        folders += PROCESSES.iterdir()
    for folder in folders:
        if folder.name.isdigit():
            with suppress(OSError):
                # The name in parentheses may contain anything.
                values = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                if values[0] not in (b"Z", b"X"):
                    yield int(folder.name), (int(values[1]), values[19].decode())


def _wears(process_id: int, badge: bytes) -> bool:
    folder = PROCESSES / str(process_id)
    # Processes of other users, and those that have just ended, cannot be read.
    with suppress(OSError):
        return badge in (folder / "environ").read_bytes() or _has_open(folder / "fd", badge)
    return False


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
