"""Run two inputs with the same random draws, and say what noise does not hide.

The target runs on one input of a pair with its draws recorded, and on the
other one with the same draws. What differs then is compared with the noise that
was drawn: values without noise, scales that depend on the data, draws that only
one input makes, and a loss greater than the claim.
"""

from __future__ import annotations

import argparse
import secrets
import shlex
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from privboost.cli.arguments import add_option, add_output, number_between, seed, whole_number
from privboost.cli.exit_codes import INTERRUPTED, NO_VERDICT, NOT_CONFORMING
from privboost.errors import PreconditionError, TargetEndedError, UsageError
from privboost.files import prepare_directory, write_files
from privboost.limits import INPUT_RELATIONS
from privboost.printing import say
from privboost.progress import Watch
from privboost.tables import Table
from privboost.workers.interrupts import ignore_further_stops

from .audit_options import add_pair_arguments, choose_pairs, name_target, relation_of, select_pairs
from .audit_report import COLUMNS, fit_rows

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from privboost.auditor.mechanisms.mechanism import Claimed
    from privboost.auditor.pairs.pair import Pair
    from privboost.auditor.replay.result import PairReplay, RecordReplayResult
    from privboost.auditor.replay.runs import ReplayPlan

DEFAULT_PAIRS, DEFAULT_SECONDS, DEFAULT_TIMEOUT = 20, 60, 60
MOST_PAIRS = 100_000
PAIR_FILE = "pair.json"
"""The file with the pair of a suspicion, for an audit."""

EPILOG = """
TARGET is one of those of 'privboost audit':
  module:function             a Python function of (data, rng)
  file.py:function            the module may also be given as a file
  'module:Class(1, b=(0, 1))' an object with call(data, rng)
  'cmd:./program --flag'      a program that asks for its draws
                              (docs/audit_protocol.md#draws)
Instead of TARGET, an estimator with fit(X, y): --estimator with --table,
--pairs or --input.

For a first run see docs/replay.md.

Exit codes: 0 nothing found, 1 a finding (the report says whether it is a proof
or a suspicion), 2 bad command line, 3 privboost is broken, 4 undecided, 130
interrupted (Ctrl-C; 143 by SIGTERM, 129 by SIGHUP) before a finding.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the target, its claim, and the pairs of inputs."""
    option = partial(add_option, parser)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG.strip()
    parser.add_argument("target", nargs="?", metavar="TARGET", help="mechanism to replay, see below")
    option("--epsilon E", number_between(0, 100), "claimed epsilon (default: that of the target, else 1)")
    option("--delta D", number_between(0, 1), "claimed delta (default: that of the target, else 0)")
    add_pair_arguments(parser)
    option("--tries N", whole_number(1, MOST_PAIRS), f"number of pairs of --input (default {DEFAULT_PAIRS})")
    option(
        "--seconds S",
        number_between(1, 100_000),
        f"time for the runs with fresh coins on each pair (default {DEFAULT_SECONDS})",
    )
    option(
        "--timeout S",
        number_between(0, 1_000_000),
        "timeout for a run of the target, in seconds",
        default=DEFAULT_TIMEOUT,
    )
    option("--seed S", seed, "random seed of the pairs and of the generator that the target is given")
    add_output(parser, required=False)
    parser.set_defaults(group=None)


def run(options: argparse.Namespace) -> Table:
    """Replay a target on pairs, and return the report."""
    name = _check_target(options)
    if options.output:
        prepare_directory(options.output)
    from privboost.auditor.mechanisms.remote import find_remote
    from privboost.auditor.replay.check import check_claim
    from privboost.auditor.replay.result import RecordReplayResult
    from privboost.auditor.replay.runs import ReplayPlan
    from privboost.auditor.running.calls import Registration
    from privboost.workers.pool import worker_processes

    number = secrets.randbits(64) if options.seed is None else options.seed
    timeout, started = float(options.timeout), time.monotonic()
    with worker_processes(1, timeout) as executor:
        target = find_remote(name, executor)
        pairs = _choose_pairs(options, target, number)
        given = (options.epsilon, target.epsilon, 1.0), (options.delta, target.delta, 0.0)
        claim = (next(float(each) for each in values if each is not None) for values in given)
        epsilon, delta = check_claim(*claim)
        say(f"replaying {name}, {len(pairs)} pair{'' if len(pairs) == 1 else 's'}, seed {number}")
        plan = ReplayPlan(epsilon, delta, Registration(number), float(options.seconds or DEFAULT_SECONDS))
        entries, interrupted = _replay_all(executor, name, pairs, plan)
    ignore_further_stops()
    described = "" if options.pairs or options.table or options.pattern else str(options.input or "")
    seconds = time.monotonic() - started
    result = RecordReplayResult(name, epsilon, delta, tuple(entries), described, number, seconds, interrupted)
    return _report(options, result)


def _check_target(options: argparse.Namespace) -> str:
    if options.estimator is not None and options.target is not None:
        raise UsageError(f"--estimator: expected no TARGET besides it, got {options.target!r}")
    name = name_target(options)
    if name is None:
        raise UsageError("TARGET: expected what to replay, such as mine.py:noisy_sum; --help lists the kinds")
    if name.startswith("exec:"):
        raise UsageError(f"TARGET: expected a target whose draws can be recorded, got {name!r}")
    if options.input and (options.pairs or options.pattern or options.table):
        raise UsageError("--input: expected no other pairs besides it")
    return name


