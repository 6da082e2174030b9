"""List the errors in the paper, with witnesses and corrections.

They come from the proof ledger (see prove): false statements first, then gaps, slips and pedantry.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Sequence

from privboost.extras import demand
from privboost.tables import Format, Table

from .claims import add_labels, as_text, choose_whole

COLUMNS = (
    "severity",
    "key",
    "place",
    "claim",
    "witness",
    "correction",
    "instead",
    "erratum",
    "exact witness",
)
LISTED = ("severity", "key", "claim")
"""The columns of plain text."""
WITHOUT_CORRECTION = ("severity", "claim", "place", "witness", "instead")
"""What is printed of a misprint, or of a gap before a true claim."""
HINT = "privboost errata KEY prints one error whole, with its witness and its correction."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the labels."""
    add_labels(parser, "all errors")


def run(options: argparse.Namespace) -> Table:
    """Return the errata; in plain text, those that are named or few are printed whole."""
    demand("errata", "sympy")
    table = errata(options.labels)
    is_text = getattr(options, "format", Format.TEXT) == Format.TEXT
    return _text(table, options.labels) if is_text else table


def errata(names: Sequence[str] = ()) -> Table:
    """Return one row per error that is named, the most severe first; all without names.

    Verdicts and witnesses are the recorded ones. If a claim has an erratum in the reference, its exact
    witness is evaluated. The table conforms if every claim is as recorded and every exact witness holds.
    """
    from privboost.proofs_check.ledger import select_keys
    from privboost.proofs_check.pages import errata as page
    from privboost.proofs_check.pages.fields import place_of
    from privboost.proofs_check.record import fingerprint, record
    from privboost.reference.errata import ERRATA

    keys = set(select_keys(names))
    errors = [erratum for erratum in page.errata() if erratum.entry.key in keys]
    named = {erratum.entry.erratum for erratum in errors}
    witnesses = {erratum.key: erratum.witness() for erratum in ERRATA if erratum.key in named}
    rows, changed = [], []
    for erratum in errors:
        entry = erratum.entry
        recorded = record().get(entry.key)
        if recorded is None or recorded.fingerprint != fingerprint(entry):
            changed.append(entry.key)
        rows.append(
            (
                str(entry.severity or ""),
                entry.key,
                place_of(entry),
                erratum.claim,
                erratum.witness,
                erratum.correction,
                erratum.instead,
                entry.erratum or "",
                str(witnesses[entry.erratum]) if entry.erratum else "",
            )
        )
    failed = [key for key, witness in witnesses.items() if not witness.shown]
    summary = _summary(rows, changed, failed) if rows or not names else _describe_correct(names, keys)
    return Table("errata", COLUMNS, tuple(rows), not (changed or failed), summary)


def _text(table: Table, names: Sequence[str]) -> Table:
    """Return the table as plain text: errors that are named, or few, whole, and one line for each other."""
    from privboost.proofs_check.ledger import entries
    from privboost.proofs_check.pages.fields import judged_fields
    from privboost.proofs_check.record import record

    by_key = {row[1]: dict(zip(COLUMNS, row, strict=True)) for row in table.rows}
    whole = {}
    for key in choose_whole(list(by_key), names):
        error = by_key.pop(key)
        fields = judged_fields(entries()[key], record()[key], {})
        if "instead" in fields:
            fields |= {"exact witness": error["exact witness"]}
        else:
            fields = {"verdict": fields["verdict"]} | {name: error[name] for name in WITHOUT_CORRECTION}
        whole[key] = fields
    rows = [tuple(error[name] for name in LISTED) for error in by_key.values()]
    return as_text(table, whole, LISTED, rows, HINT)


def _describe_correct(names: Sequence[str], keys: Collection[str]) -> str:
    """Describe claims without an error by their verdicts and by the claims that they correct."""
    from privboost.proofs_check.ledger import entries
    from privboost.proofs_check.record import record

    counts = Counter(str(record()[key].verdict) for key in keys if key in record())
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    corrected = [entry.key for entry in entries().values() if entry.correction in keys]
    summary = f"0 errata: no error is known in {', '.join(names)} ({len(keys)} claims: {verdicts})"
    return summary + (f"; corrects {', '.join(corrected)}" if corrected else "")


def _summary(rows: Sequence[tuple[str, ...]], changed: list[str], failed: list[str]) -> str:
    """Return the number of errata per severity, and the keys that do not conform."""
    counts = Counter(row[0] for row in rows)
    parts = [f"{len(rows)} errata: " + ", ".join(f"{count} {name}" for name, count in counts.items())]
    parts += [f"not as on record: {', '.join(changed)}"] if changed else []
    parts += [f"not shown by their exact witness: {', '.join(failed)}"] if failed else []
    return "; ".join(parts)
