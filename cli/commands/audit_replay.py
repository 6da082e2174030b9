"""Recompute the result of a witness file: `privboost audit --replay FILE`."""

from __future__ import annotations

import argparse
from collections.abc import Set
from dataclasses import asdict

from privboost.cli.exit_codes import NO_VERDICT
from privboost.errors import PreconditionError, UsageError
from privboost.tables import Table

from .audit_callers import Callers
from .audit_options import name_target
from .audit_report import COLUMNS, fit_rows

READ = {"run", "debug", "format", "target", "estimator", "replay", "rerun", "timeout", "jobs", "dask"}
READ_BY_RERUN = {"calls", "seed"}
"""The options that a replay reads, and those that it reads if it calls the target again."""


def replay_table(options: argparse.Namespace) -> Table:
    """Recompute the bound of a witness file and compare it with the one in the file."""
    from privboost.auditor.files import sentences
    from privboost.auditor.files.replay import fresh_sentence, replay
    from privboost.auditor.files.report import lines, to_document
    from privboost.auditor.files.witness import read_witness

    refuse_unread(options, READ, READ_BY_RERUN)
    target = name_target(options)
    if target is not None and not options.rerun:
        raise UsageError(f"--replay: expected no TARGET without --rerun, got {target!r}")
    try:
        witness = read_witness(options.replay)
        if options.rerun:
            check_same_target(target, witness.target)
        with Callers(target, options) as callers:
            rerun = callers.load_target() if options.rerun else None
            replayed = replay(
                witness, rerun=rerun, executor=callers.executor, calls=options.calls, seed=options.seed
            )
    except PreconditionError as error:
        raise UsageError(f"--replay: {error}") from None
    fresh = replayed.fresh
    again = " and the target called again" if options.rerun and fresh is None else ""
    agreement = f"verdict and bound recomputed from the outputs{again}: as the file states"
    rows: list[tuple[str, str]] = [("replay", line) for line in replayed.differences or (agreement,)]
    rows += [] if fresh is None else [("rerun", fresh_sentence(replayed))]
    rows += lines(replayed.result, source=", as the file says")
    rows = fit_rows(options, rows)
    outcome = "the file agrees" if replayed.agrees else "THE FILE DOES NOT AGREE with the recomputed result"
    if replayed.agrees and fresh is not None:
        outcome += ", and fresh calls do" if replayed.is_confirmed else ", but fresh calls do NOT confirm it"
    document = {
        "differences": list(replayed.differences),
        "rerun": bool(options.rerun),
        "fresh": None if fresh is None else asdict(fresh),
        "as_the_file_says": ["target", "pairs.relation", "pairs.exact"],
        "report": to_document(replayed.result),
    }
    summary = f"{outcome}; {sentences.headline(replayed.result)}"
    code = NO_VERDICT if replayed.agrees and not replayed.is_confirmed else None
    return Table("audit", COLUMNS, tuple(rows), replayed.is_confirmed, summary, code, document)


def refuse_unread(options: argparse.Namespace, always: Set[str], by_rerun: Set[str] = frozenset()) -> None:
    """Raise UsageError for an option that a replay does not read, or only with --rerun."""
    read = always | by_rerun if options.rerun else always
    given = [name for name, value in vars(options).items() if value is not None and value is not False]
    unread = [name for name in given if name not in read]
    if unread:
        option = f"--{unread[0].replace('_', '-')}"
        if unread[0] in by_rerun:
            raise UsageError(f"{option}: expected --rerun beside --replay")
        reason = "claim, pairs and calls are those of the file; for others, audit again"
        raise UsageError(f"--replay: expected no {option} with it: {reason}")


def check_same_target(target: str | None, named: str) -> None:
    """Raise UsageError unless the command line names the same target as the file."""
    from privboost.targets.names import same_target

    if target is None or not same_target(target, named):
        raise UsageError(
            f"--rerun: expected the TARGET in the file, which is {named!r}, on the command line, since "
            f"a file may name any program; got {'none' if target is None else repr(target)}"
        )
