"""Derive the paper's statements about its losses again and compare."""

from __future__ import annotations

import argparse
from collections import Counter

from privboost.errors import HarnessError
from privboost.tables import Table

CONFORMING = ("AGREES", "ERRATUM")
COLUMNS = ("verdict", "key", "label", "statement", "erratum", "detail")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options: there are none of its own."""


def run(_options: argparse.Namespace) -> Table:
    """Return every derivation with its verdict; a disagreement that is no known erratum does not conform."""
    from privboost.symbolic.losses import derivations

    found = derivations()
    if not found:
        raise HarnessError("there is nothing to derive")
    counts = Counter(str(derivation.verdict) for derivation in found)
    rows = tuple((str(d.verdict), d.key, d.label, d.statement, d.erratum or "", d.detail) for d in found)
    summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in (*CONFORMING, "DISAGREES"))
    return Table("prove", COLUMNS, rows, conforming=set(counts) <= set(CONFORMING), summary=summary)
