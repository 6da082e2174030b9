"""Ask several libraries, each by its adapter, and write one page with the verdicts.

FOLDER has one adapter for each library: a program NAME_adapter.py or NAME_adapter.js that answers the gate
(`privboost gate --profile mechanisms --skeleton python` prints one to start from). Beside it NAME.txt or
NAME.package.json lists what is installed for it, NAME.known.txt its known failures, and NAME.toml audits and
checks of stability.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privboost.cli.arguments import add_option, add_output, number_between, seed, whole_number
from privboost.cli.exit_codes import CONFORMING, INTERRUPTED, NO_VERDICT
from privboost.errors import UsageError
from privboost.files import prepare_directory
from privboost.progress import Watch
from privboost.tables import Table
from privboost.workers.interrupts import ignore_further_stops

if TYPE_CHECKING:
    from privboost.scoreboard.run import AskingProgress

DEFAULT_TIMEOUT = 300
"""Some libraries need minutes for the draws of one request."""

EPILOG = """
The output folder gets index.html, a page for each library, index.json, scoreboard.md, badges, the refuted
claims in findings.md (those with a public issue) and unpublished.md (for the maintainers first), and in
results/ what the gate, audits and checks of stability have written. A second run asks only what is missing or
has changed, so that one that was stopped continues.

For a first run see docs/scoreboard.md.

Exit codes: 0 every library was asked, whatever the verdicts, 2 bad command line, 3 privboost is broken,
4 a library was not asked: it is not installed, does not answer, or the time was over, 130 interrupted
(Ctrl-C; 143 by SIGTERM, 129 by SIGHUP); the page of what is known is written.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder of the adapters, what is installed, and how long it may take."""
    option = partial(add_option, parser)
    parser.epilog = EPILOG.strip()
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder with an adapter for each library")
    add_output(parser)
    parser.add_argument(
        "--install",
        action="store_true",
        help="install what libraries require, each in an environment of its own",
    )
    option(
        "--environments DIR",
        Path,
        "folder of the environments",
        default=Path("environments"),
    )
    option(
        "--only NAME",
        str,
        "ask only this library; the others keep their results; may be repeated",
        default=[],
        action="append",
    )
    option("--minutes M", number_between(0, 100_000), "stop after this time; a second run continues")
    option(
        "--timeout S",
        number_between(0, 100_000),
        "timeout for each answer to the gate, in seconds",
        default=DEFAULT_TIMEOUT,
    )
    option("--jobs N", whole_number(1, 64), "ask N libraries at a time", default=1)
    option("--seed S", seed, "seed of random requests", default=0)


def run(options: argparse.Namespace) -> Table:
    """Ask the libraries, and return the table of their verdicts."""
    from privboost.scoreboard.index import make_index
    from privboost.scoreboard.libraries import read_libraries
    from privboost.scoreboard.run import ScoreboardPlan, read_rows, run_scoreboard

    libraries = read_libraries(options.folder)
    names = [library.name for library in libraries]
    for name in options.only:
        if name not in names:
            raise UsageError(f"expected one of {', '.join(names)}, got '{name}'", argument="only")
    prepare_directory(options.output)
    plan = ScoreboardPlan(
        libraries,
        options.output / "results",
        options.environments,
        only=frozenset(options.only),
        install=options.install,
        seed=options.seed,
        timeout=float(options.timeout),
        minutes=None if options.minutes is None else float(options.minutes),
        jobs=options.jobs,
    )
    stopped = False
    try:
        with Watch(progress_line, steady=True) as watch:
            rows = run_scoreboard(plan, watch)
    except KeyboardInterrupt:
        rows, stopped = read_rows(plan), True
    ignore_further_stops()
    shown = [row for row in rows if row.library.name in (options.only or names) or row.is_begun]
    index = make_index(shown, options.output)
    table = _table(index, options.only or names)
    is_complete = all(row.is_complete for row in rows if row.library.name in (options.only or names))
    code = CONFORMING if is_complete else NO_VERDICT
    files = partial(_write, options.output, index)
    return replace(table, exit_code=INTERRUPTED if stopped else code, write=files)


def progress_line(seconds: float, progress: AskingProgress) -> str:
    """Return how many libraries are done, and what is running."""
    running = f": {', '.join(progress.running)}" if progress.running else ""
    return f"{progress.done} of {progress.of} libraries asked, {seconds:.0f} s{running}"


def _table(index: dict[str, Any], asked: Sequence[str]) -> Table:
    """Return one row for every operation of every library, and what is missing of those that were asked."""
    from privboost.scoreboard.index import summarise

    columns = ("library", "version", "operation", "verdict", "right", "failed", "known")
    rows = tuple(summarise(index))
    libraries = [each for each in index["libraries"] if each["name"] in asked]
    complete = sum(each["complete"] for each in libraries)
    lines = [f"{complete} of {len(libraries)} libraries were asked everything."]
    for each in libraries:
        reasons = [each["problem"], *(f"{name}: {why}" for name, why in each["faults"].items())]
        reasons = [reason for reason in reasons if reason]
        if not each["complete"]:
            lines.append(
                f"{each['name']}: {'; '.join(reasons) or 'not run; run the command again to continue'}"
            )
    return Table("scoreboard", columns, rows, summary="\n".join(lines), document={"index": index})


def _write(output: Path, index: dict[str, Any]) -> None:
    from privboost.scoreboard.saving import save_scoreboard

    save_scoreboard(index, output)
