"""Judge the claims of the paper with proof engines.

Every verdict is computed and compared with the recorded one; a difference gives exit code 1, Ctrl-C 130.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from privboost.cli.arguments import add_jobs
from privboost.cli.exit_codes import INTERRUPTED
from privboost.errors import HarnessError, UsageError
from privboost.extras import demand
from privboost.progress import count_progress, counting
from privboost.tables import Format, Table

from .claims import add_labels, as_text, choose_whole

if TYPE_CHECKING:
    from privboost.proofs_check.ledger import Judgement

COLUMNS = ("verdict", "key", "label", "line", "reading", "engines", "claim", "complaint")
LISTED = ("verdict", "key", "line", "claim", "complaint")
"""The columns of plain text."""
EXPLAINED = ("key", "field", "value")
TRUSTED = ("rests on", "proofs", "refutations", "what it is")
HINT = "privboost prove KEY prints one claim whole; --explain prints all of these whole."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the labels, the number of processes and the views of the ledger."""
    add_labels(parser, "all claims")
    add_jobs(parser)
    views = parser.add_mutually_exclusive_group()
    views.add_argument("--explain", action="store_true", help="print every claim whole, however many")
    views.add_argument(
        "--trust",
        action="store_true",
        help="show what the verdicts depend on: solvers, kernel, cited results",
    )
    views.add_argument("--second-opinion", action="store_true", help="check the answers of z3 with cvc5")
    views.add_argument(
        "--derivations", action="store_true", help="list the derivations by sympy instead of the claims"
    )
    views.add_argument(
        "--record",
        action="store_true",
        help="judge all claims and update the record and the pages made from it (in a checkout)",
    )
    views.add_argument(
        "--check",
        type=Path,
        metavar="FILE",
        help="say what is wrong with a file of the book of claims as it is written; nothing is judged",
    )


def run(options: argparse.Namespace) -> Table:
    """Return one row per claim; the table conforms if all verdicts are as recorded."""
    if options.check:
        return _check(options.check, options.labels)
    demand("prove", "z3", "sympy")
    if options.derivations:
        if options.labels:
            raise UsageError("--derivations: expected no LABEL, since all of them are derived at once")
        return _derivations()
    from privboost.proofs_check import ledger, record

    keys = ledger.select_keys(options.labels)
    if options.second_opinion:
        return _second_opinions(keys, options.jobs)
    if options.record:
        return _record(options.labels, keys, options.jobs)
    judgements = [record.compare_with_record(judgement) for judgement in _judge(keys, options.jobs)]
    if options.trust:
        from privboost.proofs_check.pages.ledger import trust_rows

        return _table(TRUSTED, trust_rows(judgements), judgements, keys)
    if getattr(options, "format", Format.TEXT) == Format.TEXT:
        return _text(options, judgements, keys)
    if not options.explain:
        return _table(COLUMNS, _rows(judgements), judgements, keys)
    fields = _fields(judgements).items()
    rows = [(key, title, content) for key, by_title in fields for title, content in by_title.items()]
    return _table(EXPLAINED, rows, judgements, keys)


def _judge(keys: Sequence[str], jobs: int) -> list[Judgement]:
    """Judge entries and all on which they rest; after Ctrl-C, return only those that are complete."""
    from privboost.proofs_check.ledger import collect_dependencies, entries, judge, settle
    from privboost.workers.spread import spread

    needed = {*keys, *(used for key in keys for used in collect_dependencies(key))}
    with counting("claims judged") as watch:
        judgements = spread(judge, [key for key in entries() if key in needed], jobs, watch)
    complete = settle(judgements) if len(judgements) == len(needed) else judgements
    return [complete[key] for key in keys if key in complete]


def _text(options: argparse.Namespace, judgements: Sequence[Judgement], keys: Sequence[str]) -> Table:
    """Return the result as plain text: claims that are named, or few, whole, and one line for each other."""
    whole = keys if options.explain else choose_whole(keys, options.labels)
    fields = _fields([judgement for judgement in judgements if judgement.key in whole])
    chosen = [COLUMNS.index(name) for name in LISTED]
    rows = [tuple(row[index] for index in chosen) for row in _rows(judgements) if row[1] not in whole]
    return as_text(_table((), (), judgements, keys), fields, LISTED, rows, HINT if options.labels else "")


def _rows(judgements: Iterable[Judgement]) -> Iterator[tuple[str, ...]]:
    """Yield one row per judgement."""
    from privboost.proofs_check.ledger import entries

    for judgement in judgements:
        entry = entries()[judgement.key]
        yield (
            str(judgement.verdict or "REJECTED"),
            entry.key,
            entry.label or "",
            str(entry.line or ""),
            entry.reading,
            "+".join(judgement.engines),
            entry.words,
            judgement.complaint,
        )


