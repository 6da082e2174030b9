"""A part of the report: a section, and its line on the dashboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privboost.pages import Html, Section, badge, element, table
from privboost.tables import Table

NARROWEST, WIDEST = 6, 40
"""Limits of the width of a column, in characters."""


@dataclass(frozen=True, slots=True)
class ReportPart:
    """A section with its verdict."""

    section: Section
    verdict: Html
    """A badge."""
    summary: str
    """The result in one sentence, without a full stop."""
    as_expected: bool | None = True
    """Whether the result is what it should be, as an error of the paper may be; None if not checked."""


def good(label: str) -> Html:
    """Return a badge for a result without a fault."""
    return badge("good", "✓", label)


def bad(label: str) -> Html:
    """Return a badge for a result with a fault."""
    return badge("bad", "✗", label)


def parts_table(caption: str, parts: Sequence[ReportPart]) -> Html:
    """Return the verdict of each part, with links to the sections."""
    rows = [
        (element("a", part.section.title, href=f"#{part.section.anchor}"), part.verdict, f"{part.summary}.")
        for part in parts
    ]
    return table(caption, ("Part", "Verdict", "In short"), rows, (26, 18, 56))


def result_table(caption: str, result: Table) -> Html:
    """Return the result of a command as a table, with columns as wide as their longest cells."""
    columns = zip(result.columns, *result.rows, strict=True)
    lengths = [min(max(NARROWEST, *map(len, column)), WIDEST) for column in columns]
    widths = [100 * length // sum(lengths) for length in lengths]
    return table(caption, result.columns, result.rows, widths)


def grade(is_good: bool) -> Html:
    """Return the badge PASS or FAIL."""
    return good("PASS") if is_good else bad("FAIL")
