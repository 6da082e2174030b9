"""Run the experiments of the paper, as printed and repaired.

The data are a synthetic set, the UCI data sets of the paper (--data) or your own table (--table). Results are
kept in a file, so that a run can be stopped and continued.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from privboost.cli.arguments import (
    add_option,
    add_output,
    add_workers,
    common_options,
    usable_cores,
    whole_number,
)
from privboost.errors import NoVerdictError, UsageError, WorkersLostError
from privboost.extras import demand, install_line, is_installed
from privboost.files import prepare_directory, write_files
from privboost.printing import say
from privboost.progress import Watch, counting
from privboost.study.grid import FOLDS, GRIDS, configurations
from privboost.tables import Table
from privboost.workers.interrupts import ignore_further_stops

if TYPE_CHECKING:
    from privboost.study.data import DataSource
    from privboost.study.grid import Configuration
    from privboost.study.run import Progress

DEFAULT_STORE = Path("study.sqlite")
MEASURED = 250
PROJECTED_CORES = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    actions = parser.add_subparsers(title="actions", dest="action", metavar="ACTION", required=True)
    common = [common_options()]
    plan = actions.add_parser(
        "plan", help="count the models of a grid and estimate the time to train them", parents=common
    )
    _add_grid(plan)
    plan.add_argument(
        "--measure",
        type=whole_number(0, 10**6),
        default=MEASURED,
        metavar="N",
        help=f"number of configurations to time, of ten models each (default {MEASURED}; 0 for none)",
    )
    running = actions.add_parser(
        "run", help="run the configurations that are not in the store yet", parents=common
    )
    _add_grid(running)
    _add_store(running)
    add_workers(running, usable_cores(), "train models")
    add_option(
        running,
        "--timeout SECONDS",
        whole_number(1, 10**6),
        "with --dask: time without a worker or the scheduler after which the run ends",
        default=60,
    )
    report = actions.add_parser(
        "report", help="write tables, plots and an HTML page from the store", parents=common
    )
    _add_store(report)
    add_output(report)


def _add_grid(parser: argparse.ArgumentParser) -> None:
    """Declare the options that select configurations and data."""
    option = partial(add_option, parser)
    parser.add_argument(
        "--grid", choices=GRIDS, default="quick", help="set of configurations (default quick)"
    )
    parser.add_argument(
        "--quick", action="store_const", const="quick", dest="grid", help="same as --grid quick"
    )
    option(
        "--only NAME=A,B",
        str,
        "use only these values, such as epsilon=0.01,1 or domain=banknote; may be repeated",
        default=[],
        action="append",
    )
    option("--sample N", whole_number(1, 10**8), "run only N random configurations of the grid")
    option(
        "--repeats N",
        whole_number(1, 1000),
        "number of repetitions with different folds and noise",
        default=1,
    )
    option("--seed S", whole_number(0, 10**9 - 1), "random seed", default=0)
    data = parser.add_mutually_exclusive_group()
    add_option(data, "--data DIR", Path, "folder with the UCI data sets and MANIFEST.json")
    data.add_argument("--table", type=Path, metavar="FILE", help="your own data, as a CSV or Parquet file")
    option("--public FILE", Path, "with --table: TOML or JSON file with the schema of the public domain")
    option("--label COLUMN", str, "with --table: name of the label column", default="")
    option(
        "--positive CLASS", str, "with --table: positive class; all other classes are negative", default=""
    )


def _add_store(parser: argparse.ArgumentParser) -> None:
    option = partial(add_option, parser)
    option("--store FILE", Path, "file that keeps the results", default=DEFAULT_STORE)


def run(options: argparse.Namespace) -> Table:
    """Run the action that was selected."""
    actions: dict[str, Callable[[argparse.Namespace], Table]] = {
        "plan": _plan,
        "run": _run,
        "report": _report,
    }
    return actions[options.action](options)


def _source(options: argparse.Namespace) -> DataSource:
    """Return the source of the data, by default the synthetic set."""
    from privboost.study.data import DataSource

    return DataSource(
        options.data and options.data.resolve(),
        options.table and options.table.resolve(),
        options.label,
        options.positive,
        options.public and options.public.resolve(),
    )


def _select_configurations(options: argparse.Namespace, source: DataSource) -> list[Configuration]:
    """Return the selected configurations."""
    subset: dict[str, Sequence[str]] = {}
    for selection in options.only:
        name, equals, values = selection.partition("=")
        if not equals or not values:
            raise UsageError(f"only: expected NAME=VALUE,VALUE, got '{selection}'")
        if name in subset:
            raise UsageError(f"only: expected each name once, got '{name}' twice; write {name}=A,B")
        subset[name] = values.split(",")
    domains = source.names()
    if "domain" in subset:
        unknown = [name for name in subset["domain"] if name not in domains]
        if unknown:
            raise UsageError(f"only: expected domain among {', '.join(domains)}, got '{unknown[0]}'")
        domains = list(subset.pop("domain"))
    chosen = configurations(options.grid, domains, subset, options.repeats)
    if not chosen:
        raise UsageError("only: expected at least one configuration, got none")
    # The configurations are already in random order.
    return chosen[: options.sample] if options.sample else chosen


def _plan(options: argparse.Namespace) -> Table:
    """Return the number of models per learner, and the estimated time."""
    from privboost.study.models import Study
    from privboost.study.run import measure_speed

    source = _source(options)
    selected = _select_configurations(options, source)
    rows = []
    for learner in dict.fromkeys(sorted(c.learner for c in selected)):
        count = sum(c.learner == learner for c in selected)
        rows.append((learner, f"{count:,}", f"{FOLDS * count:,}"))
    rows.append(("all", f"{len(selected):,}", f"{FOLDS * len(selected):,}"))
    summary = f"{FOLDS * len(selected):,} models on {len({c.domain for c in selected})} domains"
    document: dict[str, object] = {"models": FOLDS * len(selected)}
    if options.measure:
        with counting("configurations timed", steady=True) as watch:
            speed = measure_speed(Study(source, options.seed), selected, options.measure, watch)
        hours, error = speed.hours(len(selected), PROJECTED_CORES)
        summary += (
            f"; {speed.models_per_second:,.0f} models per second and core, "
            f"{1000 * speed.seconds / FOLDS:.2f} ms each, from {FOLDS * speed.configurations:,} at random; "
            f"projected {_duration(hours)} ± {_duration(error)} on {PROJECTED_CORES} cores"
        )
        document |= {
            "measured_models": FOLDS * speed.configurations,
            "milliseconds_per_model": 1000 * speed.seconds / FOLDS,
            "projected_hours": hours,
            "projected_hours_error": error,
        }
    return Table(
        "study plan", ("learner", "configurations", "models"), tuple(rows), True, summary, None, document
    )


def _duration(hours: float) -> str:
    """Return a duration as a string with a unit."""
    if hours >= 1:
        return f"{hours:.2f} h"
    return f"{60 * hours:.1f} min" if 60 * hours >= 1 else f"{3600 * hours:.0f} s"


def _run(options: argparse.Namespace) -> Table:
    """Run the configurations, and return their number."""
    from privboost.study.data import load
    from privboost.study.models import Study
    from privboost.study.run import run_study
    from privboost.study.store import Store
    from privboost.workers.pool import start_workers

    source = _source(options)
    selected = _select_configurations(options, source)
    for name in dict.fromkeys(configuration.domain for configuration in selected):
        # Reject unreadable data before a store is created.
        load(source, name)
    if not is_installed("numba"):
        say(f"numba is missing, so models take hundreds of times longer; run: {install_line('compiled')}")
    started = time.monotonic()
    with Store.for_run(options.store, options.seed) as store:
        before = len(store.keys())
        try:
            with (
                start_workers(options.jobs, options.dask, options.timeout) as workers,
                Watch(_progress_line, steady=workers.executor is None) as watch,
            ):
                study = Study(source, options.seed)
                done = run_study(
                    study, selected, store, executor=workers.executor, workers=workers.count, progress=watch
                )
        except (KeyboardInterrupt, BrokenExecutor, WorkersLostError) as error:
            ignore_further_stops()
            kept = f"{len(store.keys()) - before:,} configurations kept in '{options.store}'"
            say(f"{kept}; run the same command again to continue")
            if isinstance(error, BrokenExecutor):
                raise NoVerdictError("a worker process was killed, perhaps because memory ran out") from None
            raise
    seconds = time.monotonic() - started
    rows = (
        ("asked for", f"{len(selected):,}"),
        ("already there", f"{len(selected) - done:,}"),
        ("run", f"{done:,}"),
    )
    summary = f"{done:,} configurations in {_duration(seconds / 3600)}, kept in '{options.store}'"
    return Table("study run", ("configurations", "number"), rows, True, summary)


def _progress_line(seconds: float, progress: Progress) -> str:
    """Return the progress of a run, its rate and the remaining time."""
    rate = progress.done / max(seconds, 1e-9)
    # The share of the last batch may exceed 1 by rounding.
    left = max(seconds / progress.share - seconds, 0.0) if progress.share else None
    time_left = "" if left is None else f", {_duration(left / 3600)} left"
    return (
        f"{progress.done:,} of {progress.of:,} configurations, {rate:,.0f}/s{time_left}; "
        "Ctrl-C stops and keeps the results"
    )


def _report(options: argparse.Namespace) -> Table:
    """Write the report, and return the list of its files."""
    demand("study report", "pandas", "matplotlib", extra="study")
    from privboost.study.report.page import report_files
    from privboost.study.report.results import Results
    from privboost.study.store import Store

    with Store.for_reading(options.store) as store, counting("outcomes read") as watch:
        prepare_directory(options.output)
        results = Results.of(store, watch)
    written = write_files(options.output, report_files(results))
    rows = tuple((path.name, f"{path.stat().st_size:,}") for path in written)
    return Table("study report", ("file", "bytes"), rows, True, f"open '{options.output / 'study.html'}'")
