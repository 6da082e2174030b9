"""Tasks of a scoreboard: one run of the gate, an audit or a check of stability, each in a process of its own.

What a task writes stays in its folder. A task is done if its record has the digest of all that it depends on,
so that a run that was stopped continues, and a changed adapter is asked again.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

from privboost import __version__
from privboost.environments import run_program
from privboost.files import prepare_directory, write_files
from privboost.gate.profiles import load_profile

from .libraries import Library, LibraryTrial

GATE, PROFILE = "gate", "mechanisms"
GATE_FILES = ("json", "html", "badge")
REPORTS = {GATE: "gate.json", "audit": "report.json", "stability": "report.json"}
"""The report of each tool in the folder of its task."""
RECORD = "record.json"
VERDICTS = frozenset({0, 1, 4})
"""Exit codes with which a tool has said all that it has to say."""


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """What is noted about a task that is done."""

    digest: str
    exit_code: int
    date: str
    seconds: float


@dataclass(frozen=True, slots=True)
class LibraryTask:
    """A run of a tool on a library."""

    library: Library
    name: str
    """`gate`, or the tool and its number."""
    tool: str
    arguments: tuple[str, ...]
    """The command line after `privboost`, to be run in the folder of the adapters."""
    folder: Path
    """Where its results are."""
    digest: str
    trial: LibraryTrial | None = None

    @property
    def command(self) -> str:
        """Return the command line that runs the task again."""
        return shlex.join(("privboost", *self.arguments))

    @property
    def report(self) -> Path:
        """Return the path of the report."""
        return self.folder / REPORTS[self.tool]

    @property
    def witness(self) -> Path:
        """Return the path of the witness file, which gates do not write."""
        return self.folder / "witness.json"

    def read_record(self) -> TaskRecord | None:
        """Return the record of the task; None if it is not done, or was done with other files or versions."""
        try:
            record = TaskRecord(**json.loads((self.folder / RECORD).read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None
        return record if record.digest == self.digest and self.report.is_file() else None


def make_tasks(
    library: Library, interpreters: dict[str, str], results: Path, seed: int, timeout: float
) -> tuple[LibraryTask, ...]:
    """Return the tasks of a library.

    `interpreters` has the beginning of a command line for each word that stands for an interpreter.
    """

    def replace_words(target: str) -> str:
        for word, words in interpreters.items():
            target = target.replace(word, words)
        return target

    def task(
        name: str, tool: str, arguments: tuple[str, ...], trial: LibraryTrial | None = None
    ) -> LibraryTask:
        arguments = (tool, *arguments, "--seed", str(seed))
        # New test vectors are asked, too.
        files = f"{library.digest} {vectors}" if trial is None else library.trials_digest
        digest = hashlib.sha256("\0".join((__version__, files, *arguments)).encode()).hexdigest()
        return LibraryTask(library, name, tool, arguments, results / library.name / name, digest, trial)

    vectors = load_profile(PROFILE).vectors.release
    known = ("--xfails", library.known.name) if library.known is not None else ()
    gate = (
        f"cmd:{replace_words(library.program)}",
        "--profile",
        PROFILE,
        "--timeout",
        f"{library.timeout or timeout:g}",
        *known,
    )
    return (
        task(GATE, GATE, gate),
        *(
            task(f"{trial.tool}-{number}", trial.tool, (replace_words(trial.target), *trial.options), trial)
            for number, trial in enumerate(library.trials, 1)
        ),
    )


def run_task(task: LibraryTask, stop: Event, report: Callable[[str], object] | None = None) -> str:
    """Run a task and note that it is done; return why there is no verdict, or nothing.

    `report` gets the progress that the tool prints.

    Ensures: a task that is stopped leaves no record, and its process has ended.
    """
    prepare_directory(task.folder)
    for stale in (task.folder / RECORD, task.report, task.witness):
        stale.unlink(missing_ok=True)
    folder = task.folder.resolve()
    outputs = ["--output", str(folder)]
    if task.tool == GATE:
        names = {kind: "badge.svg" if kind == "badge" else f"gate.{kind}" for kind in GATE_FILES}
        outputs = [word for kind, name in names.items() for word in (f"--{kind}", str(folder / name))]
    command = [sys.executable, "-P", "-m", "privboost", *task.arguments, *outputs]
    started = time.monotonic()
    code, messages = run_program(command, stop, task.library.folder, report)
    if stop.is_set() and code not in VERDICTS:
        return "stopped"
    if code not in VERDICTS or not task.report.is_file():
        lines = [line for line in messages.splitlines() if line.strip()]
        said = lines[-1] if lines else "nothing was printed"
        return f"exit code {code}: {said.strip()}"
    if task.tool == GATE and (silence := _find_silence(task.report)):
        return silence
    today = datetime.now(UTC).date().isoformat()
    record = TaskRecord(task.digest, code, today, round(time.monotonic() - started, 1))
    write_files(task.folder, {RECORD: json.dumps(asdict(record), indent=1).encode() + b"\n"})
    return ""


def _find_silence(report: Path) -> str:
    """Return why an adapter did not answer `hello`; empty if it did."""
    document = json.loads(report.read_text("utf-8"))
    if document["hello"] is not None:
        return ""
    messages = [each["message"] for each in document["outcomes"] if "message" in each]
    said = messages[0].strip().splitlines()[-1] if messages else document["ended"]
    return f"the adapter did not answer hello: {said}"
