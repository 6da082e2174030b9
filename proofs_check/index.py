"""The places of entries in the book of claims, so that judging one reads only the sections that it needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from privboost.errors import HarnessError
from privboost.proofs_check.book.blocks import Block
from privboost.proofs_check.book.formulas import Passage, Unreadable
from privboost.proofs_check.book.sections import BookSection, read_heading, read_section
from privboost.proofs_check.claims import SECTIONS

from .entry import Entry, Symbols
from .proofs import Smt

FOLDER = Path(__file__).parent
HEADING = "### "


@dataclass(frozen=True, slots=True)
class Location:
    """The section of an entry, and the labels of the paper that the entry covers."""

    section: str
    labels: tuple[str, ...]


@cache
def locations() -> Mapping[str, Location]:
    """Return the location of every entry by key, in the order of the book, from the headings alone."""
    located: dict[str, Location] = {}
    for section in SECTIONS:
        path = book_path(section)
        for line, content in enumerate(path.read_text("utf-8").split("\n")):
            if content.startswith(HEADING):
                text = Passage(content[len(HEADING) :], path.name, ((0, line + 1, len(HEADING) + 1),))
                try:
                    heading = read_heading(text)
                except Unreadable as error:
                    raise HarnessError(str(error)) from error
                if heading.key in located:
                    raise HarnessError(f"two entries have the key '{heading.key}'")
                label = heading.label or _default_label(heading.key)
                located[heading.key] = Location(section, (*((label,) if label else ()), *heading.also))
    return located


def book_path(section: str) -> Path:
    """Return the path of the file of a section."""
    return FOLDER / "claims" / f"{section}.md"


@cache
def load_section(name: str) -> BookSection:
    """Return a section of the book."""
    path = book_path(name)
    try:
        return read_section(path.name, path.read_text("utf-8"))
    except (Unreadable, UnicodeDecodeError) as error:
        raise HarnessError(str(error)) from error


@cache
def load_entries(section: str) -> Mapping[str, Entry]:
    """Return the entries of a section by key."""
    return {entry.key: complete_entry(entry) for entry in load_section(section).entries}


def load_blocks(section: str) -> tuple[Block, ...]:
    """Return the text of a section as blocks."""
    return load_section(section).blocks


def find_symbols(key: str) -> Symbols:
    """Return the declared symbols of the section of an entry; none for an entry that is in no section."""
    return load_section(locations()[key].section).symbols if key in locations() else Symbols("")


def complete_entry(entry: Entry) -> Entry:
    """Return an entry with what it leaves out: its label, the line of the label, the proof by z3."""
    label = entry.label or _default_label(entry.key)
    line = entry.line or label_lines().get(label or "")
    asked = entry.claim is not None and not entry.proofs and entry.refutation is None
    return replace(entry, label=label, line=line, proofs=(Smt(),) if asked else entry.proofs)


def _default_label(key: str) -> str | None:
    """Return the first part of a key, if the paper has such a label."""
    first = key.split(".", maxsplit=1)[0]
    return first if first in label_lines() else None


@cache
def label_lines() -> Mapping[str, int]:
    """Return the line of every label of the paper."""
    labels = json.loads((FOLDER / "paper_labels.json").read_text("utf-8"))
    return {label: row["line"] for label, row in labels.items()}
