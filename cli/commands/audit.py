"""Test a claim of (epsilon, delta)-privacy by calling the mechanism.

The mechanism is called on pairs of neighbouring inputs. The outputs give a lower bound on epsilon that holds
with the stated confidence. A bound above the claim refutes it; no audit can show that a mechanism is private.
"""

from __future__ import annotations

import argparse
import math
import secrets
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from privboost.errors import PreconditionError, UsageError
from privboost.files import prepare_directory
from privboost.limits import CONFIDENCE, ESTIMATOR, POWER
from privboost.printing import say, truncate
from privboost.progress import Watch
from privboost.tables import Table
from privboost.workers.interrupts import ignore_further_stops

from .audit_callers import Callers
from .audit_canaries import canary_table
from .audit_inputs import Tested, choose_tested, find_pairs
from .audit_options import (
    CONFIRMED_AT,
    CONFIRMING_CALLS,
    DEFAULT_CALLS,
    DEFAULT_SECONDS,
    MOST_CALLS,
    TABLE_SECONDS,
    add_arguments,
    name_target,
)
from .audit_replay import replay_table
from .audit_report import (
    CONFIRMATION,
    SMALLEST,
    WITNESS,
    WITNESSES,
    arguments_of,
    command_of,
    report_files,
    report_table,
)

if TYPE_CHECKING:
    from privboost.auditor.claims import PrivacyClaim
    from privboost.auditor.described import DescribedInputs
    from privboost.auditor.files.calls_file import CallsFile
    from privboost.auditor.files.witness import Recording
    from privboost.auditor.mechanisms.mechanism import Claimed, Mechanism
    from privboost.auditor.pairs.pair import Pair
    from privboost.auditor.result import AuditResult
    from privboost.auditor.running.calling import Progress, Recorder
    from privboost.auditor.running.plan import AuditPlan

__all__ = ["add_arguments", "run"]

LONGEST_LIST = 200


def run(options: argparse.Namespace) -> Table:
    """Run or replay an audit, and return its report; or print a program to start from."""
    if options.skeleton:
        from privboost.auditor.mechanisms.program import skeleton

        if options.target is not None:
            raise UsageError(f"--skeleton: expected no TARGET, got {options.target!r}")
        return Table("audit", (), (), summary=skeleton(options.skeleton).rstrip("\n"))
    if options.scores or options.one_run or options.canaries:
        return canary_table(options)
    return replay_table(options) if options.replay else _audit(options)


def _audit(options: argparse.Namespace) -> Table:
    """Audit a target, write the files and return the report."""
    name = _check_target(options)
    if options.output:
        prepare_directory(options.output)
    from privboost.auditor.files.witness import Recording
    from privboost.auditor.result import Verdict

    with Callers(name, options) as callers:
        target = callers.load_target()
        pairs = find_pairs(options, target)
        plan = _make_plan(options, target, _choose_seed(options))
        tested = choose_tested(options, target, pairs, plan, callers.executor)
        arguments = arguments_of(options, plan, tested.relation, candidates=tested.candidates)
        recordings = {file: Recording() for file in WITNESSES} if options.output else None
        with _open_calls_file(options, plan, tested, arguments) as calls_file:
            say(f"auditing {name}, {tested.summary}, seed {plan.seed}")
            work = _Work(target.mechanism, plan, callers)
            result, ended = work.make_calls(tested.inputs, recordings, calls_file)
            result = work.audit_rest(result)
            # The command that repeats the audit has the number of calls that were made, unless one was given.
            made = max(entry.calls for entry in result.pairs) * tested.shares
            calls = plan.calls if ended or options.calls is not None else max(made, 1)
            if options.confirm and result.verdict is Verdict.VIOLATION:
                result = _confirm(work, result, recordings)
            ignore_further_stops()
    left_out = tuple(f"{name}: {reason}" for name, reason in tested.refused.items())
    result = replace(result, target=name, left_out=left_out, relation=target.relation, promise=target.promise)
    command = command_of(arguments, result, calls)
    if recordings is None:
        return report_table(options, result, command)
    return report_files(options, plan, result, recordings, command=command, calls_file=calls_file)


