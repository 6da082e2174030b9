"""Format the results of commands as plain text, JSON or Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


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


def render(table: Table, style: Format) -> str:
    """Return a table in the chosen format, ending in a newline."""
    match style:
        case Format.JSON:
            return _render_json(table)
        case Format.MARKDOWN:
            return _render_markdown(table)
        case Format.TEXT:
            return _render_text(table)


def _render_json(table: Table) -> str:
    document = {
        "command": table.command,
        "conforming": table.conforming,
        "summary": table.summary,
        "rows": [dict(zip(table.columns, row, strict=True)) for row in table.rows],
        **table.document,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _render_markdown(table: Table) -> str:
    cells = [[_escape(cell) for cell in row] for row in (table.columns, *table.rows)]
    rule = ["---"] * len(table.columns)
    lines = [f"| {' | '.join(row)} |" for row in (cells[0], rule, *cells[1:])]
    return "\n".join([*lines, *_summary_lines(table)]) + "\n"


def _escape(cell: str) -> str:
    """Return a cell on one line with all Markdown syntax escaped."""
    flat = " ".join(cell.split())
    return "".join("\\" + c if c in "\\|*_`<[" else c for c in flat)


def _render_text(table: Table) -> str:
    rows = [[" ".join(cell.split()) for cell in row] for row in (table.columns, *table.rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.columns))]
    rule = ["-" * width for width in widths]
    lines = [_align(row, widths) for row in (rows[0], rule, *rows[1:])]
    return "\n".join([*lines, *_summary_lines(table)]) + "\n"


def _align(row: Iterable[str], widths: Iterable[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _summary_lines(table: Table) -> list[str]:
    return ["", table.summary] if table.summary else []
