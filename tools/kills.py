"""Stop every long command by every signal, and clusters under running commands; tabulate what is left.

`make kills` runs this on Linux and rewrites docs/kills.md. A command is stopped when it has
reported progress. It passes if all its workers were running then, it has the exit code of its signal, no
process is left five seconds later, and what it had is printed or can be resumed. After the end of a cluster,
it passes if it ends within its timeout without a verdict, and can be resumed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
MARK = "KILLS_MARK"
"""The environment variable that all descendants of a command inherit."""
PATIENCE, LONGEST = 5.0, 120.0
"""Seconds after which nothing may be left, and that a command may take to report progress or to end."""
TIMEOUT = 10
"""Seconds within which a command ends after its cluster is gone."""
WORKING = re.compile(
    r": [1-9][\d,]*( of [\d,]+)? (calls|claims|classes|configurations|tasks)|(check|section) (?!1 of)\d"
)
"""Progress of a command that has completed a part of its work."""
ENDED_BEFORE = "NOT RUNNING when it was to be stopped"
LONGEST_SHOWN = 110
NOT_RESUMED, NO_REASON = "not resumed", "no reason"
CLUSTER_LOST = re.compile(r"lost the Dask cluster at '\S+': [\w ]+")
MODULE = """
import time
def noisy(data, rng):
    time.sleep(0.001)
    return data + rng.laplace()
"""
PROGRAM = """
import json, subprocess, sys
subprocess.Popen(["sleep", "1000"], start_new_session=True)
for line in sys.stdin:
    request = json.loads(line)
    seed = request["args"].get("seed", "0")
    print(json.dumps({"id": request["id"], "result": int(seed, 16) % 97 / 97}), flush=True)
"""
AUDIT = "--epsilon 1 --pairs pairs.json --calls 10000000 --output made"
COMMANDS = {
    "prove": "prove --jobs 2",
    "calibrate": "calibrate --jobs 2",
    "audit, in process": "audit bank:laplace --calls 10000000 --no-stop --output made",
    "audit, module": f"audit slow.py:noisy {AUDIT}",
    "audit, module, two jobs": f"audit slow.py:noisy --jobs 2 {AUDIT}",
    "audit, program": f"audit 'cmd:{sys.executable} program.py' {AUDIT}",
    "gate": "gate fast",
    "verify": "verify --protocol sound --size 6",
    "study": "study run --grid full --jobs 2",
    "report": "report --output made",
}
CLUSTERED = {
    "audit on Dask": f"audit slow.py:noisy --timeout {TIMEOUT} {AUDIT}",
    "study on Dask": f"study run --grid full --timeout {TIMEOUT}",
}
OTHERS = {
    "prove": 2,
    "calibrate": 2,
    "audit, module": 1,
    "audit, module, two jobs": 2,
    "audit, program": 2,
    "study": 2,
}
"""Number of workers and programs that must be running beside a command when it is stopped."""
HEADS = {
    "processes": ["command", "signal", "others running", "exit code", "ended after", "left", "what is kept"],
    "clusters": ["command", "killed", "exit code", "ended after", "left", "message", "run again"],
}
"""The columns of the tables."""
RESUMED = re.compile(r"(resuming after|already there) +[1-9]")
"""What an audit or a study says when it continues after SIGKILL."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended after a signal."""

    others: int
    """Number of other processes that it had when it got the signal, without the warden."""
    code: int
    seconds: float
    left: int
    kept: str
    """The last line of its result, or what it says when it is run again."""

    def passes(self, name: str, number: signal.Signals) -> bool:
        """Return whether a command was at work, has the exit code of the signal and leaves nothing."""
        wanted = -number if number is signal.SIGKILL else 128 + number
        was_at_work = self.kept != ENDED_BEFORE and self.others >= OTHERS.get(name, 0)
        return was_at_work and self.code == wanted and not self.left and self.kept != NOT_RESUMED


def prepare(folder: Path) -> Path:
    """Write the files that the commands need; the path of the folder marks the processes that run in it."""
    for name, content in (("slow.py", MODULE), ("program.py", PROGRAM), ("pairs.json", "[[0, 1]]")):
        (folder / name).write_text(content)
    return folder


