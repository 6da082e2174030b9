"""Judge other auditors on mechanisms of known loss: the options and the table of `calibrate --auditor`."""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from privboost.cli.arguments import add_option, number_between, whole_number
from privboost.cli.exit_codes import CONFORMING, INTERRUPTED, NO_VERDICT, NOT_CONFORMING
from privboost.errors import UsageError
from privboost.files import prepare_directory, write_files
from privboost.progress import counting
from privboost.tables import Format, Table, render

if TYPE_CHECKING:
    from privboost.auditor.judging.trials import JudgedAuditor, JudgedCase

RUNS, CALLS, QUICK_RUNS = 200, 1_000, 50
QUICK = ("laplace", "randomised_response")
LEVEL, DELTA, TIMEOUT = 0.05, 1e-5, 60
COLUMNS = (
    "auditor",
    "mechanism",
    "exact ε",
    "δ",
    "runs",
    "false",
    "rate",
    "interval",
    "bound/exact",
    "without a bound",
)


def add_auditor_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the auditors to judge, and what they are told."""
    group = parser.add_argument_group("other auditors")
    option = partial(add_option, group)
    option(
        "--auditor TARGET",
        str,
        "judge this auditor instead of ours: module:bound, file.py:bound or 'cmd:./program'; may be repeated",
        default=[],
        action="append",
    )
    option("--level P", number_between(0, 1), f"error probability that it is told (default {LEVEL})")
    option("--delta D", number_between(0, 1), f"δ of mechanisms that need none (default {DELTA:g})")
    option("--timeout S", whole_number(1, 86_400), "timeout for each bound, in seconds", default=TIMEOUT)


def judge(options: argparse.Namespace) -> Table:
    """Judge the auditors, and return one row for each on every case."""
    from privboost.auditor.judging.programs import auditor_of, check_auditor
    from privboost.auditor.judging.trials import ONE_NUMBER, judge_auditors, judging_cases

    level = LEVEL if options.level is None else float(options.level)
    if not 0 < level <= 1 / 2:
        raise UsageError(f"expected a number above 0 and at most 1/2, got {level:g}", argument="level")
    delta = DELTA if options.delta is None else float(options.delta)
    if options.long_runs is not None:
        raise UsageError("expected no number of long runs with --auditor", argument="long_runs")
    if options.output is not None:
        prepare_directory(options.output)
    names = options.mechanisms or (QUICK if options.quick else ONE_NUMBER)
    cases = judging_cases(ONE_NUMBER if names == ["all"] else names, delta)
    targets = [auditor_of(each, options.timeout) for each in dict.fromkeys(options.auditor)]
    names_and_versions = [check_auditor(target) for target in targets]
    with counting("tasks done") as watch:
        judged = judge_auditors(
            targets,
            names_and_versions,
            cases,
            runs=options.runs or (QUICK_RUNS if options.quick else RUNS),
            calls=options.calls or CALLS,
            level=level,
            jobs=options.jobs,
            progress=watch,
        )
    table = judged_table(judged)
    if options.output is not None:
        table = replace(table, write=partial(_write, options, table, judged))
    return table


def _write(options: argparse.Namespace, table: Table, judged: Sequence[JudgedAuditor]) -> None:
    from privboost.auditor.files.judging_page import render_judged

    command = f"privboost {shlex.join(sys.argv[1:])}"
    contents = {
        "calibration.json": render(table, Format.JSON).encode(),
        "calibration.md": render(table, Format.MARKDOWN).encode(),
        "calibration.html": render_judged(judged, command).encode(),
    }
    write_files(options.output, contents)


def judged_table(judged: Sequence[JudgedAuditor]) -> Table:
    """Return the results as a table; it conforms if no auditor has too many false bounds."""
    from privboost.auditor.files.judging_page import conclusion_of, describe_method

    rows = tuple(_row(auditor, case) for auditor in judged for case in auditor.cases)
    others = [auditor for auditor in judged if not auditor.is_ours]
    are_complete = all(auditor.is_complete for auditor in judged)
    has_false = any(auditor.false_cases() for auditor in judged)
    is_open = any(not auditor.has_bounds or auditor.unanswered_cases() for auditor in others)
    lines = ([] if are_complete else ["stopped early"]) + [conclusion_of(auditor) for auditor in judged]
    code = NOT_CONFORMING if has_false else NO_VERDICT if is_open else CONFORMING
    if not has_false and not are_complete:
        code = INTERRUPTED
    return Table(
        "calibrate",
        COLUMNS,
        rows,
        not has_false,
        "\n".join([*lines, describe_method(judged[0])]),
        code,
        document={"auditors": [_document(auditor) for auditor in judged]},
    )


def _row(auditor: JudgedAuditor, case: JudgedCase) -> tuple[str, ...]:
    count, (low, high) = case.runs, case.interval(auditor.confidence)
    tightness = case.tightness
    return (
        auditor.title,
        case.case.mechanism,
        f"{case.case.exact:.4g}",
        f"{case.case.delta:.3g}",
        str(count),
        str(case.false),
        f"{case.false / count:.1%}" if count else "",
        f"{low:.1%} to {high:.1%}" if count else "",
        "" if math.isnan(tightness) else f"{tightness:.2f}",
        f"{case.refused}: {case.refusal}" if case.refused else "",
    )


def _document(auditor: JudgedAuditor) -> dict[str, object]:
    """Return the results of an auditor as members of a JSON document."""
    return {
        "name": auditor.name,
        "version": auditor.version,
        "target": auditor.target,
        "level": auditor.level,
        "calls": auditor.calls,
        "interval_confidence": auditor.confidence,
        "false_bounds": bool(auditor.false_cases()),
        "cases": [
            {
                "mechanism": each.case.mechanism,
                "equal_inputs": each.case.has_equal_inputs,
                "exact": each.case.exact,
                "delta": each.case.delta,
                "runs": each.runs,
                "false": each.false,
                "interval": each.interval(auditor.confidence),
                "tightness": None if math.isnan(each.tightness) else each.tightness,
                "without_bound": each.refused,
                "reason": each.refusal,
            }
            for each in auditor.cases
        ],
    }
