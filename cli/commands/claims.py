"""Claims of the ledger as plain text: one claim whole, or many with one line each."""

from __future__ import annotations

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


def line_width() -> int:
    """Return the width of the terminal, or the default width if there is none."""
    return max(terminal_width() or WIDTH, NARROWEST)


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
    """Return rows as a table in which the column `claim` is cut, to give lines of `width` characters.

    Columns without any content are left out.
    """
    if not rows:
        return ""
    kept = [index for index, name in enumerate(columns) if name == "claim" or any(row[index] for row in rows)]
    claim = columns.index("claim")
    others = sum(max(len(columns[i]), *(len(row[i]) for row in rows)) + len(GAP) for i in kept if i != claim)
    widest = max(width - others, READABLE)
    cut = tuple(
        tuple(truncate(row[index], widest) if index == claim else row[index] for index in kept)
        for row in rows
    )
    names = tuple(columns[index] for index in kept)
    return render(Table("", names, cut), Format.TEXT, others + widest).rstrip()


def as_text(table: Table, blocks: Sequence[str], listed: str, hint: str, width: int) -> Table:
    """Return a result as plain text: blocks, a table with a hint below it, and the summary."""
    summary = "\n".join(textwrap.wrap(table.summary, width))
    parts = (*blocks, listed, hint if listed else "", summary)
    return replace(table, columns=(), rows=(), summary="\n\n".join(part for part in parts if part))
