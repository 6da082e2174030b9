"""Stop every long command by every signal, and clusters under running commands; tabulate what is left.

`make kills` runs this on a machine with /proc and rewrites docs/kills.md. A command passes if it has the exit
code of its signal, no process is left five seconds later, and what it had is printed or can be resumed. After
the end of a cluster, it passes if it ends within its timeout without a verdict, and can be resumed.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
RUNNING, PATIENCE, LONGEST = 5.0, 5.0, 120.0
"""Seconds before the signal, after which nothing may be left, and that a command may take to end."""
TIMEOUT = 10
"""Seconds within which a command ends after its cluster is gone."""
LONGEST_SHOWN = 110
NOT_RESUMED = "not resumed"
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
    "study on Dask": f"study run --grid main --timeout {TIMEOUT}",
}
HEADS = {
    "processes": ["command", "signal", "exit code", "ended after", "left", "what is kept"],
    "clusters": ["command", "killed", "exit code", "ended after", "left", "last message", "run again"],
}
"""The columns of the tables."""
RESUMED = {
    name: "resuming after" if "audit" in name else "already there"
    for name in (*COMMANDS, *CLUSTERED)
    if "audit" in name or "study" in name
}
"""What a command says when it continues after SIGKILL."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended after a signal."""

    code: int
    seconds: float
    left: int
    kept: str
    """The last line of its result, or what it says when it is run again."""

    def passes(self, number: signal.Signals) -> bool:
        """Return whether the exit code is that of the signal and nothing is left."""
        wanted = -number if number is signal.SIGKILL else 128 + number
        return self.code == wanted and not self.left


def prepare(folder: Path) -> None:
    """Write the files that the commands need."""
    (folder / "slow.py").write_text(MODULE)
    (folder / "program.py").write_text(PROGRAM)
    (folder / "pairs.json").write_text("[[0, 1]]")


@contextmanager
def started(arguments: str, folder: Path, mark: str) -> Iterator[subprocess.Popen[str]]:
    """Run a command line of privboost in a session of its own; every descendant inherits the mark."""
    # A shell ignores SIGINT in the background, nohup ignores SIGHUP, and programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "privboost", *shlex.split(arguments)],
            cwd=folder,
            env={**os.environ, "KILLS_MARK": mark},
            stdout=out,
            stderr=err,
            text=True,
            start_new_session=True,
        )
    signal.signal(signal.SIGHUP, before)
    try:
        yield process
    finally:
        for left in [*marked(mark, process.pid), process.pid]:
            with suppress(ProcessLookupError):
                os.kill(left, signal.SIGKILL)
        process.wait()


def marked(mark: str, parent: int) -> list[int]:
    """Return the processes that carry a mark or watch the parent, without those that have ended."""
    processes = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            watches = (
                len(words) > 2 and b"descendants.py" in b" ".join(words) and str(parent).encode() in words
            )
            if mark.encode() in (folder / "environ").read_bytes() or watches:
                processes.append(int(folder.name))
    return [process for process in processes if process not in (parent, os.getpid())]


def wait_for_work(folder: Path) -> None:
    """Wait until a command has said something, which it does when it works, and a while longer."""
    deadline = time.monotonic() + LONGEST
    while not (folder / "err").stat().st_size and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(RUNNING)


def ended(process: subprocess.Popen[str], folder: Path, mark: str) -> Ending:
    """Wait for the end of a command that got a signal."""
    since = time.monotonic()
    with suppress(subprocess.TimeoutExpired):
        process.wait(LONGEST)
    seconds = time.monotonic() - since
    while (left := marked(mark, process.pid)) and time.monotonic() - since < seconds + PATIENCE:
        time.sleep(0.1)
    code = process.returncode if process.returncode is not None else 999
    return Ending(code, seconds, len(left), last_line(folder))


def last_line(folder: Path) -> str:
    """Return the last line of the result, or of the messages if there is no result."""
    said = "\n".join((folder / name).read_text("utf-8") for name in ("err", "out"))
    lines = [line for line in said.splitlines() if line and "stopped before the end" not in line]
    return lines[-1] if lines else ""


