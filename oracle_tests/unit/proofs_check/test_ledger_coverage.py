"""Coverage of the paper: every label and display has an entry, and every entry a location in the paper."""

from __future__ import annotations

import re

import pytest

from privboost.oracle_tests.support.paper_index import Display, known_displays, known_labels
from privboost.proofs_check.entry import Entry
from privboost.proofs_check.ledger import entries

LAST_LINE = max(int(display["end"]) for display in known_displays())
"""The end of the paper, which is the end of a figure."""

_PART = re.compile(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*")
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9:_-]*[A-Za-z0-9]")


def lines_of(entry: Entry) -> tuple[int, ...]:
    """Return the lines of the paper that an entry is about."""
    return (*((entry.line,) if entry.line is not None else ()), *entry.also_lines)


def uncovered_labels() -> list[str]:
    """Return the labels of the paper that no entry covers, with their lines."""
    covered = {label for entry in entries().values() for label in entry.labels}
    index = known_labels()
    missing = sorted(set(index) - covered, key=lambda label: index[label]["line"])
    return [f"{label} (line {index[label]['line']})" for label in missing]


def uncovered_displays() -> list[Display]:
    """Return the displays of the paper in which no entry has a line."""
    lines = {line for entry in entries().values() for line in lines_of(entry)}
    return [
        display
        for display in known_displays()
        if lines.isdisjoint(range(int(display["begin"]), int(display["end"]) + 1))
    ]


def test_coverage__every_label_has_an_entry() -> None:
    assert uncovered_labels() == []


def test_coverage__every_display_has_an_entry() -> None:
    assert uncovered_displays() == []


def test_coverage__every_label_of_an_entry_is_in_the_paper() -> None:
    known = known_labels()
    wrong = {key: [name for name in entry.labels if name not in known] for key, entry in entries().items()}
    assert {key: names for key, names in wrong.items() if names} == {}


def test_coverage__every_line_of_an_entry_is_in_the_paper() -> None:
    wrong = {key: [n for n in lines_of(entry) if not 1 <= n <= LAST_LINE] for key, entry in entries().items()}
    assert {key: lines for key, lines in wrong.items() if lines} == {}


def test_coverage__every_claim_of_the_paper_has_label_and_line() -> None:
    """Claims of the paper have a label and a line; our own claims need neither."""
    unlocated = [
        key
        for key, entry in entries().items()
        if entry.reading != "ours" and (entry.label is None or entry.line is None)
    ]
    assert unlocated == []


def test_coverage__every_entry_has_words() -> None:
    assert [key for key, entry in entries().items() if not entry.words.strip()] == []


def is_key(key: str) -> bool:
    """Return whether a key is a label, followed by words with hyphens after dots."""
    first, *parts = key.split(".")
    return bool(_LABEL.fullmatch(first)) and all(_PART.fullmatch(part) for part in parts)


def test_coverage__keys_are_labels_and_words() -> None:
    assert [key for key in entries() if not is_key(key)] == []


@pytest.mark.parametrize(
    ("key", "good"),
    [
        ("th3P", True),
        ("sec:def.zero-one", True),
        ("th3P.A2B1.low.eq44", True),
        ("proof_th3P", True),
        ("th3P.two words", False),
        ("th3P..low", False),
        ("th3P.-low", False),
        ("", False),
    ],
)
def test_coverage__reader_of_keys(key: str, good: bool) -> None:
    assert is_key(key) == good
