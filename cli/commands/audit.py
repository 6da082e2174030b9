"""Test a claim of (epsilon, delta)-privacy by calling the mechanism.

The mechanism is called on pairs of neighbouring inputs. The outputs give a lower bound on epsilon that holds
with the stated confidence. A bound above the claim refutes it; no audit can show that a mechanism is private.
"""

from __future__ import annotations

import argparse
import math
import secrets
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privboost.errors import PreconditionError, UsageError
from privboost.extras import install_line, is_installed
from privboost.files import prepare_directory, write_files
from privboost.printing import say
from privboost.progress import Watch
from privboost.tables import Format, Table

from .audit_options import (
    CONFIRMED_AT,
    CONFIRMING_CALLS,
    DEFAULT_CALLS,
    DEFAULT_SECONDS,
    ESTIMATOR,
    MOST_CALLS,
    TABLE_SECONDS,
    accepted_pairs,
    add_arguments,
    chosen_pairs,
    claim_of,
    name_target,
    searched_pairs,
)

if TYPE_CHECKING:
    from privboost.auditor.audit import Progress, Recorder
    from privboost.auditor.claims import PrivacyClaim
    from privboost.auditor.files.calls_file import CallsFile
    from privboost.auditor.files.witness import Recording
    from privboost.auditor.mechanisms.known_loss import Claimed
    from privboost.auditor.pairs.pair import Pair
    from privboost.auditor.result import AuditResult

    Recordings = tuple[Recording, Recording]
    """The outputs of the audit, and those of its repetition with --confirm."""

__all__ = ["add_arguments", "run"]

COLUMNS = ("quantity", "value")
_FLAGS = (
    ("--low-bits", "low_bits"),
    ("--no-stop", "no_stop"),
    ("--envelope", "envelope"),
    ("--all-pairs", "all_pairs"),
    ("--keep-refused", "keep_refused"),
    ("--no-failures", "no_failures"),
    ("--confirm", "confirm"),
)
"""Options without a value that a command which repeats the calls has, too."""

VIOLATION, NO_VERDICT, INTERRUPTED = 1, 4, 130


def run(options: argparse.Namespace) -> Table:
    """Run or replay an audit, and return its report."""
    return _replay(options) if options.replay else _audit(options)


def _audit(options: argparse.Namespace) -> Table:
    """Audit a target, write the files and return the report."""
    name_target(options)
    if options.rerun:
        raise UsageError("--rerun: expected --replay FILE with it")
    if options.output:
        prepare_directory(options.output)
    from privboost.auditor.files.witness import Recording

    with _callers(options) as callers:
        executor = callers.executor
        target = _target(options, executor)
        pairs = chosen_pairs(options, target)
        claim = claim_of(options, target)
        options.seed = _seed(options)
        pairs, refused = accepted_pairs(options, target, pairs, executor)
        pairs = searched_pairs(options, target, pairs, claim, executor)
        recordings = (Recording(), Recording()) if options.output else None
        with _calls_file(options, claim, pairs) as calls_file:
            work = _Work(options, claim, target, callers)
            result, calls = _called(work, pairs, recordings, calls_file)
    left_out = tuple(f"{name}: {reason}" for name, reason in refused.items())
    result = replace(result, left_out=left_out, relation=target.relation, promise=target.promise)
    command = _command(options, claim, calls)
    if recordings is None:
        return _table(options, result, command)

    def write() -> None:
        write_files(options.output, _contents(options, result, recordings, command))
        if calls_file is not None and not (result.interrupted or result.cut_short):
            calls_file.remove()

    names = ["report.html", "report.json", "witness.json", *_plots(result)]
    names += ["confirmation.json"] if result.confirmation is not None else []
    files = [options.output / name for name in names]
    if not is_installed("matplotlib"):
        say(f"no plots, since matplotlib is not installed; run: {install_line('plots')}")
    return replace(_table(options, result, command, files), write=write)


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
    command = shlex.join(_arguments(options, claim))
    path = options.output / NAME
    with CallsFile(path, command, options.seed, pairs, resume=options.resume) as calls_file:
        made = sum(len(block) for blocks in calls_file.recorded for block in blocks)
        if made:
            say(f"resuming after {made:,} calls")
        yield calls_file