def killed(name: str, number: signal.Signals) -> Ending:
    """Run a command, send it a signal, and describe its end."""
    with TemporaryDirectory(prefix="privboost-kills-") as made:
        folder, mark = Path(made), secrets.token_hex(8)
        prepare(folder)
        with started(COMMANDS[name], folder, mark) as process:
            wait_for_work(folder)
            process.send_signal(number)
            ending = ended(process, folder, mark)
        if number is signal.SIGKILL and name in RESUMED:
            return Ending(ending.code, ending.seconds, ending.left, resumed(name, folder, COMMANDS[name]))
        return ending


def resumed(name: str, folder: Path, command: str) -> str:
    """Run a command again after it was killed, and return the line that says that it continues."""
    again = command + (" --resume" if "audit" in name else " --sample 40")
    mark = secrets.token_hex(8)
    with started(again, folder, mark) as process:
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            said = (folder / "out").read_text() + (folder / "err").read_text()
            lines = [line for line in said.splitlines() if RESUMED[name] in line]
            if lines or process.poll() is not None:
                return lines[0] if lines else NOT_RESUMED
            time.sleep(0.2)
    return NOT_RESUMED


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, dict[str, subprocess.Popen[bytes]]]]:
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
        deadline = time.monotonic() + LONGEST
        while b"Registered to" not in (folder / "cluster.log").read_bytes():
            if time.monotonic() > deadline:
                raise RuntimeError((folder / "cluster.log").read_text()[-500:])
            time.sleep(0.2)
        yield json.loads(address_file.read_text())["address"], processes
    finally:
        for process in processes.values():
            process.kill()
            process.wait()


def cluster_killed(name: str, victims: str) -> list[str]:
    """Kill the scheduler or all workers under a command, and run it again on a new cluster."""
    with TemporaryDirectory(prefix="privboost-kills-") as made:
        folder, mark = Path(made), secrets.token_hex(8)
        prepare(folder)
        with (
            cluster(folder) as (address, processes),
            started(f"{CLUSTERED[name]} --dask {address}", folder, mark) as process,
        ):
            wait_for_work(folder)
            for victim, killed_process in processes.items():
                if victim.startswith(victims):
                    killed_process.kill()
            ending = ended(process, folder, mark)
        with cluster(folder) as (address, _):
            again = resumed(name, folder, f"{CLUSTERED[name]} --dask {address}")
        shown = f"{ending.seconds:.1f} s"
        return [name, victims, str(ending.code), shown, str(ending.left), ending.kept, again]


def signal_rows(name: str) -> Iterator[tuple[list[str], bool]]:
    """Yield the row of the table for every signal to a command, and whether it passes."""
    for number in SIGNALS:
        ending = killed(name, number)
        code = 128 + number if ending.code == -number else ending.code
        kept = ending.kept.replace(sys.executable, "python")
        shown = kept if len(kept) <= LONGEST_SHOWN else f"{kept[:LONGEST_SHOWN]}…"
        row = [name, number.name, str(code), f"{ending.seconds:.1f} s", str(ending.left), shown]
        yield row, ending.passes(number)


def cluster_rows(name: str) -> Iterator[tuple[list[str], bool]]:
    """Yield the row of the table for the end of the scheduler and of the workers, and whether it passes."""
    for victims in ("scheduler", "worker"):
        row = cluster_killed(name, victims)
        in_time = float(row[3].removesuffix(" s")) <= TIMEOUT
        yield row, row[2] == "4" and in_time and row[4] == "0" and row[-1] != NOT_RESUMED


def with_lines(page: str, part: str, lines: Sequence[str]) -> str:
    """Return a page with other lines between the marks of a part."""
    before, begin, after = page.partition(f"<!-- {part}: begin -->\n")
    _, end, rest = after.partition(f"<!-- {part}: end -->")
    return "\n".join([before + begin + lines[0], *lines[1:], end + rest])


def table(part: str, rows: Sequence[Sequence[str]]) -> list[str]:
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
        page = with_lines(
            options.output.read_text("utf-8"), "run", [f"All rows come from one run: {summary}."]
        )
        for part, listed in rows.items():
            page = with_lines(page, part, table(part, listed))
        options.output.write_text(page, "utf-8")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
