"""List the errors in the paper, with witnesses and corrections.

They come from the proof ledger (see prove): false statements first, then gaps, slips and pedantry.
"""

from __future__ import annotations

import argparse
from collections import Counter

from privboost.extras import demand
from privboost.tables import Format, Table

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
WIDEST_CELL = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare nothing: all errata are printed."""


def run(options: argparse.Namespace) -> Table:
    """Return the errata; in plain text, long cells are truncated."""
    demand("errata", "sympy")
    whole = getattr(options, "format", Format.TEXT) != Format.TEXT
    return errata(None if whole else WIDEST_CELL)


def errata(widest: int | None = None) -> Table:
    """Return one row per error, the most severe first, with cells truncated to `widest` characters.

    Verdicts and witnesses are the recorded ones. If a claim has an erratum in the reference, its exact
    witness is evaluated. The table conforms if every claim is as recorded and every exact witness holds.
    """
    from privboost.proofs_check.pages import errata as page
    from privboost.proofs_check.pages.fields import place_of
    from privboost.proofs_check.record import fingerprint, record
    from privboost.reference.errata import ERRATA

    witnesses = {erratum.key: erratum.witness() for erratum in ERRATA}
    rows, changed = [], []
    for erratum in page.errata():
        entry = erratum.entry
        recorded = record().get(entry.key)
        if recorded is None or recorded.fingerprint != fingerprint(entry):
            changed.append(entry.key)
        cells = (
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
        rows.append(tuple(_cut(cell, widest) for cell in cells))
    failed = [key for key, witness in witnesses.items() if not witness.shown]
    return Table("errata", COLUMNS, tuple(rows), not (changed or failed), _summary(rows, changed, failed))


def _cut(cell: str, widest: int | None) -> str:
    return cell if widest is None or len(cell) <= widest else f"{cell[:widest]}…"


def _summary(rows: list[tuple[str, ...]], changed: list[str], failed: list[str]) -> str:
    """Return the number of errata per severity, and the keys that do not conform."""
    counts = Counter(row[0] for row in rows)
    parts = [f"{len(rows)} errata: " + ", ".join(f"{count} {name}" for name, count in counts.items())]
    parts += [f"not as on record: {', '.join(changed)}"] if changed else []
    parts += [f"not shown by their exact witness: {', '.join(failed)}"] if failed else []
    return "; ".join(parts)
