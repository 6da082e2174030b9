"""What may be published of the libraries of other people: what is right, and what is known already.

A failure that no file of the library explains goes to its maintainers first. Neither it nor its place is
named: what is missing may also be something that the library, or its adapter, does not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from privboost.auditor.numbers import count_with_noun
from privboost.tables import Format, Table, render

from .findings import REFUTED
from .index import date_of_gate, known_failures, made_note

INTRODUCTION = """For users of libraries of differential privacy: what published libraries answered to the
gate, to audits and to checks of stability, and how to
[ask them again](scoreboard.md#published-libraries)."""
GATE_NOTE = """## The gate

What was asked of a library and is right, with the number of cases:

- `laws`: draws follow the exact law
- `maps`: steps move no further than they say
- `numbers`: bounds of accounting are not too small
- `refusal`: wrong arguments are refused

What is not there was not asked, because the library or its adapter does not have it, or is told to its
maintainers first (SECURITY.md in the checkout). Cases that are right prove nothing about others."""
TRIALS_NOTE = """## Claims that were tried

By audits and checks of stability. [Findings](findings.md) has the refuted claims, with their witnesses."""


def to_public_markdown(index: Mapping[str, Any]) -> str:
    """Return what is right of every library, the known failures, and the tried claims, as Markdown."""
    libraries = index["libraries"]
    parts = ["# Scoreboard", INTRODUCTION, made_note(index), GATE_NOTE]
    versions = [(each["name"], each["version"], date_of_gate(each)) for each in libraries]
    parts.append(_tabulate(("library", "version", "gate run on"), versions))
    for library in libraries:
        if rows := list(_right(library)):
            parts += [f"### {library['name']}", _tabulate(("asked", "right"), rows)]
    parts += known_failures(index)
    if tried := [row for library in libraries for row in _trials(library)]:
        parts += [TRIALS_NOTE, _tabulate(("library", "tried", "verdict", "calls", "public"), tried)]
    return "\n\n".join(parts) + "\n"


def _tabulate(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    return render(Table("scoreboard", columns, tuple(rows)), Format.MARKDOWN).strip()


def _right(library: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield labels with the levels in which nothing fails but what is known, and their numbers of cases."""
    for operation, counts in library["operations"].items():
        right: dict[str, list[str]] = {}
        for each in counts["parts"]:
            if each["passed"] and not each["failed"]:
                known = f" of {each['passed'] + each['known']}, others known" if each["known"] else ""
                right.setdefault(each["label"], []).append(f"{each['level']} {each['passed']}{known}")
        for label, words in right.items():
            yield _name(operation, label), "; ".join(words)


def _name(operation: str, label: str) -> str:
    return operation if label.replace("-", "_") == operation else f"{operation}: {label}"


def _trials(library: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield a row for every claim that was tried, but for refuted ones that are not public."""
    for each in library["trials"]:
        if each["issue"] or each["verdict"] not in REFUTED:
            calls = count_with_noun(each["calls"], "call")
            yield library["name"], each["about"], each["verdict"], calls, each["issue"]
