"""The reader of files of the book of claims: headings, paragraphs and fields, with the place of each.

`# `, `## ` and `### ` begin a heading. A line that begins with no space belongs to a paragraph. Four spaces,
the name of a field padded to nine letters, and its value begin a field; a line with thirteen spaces continues
it. Empty lines are above headings, and between paragraphs and fields. What is written in another way is an
error.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from .formulas import Passage, Unreadable

INDENT, WIDTH = 4, 9
FIELD = re.compile(rf"    ([a-z]+) {{1,{WIDTH - 1}}}(?=[^ ])")
VALUE = INDENT + WIDTH
HEADING = re.compile("(#{1,3}) (?=[^ ])")


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its name, its value, and the line where it begins."""

    name: str
    value: Passage
    line: int


@dataclass(slots=True)
class Block:
    """A heading with its level, and the paragraphs and fields up to the next heading."""

    level: int
    heading: Passage
    line: int
    paragraphs: list[Passage] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)


def read_blocks(source: str, content: str) -> list[Block]:
    """Return the blocks of a file; raise `Unreadable` for the first line that is of no kind."""
    if not content.endswith("\n"):
        raise Unreadable(source, content.count("\n") + 1, 1, "expected a line break at the end of the file")
    lines = content.split("\n")[:-1]
    for number, line in enumerate(lines):
        _check_line(source, number, line)
    blocks: list[Block] = []
    number = 0
    while number < len(lines):
        number += _read_lines(source, lines, number, blocks)
    return blocks


def _read_lines(source: str, lines: list[str], number: int, blocks: list[Block]) -> int:
    """Read what begins at a line, and return the number of lines that it has."""
    line = lines[number]
    if not line:
        return 1
    above = lines[number - 1] if number else ""
    if heading := HEADING.match(line):
        if above:
            raise Unreadable(source, number + 1, 1, "expected an empty line above a heading")
        text = Passage(line[heading.end() :], source, ((0, number + 1, heading.end() + 1),))
        blocks.append(Block(len(heading[1]), text, number + 1))
        return 1
    if not blocks:
        raise Unreadable(source, number + 1, 1, "expected a heading '# ' first")
    if line[0] not in " #":
        count = _count_while(lines, number, lambda each: each[:1] not in ("", " ", "#"))
        if above and not HEADING.match(above):
            raise Unreadable(source, number + 1, 1, "expected an empty line above a paragraph")
        blocks[-1].paragraphs.append(_join(source, lines, number, count, 0))
        return count
    begun = FIELD.match(line)
    if begun is None or begun.end() != VALUE:
        expected = f"a field: {INDENT} spaces, its name, and its value from column {VALUE + 1}"
        raise Unreadable(
            source, number + 1, 1, f"expected {expected}; or {VALUE} spaces before its next line"
        )
    if above and above[0] != " ":
        raise Unreadable(source, number + 1, 1, "expected an empty line above the first field")
    count = 1 + _count_while(lines, number + 1, lambda each: each.startswith(" " * VALUE))
    for further in range(number + 1, number + count):
        if lines[further][VALUE : VALUE + 1] in ("", " "):
            raise Unreadable(source, further + 1, VALUE + 1, f"expected {VALUE} spaces and the value")
    blocks[-1].fields.append(Field(begun[1], _join(source, lines, number, count, VALUE), number + 1))
    return count


def _count_while(lines: list[str], first: int, belongs: Callable[[str], bool]) -> int:
    count = 0
    while first + count < len(lines) and belongs(lines[first + count]):
        count += 1
    return count


def _join(source: str, lines: list[str], first: int, count: int, indent: int) -> Passage:
    """Return lines as one text, joined by spaces."""
    offset, starts = 0, []
    for number in range(first, first + count):
        starts.append((offset, number + 1, indent + 1))
        offset += len(lines[number]) - indent + 1
    return Passage(
        " ".join(lines[number][indent:] for number in range(first, first + count)), source, tuple(starts)
    )


def _check_line(source: str, number: int, line: str) -> None:
    """Raise `Unreadable` for a space at the end, and for a character that is not a plain sign."""
    odd = min((line.index(sign) for sign in set(line) if not _is_plain(sign)), default=None)
    if odd is not None:
        name = unicodedata.name(line[odd], "a control character")
        raise Unreadable(source, number + 1, odd + 1, f"unexpected U+{ord(line[odd]):04X} ({name})")
    if line.endswith(" "):
        raise Unreadable(source, number + 1, len(line), "unexpected space at the end of the line")


@cache
def _is_plain(sign: str) -> bool:
    return sign == " " or unicodedata.category(sign)[0] in "LNPS"