def _choose_pairs(options: argparse.Namespace, target: Claimed, number: int) -> tuple[Pair, ...]:
    from privboost.auditor.inputs.description import describe
    from privboost.auditor.replay.check import make_replay_pairs

    given = options.pairs or options.pattern or options.table or (target.pairs and not options.input)
    if given or (not options.input and target.inputs is None):
        if options.tries is not None:
            raise UsageError("--tries: expected --input with it")
        return choose_pairs(options, target)
    relation = relation_of(options, target)
    if relation is not None and relation not in INPUT_RELATIONS:
        wanted = f"one of {', '.join(INPUT_RELATIONS)} with --input"
        raise UsageError(f"--relation: expected {wanted}, got {relation}")
    try:
        description = describe(options.input or target.inputs)
        tries = options.tries or DEFAULT_PAIRS
        made = make_replay_pairs(description, relation, number, tries, target.constants)
    except (UsageError, PreconditionError) as error:
        raise UsageError(f"--{error}") from None
    return select_pairs(options, made)


def _replay_all(
    executor: Executor, name: str, pairs: tuple[Pair, ...], plan: ReplayPlan
) -> tuple[list[PairReplay], bool]:
    """Replay the pairs one by one; return what is done if the user interrupts."""
    from privboost.auditor.replay.check import replay_by_name
    from privboost.auditor.replay.result import Doubt, PairReplay
    from privboost.workers.pool import result_of

    entries: list[PairReplay] = []

    def describe_progress(elapsed: float, _: object) -> str:
        return f"{len(entries):,} of {len(pairs):,} pairs in {elapsed:.0f} s; Ctrl-C stops and reports them"

    try:
        with Watch(describe_progress) as watch:
            for index, pair in enumerate(pairs):
                future = executor.submit(replay_by_name, name, pair, plan, index)
                try:
                    entries.append(result_of(future, executor, name))
                except TargetEndedError:
                    entries.append(PairReplay(pair, doubts=(Doubt.ENDED,)))
                    return entries, False
                watch(None)
    except KeyboardInterrupt:
        ignore_further_stops()
        return entries, True
    return entries, False


# Reports --------------------------------------------------------------------------------------------------


def _target(options: argparse.Namespace) -> list[str]:
    """Return the options that name the target."""
    return ["--estimator", options.estimator] if options.estimator else [options.target]


def _inputs(options: argparse.Namespace) -> list[str]:
    """Return the options that give the pairs."""
    words: list[str] = []
    for name in ("table", "label", "pairs", "input", "relation"):
        value = getattr(options, name)
        words += [] if value is None else [f"--{name}", str(value)]
    words += [word for kind, size in options.pattern or () for word in ("--pattern", f"{kind}:{size}")]
    return words


def _audit_command(options: argparse.Namespace, result: RecordReplayResult, pair: Pair | None) -> str:
    """Return the command that audits the pair of a suspicion, if there is one."""
    if pair is None:
        return ""
    words = ["privboost", "audit", *_target(options)]
    if options.output:
        words += ["--pairs", str(options.output / PAIR_FILE)]
    else:
        words += _inputs(options) + ([] if result.described else ["--only", pair.name])
    words += ["--epsilon", repr(result.epsilon)] + (["--delta", repr(result.delta)] if result.delta else [])
    return shlex.join(words)


def _replay_command(options: argparse.Namespace, result: RecordReplayResult) -> str:
    """Return the command that replays the same pairs."""
    words = ["privboost", "replay", *_target(options), *_inputs(options)]
    words += ["--epsilon", repr(result.epsilon), "--delta", repr(result.delta), "--seed", str(result.seed)]
    words += ["--tries", str(options.tries)] if options.tries else []
    for option in ("only", "without"):
        words += [word for value in getattr(options, option) or () for word in (f"--{option}", value)]
    return shlex.join(words)


def _report(options: argparse.Namespace, result: RecordReplayResult) -> Table:
    from privboost.auditor.files import replay_report as words
    from privboost.auditor.files.replay_page import replay_page
    from privboost.auditor.files.report import COMMANDS
    from privboost.auditor.replay.result import ReplayVerdict

    suspicious = words.suspicious_pair(result)
    audit, again = _audit_command(options, result, suspicious), _replay_command(options, result)
    contents: dict[str, bytes] = {}
    if options.output:
        advice = [("Audit a suspicion by calls:", audit)] if audit else []
        contents["report.html"] = replay_page(result, again, advice).encode("utf-8")
        contents["report.json"] = words.to_json_text(result, again, audit).encode("utf-8")
        if suspicious is not None:
            contents[PAIR_FILE] = words.pair_file(suspicious)
    files = [("file", str(Path(options.output) / name)) for name in contents]
    rows = fit_rows(options, [*words.lines(result, again, audit), *files])
    codes = {ReplayVerdict.FINDING: NOT_CONFORMING, ReplayVerdict.UNDECIDED: NO_VERDICT}
    code = codes.get(result.verdict)
    if result.interrupted and result.verdict is not ReplayVerdict.FINDING:
        code = INTERRUPTED
    return Table(
        "replay",
        COLUMNS,
        tuple(rows),
        result.verdict is ReplayVerdict.NOTHING_FOUND,
        words.headline(result),
        code,
        {"report": words.to_document(result, again, audit)},
        (lambda: write_files(options.output, contents)) if contents else None,
        COMMANDS,
    )
