"""Print exact values of the losses at given points.

Losses are normalised so that the Bayes risk is 1 at u = 1/2, as in the gate. Where a partial loss is defined
without that factor, the value without it follows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from privboost.cli.arguments import add_option, number_between, unit_number, whole_number
from privboost.tables import Table

if TYPE_CHECKING:
    from privboost.reference.exact import ClosedInterval, Extended, Number
    from privboost.reference.losses import Loss

COLUMNS = ("loss", "quantity", "at", "exact", "decimal")
margin = number_between(-1000, 1000)
Cell: TypeAlias = "Extended | ClosedInterval"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the losses, and the points at which they are evaluated."""
    for option, kind, help_text in (
        ("--alpha", unit_number, "parameter of the Mα-loss; may be repeated (default 1/2)"),
        ("--at", unit_number, "probability u; may be repeated (default 1/4 and 1/2)"),
        (
            "--margin",
            margin,
            "real-valued prediction z from -1000 to 1000; may be repeated (default -1 and 1)",
        ),
    ):
        parser.add_argument(option, type=kind, action="append", metavar="NUMBER", help=help_text)
    add_option(parser, "--digits N", whole_number(0, 1000), "number of decimals", default=12)


def run(options: argparse.Namespace) -> Table:
    """Return one row for every loss, quantity and point."""
    from privboost.reference.losses import LOG, MATSUSHITA, SQUARE, ZERO_ONE, m_alpha

    alphas = options.alpha or [Fraction(1, 2)]
    points = options.at or [Fraction(1, 4), Fraction(1, 2)]
    margins = options.margin or [Fraction(-1), Fraction(1)]
    losses = (SQUARE, LOG, ZERO_ONE, MATSUSHITA, *(m_alpha(alpha) for alpha in alphas))
    rows = tuple(
        (loss.name, quantity, point, str(value), decimal_string(value, options.digits))
        for loss in losses
        for quantity, point, value in _values(loss, points, margins)
    )
    return Table("losses", COLUMNS, rows)


def _values(loss: Loss, points: list[Fraction], margins: list[Fraction]) -> Iterator[tuple[str, str, Cell]]:
    """Yield the name, the argument and the value of every quantity of a loss."""
    from privboost.reference.losses import bayes_risk, inverse_link, link, partial_loss, surrogate

    for u in points:
        point = f"u = {u}"
        for y in (1, -1):
            printed = partial_loss(loss, y, u)
            yield f"partial loss, y = {y}", point, _scale(loss.normaliser, printed)
            if loss.normaliser != 1:
                yield f"partial loss, y = {y}, not normalised", point, printed
        yield "Bayes risk", point, bayes_risk(loss, u)
        yield "link", point, _simplest(link(loss, u))
    for z in margins:
        point = f"z = {z}"
        yield "inverse link", point, _simplest(inverse_link(loss, z))
        yield "surrogate", point, surrogate(loss, z)


def _scale(factor: Number, value: Extended) -> Extended:
    from privboost.reference.exact import Infinity

    return value if isinstance(value, Infinity) else factor * value


def _simplest(interval: ClosedInterval) -> Cell:
    return interval.lo if interval.is_point else interval


def decimal_string(value: Cell, digits: int) -> str:
    """Return a number, or both ends of an interval, as correctly rounded decimals."""
    from privboost.reference.exact import ClosedInterval, Infinity, decimal

    if isinstance(value, ClosedInterval):
        return f"[{decimal_string(value.lo, digits)}, {decimal_string(value.hi, digits)}]"
    return str(value) if isinstance(value, Infinity) else decimal(value, digits)
