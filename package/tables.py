"""Format the results of commands as plain text, JSON or Markdown."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from typing import Any

from .printing import printable, printable_json

GAP = "  "
"""What separates the columns of plain text."""
NARROWEST = 12
"""Smallest width to which a column of plain text is narrowed."""


class Format(StrEnum):
    """Output format of a command."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True)
class Table:
    """The result of a command: rows of strings, and whether what was checked conforms."""

    command: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    conforming: bool = True
    summary: str = ""
    exit_code: int | None = None
    """Exit code; by default 0 if conforming and 1 if not."""
    document: Mapping[str, Any] = field(default_factory=dict)
    """Additional keys of the JSON output."""
    write: Callable[[], object] | None = None
    """Writes the files of the result, after the result itself was printed."""


def render(table: Table, style: Format, width: int | None = None) -> str:
    """Return a table in the chosen format, ending in a newline.

    Plain text is wrapped to lines of `width` characters if that is possible. Without columns the summary is
    printed as it is.
    """
    if not table.columns and style is not Format.JSON:
        return f"{table.summary}\n"
    match style:
        case Format.JSON:
            return _render_json(table)
        case Format.MARKDOWN:
            return _render_markdown(table)
        case Format.TEXT:
            return _render_text(table, width)


def _render_json(table: Table) -> str:
    document = {
        "command": table.command,
        "conforming": table.conforming,
        "summary": table.summary,
        "rows": [dict(zip(table.columns, row, strict=True)) for row in table.rows],
        **table.document,
    }
    return printable_json(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


def _render_markdown(table: Table) -> str:
    cells = [[_escape(cell) for cell in row] for row in (table.columns, *table.rows)]
    rule = ["---"] * len(table.columns)
    lines = [f"| {' | '.join(row)} |" for row in (cells[0], rule, *cells[1:])]
    return "\n".join([*lines, *_summary_lines(table)]) + "\n"


def _escape(cell: str) -> str:
    """Return a cell on one line with all Markdown syntax escaped."""
    flat = " ".join(cell.split())
    return "".join("\\" + c if c in "\\|*_`<[" else c for c in printable(flat))


def _render_text(table: Table, width: int | None) -> str:
    rows = [[printable(" ".join(cell.split())) for cell in row] for row in (table.columns, *table.rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.columns))]
    if width is not None:
        widths = _narrowed(widths, width - len(GAP) * (len(widths) - 1))
    rule = ["-" * w for w in widths]
    lines = [line for row in (rows[0], rule, *rows[1:]) for line in _wrapped(row, widths)]
    summary = _summary_lines(table)
    if width is not None:
        summary = [line for paragraph in summary for line in textwrap.wrap(paragraph, width) or [""]]
    return "\n".join([*lines, *summary]) + "\n"


def _narrowed(widths: list[int], total: int) -> list[int]:
    """Return widths that add up to `total` at most, by narrowing the widest columns down to NARROWEST."""
    narrowed = list(widths)
    while sum(narrowed) > total and max(narrowed) > NARROWEST:
        narrowed[narrowed.index(max(narrowed))] -= 1
    return narrowed


def _wrapped(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """Yield the lines of a row, whose cells are wrapped to the widths of their columns."""
    cells = [textwrap.wrap(cell, max(w, 1)) for cell, w in zip(row, widths, strict=True)]
    for parts in zip_longest(*cells, fillvalue="") if any(cells) else [("",)]:
        yield GAP.join(part.ljust(w) for part, w in zip(parts, widths, strict=False)).rstrip()


def _summary_lines(table: Table) -> list[str]:
    return ["", printable(table.summary)] if table.summary else []
