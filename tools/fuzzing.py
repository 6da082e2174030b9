"""Read mutated files: each must be read or refused with an error of privboost, within seconds.

`make fuzz` reads at least 10,000 files in this process, and gives a sample of them to the command line, each
in a process of its own. Exit code 3, a CPU time above the limit and a process left behind are defects.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from privboost.errors import HarnessError, PrivboostError

from .fuzzed_files import KINDS, Kind, seeds
from .mutations import mutated

CPU_SECONDS = 5
WALL_SECONDS = 120
"""Limits for one file; the second is for a machine with other work on it."""


@dataclass(slots=True)
class Tally:
    """The number of files by kind and outcome, and the files that show a defect."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    slowest: float = 0.0
    defects: list[str] = field(default_factory=list)

    def add(self, kind: str, outcome: str, seconds: float) -> None:
        """Count a file."""
        self.counts[kind, outcome] += 1
        self.slowest = max(self.slowest, seconds)

    @property
    def files(self) -> int:
        """Return the number of all files."""
        return self.counts.total()


class TooSlow(BaseException):
    """Report a file that takes too long; no `except Exception` catches it."""


@contextmanager
def limited() -> Iterator[None]:
    """Raise TooSlow in a block after CPU_SECONDS of CPU time or WALL_SECONDS."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TooSlow(signal.Signals(number).name, frame and frame.f_code.co_name)

    previous = {number: signal.signal(number, late) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in previous.items():
            signal.signal(number, handler)


def read_mutated(kind: Kind, folder: Path, content: bytes, tally: Tally) -> None:
    """Read a mutated file in this process."""
    path = kind.path(folder)
    path.write_bytes(content)
    started = time.process_time()
    try:
        with limited():
            kind.read(path)
        outcome = "read"
    except HarnessError as error:
        outcome = f"broken: {error}"
    except PrivboostError as error:
        outcome = "refused" if len(str(error)) < 4000 else f"a message of {len(str(error))} characters"
    except TooSlow as slow:
        outcome = f"slow: {slow.args}"
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[-1]
        outcome = f"broken: {type(error).__name__}: {str(error)[:80]} at {frames.filename}:{frames.lineno}"
    tally.add(kind.name, outcome.partition(":")[0], time.process_time() - started)
    if outcome not in ("read", "refused"):
        tally.defects.append(f"{kind.name}: {outcome}; {content[:120]!r}")


def run_command(kind: Kind, folder: Path, content: bytes, tally: Tally) -> None:
    """Give a mutated file to the command line, in a process and a session of its own."""
    path = kind.path(folder)
    path.write_bytes(content)
    arguments = kind.command(path)
    started, child = time.monotonic(), os.fork()
    if child == 0:
        os.setsid()
        os._exit(_command_in_child(arguments))
    _, status, usage = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    tally.add(f"command {kind.name}", f"exit {code}", cpu)
    if code not in (0, 1, 2, 4):
        tally.defects.append(f"command {kind.name}: exit {code} after {cpu:.1f} s; {content[:120]!r}")
    while left := list(_of_session(child)):
        if time.monotonic() - started > WALL_SECONDS:
            tally.defects.append(f"command {kind.name}: processes left: {left}; {content[:120]!r}")
            break
        time.sleep(0.05)


def _command_in_child(arguments: list[str]) -> int:
    from privboost.cli import app

    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8") for number in (1, 2))  # noqa: PTH123, SIM115
    try:
        with limited():
            return app.main(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    except TooSlow:
        return 99


def _of_session(session: int) -> Iterator[int]:
    """Yield the processes of a session that have not ended; the wardens have sessions of their own."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, IndexError):
            state, _, _, of = stat.read_text().rpartition(")")[2].split()[:4]
            if int(of) == session and state != "Z":
                yield int(stat.parent.name)


def fuzz(files: int, commands: int, seed: int, show: Callable[[str], None]) -> Tally:
    """Read mutated files of all kinds in turn, and run the command line on some."""
    tally, chance = Tally(), random.Random(seed)
    with TemporaryDirectory(prefix="privboost-fuzz-") as made:
        folder = Path(made)
        originals = seeds(folder)
        for kind in KINDS.values():
            for content in originals[kind.name]:
                read_mutated(kind, folder, content, tally)
        if {outcome for _, outcome in tally.counts} != {"read"}:
            raise HarnessError(f"expected intact files to be read, got {dict(tally.counts)}")
        readers, commanded = list(KINDS.values()), [kind for kind in KINDS.values() if kind.template]
        for index in range(files):
            kind = readers[index % len(readers)]
            read_mutated(kind, folder, mutated(chance.choice(originals[kind.name]), chance), tally)
            if index % 1000 == 999:
                show(f"{index + 1} of {files} files read, {len(tally.defects)} defects")
        for index in range(commands):
            kind = commanded[index % len(commanded)]
            run_command(kind, folder, mutated(chance.choice(originals[kind.name]), chance), tally)
            if index % 50 == 49:
                show(f"{index + 1} of {commands} commands run, {len(tally.defects)} defects")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    return tally


def main() -> int:
    """Run the fuzzer and print its tally."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--commands", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tally = fuzz(options.files, options.commands, options.seed, lambda line: print(line, file=sys.stderr))
    for (kind, outcome), count in sorted(tally.counts.items()):
        print(f"{kind:24} {outcome:12} {count:6}")
    for defect in tally.defects:
        print(f"DEFECT {defect}")
    print(f"{tally.files} files, {len(tally.defects)} defects, slowest {tally.slowest:.1f} CPU s")
    return bool(tally.defects)


if __name__ == "__main__":
    sys.exit(main())
