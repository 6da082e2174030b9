"""`privboost audit --scores` and `--one-run`: one training with many canaries instead of many calls."""

from __future__ import annotations

import argparse
import csv
import io
import secrets
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from privboost.cli.exit_codes import NO_VERDICT, NOT_CONFORMING
from privboost.errors import PreconditionError, UsageError
from privboost.files import prepare_directory, read_file, write_files
from privboost.limits import CONFIDENCE, POWER, RELATIONS
from privboost.printing import say, truncate
from privboost.tables import Table

from .audit_options import DEFAULT_TIMEOUT, FLAGS, name_target
from .audit_report import COLUMNS, fit_rows

if TYPE_CHECKING:
    from privboost.auditor.canaries.result import OneRunResult

LONGEST_CELL = 40

TRAINING_TIMEOUT = 3600.0
"""Timeout of a training if none is given, in seconds."""

HEADERS = ("score", "scores")

OTHERS = (
    *(
        "claim",
        "group",
        "table",
        "label",
        "pairs",
        "pattern",
        "only",
        "without",
        "search",
        "calls",
        "minutes",
    ),
    *("ignore", "replay", "resume", "rerun", "beyond", "dask"),
)
"""Options of calls, which have no meaning here."""


def canary_table(options: argparse.Namespace) -> Table:
    """Bound epsilon from scores, or from one training of an estimator, and return the report."""
    _check_options(options)
    if options.output:
        prepare_directory(options.output)
    seed = secrets.randbits(64) if options.seed is None else options.seed
    result = _score_files(options, seed) if options.scores else _train(options, seed)
    return _report(options, result)


def _check_options(options: argparse.Namespace) -> None:
    mode = "--scores" if options.scores else "--one-run"
    if options.scores and options.one_run:
        raise UsageError("--scores: expected no --one-run with it")
    if options.canaries and not options.one_run:
        raise UsageError("--canaries: expected --one-run with it")
    if options.target is not None or (options.scores and options.estimator is not None):
        raise UsageError(f"{mode}: expected no TARGET with it, got {name_target(options)!r}")
    flags = [flag[2:].replace("-", "_") for flag in FLAGS]
    unused = [*OTHERS, *flags, *(("input", "relation") if options.scores else ())]
    given = [name for name in unused if getattr(options, name, None)]
    if given:
        raise UsageError(f"--{given[0].replace('_', '-')}: expected no such option with {mode}")
    if options.one_run and not (options.estimator and options.input):
        raise UsageError("--one-run: expected --estimator and --input table:schema.toml,label=COLUMN with it")
    if options.relation is not None and options.relation not in RELATIONS:
        raise UsageError(f"--relation: expected one of {', '.join(RELATIONS)}, got {options.relation}")


def _score_files(options: argparse.Namespace, seed: int) -> OneRunResult:
    from privboost.auditor.canaries.check import audit_scores

    inside, outside = map(_read_scores, options.scores)
    name = " ".join(str(path) for path in options.scores)
    try:
        return audit_scores(
            inside,
            outside,
            epsilon=options.epsilon,
            delta=options.delta or 0.0,
            confidence=CONFIDENCE if options.confidence is None else options.confidence,
            power=POWER if options.power is None else options.power,
            seed=seed,
            name=name,
        )
    except PreconditionError as error:
        raise UsageError(f"--{error}") from None


def _read_scores(path: Path) -> list[float]:
    """Return the scores in a CSV file: one column, or the one named score."""
    try:
        text = read_file(path).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(f"--scores: expected a CSV file, got '{path}' ({error})") from None
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    named = [index for index, cell in enumerate(header) if cell in HEADERS]
    if len(header) > 1 and not named:
        raise UsageError(f"--scores: expected one column, or one named score, got {len(header)} in '{path}'")
    at, scores = (named or [0])[0], []
    for number, row in enumerate(rows[1:] if named else rows, start=2 if named else 1):
        try:
            scores.append(float(row[at]))
        except (ValueError, IndexError):
            got = truncate(repr(row[at]) if at < len(row) else "nothing", LONGEST_CELL)
            raise UsageError(f"--scores: expected a number in row {number} of '{path}', got {got}") from None
    return scores


def _train(options: argparse.Namespace, seed: int) -> OneRunResult:
    from privboost.auditor.canaries.corners import make_canaries, run_by_name
    from privboost.auditor.inputs.description import parse_description
    from privboost.auditor.mechanisms.remote import find_remote
    from privboost.limits import CANARIES
    from privboost.workers.pool import result_of, worker_processes

    name, count = str(name_target(options)), options.canaries or CANARIES
    try:
        make_canaries(parse_description(options.input), count)
    except PreconditionError as error:
        raise UsageError(f"--{error}") from None
    timeout = TRAINING_TIMEOUT if options.timeout == DEFAULT_TIMEOUT else options.timeout
    with worker_processes(1, timeout) as executor:
        target = find_remote(name, executor)
        epsilon = target.epsilon if options.epsilon is None else options.epsilon
        delta = target.delta if options.delta is None else options.delta
        plan = {
            "relation": options.relation or target.relation,
            "canaries": count,
            "epsilon": epsilon,
            "delta": delta,
            "confidence": CONFIDENCE if options.confidence is None else options.confidence,
            "power": POWER if options.power is None else options.power,
            "seed": seed,
        }
        say(f"training {name} with {count:,} canaries, seed {seed}")
        future = executor.submit(run_by_name, name, options.input, plan)
        result: OneRunResult = result_of(future, executor, name)
    return result


def _command(options: argparse.Namespace, result: OneRunResult) -> str:
    """Return the command that makes the report again."""
    words = ["privboost", "audit"]
    if options.scores:
        words += ["--scores", *map(str, options.scores)]
    else:
        words += ["--one-run", "--estimator", options.estimator, "--input", options.input]
        words += ["--relation", options.relation] if options.relation else []
        words += ["--canaries", str(result.canaries)]
    words += [] if result.epsilon is None else ["--epsilon", repr(result.epsilon)]
    words += ["--delta", repr(result.delta)] if result.delta else []
    words += ["--power", repr(options.power)] if options.power is not None else []
    return shlex.join([*words, "--confidence", repr(result.confidence), "--seed", str(result.seed)])


def _report(options: argparse.Namespace, result: OneRunResult) -> Table:
    from privboost.auditor.files import one_run_report as words
    from privboost.auditor.files.one_run_page import one_run_page
    from privboost.auditor.files.report import COMMANDS
    from privboost.auditor.result import Verdict

    again, contents = _command(options, result), {}
    if options.output:
        contents["report.html"] = one_run_page(result, again).encode("utf-8")
        contents["report.json"] = words.to_json_text(result, again).encode("utf-8")
    files = [("file", str(options.output / name)) for name in contents]
    rows = fit_rows(options, [*words.lines(result, again), *files])
    code = {Verdict.VIOLATION: NOT_CONFORMING, Verdict.INCONCLUSIVE: NO_VERDICT}
    return Table(
        "audit",
        COLUMNS,
        tuple(rows),
        result.verdict in (None, Verdict.CONSISTENT),
        words.headline(result),
        None if result.verdict is None else code.get(result.verdict),
        {"report": words.to_document(result, again)},
        (lambda: write_files(options.output, contents)) if contents else None,
        COMMANDS,
    )
