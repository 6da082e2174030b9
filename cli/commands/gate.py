"""Test an implementation, in any language, against the paper, or a library's mechanisms.

The gate sends requests to the implementation and compares its answers with the definitions: those of the
paper, or with `--profile mechanisms` those of noise, aggregates and accounting. Failures are grouped by
the label of the definition.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from privboost.cli.arguments import add_option, seed
from privboost.cli.exit_codes import BROKEN, INTERRUPTED, NO_VERDICT
from privboost.errors import UsageError
from privboost.files import prepare_directory, write_files
from privboost.gate.pages.skeletons import LANGUAGES, skeleton
from privboost.gate.plan import DEFAULT_TIMEOUT, GatePlan
from privboost.gate.profiles import DEFAULT_PROFILE, MODULES, load_profile
from privboost.progress import Watch, counting, timing
from privboost.tables import Format, Table

if TYPE_CHECKING:
    from privboost.gate.result import GateResult, Progress

FILES = {
    "json": "JSON, with all details",
    "junit": "JUnit XML, for continuous integration",
    "markdown": "Markdown, for the summary of a job",
    "html": "a self-contained HTML page",
    "badge": "an SVG badge",
}
"""Formats of the result as a file, each with its help."""
EPILOG = """
TARGET is one of:
  'cmd:./impl --stdio'   a program that reads and writes JSON lines
  module:factory         a function that returns an object with a method answer(op, args);
  file.py:factory        the module may also be given as a file
  fast, reference        the learners of privboost; plain for the profile mechanisms
  faulty:NAME            an implementation with one deliberate mistake

For a first run see docs/gate.md; for the protocol see docs/gate_protocol.md, or docs/mechanisms_protocol.md
for the profile mechanisms.

