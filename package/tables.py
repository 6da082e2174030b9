"""Format the results of commands as plain text, JSON or Markdown."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from typing import Any

from .printing import make_printable, make_printable_json

GAP = "  "
"""What separates the columns of plain text."""
NARROWEST = 12
"""Smallest width to which a column of plain text is narrowed."""
READABLE = 24
"""Smallest width at which sentences in a column of plain text are readable."""


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
    commands: frozenset[str] = frozenset()
    """First words of rows and of lines of the summary that hold a command to copy, which is never wrapped."""


def terminal_width() -> int | None:
    """Return the number of columns of the terminal that shows standard output; None if there is none."""
    return shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else None


def render(table: Table, style: Format, width: int | None = None) -> str:
    """Return a table in the chosen format, ending in a newline.

    Plain text is wrapped to lines of `width` characters if possible. Rows of more than two columns become
    blocks where they do not fit. Without columns the summary is printed as it is.
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
    return make_printable_json(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


def _render_markdown(table: Table) -> str:
    cells = [[_escape(cell) for cell in row] for row in (table.columns, *table.rows)]
    rule = ["---"] * len(table.columns)
    lines = [f"| {' | '.join(row)} |" for row in (cells[0], rule, *cells[1:])]
    return "\n".join([*lines, *_summary_lines(table)]) + "\n"


def _escape(cell: str) -> str:
    """Return a cell on one line with all Markdown syntax escaped."""
    flat = " ".join(cell.split())
    return "".join("\\" + c if c in "\\|*_`<[" else c for c in make_printable(flat))


def _render_text(table: Table, width: int | None) -> str:
    rows = [[make_printable(" ".join(cell.split())) for cell in row] for row in (table.columns, *table.rows)]
    summary = _summary_lines(table)
    if width is None:
        return "\n".join([*_grid(rows, _widths(rows)), *summary]) + "\n"
    rows = _without_empty_columns(rows)
    widths = _narrow(_widths(rows), width - len(GAP) * (len(rows[0]) - 1))
    if len(widths) > 2 and not _readable(rows, widths):
        lines = list(_blocks(rows, width))
    else:
        lines = list(_grid(rows, widths, table.commands))
    for line in summary:
        is_command = not table.commands.isdisjoint(line.split(maxsplit=1)[:1])
        lines += [line] if is_command else _paragraph(line, width)
    return "\n".join(lines) + "\n"


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column."""
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _without_empty_columns(rows: list[list[str]]) -> list[list[str]]:
    """Return rows without the columns that are empty below their name; all columns if all are."""
    kept = [index for index, column in enumerate(zip(*rows, strict=True)) if any(column[1:])]
    return [[row[index] for index in kept] for row in rows] if kept else rows


def _readable(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> bool:
    """Return whether no word has to be broken, and sentences have at least READABLE characters to a line."""
    return all(
        max((len(word) for cell in column for word in cell.split()), default=0) <= width
        and (width >= READABLE or max(map(len, column)) <= width)
        for column, width in zip(zip(*rows, strict=True), widths, strict=True)
    )


def _paragraph(line: str, width: int) -> list[str]:
    """Return a line wrapped to a width; further lines are indented like it, or like its second cell."""
    match = re.match(rf" *(?:\S+{GAP} *)?", line)
    indent = " " * min(match.end() if match else 0, width // 2)
    return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _blocks(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield each row as a block: sentences below the other cells, each in a paragraph of its own."""
    names, *rest = rows
    sentences = [
        index
        for index, column in enumerate(zip(*rest, strict=True))
        if any(len(cell) > READABLE and " " in cell for cell in column)
    ]
    for row in rest:
        yield from _paragraph(
            GAP.join(cell for i, cell in enumerate(row) if cell and i not in sentences), width
        )
        for index in sentences:
            if row[index]:
                name = f"{names[index]}: " if len(sentences) > 1 else ""
                yield from _paragraph(f"    {name}{row[index]}", width)


def _grid(
    rows: Sequence[Sequence[str]], widths: Sequence[int], commands: Collection[str] = ()
) -> Iterator[str]:
    """Yield the lines of a table with columns of some widths."""
    for row in (rows[0], ["-" * width for width in widths], *rows[1:]):
        cells = [
            [cell] if row[0] in commands else textwrap.wrap(cell, max(w, 1))
            for cell, w in zip(row, widths, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue="") if any(cells) else [("",)]:
            yield GAP.join(part.ljust(w) for part, w in zip(parts, widths, strict=False)).rstrip()


def _narrow(widths: list[int], total: int) -> list[int]:
    """Return widths that add up to `total` at most, by narrowing the widest columns down to NARROWEST."""
    narrowed = list(widths)
    while sum(narrowed) > total and max(narrowed) > NARROWEST:
        narrowed[narrowed.index(max(narrowed))] -= 1
    return narrowed


def _summary_lines(table: Table) -> list[str]:
    return ["", *make_printable(table.summary).splitlines()] if table.summary else []
