"""Recompute the result of a witness file: `privboost audit --replay FILE`."""

from __future__ import annotations

import argparse

from privboost.errors import PreconditionError, UsageError
from privboost.tables import Format, Table, terminal_width

from .audit_callers import start_callers, target_of
from .audit_options import ESTIMATOR
from .audit_report import COLUMNS


def replay_table(options: argparse.Namespace) -> Table:
    """Recompute the bound of a witness file and compare it with the one in the file."""
    from privboost.auditor.files import sentences
    from privboost.auditor.files.replay import replay
    from privboost.auditor.files.report import lines, to_document, wrap_lines
    from privboost.auditor.files.witness import read_witness

    if options.estimator is not None:
        options.target = f"{ESTIMATOR}{options.estimator}"
    if options.target is not None and not options.rerun:
        raise UsageError(f"--replay: expected no TARGET without --rerun, got {options.target!r}")
    try:
        witness = read_witness(options.replay)
        _check_rerun(options, witness.target)
        with start_callers(options) as callers:
            executor = callers.executor
            rerun = target_of(options, executor) if options.rerun else None
            replayed = replay(witness, rerun=rerun, executor=executor)
    except PreconditionError as error:
        raise UsageError(f"--replay: {error}") from None
    again = " and the target called again" if options.rerun else ""
    agreement = f"verdict and bound recomputed from the outputs{again}: as the file states"
    rows: list[tuple[str, str]] = [("replay", line) for line in replayed.differences or (agreement,)]
    rows += lines(replayed.result, source=", as the file says")
    if getattr(options, "format", Format.TEXT) == Format.TEXT and terminal_width() is None:
        rows = wrap_lines(rows)
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