def _check_target(options: argparse.Namespace) -> str:
    """Return the target string after a check of the options that belong to it."""
    if options.estimator is not None and options.target is not None:
        raise UsageError(f"--estimator: expected no TARGET besides it, got {options.target!r}")
    target = name_target(options)
    if target is None:
        raise UsageError("TARGET: expected what to audit, such as bank:laplace; --help lists the kinds")
    if options.table and not target.startswith(ESTIMATOR):
        raise UsageError(f"--table: expected --estimator with it, got {target!r}")
    if options.label is not None and not options.table:
        raise UsageError("--label: expected --table FILE with it")
    if options.rerun:
        raise UsageError("--rerun: expected --replay FILE with it")
    if options.resume and not options.output:
        raise UsageError("--resume: expected -o DIR of the audit that was interrupted")
    return target


def _make_plan(options: argparse.Namespace, target: Claimed, seed: int) -> AuditPlan:
    """Return the plan of the audit of a target.

    Ensures: UsageError for a claim or a confidence that cannot be tested.
    """
    from privboost.auditor.running.plan import AuditPlan

    calls, seconds = options.calls or MOST_CALLS, None if options.minutes is None else 60 * options.minutes
    if options.calls is None and options.minutes is None:
        calls, seconds = DEFAULT_CALLS, TABLE_SECONDS if options.table else DEFAULT_SECONDS
    try:
        return AuditPlan(
            _claim_of(options, target),
            seed,
            CONFIDENCE if options.confidence is None else options.confidence,
            calls,
            seconds,
            stop=not options.no_stop,
            all_pairs=options.all_pairs or bool(options.table),
            low_bits=options.low_bits,
            keep_failures=not options.no_failures,
            envelope=options.envelope,
            power=POWER if options.power is None else options.power,
            ignored=tuple(options.ignore or ()),
        )
    except PreconditionError as error:
        raise UsageError(f"--{error}" if options.claim is None else f"--claim: {error}") from None


def _claim_of(options: argparse.Namespace, target: Claimed) -> PrivacyClaim:
    """Return the claim of the options; epsilon and delta that are not given are those of the target."""
    from privboost.auditor.claims import epsilon_claim, parse_claim

    if options.claim is not None and (options.epsilon is not None or options.delta is not None):
        raise UsageError("--claim: expected no --epsilon and no --delta with it")
    named = target.claim if options.claim is options.epsilon is options.delta is None else options.claim
    if named is not None:
        claim = parse_claim(named)
    else:
        epsilon = target.epsilon if options.epsilon is None else options.epsilon
        if epsilon is None:
            name = name_target(options)
            raise UsageError(f"--epsilon: expected the claim to audit, since {name} states none")
        claim = epsilon_claim(epsilon, target.delta if options.delta is None else options.delta)
    return claim if options.group is None else replace(claim, group=options.group)


def _choose_seed(options: argparse.Namespace) -> int:
    """Return the seed of the options, that of the audit that is resumed, or a new one."""
    from privboost.auditor.files.calls_file import NAME, seed_in

    with _name_resume():
        earlier = seed_in(options.output / NAME) if options.resume else None
    if options.seed is not None:
        return int(options.seed)
    return secrets.randbits(64) if earlier is None else earlier


