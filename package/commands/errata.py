"""List the places where the paper is wrong about its losses, each with a witness that is evaluated now."""

from __future__ import annotations

import argparse

from privboost.reference.errata import ERRATA
from privboost.tables import Table

COLUMNS = ("key", "label", "section", "printed", "stated", "correction", "witness")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options: there are none of its own."""


def run(_options: argparse.Namespace) -> Table:
    """Return one row for every erratum; a witness that does not show its erratum does not conform."""
    witnesses = [item.witness() for item in ERRATA]
    rows = tuple(
        (item.key, item.label, item.section, item.printed, item.stated, item.correction, str(witness))
        for item, witness in zip(ERRATA, witnesses, strict=True)
    )
    failed = [item.key for item, witness in zip(ERRATA, witnesses, strict=True) if not witness.shown]
    summary = f"{len(rows)} errata" + (f"; not shown by their witness: {', '.join(failed)}" if failed else "")
    return Table("errata", COLUMNS, rows, conforming=not failed, summary=summary)
