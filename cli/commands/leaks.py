"""Show the privacy leaks of the printed protocol by exact losses.

For each leak, the privacy loss on one pair of samples exceeds the claim, and no longer does once the leak is
closed. First under the printed rules, then with a single printed choice in the sound protocol.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from privboost.tables import Table

if TYPE_CHECKING:
    from privboost.reference.exact import Extended

COLUMNS = ("leak", "label", "protocol", "what", "claim", "exact loss", "loss when closed", "samples")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare nothing: all leaks are printed."""


def run(_options: argparse.Namespace) -> Table:
    """Return the leaks."""
    return leak_losses()


def leak_losses() -> Table:
    """Return one row per leak.

    The table conforms if every loss is above the claim, and within it once the leak is closed.
    """
    from privboost.reference.learners.leaks import LEAKS, PRINTED_LEAKS

    rows = []
    conforming = True
    for leak in (*PRINTED_LEAKS, *LEAKS):
        leaking, closed = leak.loss(leak.leaking), leak.loss(leak.closed)
        claim = leak.parameters.epsilon
        conforming = conforming and leaking > claim >= closed
        losses = loss_string(leaking), loss_string(closed)
        rows.append((leak.key, leak.label, leak.where, leak.what, str(claim), *losses, leak.samples))
    return Table("leaks", COLUMNS, tuple(rows), conforming=conforming, summary=f"{len(rows)} leaks")


def loss_string(loss: Extended) -> str:
    """Return a privacy loss with six decimals, or infinity."""
    from privboost.reference.exact import Infinity, decimal

    return str(loss) if isinstance(loss, Infinity) else decimal(loss, 6)