Exit codes: 0 everything that the target supports is correct, 1 it is not (or a known failure now passes),
2 bad command line, 3 privboost is broken, 4 nothing is wrong, but the target answers less than the core of
the operations (or than those chosen with --operation), 130 interrupted (143 by SIGTERM, 129 by SIGHUP).
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the target, the checks that run, and the files of the result."""
    option = partial(add_option, parser)
    parser.epilog = EPILOG.strip()
    parser.add_argument("target", nargs="?", metavar="TARGET", help="implementation to test, see below")
    parser.add_argument(
        "--profile",
        choices=tuple(MODULES),
        default=DEFAULT_PROFILE,
        help=f"subject of the checks (default {DEFAULT_PROFILE})",
    )
    option(
        "--level LEVEL",
        str,
        "run only the checks of this level, such as wire; may be repeated",
        default=[],
        action="append",
    )
    option(
        "--only LABEL",
        str,
        "run only the checks of this label; may be repeated",
        default=[],
        action="append",
    )
    option(
        "--operation NAME",
        str,
        "ask only this operation, which the target must answer; may be repeated",
        default=[],
        action="append",
    )
    option("--seed S", seed, "seed of random requests", default=0)
    option(
        "--timeout SECONDS",
        _seconds,
        "timeout for each answer, including the first one",
        default=DEFAULT_TIMEOUT,
    )
    option("--xfails FILE", Path, "file of known failures, one check id or pattern per line")
    for name, description in FILES.items():
        option(f"--{name} FILE", Path, f"write the result as {description}")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--list", action="store_true", help="list the checks instead of running them")
    instead.add_argument(
        "--skeleton",
        choices=LANGUAGES,
        help="print a program to start from: it answers one operation, and has a function for every other",
    )
    instead.add_argument(
        "--kill-matrix",
        action="store_true",
        help="test every faulty implementation of privboost; each must be rejected",
    )


def run(options: argparse.Namespace) -> Table:
    """Run the gate, list its checks, or test the faulty implementations."""
    for option in ("list", "kill_matrix", "skeleton"):
        if options.target is not None and getattr(options, option):
            name = option.replace("_", "-")
            raise UsageError(f"--{name}: expected no TARGET, which is not asked then, got '{options.target}'")
    if options.skeleton:
        program = skeleton(load_profile(options.profile), options.skeleton)
        return Table("gate", (), (), summary=program.rstrip("\n"))
    if options.kill_matrix:
        return _run_kill_matrix(options)
    plan = _plan(options)
    if options.list:
        return _list_checks(plan)
    if options.target is None:
        raise UsageError(
            "TARGET: expected what to gate, such as 'cmd:./impl --stdio'; --help lists the kinds"
        )
    paths = {name: getattr(options, name) for name in FILES if getattr(options, name) is not None}
    _check_paths(paths)
    result = _run(plan)

    def write() -> None:
        for name, path in paths.items():
            write_files(path.parent, {path.name: _render(name, result)})

    return replace(_table(result, Format(getattr(options, "format", Format.TEXT))), write=write)


def _plan(options: argparse.Namespace) -> GatePlan:
    """Return the plan of the options."""
    from privboost.gate.known_failures import read_xfails

    return GatePlan(
        target=options.target or "",
        profile=load_profile(options.profile),
        levels=options.level,
        only=options.only,
        operations=options.operation,
        seed=options.seed,
        timeout=options.timeout,
        xfails=read_xfails(options.xfails) if options.xfails else (),
    )


def _run(plan: GatePlan) -> GateResult:
    """Run the selected checks on the target, and show progress."""
    from privboost.gate.run import Interrupted, run_plan

    try:
        with Watch(progress_line, steady=True) as watch:
            return run_plan(plan, watch)
    except Interrupted as stopped:
        return stopped.result


def progress_line(seconds: float, progress: Progress) -> str:
    """Return the progress of a run: the current check and the number of failures so far."""
    failing = f", {progress.bad:,} failing" if progress.bad else ""
    time = timing(seconds, progress.done, progress.of)
    return f"check {progress.done + 1:,} of {progress.of:,}{failing}, {time}: {progress.check}"


def _table(result: GateResult, style: Format) -> Table:
    """Return the result as a table of labels, with the details in its summary."""
    from privboost.gate.reports import markdown
    from privboost.gate.reports.document import to_document
    from privboost.gate.reports.tally import headline
    from privboost.gate.reports.text import COLUMNS, label_rows, summary

    details = {
        Format.TEXT: summary,
        Format.MARKDOWN: lambda result: f"{markdown.details(result)}\n\n{headline(result)}",
        Format.JSON: headline,
    }[style](result)
    document = {"report": to_document(result)} if style is Format.JSON else {}
    return Table(
        "gate",
        COLUMNS,
        label_rows(result),
        result.passed,
        details,
        _exit_code(result),
        document,
        commands=frozenset({"again"}),
    )


def _exit_code(result: GateResult) -> int | None:
    """Return the exit code if it is neither 0 nor 1, else None."""
    from privboost.gate.reports.tally import Verdict, verdict_of

    codes = {
        Verdict.BROKEN: BROKEN,
        Verdict.EMPTY: NO_VERDICT,
        Verdict.PARTIAL: NO_VERDICT,
        Verdict.INTERRUPTED: INTERRUPTED,
    }
    return codes.get(verdict_of(result))


def _render(name: str, result: GateResult) -> bytes:
    """Return a result in the format of one of the files."""
    from privboost.gate.reports import badge, document, junit, markdown, page

    writers: dict[str, Callable[[GateResult], str | bytes]] = {
        "json": document.to_json_text,
        "junit": junit.to_junit,
        "markdown": markdown.to_markdown,
        "html": page.gate_page,
        "badge": badge.to_badge,
    }
    content = writers[name](result)
    return content if isinstance(content, bytes) else content.encode("utf-8")


def _check_paths(paths: Mapping[str, Path]) -> None:
    """Check before the run that the files are distinct and can be written, and create their folders."""
    taken: dict[Path, str] = {}
    for name, path in paths.items():
        if path.is_dir():
            raise UsageError(f"--{name}: expected a file to write, got the folder '{path}'")
        other = taken.setdefault(path.resolve(), name)
        if other != name:
            raise UsageError(f"--{name}: expected another file than that of --{other}, got '{path}' for both")
    for path in paths.values():
        prepare_directory(path.parent)


def _list_checks(plan: GatePlan) -> Table:
    """Return the checks as a table."""
    from privboost.gate.run import every_check, select_checks

    checks = select_checks(plan, every_check(plan.profile))
    rows = tuple((check.id, str(check.level), check.label, _alarm(check.false_alarm)) for check in checks)
    total = _alarm(sum(check.false_alarm for check in checks))
    summary = f"{len(rows)} checks; a correct implementation fails by chance with probability at most {total}"
    return Table(
        "gate",
        ("check", "level", "label", "false alarm"),
        rows,
        summary=summary,
    )


def _alarm(probability: float) -> str:
    return f"{probability:.1e}" if probability else "0"


def _run_kill_matrix(options: argparse.Namespace) -> Table:
    """Test every faulty implementation."""
    from privboost.gate.kill_matrix import kill_matrix

    with counting("faulty implementations tested") as watch:
        return replace(kill_matrix(load_profile(options.profile), watch), command="gate --kill-matrix")


def _seconds(argument: str) -> float:
    if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", argument, re.ASCII) or not float(argument):
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, got '{argument}'")
    return float(argument)