class _Callers:
    """The executor of the calls; a module of the user, which may crash, runs in its own processes."""

    def __init__(self, options: argparse.Namespace, executor: Executor | None) -> None:
        self._options, self._pools = options, ExitStack()
        self.executor = executor
        self.restart: Callable[[], Executor] | None = None

    def start(self) -> Executor:
        """Start the processes, and stop those that were started before."""
        from privboost.workers.pool import worker_processes

        self.close()
        pool = worker_processes(self._options.jobs, self._options.timeout)
        self.executor = self._pools.enter_context(pool)
        if self._options.jobs == 1:
            # With several processes it is not known which call ended one.
            self.restart = self._restarted
        return self.executor

    def _restarted(self) -> Executor:
        executor = self.start()
        # The time to load the target is not that of a call.
        _target(self._options, executor)
        return executor

    def close(self) -> None:
        """Stop all processes."""
        self._pools.close()


@contextmanager
def _callers(options: argparse.Namespace) -> Iterator[_Callers]:
    """Start the executor of the calls."""
    from privboost.workers.choose import workers_of

    if not _runs_apart(options):
        with workers_of(options) as workers:
            yield _Callers(options, workers.executor)
        return
    callers = _Callers(options, None)
    try:
        callers.start()
        yield callers
    finally:
        callers.close()


def _target(options: argparse.Namespace, executor: Executor | None) -> Claimed:
    """Return the target; this process imports a module of the user only if a cluster is used."""
    from privboost.auditor.mechanisms.naming import find_target
    from privboost.auditor.mechanisms.remote import find_remote
    from privboost.targets.conversation import Limits

    if executor is not None and _runs_apart(options):
        return find_remote(options.target, executor)
    return find_target(options.target, Limits(start=options.timeout, answer=options.timeout))


def _runs_apart(options: argparse.Namespace) -> bool:
    from privboost.auditor.mechanisms.naming import is_module_target

    return options.target is not None and is_module_target(options.target) and not options.dask


@dataclass(frozen=True, slots=True)
class _Work:
    """What to audit, and where the calls are made."""

    options: argparse.Namespace
    claim: PrivacyClaim
    target: Claimed
    callers: _Callers

    def limits(self) -> tuple[int, float | None]:
        """Return the greatest number of calls, and of seconds."""
        options = self.options
        if options.calls is None and options.minutes is None:
            return DEFAULT_CALLS, TABLE_SECONDS if options.table else DEFAULT_SECONDS
        return options.calls or MOST_CALLS, None if options.minutes is None else 60 * options.minutes