@contextmanager
def _name_resume() -> Iterator[None]:
    """Name the option in the message about a file that cannot be resumed."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"--resume: {error}") from None


@contextmanager
def _open_calls_file(
    options: argparse.Namespace, plan: AuditPlan, tested: Tested, arguments: Sequence[str]
) -> Iterator[CallsFile | None]:
    """Open the file of outputs in the output folder, from which an audit can be resumed."""
    from privboost.auditor.files.calls_file import NAME, CallsFile

    if not options.output:
        yield None
        return
    path, command = options.output / NAME, shlex.join(arguments)
    with _name_resume():
        opened = CallsFile(
            path, command, plan.seed, tested.pairs, resume=options.resume, tested=tested.shares
        )
    with opened as calls_file:
        made = sum(len(block) for blocks in calls_file.recorded for block in blocks)
        if made:
            say(f"resuming after {made:,} calls")
        yield calls_file


def _join_recorders(recording: Recording | None, calls_file: CallsFile | None) -> Recorder | None:
    """Return a recorder of the calls of an audit; the file has those of an earlier run already."""
    if recording is None or calls_file is None:
        return recording

    def record(pair: int, outputs: Any) -> None:
        recording(pair, outputs)
        if len(recording.blocks[pair]) > len(calls_file.recorded[pair]):
            calls_file(pair, outputs)

    return record


@dataclass(frozen=True, slots=True)
class _Work:
    """What to audit, and where the calls are made."""

    mechanism: Mechanism
    plan: AuditPlan
    callers: Callers

    def make_calls(
        self,
        inputs: tuple[Pair, ...] | DescribedInputs,
        recordings: Mapping[str, Recording] | None,
        calls_file: CallsFile | None = None,
        *,
        file: str = WITNESS,
    ) -> tuple[AuditResult, bool]:
        """Run the audit with progress lines; return its result, and whether it ended at a violation.

        The outputs are recorded for a file.
        """
        from privboost.auditor.files.sentences import list_unmatched
        from privboost.auditor.run import run_audit
        from privboost.auditor.running.calling import AuditCaller, Calling

        plan, refuted, said = self.plan, set[str](), False

        def note(progress: Progress) -> None:
            nonlocal said
            if progress.unmatched and not said:
                said = True
                say(f"--ignore: so far {list_unmatched(progress.unmatched)} (Ctrl-C stops)")
            refuted.update({progress.pair} if progress.refuted else ())
            watch(progress, bool(refuted))

        with _watch(math.inf if plan.seconds is None else plan.seconds) as watch:
            recorded = calls_file.recorded if calls_file is not None else ()
            calling = Calling(
                AuditCaller(self.callers.executor, self.callers.restart),
                note,
                _join_recorders(recordings[file] if recordings else None, calls_file),
                recorded,
                calls_file,
                recordings[SMALLEST] if recordings else None,
            )
            if isinstance(inputs, tuple):
                result = run_audit(self.mechanism, inputs, plan, calling)
            else:
                from privboost.auditor.described import run_described

                result = run_described(self.mechanism, inputs, plan, calling)
        are_refuted = [entry.refuted for entry in result.pairs]
        return result, plan.stop and (all(are_refuted) if plan.all_pairs else any(are_refuted))

    def audit_rest(self, result: AuditResult) -> AuditResult:
        """Audit what is left of the outputs if parts of them differ without noise."""
        from privboost.auditor.run import plan_rest

        plan = plan_rest(self.plan, result)
        if plan is None:
            return result
        names = ", ".join(part.name for part in result.noiseless)
        say(f"continuing without what differs without noise: {truncate(names, LONGEST_LIST)}")
        pairs = tuple(entry.pair for entry in result.pairs)
        return replace(result, rest=replace(self, plan=plan).make_calls(pairs, None)[0])


def _confirm(work: _Work, result: AuditResult, recordings: Mapping[str, Recording] | None) -> AuditResult:
    """Repeat a violation on its best pair with fresh coins; without a second one there is no verdict."""
    from privboost.auditor.result import Verdict
    from privboost.auditor.running.search import derive_seed

    best = max((entry for entry in result.pairs if entry.refuted), key=lambda entry: entry.bound)
    # The smaller error probability takes about five times as many calls.
    calls = max(work.plan.calls, CONFIRMING_CALLS * best.calls)
    plan = replace(work.plan, seed=derive_seed("confirm", result.seed), calls=calls, confidence=CONFIRMED_AT)
    say(f"confirming the violation on the pair '{best.pair.name}', seed {plan.seed}")
    again, _ = replace(work, plan=plan).make_calls((best.pair,), recordings, file=CONFIRMATION)
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
