"""Test a claim of (epsilon, delta)-privacy by calling the mechanism.

The mechanism is called on pairs of neighbouring inputs. The outputs give a lower bound on epsilon that holds
with the stated confidence. A bound above the claim refutes it; no audit can show that a mechanism is private.
"""

from __future__ import annotations

import argparse
import math
import secrets
import shlex
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from privboost.errors import PreconditionError, UsageError
from privboost.extras import install_line, is_installed
from privboost.files import prepare_directory, write_files
from privboost.progress import Watch
from privboost.tables import Format, Table

from .audit_options import (
    DEFAULT_CALLS,
    DEFAULT_SECONDS,
    MOST_CALLS,
    add_arguments,
    check_settings,
    chosen_pairs,
    claim_of,
    searched_pairs,
)

if TYPE_CHECKING:
    from privboost.auditor.audit import Progress
    from privboost.auditor.files.witness import Recording
    from privboost.auditor.mechanisms.known_loss import Claimed
    from privboost.auditor.pairs.pair import Pair
    from privboost.auditor.result import AuditResult

__all__ = ["add_arguments", "run"]

COLUMNS = ("quantity", "value")
VIOLATION, NO_VERDICT, INTERRUPTED = 1, 4, 130


def run(options: argparse.Namespace) -> Table:
    """Run or replay an audit, and return its report."""
    return _replay(options) if options.replay else _audit(options)


def _audit(options: argparse.Namespace) -> Table:
    """Audit a target, write the files and return the report."""
    if options.target is None:
        raise UsageError("TARGET: expected what to audit, such as bank:laplace; --help lists the kinds")
    if options.rerun:
        raise UsageError("--rerun: expected --replay FILE with it")
    if options.output:
        prepare_directory(options.output)
    from privboost.auditor.files.witness import Recording

    with _callers(options) as executor:
        target = _target(options, executor)
        pairs = chosen_pairs(options, target)
        options.epsilon = claim_of(options, target)
        check_settings(options)
        options.seed = secrets.randbits(64) if options.seed is None else options.seed
        pairs = searched_pairs(options, target, pairs, executor)
        recording = Recording() if options.output else None
        result, calls = _called(options, target, pairs, recording, executor)
    command = _command(options, result, calls)
    files = _written(options, result, recording, command) if recording is not None else []
    return _table(options, result, command, files)


@contextmanager
def _callers(options: argparse.Namespace) -> Iterator[Executor | None]:
    """Start the executor of the calls; a module of the user, which may crash, runs in its own processes."""
    from privboost.workers.choose import workers_of
    from privboost.workers.pool import worker_processes

    if _runs_apart(options):
        with worker_processes(options.jobs, options.timeout) as pool:
            yield pool
    else:
        with workers_of(options) as workers:
            yield workers.executor


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


def _called(
    options: argparse.Namespace,
    target: Claimed,
    pairs: Sequence[Pair],
    recording: Recording | None,
    executor: Executor | None,
) -> tuple[AuditResult, int]:
    """Run the audit with progress lines; return its result and the number of calls that reproduces it."""
    from privboost.auditor import audit

    calls, seconds = options.calls or MOST_CALLS, None if options.minutes is None else 60 * options.minutes
    if options.calls is None and options.minutes is None:
        calls, seconds = DEFAULT_CALLS, DEFAULT_SECONDS
    latest, refuted = 0, False

    def note(progress: Progress) -> None:
        nonlocal latest, refuted
        latest, refuted = progress.calls, refuted or progress.refuted
        watch(progress, refuted)

    _say(f"auditing {options.target}, {_count(len(pairs), 'pair')}, seed {options.seed}")
    with _watch(math.inf if seconds is None else seconds) as watch:
        result = audit(
            target.mechanism,
            list(pairs),
            epsilon=options.epsilon,
            delta=options.delta,
            confidence=options.confidence,
            calls=calls,
            seconds=seconds,
            seed=options.seed,
            stop=not options.no_stop,
            low_bits=options.low_bits,
            executor=executor,
            progress=note,
            recorder=recording,
        )
    ended_early = options.calls is None and not (refuted and not options.no_stop)
    return replace(result, target=options.target), latest if ended_early else calls


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


def _command(options: argparse.Namespace, result: AuditResult, calls: int) -> str:
    """Return the command that repeats the same calls."""
    arguments = ["privboost", "audit", options.target, "--epsilon", repr(result.epsilon)]
    arguments += ["--delta", repr(result.delta)] if result.delta else []
    arguments += ["--confidence", repr(result.confidence), "--calls", str(max(calls, 1))]
    arguments += ["--seed", str(result.seed)]
    arguments += ["--relation", options.relation] if options.relation else []
    arguments += ["--pairs", str(options.pairs)] if options.pairs else []
    arguments += [
        argument for kind, size in options.pattern or () for argument in ("--pattern", f"{kind}:{size}")
    ]
    arguments += ["--search", str(options.search)] if options.search else []
    arguments += [
        flag for flag, given in (("--low-bits", options.low_bits), ("--no-stop", options.no_stop)) if given
    ]
    return shlex.join(arguments)


def _written(
    options: argparse.Namespace, result: AuditResult, recording: Recording, command: str
) -> list[Path]:
    """Write the report, the plots and the witness, and return their paths."""
    from privboost.auditor.files.page import audit_page
    from privboost.auditor.files.report import to_json_text
    from privboost.auditor.files.witness import make_witness, witness_bytes

    plots = _plots(result)
    contents = {
        "report.html": audit_page(result, plots, command).encode("utf-8"),
        "report.json": to_json_text(result, command).encode("utf-8"),
        "witness.json": witness_bytes(
            make_witness(
                options.target, result, recording, low_bits=options.low_bits, stop=not options.no_stop
            )
        ),
        **plots,
    }
    return write_files(options.output, contents)


def _plots(result: AuditResult) -> dict[str, bytes]:
    """Return the plots by file name; without matplotlib there are none, and the report says so."""
    if not is_installed("matplotlib"):
        _say(f"no plots, since matplotlib is not installed; run: {install_line('plots')}")
        return {}
    from privboost.auditor.files.plots import draw_all

    return draw_all(result)


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

    if options.target is not None and not options.rerun:
        raise UsageError(f"--replay: expected no TARGET without --rerun, got {options.target!r}")
    try:
        witness = read_witness(options.replay)
        _check_rerun(options, witness.target)
        with _callers(options) as executor:
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


def _say(message: str) -> None:
    print(f"privboost: {message}", file=sys.stderr, flush=True)
