"""Read mutated files: each must be read or refused with an error of privboost, within seconds.

`make fuzz` reads at least 10,000 files in this process, and gives a sample of them to the command line, each
in a process of its own. Exit code 3, a CPU time above the limit and a process left behind are defects.
Hypothesis draws the mutations, and simplifies those that show a defect.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import hypothesis
import psutil
from hypothesis import HealthCheck, Phase

from privboost.errors import HarnessError, PrivboostError

from .fuzzed_files import KINDS, Kind, seeds
from .mutations import mutated_files

CPU_SECONDS = 5
WALL_SECONDS = 120
"""Limits for one file; the second is for a machine with other work on it."""
LONGEST_MESSAGE = 4000
EXIT_CODES = (0, 1, 2, 4)
"""Exit codes of a command that is not broken."""


class Defect(Exception):
    """Report a file that is neither read nor refused."""


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


Reader = Callable[[Kind, Path, Tally], None]
"""Reads a file and counts the outcome; raises Defect if it is not as it should be."""


class TooSlow(BaseException):
    """Report a file that takes too long; no `except Exception` catches it."""


@contextmanager
def limit_time() -> Iterator[None]:
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


def read_file(kind: Kind, path: Path, tally: Tally) -> None:
    """Read a file in this process, and count the outcome; raise Defect if it is not as it should be."""
    started = time.process_time()
    try:
        with limit_time():
            kind.read(path)
        outcome = "read"
    except HarnessError as error:
        outcome = f"broken: {error}"
    except PrivboostError as error:
        length = len(str(error))
        outcome = "refused" if length < LONGEST_MESSAGE else f"refused: a message of {length} characters"
    except TooSlow as slow:
        outcome = f"slow: {slow.args}"
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[-1]
        outcome = f"broken: {type(error).__name__}: {str(error)[:80]} at {frames.filename}:{frames.lineno}"
    tally.add(kind.name, outcome.partition(":")[0], time.process_time() - started)
    if outcome not in ("read", "refused"):
        raise Defect(outcome)


def run_command(kind: Kind, path: Path, tally: Tally) -> None:
    """Give a file to the command line, in a process and a session of its own, as `read_file` does."""
    arguments = kind.command(path)
    started, child = time.monotonic(), os.fork()
    if child == 0:
        os.setsid()
        os._exit(_command_in_child(arguments))
    _, status, usage = os.wait4(child, 0)
    code, cpu = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
    tally.add(f"command {kind.name}", f"exit {code}", cpu)
    while left := list(processes_of_session(child)):
        if time.monotonic() - started > WALL_SECONDS:
            raise Defect(f"processes left: {left}")
        time.sleep(0.05)
    if code not in EXIT_CODES:
        raise Defect(f"exit {code} after {cpu:.1f} s")


def _command_in_child(arguments: list[str]) -> int:
    from privboost.cli import app

    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8") for number in (1, 2))  # noqa: PTH123, SIM115
    try:
        with limit_time():
            return app.main(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    except TooSlow:
        return 99


def processes_of_session(session: int) -> Iterator[int]:
    """Yield the processes of a session that have not ended; the wardens have sessions of their own."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, ProcessLookupError):
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                yield process.pid


@dataclass(frozen=True, slots=True)
class Fuzzer:
    """A folder for mutated files, the intact files of every kind, and the outcomes."""

    folder: Path
    originals: Mapping[str, Sequence[bytes]]
    seed: int
    tally: Tally = field(default_factory=Tally)

    def check(self, kind: Kind, content: bytes, reader: Reader) -> None:
        """Let a file be read, and raise Defect with its first bytes if that goes wrong."""
        path = kind.path(self.folder)
        path.write_bytes(content)
        try:
            reader(kind, path, self.tally)
        except Defect as defect:
            raise Defect(f"{kind.name}: {defect}; {content[:120]!r}") from defect

    def try_mutations(self, kind: Kind, reader: Reader, count: int) -> None:
        """Check mutated files of one kind, and note the simplest one that shows a defect."""

        @hypothesis.seed(self.seed)
        @hypothesis.settings(
            max_examples=count,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
            database=None,
            deadline=None,
        )
        @hypothesis.given(mutated_files(self.originals[kind.name]))
        def check_mutation(content: bytes) -> None:
            self.check(kind, content, reader)

        try:
            check_mutation()
        except* Defect as group:
            self.tally.defects += map(str, group.exceptions)


def fuzz(files: int, commands: int, seed: int, show: Callable[[str], None]) -> Tally:
    """Read mutated files of all kinds, and run the command line on some."""
    commanded = [kind for kind in KINDS.values() if kind.template]
    with TemporaryDirectory(prefix="privboost-fuzz-") as made:
        fuzzer = Fuzzer(Path(made), seeds(Path(made)), seed)
        tally = fuzzer.tally
        for kind in KINDS.values():
            for content in fuzzer.originals[kind.name]:
                fuzzer.check(kind, content, read_file)
        if {outcome for _, outcome in tally.counts} != {"read"}:
            raise HarnessError(f"expected intact files to be read, got {dict(tally.counts)}")
        turns = [(kind, read_file, -(-files // len(KINDS))) for kind in KINDS.values()]
        turns += [(kind, run_command, -(-commands // len(commanded))) for kind in commanded]
        for kind, reader, count in turns:
            fuzzer.try_mutations(kind, reader, count)
            show(f"{kind.name}: {tally.files} files in all, {len(tally.defects)} defects")
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
