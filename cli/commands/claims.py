"""Claims of the ledger as plain text: one claim whole, or many with one line each."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace

from privboost.printing import truncate
from privboost.tables import GAP, READABLE, Format, Table, render, terminal_width

FEW = 6
"""Largest number of claims that are all printed whole."""
WIDTH, NARROWEST = 100, 48
"""Width of a line where standard output is no terminal, and the least width."""
INDENT = 20
ON_THE_FIRST_LINE = ("verdict", "severity", "correction")
"""Fields that a block does not repeat: its first line has them, or the field `instead`."""


def add_labels(parser: argparse.ArgumentParser, everything: str) -> None:
    """Declare the labels; without one, the command is about `everything`."""
    purpose = f"LaTeX label in the paper, or key of a claim (default: {everything})"
    parser.add_argument("labels", nargs="*", metavar="LABEL", help=purpose)


def choose_whole(keys: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the keys of the claims to print whole: all if they are few, else those that are named."""
    return list(keys) if len(keys) <= FEW else [key for key in keys if key in names]


def format_claim(key: str, fields: Mapping[str, str], width: int) -> str:
    """Return the fields of a claim as a block, with lines of at most `width` characters."""
    severity = f"{GAP}({fields['severity']})" if "severity" in fields else ""
    lines = [f"{fields['verdict']}{GAP}{key}{severity}"]
    for title, content in fields.items():
        if title not in ON_THE_FIRST_LINE:
            lines += textwrap.wrap(
                content,
                width,
                initial_indent=f"  {title}".ljust(INDENT),
                subsequent_indent=" " * INDENT,
                break_on_hyphens=False,
            )
    return "\n".join(lines)


def format_rows(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], width: int) -> str:
    """Return rows as a table in which the column `claim` is cut, so that lines have `width` characters."""
    if not rows:
        return ""
    others = sum(
        max(len(name), *map(len, column)) + len(GAP)
        for name, column in zip(columns, zip(*rows, strict=True), strict=True)
        if name != "claim" and any(column)
    )
    # On a narrow terminal every row becomes a block, with the claim on a line of its own.
    widest = width - others if width - others >= READABLE else width - 2 * len(GAP)
    cut = tuple(
        tuple(
            truncate(cell, widest) if name == "claim" else cell
            for name, cell in zip(columns, row, strict=True)
        )
        for row in rows
    )
    return render(Table("", columns, cut), Format.TEXT, width).rstrip()


def as_text(
    table: Table,
    whole: Mapping[str, Mapping[str, str]],
    columns: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    hint: str,
) -> Table:
    """Return a result as plain text: the fields of claims by key, rows with a hint below, and the summary."""
    width = max(terminal_width() or WIDTH, NARROWEST)
    blocks = [format_claim(key, fields, width) for key, fields in whole.items()]
    listed = format_rows(columns, rows, width)
    wrapped = ["\n".join(textwrap.wrap(line, width)) for line in (hint if listed else "", table.summary)]
    parts = (*blocks, listed, *wrapped)
    return replace(table, columns=(), rows=(), summary="\n\n".join(part for part in parts if part))
