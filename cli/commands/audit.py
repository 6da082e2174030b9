"""Test a claim of (epsilon, delta)-privacy by calling the mechanism.

The mechanism is called on pairs of neighbouring inputs. The outputs give a lower bound on epsilon that holds
with the stated confidence. A bound above the claim refutes it; no audit can show that a mechanism is private.
"""

from __future__ import annotations

import argparse
import math
import secrets
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from privboost.errors import UsageError
from privboost.files import prepare_directory
from privboost.printing import say
from privboost.progress import Watch
from privboost.tables import Table
from privboost.workers.interrupts import ignore_further_stops

from .audit_callers import Callers, start_callers, target_of
from .audit_options import (
    CONFIRMED_AT,
    CONFIRMING_CALLS,
    DEFAULT_CALLS,
    DEFAULT_SECONDS,
    MOST_CALLS,
    TABLE_SECONDS,
    accept_pairs,
    add_arguments,
    choose_pairs,
    claim_of,
    name_target,
    search_pairs,
)
from .audit_replay import replay_table
from .audit_report import arguments_of, command_of, report_files, report_table

if TYPE_CHECKING:
    from privboost.auditor.audit import Progress, Recorder
    from privboost.auditor.claims import PrivacyClaim
    from privboost.auditor.files.calls_file import CallsFile
    from privboost.auditor.files.witness import Recording
    from privboost.auditor.mechanisms.known_loss import Claimed
    from privboost.auditor.pairs.pair import Pair
    from privboost.auditor.result import AuditResult

    from .audit_report import Recordings

__all__ = ["add_arguments", "run"]


def run(options: argparse.Namespace) -> Table:
    """Run or replay an audit, and return its report."""
    return replay_table(options) if options.replay else _audit(options)


def _audit(options: argparse.Namespace) -> Table:
    """Audit a target, write the files and return the report."""
    name_target(options)
    if options.rerun:
        raise UsageError("--rerun: expected --replay FILE with it")
    if options.output:
        prepare_directory(options.output)
    from privboost.auditor.files.witness import Recording

    with start_callers(options) as callers:
        executor = callers.executor
        target = target_of(options, executor)
        pairs = choose_pairs(options, target)
        claim = claim_of(options, target)
        options.seed = _seed(options)
        pairs, refused = accept_pairs(options, target, pairs, executor)
        pairs = search_pairs(options, target, pairs, claim, executor)
        recordings = (Recording(), Recording()) if options.output else None
        with _calls_file(options, claim, pairs) as calls_file:
            work = _Work(options, claim, target, callers)
            result, calls = _make_calls(work, pairs, recordings, calls_file)
            ignore_further_stops()
    left_out = tuple(f"{name}: {reason}" for name, reason in refused.items())
    result = replace(result, left_out=left_out, relation=target.relation, promise=target.promise)
    command = command_of(options, claim, calls)
    if recordings is None:
        return report_table(options, result, command)
    return report_files(options, result, recordings, command, calls_file)


def _seed(options: argparse.Namespace) -> int:
    """Return the seed of the options, that of the audit that is resumed, or a new one."""
    from privboost.auditor.files.calls_file import NAME, seed_in

    if options.resume and not options.output:
        raise UsageError("--resume: expected -o DIR of the audit that was interrupted")
    earlier = seed_in(options.output / NAME) if options.resume else None
    if options.seed is not None:
        return int(options.seed)
    return secrets.randbits(64) if earlier is None else earlier


@contextmanager
def _calls_file(
    options: argparse.Namespace, claim: PrivacyClaim, pairs: Sequence[Pair]
) -> Iterator[CallsFile | None]:
    """Open the file of outputs in the output folder, from which an audit can be resumed."""
    from privboost.auditor.files.calls_file import NAME, CallsFile

    if not options.output:
        yield None
        return
    command = shlex.join(arguments_of(options, claim))
    path = options.output / NAME
    with CallsFile(path, command, options.seed, pairs, resume=options.resume) as calls_file:
        made = sum(len(block) for blocks in calls_file.recorded for block in blocks)
        if made:
            say(f"resuming after {made:,} calls")
        yield calls_file


@dataclass(frozen=True, slots=True)
class _Work:
    """What to audit, and where the calls are made."""

    options: argparse.Namespace
    claim: PrivacyClaim
    target: Claimed
    callers: Callers

    def limits(self) -> tuple[int, float | None]:
        """Return the greatest number of calls, and of seconds."""
        options = self.options
        if options.calls is None and options.minutes is None:
            return DEFAULT_CALLS, TABLE_SECONDS if options.table else DEFAULT_SECONDS
        return options.calls or MOST_CALLS, None if options.minutes is None else 60 * options.minutes