def _fields(judgements: Sequence[Judgement]) -> dict[str, dict[str, str]]:
    """Return the fields of every claim, by key and title."""
    from privboost.proofs_check.ledger import entries
    from privboost.proofs_check.pages.fields import judged_fields

    verdicts = {judgement.key: judgement.verdict for judgement in judgements}
    return {
        judgement.key: judged_fields(entries()[judgement.key], judgement, verdicts)
        | ({"complaint": judgement.complaint} if judgement.complaint else {})
        for judgement in judgements
    }


def _table(
    columns: tuple[str, ...],
    rows: Iterable[tuple[str, ...]],
    judgements: Sequence[Judgement],
    keys: Sequence[str],
) -> Table:
    """Return the result; an interruption is told by the exit code if there is no complaint so far."""
    conforming = not any(judgement.complaint for judgement in judgements)
    code = INTERRUPTED if conforming and len(judgements) < len(keys) else None
    return Table("prove", columns, tuple(rows), conforming, _summary(judgements, keys), code)


def _summary(judgements: Sequence[Judgement], keys: Sequence[str]) -> str:
    """Return the totals per verdict."""
    from privboost.proofs_check.entry import Verdict
    from privboost.proofs_check.record import version_differences

    counts = Counter(judgement.verdict for judgement in judgements)
    parts = [f"{counts[verdict]} {verdict}" for verdict in Verdict]
    if counts[None]:
        parts.append(f"{counts[None]} REJECTED")
    summary = f"{len(judgements)} claims: {', '.join(parts)}"
    if complaints := sum(bool(judgement.complaint) for judgement in judgements):
        summary += f"; {complaints} not as on record"
    if len(judgements) < len(keys):
        summary += f"; interrupted, {len(keys) - len(judgements)} not judged"
    return "; ".join((summary, *version_differences()))


def _second_opinions(keys: Sequence[str], jobs: int) -> Table:
    """Return the answers of cvc5; the table conforms if none contradicts z3."""
    from privboost.proofs_check.second_opinion import asked_of_z3, second_opinion
    from privboost.workers.spread import spread

    demand("--second-opinion", "cvc5")
    asked = asked_of_z3(keys)
    with counting("claims checked with cvc5") as watch:
        answers = spread(second_opinion, asked, jobs, watch)
    rows = tuple(
        (key, *(str(counts[a]) for a in ("unsat", "unknown", "sat"))) for key, counts in answers.items()
    )
    total = sum(answers.values(), Counter())
    summary = (
        f"{len(rows)} claims: cvc5 agrees on {total['unsat']} questions, does not know {total['unknown']}, "
        f"contradicts z3 on {total['sat']}"
    )
    conforming = not total["sat"]
    code = INTERRUPTED if conforming and len(answers) < len(asked) else None
    return Table("prove", ("key", "agrees", "unknown", "contradicts"), rows, conforming, summary, code)


def _record(labels: Sequence[str], keys: Sequence[str], jobs: int) -> Table:
    """Judge all claims and write the record, the pages and the counts in the README."""
    from privboost.proofs_check.pages.write import write_record

    if labels:
        raise UsageError("--record: expected no LABEL, since the whole ledger is recorded")
    judgements = _judge(keys, jobs)
    rejected = [f"{judgement.key}: {judgement.complaint}" for judgement in judgements if judgement.complaint]
    if rejected or len(judgements) < len(keys):
        rows = tuple((complaint,) for complaint in rejected)
        code = None if rejected else INTERRUPTED
        return Table("prove", ("rejected",), rows, False, "nothing was written", code)
    written = tuple((str(path),) for path in write_record(judgements))
    return Table("prove", ("written",), written, True, _summary(judgements, keys))


def _check(path: Path, labels: Sequence[str]) -> Table:
    """Return what is wrong with a file of the book; the table conforms if nothing is."""
    from privboost.proofs_check.consistency import check_file

    if labels:
        raise UsageError("--check: expected no LABEL, since the whole file is checked")
    rows = tuple(check_file(path))
    summary = f"problems in {path}: {len(rows)}" if rows else f"{path} is well written"
    return Table("prove", ("place", "problem"), rows, not rows, summary)


def _derivations() -> Table:
    """Return every derivation; the table conforms if each one agrees or is a known erratum."""
    from privboost.symbolic.registry import SECTIONS, derive_section

    sections = count_progress(SECTIONS, "sections derived")
    derivations = [derivation for section in sections for derivation in derive_section(section)]
    if not derivations:
        raise HarnessError("there is nothing to derive")
    counts = Counter(str(derivation.verdict) for derivation in derivations)
    rows = tuple(
        (str(d.verdict), d.key, d.label, d.statement, d.erratum or "", d.detail) for d in derivations
    )
    summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("AGREES", "ERRATUM", "DISAGREES"))
    columns = ("verdict", "key", "label", "statement", "erratum", "detail")
    return Table("prove", columns, rows, set(counts) <= {"AGREES", "ERRATUM"}, summary)
