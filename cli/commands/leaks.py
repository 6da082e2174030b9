"""Show each leak of the printed protocol by an exact privacy loss, and that closing it closes the loss."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from privboost.tables import Table

if TYPE_CHECKING:
    from privboost.reference.exact import Extended

COLUMNS = ("leak", "label", "what", "claim", "exact loss", "loss when closed", "samples")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options: there are none of its own."""


def run(_options: argparse.Namespace) -> Table:
    """Return the leaks; there are no options."""
    return leak_losses()


def leak_losses() -> Table:
    """Return one row for every leak; one that is not shown, or does not close, does not conform."""
    from privboost.reference.data import text_of
    from privboost.reference.learners.leaks import LEAKS

    rows = []
    conforming = True
    for leak in LEAKS:
        leaking, closed = leak.loss(leak.leaking), leak.loss(leak.closed)
        claim = leak.parameters.epsilon
        conforming = conforming and leaking > claim >= closed
        samples = f"{text_of(leak.first)} against {text_of(leak.second)}"
        rows.append(
            (leak.key, leak.label, leak.what, str(claim), loss_text(leaking), loss_text(closed), samples)
        )
    return Table("leaks", COLUMNS, tuple(rows), conforming=conforming, summary=f"{len(rows)} leaks")


def loss_text(loss: Extended) -> str:
    """Return a privacy loss to six places; infinite where the supports are disjoint."""
    from privboost.reference.exact import Infinity, decimal

    return str(loss) if isinstance(loss, Infinity) else decimal(loss, 6)