def _make_calls(
    work: _Work, pairs: Sequence[Pair], recordings: Recordings | None, calls_file: CallsFile | None
) -> tuple[AuditResult, int]:
    """Run the audit with progress lines; return its result and the number of calls that reproduces it."""
    from privboost.auditor.result import Verdict

    options = work.options
    recording, second = recordings or (None, None)
    say(f"auditing {options.target}, {_count(len(pairs), 'pair')}, seed {options.seed}")

    def record(pair: int, outputs: Any) -> None:
        assert recording is not None
        recording(pair, outputs)
        if calls_file is not None and len(recording.blocks[pair]) > len(calls_file.recorded[pair]):
            calls_file(pair, outputs)

    calls, _ = work.limits()
    recorder = record if recording is not None else None
    recorded = calls_file.recorded if calls_file is not None else ()
    result, ended = _run(work, pairs, recorder, calls=calls, seed=options.seed, recorded=recorded)
    if options.calls is None and not ended:
        calls = max(entry.calls for entry in result.pairs) * len(pairs)
    if options.confirm and result.verdict is Verdict.VIOLATION:
        result = _confirm(work, result, second)
    return replace(result, target=options.target), calls


def _run(
    work: _Work,
    pairs: Sequence[Pair],
    recorder: Recorder | None,
    *,
    calls: int,
    seed: int,
    confidence: float | None = None,
    recorded: Sequence[Any] = (),
) -> tuple[AuditResult, bool]:
    """Run an audit with progress lines; return its result, and whether it ended at a violation."""
    from privboost.auditor import audit

    options, seconds = work.options, work.limits()[1]
    refuted: set[str] = set()
    all_pairs = options.all_pairs or bool(options.table)

    def note(progress: Progress) -> None:
        refuted.update({progress.pair} if progress.refuted else ())
        watch(progress, bool(refuted))

    with _watch(math.inf if seconds is None else seconds) as watch:
        result = audit(
            work.target.mechanism,
            list(pairs),
            claim=work.claim,
            confidence=options.confidence if confidence is None else confidence,
            calls=calls,
            seconds=seconds,
            seed=seed,
            stop=not options.no_stop,
            all_pairs=all_pairs,
            low_bits=options.low_bits,
            envelope=options.envelope,
            keep_failures=not options.no_failures,
            executor=work.callers.executor,
            restart=work.callers.restart,
            progress=note,
            recorder=recorder,
            recorded=recorded,
        )
    ended = not options.no_stop and len(refuted) >= (len(pairs) if all_pairs else 1)
    return result, ended


def _confirm(work: _Work, result: AuditResult, recording: Recording | None) -> AuditResult:
    """Repeat a violation on its best pair with fresh coins; without a second one there is no verdict."""
    from privboost.auditor.result import Verdict
    from privboost.auditor.running.search import derive_seed

    best = max((entry for entry in result.pairs if entry.refuted), key=lambda entry: entry.bound)
    # A smaller error probability takes about three times as many calls.
    calls = max(work.limits()[0], CONFIRMING_CALLS * best.calls)
    seed = derive_seed("confirm", result.seed)
    say(f"confirming the violation on the pair '{best.pair.name}', seed {seed}")
    again, _ = _run(work, [best.pair], recording, calls=calls, seed=seed, confidence=CONFIRMED_AT)
    result = replace(result, confirmation=again)
    return result if again.verdict is Verdict.VIOLATION else replace(result, verdict=Verdict.INCONCLUSIVE)


def _watch(seconds: float) -> Watch[[Progress, bool]]:
    """Return a progress callback that shows the calls, the bound, the rate and the remaining time."""

    def make_line(elapsed: float, progress: Progress, refuted: bool) -> str:
        rate = progress.calls / max(elapsed, 1e-6)
        left = min((progress.of - progress.calls) / max(rate, 1e-9), seconds - elapsed)
        of = "" if progress.of == MOST_CALLS else f" of {progress.of:,}"
        return (
            f"{progress.calls:,}{of} calls, bound {progress.bound:.3f}{' (refuted)' if refuted else ''}, "
            f"{rate:,.{0 if rate >= 10 else 1}f} calls/s, {max(left, 0):.0f} s left; "
            "Ctrl-C stops and reports this bound"
        )

    return Watch(make_line)


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