@contextmanager
def start_command(arguments: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a command line of privboost in a session of its own; its descendants inherit the mark."""
    # A shell ignores SIGINT in the background, nohup ignores SIGHUP, and programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "privboost", *shlex.split(arguments)],
            cwd=folder,
            env={**os.environ, MARK: str(folder)},
            stdout=out,
            stderr=err,
            text=True,
            start_new_session=True,
        )
    signal.signal(signal.SIGHUP, before)
    try:
        yield process
    finally:
        for left in [*find_marked(folder, process.pid), process.pid]:
            with suppress(ProcessLookupError):
                os.kill(left, signal.SIGKILL)
        process.wait()


def find_marked(folder: Path, parent: int, *, warden: bool = True) -> list[int]:
    """Return the processes that carry the mark of a folder or, as the warden does, watch the parent."""
    processes = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = process.cmdline()
            watches = warden and str(parent) in words and "descendants.py" in " ".join(words)
            if watches or process.environ().get(MARK) == str(folder):
                processes.append(process.pid)
    return [process for process in processes if process not in (parent, os.getpid())]


def wait_until(condition: Callable[[], object], seconds: float = LONGEST) -> bool:
    """Poll a condition; return whether it was true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def is_working(process: subprocess.Popen[str], folder: Path) -> bool:
    """Wait until a command reports progress; return whether it does so and is still running."""

    def reports() -> bool:
        return bool(WORKING.search((folder / "err").read_text("utf-8")))

    wait_until(lambda: process.poll() is not None or reports())
    return process.poll() is None and reports()


def stop_command(process: subprocess.Popen[str], folder: Path, stop: Callable[[], object]) -> Ending:
    """Stop a command that is at work, and wait for its end."""
    working = is_working(process, folder)
    others = find_marked(folder, process.pid, warden=False)
    stop()
    since = time.monotonic()
    with suppress(subprocess.TimeoutExpired):
        process.wait(LONGEST)
    seconds = time.monotonic() - since
    wait_until(lambda: not find_marked(folder, process.pid), PATIENCE)
    code = process.returncode if process.returncode is not None else 999
    left = find_marked(folder, process.pid)
    return Ending(len(others), code, seconds, len(left), last_line(folder) if working else ENDED_BEFORE)


def read_output(command: Path) -> str:
    """Return the messages and the result of the command that runs in a folder."""
    return "\n".join((command / name).read_text("utf-8") for name in ("err", "out"))


def last_line(folder: Path) -> str:
    """Return the last line of the result, or of the messages if there is no result."""
    # A report says which section comes next, after the result of the one before.
    lines = [
        line
        for line in read_output(folder).splitlines()
        if line and not re.search("before the end|: section ", line)
    ]
    return lines[-1] if lines else ""


def kill_command(name: str, number: signal.Signals) -> Ending:
    """Run a command, send it a signal, and describe its end."""
    with TemporaryDirectory(prefix="privboost-kills-") as made:
        folder = prepare(Path(made))
        with start_command(COMMANDS[name], folder) as process:
            ending = stop_command(process, folder, lambda: process.send_signal(number))
        if number is signal.SIGKILL and ("audit" in name or "study" in name) and ending.kept != ENDED_BEFORE:
            return replace(ending, kept=resume_command(name, folder, COMMANDS[name]))
        return ending


def resume_command(name: str, folder: Path, command: str) -> str:
    """Run a command again after it was killed, and return the line that says that it continues."""
    again = command + (" --resume" if "audit" in name else " --sample 40")

    def lines() -> list[str]:
        return [line for line in read_output(folder).splitlines() if RESUMED.search(line)]

    with start_command(again, folder) as process:
        wait_until(lambda: lines() or process.poll() is not None)
        return next(iter(lines()), NOT_RESUMED)


@contextmanager
def start_cluster(folder: Path) -> Iterator[tuple[str, dict[str, subprocess.Popen[bytes]]]]:
    """Start a Dask scheduler and two workers; yield its address and the processes by name."""
    address_file = folder / f"scheduler-{secrets.token_hex(4)}.json"
    with (folder / "cluster.log").open("wb") as log:
        processes = {
            name: subprocess.Popen(
                [
                    *(sys.executable, "-m", f"distributed.cli.dask_{name.rstrip('12')}", *words.split()),
                    *("--scheduler-file", str(address_file), "--no-dashboard"),
                ],
                cwd=folder,
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONPATH": str(folder)},
            )
            for name, words in (
                ("scheduler", "--port 0 --host 127.0.0.1"),
                *((f"worker{index}", "--nthreads 1 --no-nanny") for index in (1, 2)),
            )
        }
    try:
        if not wait_until(lambda: b"Registered to" in (folder / "cluster.log").read_bytes()):
            raise RuntimeError((folder / "cluster.log").read_text()[-500:])
        yield json.loads(address_file.read_text())["address"], processes
    finally:
        for process in processes.values():
            process.kill()
            process.wait()


def kill_cluster(name: str, victims: str) -> tuple[Ending, str]:
    """Kill the scheduler or all workers under a command; return its end, and what it says when run again."""
    with TemporaryDirectory(prefix="privboost-kills-") as made:
        folder = prepare(Path(made))
        with (
            start_cluster(folder) as (address, processes),
            start_command(f"{CLUSTERED[name]} --dask {address}", folder) as process,
        ):

            def stop() -> None:
                for victim, each in processes.items():
                    if victim.startswith(victims):
                        each.kill()

            ending = stop_command(process, folder, stop)
        reason = next(iter(CLUSTER_LOST.findall(" ".join(read_output(folder).split()))), NO_REASON)
        with start_cluster(folder) as (address, _):
            again = resume_command(name, folder, f"{CLUSTERED[name]} --dask {address}")
        return (ending if ending.kept == ENDED_BEFORE else replace(ending, kept=reason)), again


def signal_rows(name: str) -> Iterator[tuple[list[str], bool]]:
    """Yield the row of the table for every signal to a command, and whether it passes."""
    for number in SIGNALS:
        ending = kill_command(name, number)
        code = 128 + number if ending.code == -number else ending.code
        kept = ending.kept.replace(sys.executable, "python")
        shown = kept if len(kept) <= LONGEST_SHOWN else f"{kept[:LONGEST_SHOWN]}…"
        seconds = f"{ending.seconds:.1f} s"
        row = [name, number.name, str(ending.others), str(code), seconds, str(ending.left), shown]
        yield row, ending.passes(name, number)


def cluster_rows(name: str) -> Iterator[tuple[list[str], bool]]:
    """Yield the row of the table for the end of the scheduler and of the workers, and whether it passes."""
    for victims in ("scheduler", "worker"):
        ending, again = kill_cluster(name, victims)
        seconds = f"{ending.seconds:.1f} s"
        row = [name, victims, str(ending.code), seconds, str(ending.left), ending.kept, again]
        as_told = ending.kept not in (ENDED_BEFORE, NO_REASON) and again != NOT_RESUMED
        yield row, as_told and ending.code == 4 and ending.seconds <= TIMEOUT and not ending.left


def replace_lines(page: str, part: str, lines: Sequence[str]) -> str:
    """Return a page with other lines between the marks of a part."""
    before, begin, after = page.partition(f"<!-- {part}: begin -->\n")
    _, end, rest = after.partition(f"<!-- {part}: end -->")
    return "\n".join([before + begin + lines[0], *lines[1:], end + rest])


def format_table(part: str, rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    cells = [HEADS[part], ["---"] * len(HEADS[part]), *rows]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in cells]


def main() -> int:
    """Stop all commands and write the tables; the exit code is 1 if an ending is not as documented."""
    parser = argparse.ArgumentParser(description=__doc__)
    everything = [*COMMANDS, *CLUSTERED]
    parser.add_argument("--only", action="append", choices=everything, help="stop only this command")
    parser.add_argument("--output", type=Path, help="Markdown file whose tables are written, in one run")
    options = parser.parse_args()
    if options.output and options.only:
        parser.error("--output: expected no --only, since all rows of the page come from one run")
    rows: dict[str, list[list[str]]] = {part: [] for part in HEADS}
    failed = 0
    for name in options.only or everything:
        for row, passes in signal_rows(name) if name in COMMANDS else cluster_rows(name):
            print("  ".join(row) + ("" if passes else "  NOT AS DOCUMENTED"), flush=True)
            rows["processes" if name in COMMANDS else "clusters"].append(row)
            failed += not passes
    summary = f"{sum(map(len, rows.values()))} endings, {failed} not as documented"
    print(summary)
    if options.output:
        page = replace_lines(
            options.output.read_text("utf-8"), "run", [f"All rows come from one run: {summary}."]
        )
        for part, listed in rows.items():
            page = replace_lines(page, part, format_table(part, listed))
        options.output.write_text(page, "utf-8")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
