"""Measure the errors of auditors on mechanisms of known privacy loss.

Null runs audit claims that are true and count false violations. Long runs show how close the bounds come.
With --auditor another auditor is judged, on the same outputs as ours: how often its lower bounds are false,
and how close they come.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from privboost.cli.arguments import add_jobs, add_option, add_output, whole_number
from privboost.cli.exit_codes import INTERRUPTED
from privboost.errors import UsageError
from privboost.files import prepare_directory, write_files
from privboost.progress import counting
from privboost.tables import Format, Table, render

from .calibrate_auditors import CALLS as AUDITOR_CALLS
from .calibrate_auditors import add_auditor_arguments, judge

if TYPE_CHECKING:
    from privboost.auditor.calibration import Calibration, Task

RUNS, CALLS, LONG_RUNS, LONGEST = 2_000, 500, 5, 100_000
QUICK_RUNS, QUICK_LONG_RUNS, QUICK_LONGEST = 100, 2, 10_000
QUICK = ("laplace", "randomised_response", "clamped_leaf", "exponential_split")
TABLE = (
    *QUICK,
    "geometric",
    "truncated_geometric",
    "permute_and_flip_split",
    "noisy_max_index",
    "published_sometimes",
    "published_left",
    "gaussian",
    "revealed_sometimes",
    "gaussian_gdp",
    "gaussian_curve",
    "finite_tree",
    "word",
    "sentence",
    "record",
)
"""Mechanisms that are calibrated by default, one of each kind."""

EPILOG = """
For other auditors see docs/calibrate.md.

Exit codes: 0 no evidence of too many errors, 1 the rate of errors exceeds its level with evidence, 2 bad
command line, 3 privboost is broken, 4 another auditor gives no bounds for some runs, 130 interrupted (Ctrl-C;
143 by SIGTERM, 129 by SIGHUP); what is done is shown.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the mechanisms, and the number and length of their runs."""
    option = partial(add_option, parser)
    parser.epilog = EPILOG.strip()
    parser.add_argument(
        "mechanisms",
        nargs="*",
        metavar="MECHANISM",
        help=f"mechanisms to use, or 'all' (default: {len(TABLE)} of different kinds)",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"use {len(QUICK)} mechanisms, {QUICK_RUNS} null runs and long runs of {QUICK_LONGEST} calls",
    )
    option("--runs N", whole_number(1, 10**6), f"number of null runs of each mechanism (default {RUNS})")
    option(
        "--calls N",
        whole_number(50, 10**6),
        f"maximum number of calls in a null run (default {CALLS}; with --auditor {AUDITOR_CALLS}, and exact)",
    )
    option(
        "--long-runs N",
        whole_number(1, 10**4),
        f"number of runs of {LONGEST} calls of each mechanism (default {LONG_RUNS})",
    )
    add_jobs(parser)
    add_output(parser, required=False)
    add_auditor_arguments(parser)


def run(options: argparse.Namespace) -> Table:
    """Return one row per mechanism; the table conforms if no rate of false violations is too high."""
    from privboost.auditor.calibration import calibrate, tasks_of
    from privboost.auditor.mechanisms.private import MECHANISMS

    if options.auditor:
        return judge(options)
    for name in ("level", "delta"):
        if getattr(options, name) is not None:
            raise UsageError("expected --auditor with it", argument=name)
    if options.output is not None:
        prepare_directory(options.output)
    quick = options.quick
    given = tuple(MECHANISMS) if options.mechanisms == ["all"] else options.mechanisms
    names = given or (QUICK if quick else TABLE)
    tasks = tasks_of(
        names,
        options.runs or (QUICK_RUNS if quick else RUNS),
        options.calls or CALLS,
        options.long_runs or (QUICK_LONG_RUNS if quick else LONG_RUNS),
        QUICK_LONGEST if quick else LONGEST,
    )
    with counting("tasks done") as watch:
        calibrations = calibrate(tasks, options.jobs, watch)
    table = table_of(calibrations, is_complete(calibrations, tasks))
    if options.output is not None:
        files = {"calibration.json": Format.JSON, "calibration.md": Format.MARKDOWN}
        contents = {name: render(table, style).encode() for name, style in files.items()}
        table = replace(table, write=partial(write_files, options.output, contents))
    return table


def is_complete(calibrations: Sequence[Calibration], tasks: Sequence[Task]) -> bool:
    """Return whether all tasks were done, none left out because of an interrupt."""
    done = sum(entry.runs + len(entry.bounds) for entry in calibrations)
    return done == sum(len(task.runs) for task in tasks)


def table_of(calibrations: list[Calibration], complete: bool) -> Table:
    """Return the calibrations as a table."""
    from privboost.auditor.calibration import ERROR, INTERVAL, LENGTHS, exact_claim

    columns = (
        "mechanism",
        "claim",
        "null runs",
        "calls",
        "false violations",
        "rate",
        f"{INTERVAL:.0%} interval",
    )
    # A length that no run has reached gets no column.
    reached = max((len(entry.ratios()) for entry in calibrations if entry.bounds), default=0)
    lengths = [f"bound/exact at {length:,}" for length in LENGTHS[:reached]]
    rows = []
    for entry in calibrations:
        low, high = entry.interval()
        ratios = [_ratio(mean, error) for mean, error in entry.ratios()] if entry.bounds else []
        rows.append(
            (
                entry.known.name,
                str(exact_claim(entry.known)),
                str(entry.runs),
                str(entry.calls),
                str(entry.refuted),
                f"{entry.rate:.2%}",
                f"{low:.2%} to {high:.2%}",
                *ratios,
                *[""] * (len(lengths) - len(ratios)),
            )
        )
    conforming = all(entry.holds for entry in calibrations)
    runs = sum(entry.runs for entry in calibrations)
    refuted = sum(entry.refuted for entry in calibrations)
    stopped = "" if complete else "stopped early: "
    violations = "false violation" if refuted == 1 else "false violations"
    summary = f"{stopped}{refuted} {violations} in {runs} null runs; at most {ERROR:.0%} are allowed"
    code = INTERRUPTED if conforming and not complete else None
    return Table("calibrate", (*columns, *lengths), tuple(rows), conforming, summary, code)


def _ratio(mean: float, error: float) -> str:
    """Return a mean with its standard error, which one run alone does not have."""
    return f"{mean:.2f}" if math.isnan(error) else f"{mean:.2f} ± {error:.2f}"
