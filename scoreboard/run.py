"""Run the tasks of a scoreboard: make environments, and ask every library what it was not asked yet."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, Lock

from privboost.environments import Environment, InstallError, find_environment, is_for_node, make_environment

from .libraries import NODE, PYTHON, Library
from .tasks import LibraryTask, make_tasks, run_task

Make = Callable[[Path, Path], Environment]
POLL = 0.5
"""Seconds after which the time budget is looked at."""


@dataclass(frozen=True, slots=True)
class ScoreboardPlan:
    """What a scoreboard runs, and where its files are."""

    libraries: tuple[Library, ...]
    results: Path
    environments: Path
    only: Collection[str] = ()
    """Names of the libraries that are asked, all if it is empty; the others keep their results."""
    install: bool = False
    """Whether missing environments are made."""
    seed: int = 0
    timeout: float = 300.0
    """Seconds for one answer to the gate."""
    minutes: float | None = None
    jobs: int = 1


@dataclass(slots=True)
class LibraryRow:
    """A library with its tasks."""

    library: Library
    tasks: tuple[LibraryTask, ...] = ()
    problem: str = ""
    """Why nothing could be asked."""
    faults: dict[str, str] = field(default_factory=dict)
    """Why a task has no verdict, by its name."""

    @property
    def is_complete(self) -> bool:
        """Return whether all tasks are done."""
        return not self.problem and all(task.read_record() for task in self.tasks)

    @property
    def is_begun(self) -> bool:
        """Return whether a task is done."""
        return any(task.read_record() for task in self.tasks)


@dataclass(slots=True)
class AskingProgress:
    """What is done, and what is running now."""

    done: int = 0
    of: int = 0
    running: list[str] = field(default_factory=list)


def run_scoreboard(
    plan: ScoreboardPlan, report: Callable[[AskingProgress], object], stop: Event | None = None
) -> tuple[LibraryRow, ...]:
    """Ask the libraries of a plan, and return a row for each.

    Ensures: when KeyboardInterrupt is raised, or the time is over, all processes have ended and every task
        that was done has its record.
    """
    stop = stop or Event()
    rows = tuple(LibraryRow(library) for library in plan.libraries)
    asked = [row for row in rows if not plan.only or row.library.name in plan.only]
    progress, lock = AskingProgress(of=len(asked)), Lock()
    ends = None if plan.minutes is None else time.monotonic() + 60 * plan.minutes

    def ask(row: LibraryRow) -> None:
        prepare(row, plan, partial(install, row.library.name) if plan.install else None)
        for task in row.tasks:
            if stop.is_set():
                return
            if task.read_record() is None:
                running = f"{row.library.name} {task.name}"
                show(row.library.name, running)
                fault = run_task(task, stop, partial(tell, row.library.name, running))
                if fault:
                    row.faults[task.name] = fault

    def install(name: str, requirements: Path, folder: Path) -> Environment:
        return make_environment(requirements, folder, lambda what: show(name, f"{name}: {what}"), stop)

    def tell(name: str, running: str, line: str) -> None:
        show(name, f"{running}: {line.removeprefix('privboost: ')}")

    def show(name: str, what: str) -> None:
        with lock:
            progress.running = [each for each in progress.running if each.split()[0].rstrip(":") != name]
            progress.running += [what] if what else []
            report(progress)

    def ask_and_count(row: LibraryRow) -> None:
        try:
            ask(row)
        except BaseException:
            # The thread would begin with the next library before the others hear of it.
            stop.set()
            raise
        progress.done += 1
        show(row.library.name, "")

    with ThreadPoolExecutor(plan.jobs) as pool:
        pending = {pool.submit(ask_and_count, row) for row in asked}
        try:
            while pending:
                done, pending = wait(pending, POLL, FIRST_COMPLETED)
                for each in done:
                    each.result()
                if ends is not None and time.monotonic() > ends:
                    stop.set()
        finally:
            # The pool waits for its threads, whose processes end now.
            stop.set()
    for row in rows:
        if row not in asked:
            prepare(row, plan)
    return rows


def read_rows(plan: ScoreboardPlan) -> tuple[LibraryRow, ...]:
    """Return the rows of a plan with the results that exist."""
    rows = tuple(LibraryRow(library) for library in plan.libraries)
    for row in rows:
        prepare(row, plan)
    return rows


def prepare(row: LibraryRow, plan: ScoreboardPlan, make: Make | None = None) -> None:
    """Find the environment of a library, or make it, and list the library's tasks."""
    library = row.library
    interpreters = {PYTHON: shlex.quote(sys.executable), NODE: "node"}
    if library.requirements is not None:
        folder = plan.environments / library.name
        try:
            environment = find_environment(library.requirements, folder)
            if environment is None and make is not None:
                environment = make(library.requirements, folder)
        except InstallError as error:
            row.problem = f"cannot be installed: {error.messages.splitlines()[-1] if error.messages else ''}"
            return
        if environment is None:
            row.problem = "not installed; --install makes its environment"
            return
        word = NODE if is_for_node(library.requirements) else PYTHON
        interpreters[word] = environment.command(library.folder)
    row.tasks = make_tasks(library, interpreters, plan.results, plan.seed, plan.timeout)
