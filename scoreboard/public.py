"""What may be published of the libraries of other people: what is right, and what is known already.

A failure that no file of the library explains goes to its maintainers first. Neither it nor its place is
named: what is missing may also be something that the library, or its adapter, does not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from privboost.auditor.numbers import count_with_noun
from privboost.tables import Format, Table, render

from .findings import REFUTED
from .index import known_failures, made_note, tabulate

INTRODUCTION = """For users of libraries of differential privacy: what published libraries answered to the
gate, to audits and to checks of stability, and how to
[ask them again](scoreboard.md#published-libraries)."""
GATE_NOTE = """## The gate

A cell has what was asked and is right, with the number of cases:

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
    keys = dict.fromkeys(
        (operation, part["label"])
        for operation in index["operations"]
        for each in index["libraries"]
        for part in _parts(each, operation)
    )
    rows = ((_name(*key), *(_right(each, *key) for each in index["libraries"])) for key in keys)
    shown = [row for row in rows if any(row[1:])]
    parts = ["# Scoreboard", INTRODUCTION, made_note(index), GATE_NOTE, tabulate(index, shown)]
    tried = tuple(row for library in index["libraries"] for row in _trials(library))
    table = Table("trials", ("library", "tried", "verdict", "calls", "public"), tried)
    parts += known_failures(index)
    parts += [TRIALS_NOTE, render(table, Format.MARKDOWN).strip()] if tried else []
    return "\n\n".join(parts) + "\n"


def _name(operation: str, label: str) -> str:
    return operation if label.replace("-", "_") == operation else f"{operation}: {label}"


def _parts(library: Mapping[str, Any], operation: str) -> list[Mapping[str, Any]]:
    counts = library["operations"].get(operation)
    return [] if counts is None else list(counts["parts"])


def _right(library: Mapping[str, Any], operation: str, label: str) -> str:
    """Return the levels of a label in which nothing fails but what is known, with numbers of cases."""
    words = []
    for each in _parts(library, operation):
        if each["label"] == label and each["passed"] and not each["failed"]:
            known = f" of {each['passed'] + each['known']}, others known" if each["known"] else ""
            words.append(f"{each['level']} {each['passed']}{known}")
    return "; ".join(words)


def _trials(library: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield a row for every claim that was tried, but for refuted ones that are not public."""
    for each in library["trials"]:
        if each["issue"] or each["verdict"] not in REFUTED:
            calls = count_with_noun(each["calls"], "call")
            yield library["name"], each["about"], each["verdict"], calls, each["issue"]