def _called(
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
        result = _confirmed(work, result, second)
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


def _confirmed(work: _Work, result: AuditResult, recording: Recording | None) -> AuditResult:
    """Repeat a violation on its best pair with fresh coins; without a second one there is no verdict."""
    from privboost.auditor.files import findings
    from privboost.auditor.result import Verdict
    from privboost.auditor.running.search import derived_seed

    best = max((entry for entry in result.pairs if entry.refuted), key=lambda entry: entry.bound)
    # A smaller error probability takes about three times as many calls.
    calls = max(work.limits()[0], CONFIRMING_CALLS * best.calls)
    seed = derived_seed("confirm", result.seed)
    say(f"confirming the violation on the pair '{best.pair.name}', seed {seed}")
    again, _ = _run(work, [best.pair], recording, calls=calls, seed=seed, confidence=CONFIRMED_AT)
    result = replace(result, confirmation=again)
    if again.verdict is Verdict.VIOLATION:
        return result
    reason = f"a violation was found, but {findings.confirmation(result)}"
    return replace(result, verdict=Verdict.INCONCLUSIVE, reason=reason)


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


def _command(options: argparse.Namespace, claim: PrivacyClaim, calls: int) -> str:
    """Return the command that repeats the same calls."""
    return shlex.join([*_arguments(options, claim), "--calls", str(max(calls, 1))])


def _arguments(options: argparse.Namespace, claim: PrivacyClaim) -> list[str]:
    """Return the command of an audit, without its length and its output."""
    arguments = ["privboost", "audit", *_target_arguments(options)]
    if claim.kind == "eps" and claim.group == 1:
        arguments += ["--epsilon", repr(claim.value), "--delta", repr(claim.fixed)]
    else:
        arguments += ["--claim", claim.spelling]
    arguments += ["--confidence", repr(options.confidence), "--seed", str(options.seed)]
    arguments += ["--relation", options.relation] if options.relation else []
    arguments += ["--pairs", str(options.pairs)] if options.pairs else []
    arguments += [
        argument for kind, size in options.pattern or () for argument in ("--pattern", f"{kind}:{size}")
    ]
    arguments += [argument for words in options.only or () for argument in ("--only", words)]
    arguments += ["--search", str(options.search)] if options.search else []
    return arguments + [flag for flag, given in _FLAGS if getattr(options, given)]


def _target_arguments(options: argparse.Namespace) -> list[str]:
    """Return the arguments that name the target, and its table if it is an estimator."""
    named = [options.target] if options.estimator is None else ["--estimator", options.estimator]
    named += ["--table", str(options.table)] if options.table else []
    return named + (["--label", options.label] if options.label is not None else [])


def _contents(
    options: argparse.Namespace, result: AuditResult, recordings: Recordings, command: str
) -> dict[str, bytes]:
    """Return the report, the plots and the witnesses by file name."""
    from privboost.auditor.files.page import audit_page
    from privboost.auditor.files.report import to_json_text
    from privboost.auditor.files.witness import make_witness, witness_bytes

    def witness(audited: AuditResult, recording: Recording) -> bytes:
        stop = not options.no_stop
        return witness_bytes(
            make_witness(options.target, audited, recording, low_bits=options.low_bits, stop=stop)
        )

    plots = {name: draw() for name, draw in _plots(result).items()}
    contents = {
        "report.html": audit_page(result, plots, command).encode("utf-8"),
        "report.json": to_json_text(result, command).encode("utf-8"),
        "witness.json": witness(result, recordings[0]),
        **plots,
    }
    if result.confirmation is not None:
        contents["confirmation.json"] = witness(result.confirmation, recordings[1])
    return contents


def _plots(result: AuditResult) -> Mapping[str, Callable[[], bytes]]:
    """Return functions that draw the plots, by file name; without matplotlib there are none."""
    if not is_installed("matplotlib"):
        return {}
    from privboost.auditor.files.plots import plots_of

    return plots_of(result)


def _table(
    options: argparse.Namespace, result: AuditResult, command: str, files: Sequence[Path] = ()
) -> Table:
    """Return the report as a table that begins with the verdict."""
    from privboost.auditor.files import sentences
    from privboost.auditor.files.report import lines, to_document, wrapped
    from privboost.auditor.result import Verdict

    rows = [*lines(result, command), *(("file", str(path)) for path in files)]
    if getattr(options, "format", Format.TEXT) == Format.TEXT:
        rows = wrapped(rows)
    violation = result.verdict is Verdict.VIOLATION
    code = VIOLATION if violation else INTERRUPTED if result.interrupted else None
    if code is None and result.verdict is Verdict.INCONCLUSIVE:
        code = NO_VERDICT
    document = {"report": to_document(result, command)}
    conforming = result.verdict is Verdict.CONSISTENT
    return Table("audit", COLUMNS, tuple(rows), conforming, sentences.headline(result), code, document)


def _replay(options: argparse.Namespace) -> Table:
    """Recompute the bound of a witness file and compare it with the one in the file."""
    from privboost.auditor.files import sentences
    from privboost.auditor.files.replay import replay
    from privboost.auditor.files.report import lines, to_document, wrapped
    from privboost.auditor.files.witness import read_witness

    if options.estimator is not None:
        options.target = f"{ESTIMATOR}{options.estimator}"
    if options.target is not None and not options.rerun:
        raise UsageError(f"--replay: expected no TARGET without --rerun, got {options.target!r}")
    try:
        witness = read_witness(options.replay)
        _check_rerun(options, witness.target)
        with _callers(options) as callers:
            executor = callers.executor
            rerun = _target(options, executor) if options.rerun else None
            replayed = replay(witness, rerun=rerun, executor=executor)
    except PreconditionError as error:
        raise UsageError(f"--replay: {error}") from None
    again = " and the target called again" if options.rerun else ""
    agreement = f"verdict and bound recomputed from the outputs{again}: as the file states"
    rows: list[tuple[str, str]] = [("replay", line) for line in replayed.differences or (agreement,)]
    rows += lines(replayed.result, source=", as the file says")
    if getattr(options, "format", Format.TEXT) == Format.TEXT:
        rows = wrapped(rows)
    outcome = "the file agrees" if replayed.agrees else "THE FILE DOES NOT AGREE with the recomputed result"
    document = {
        "differences": list(replayed.differences),
        "rerun": bool(options.rerun),
        "as_the_file_says": ["target", "pairs.relation", "pairs.exact"],
        "report": to_document(replayed.result),
    }
    summary = f"{outcome}; {sentences.headline(replayed.result)}"
    return Table("audit", COLUMNS, tuple(rows), replayed.agrees, summary, document=document)


def _check_rerun(options: argparse.Namespace, named: str) -> None:
    """Raise UsageError unless the command line names the same target as the file."""
    from privboost.targets.names import same_target

    if options.rerun and (options.target is None or not same_target(options.target, named)):
        target = "none" if options.target is None else repr(options.target)
        raise UsageError(
            f"--rerun: expected the TARGET in the file, which is {named!r}, on the command line, since "
            f"a file may name any program; got {target}"
        )


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
