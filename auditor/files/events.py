"""Events of an audit in words and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from privboost.auditor.numbers import format_percent
from privboost.auditor.result import CellCount, PairResult
from privboost.auditor.values.columns import Column, ColumnKind, Key
from privboost.auditor.values.events import Event, Feature, Score, ValueRange
from privboost.auditor.values.tagged_json import to_json
from privboost.printing import truncate

SIDES = {-1: "left", 1: "right"}
PHRASES = {
    ColumnKind.EMPTY: "the emptiness of {0}",
    ColumnKind.LENGTH: "the length of {0}",
    ColumnKind.NUMBER_IN_STRING: "number {1} in the string {0}",
    ColumnKind.STRING: "the string {0}",
    ColumnKind.OPAQUE: "the type of {0}",
}
"""Kinds of columns in words; others have their notation."""

SHOWN_EVENTS = 3
SHOWN_STRINGS, LONGEST_STRING = 4, 60


def format_event(event: Event, *, words: bool = False, long_scores: bool = True) -> str:
    """Return an event in a short notation or in words; short names of scores fit into a plot."""
    if event.other:
        return "any other output"
    ranges = [_format_range(part, words, long_scores) for part in event.ranges]
    alike = "" if event.alike is None else " ({} of {} outputs that print like this)".format(*event.alike)
    return (", ".join(ranges) or "no number") + alike


def _format_range(part: ValueRange, words: bool, long_scores: bool) -> str:
    name = _format_column(part.column, words, long_scores)
    is_none = words and isinstance(part.column, Column) and part.column.kind is ColumnKind.NONE
    if not part.known:
        return f"{name} is not None" if is_none else f"{name} is missing"
    missing = " or missing" if part.missing else ""
    if part.strings is not None:
        return f"{name} is {_format_strings(part.strings)}{missing}"
    low, high = (None if end is None else f"{end:.{part.digits}g}" for end in (part.low, part.high))
    if low is None and high is None:
        return f"any {name}{missing}"
    is_number = part.low is not None and math.nextafter(part.low, math.inf) == part.high
    if low == high or is_number:
        return f"{name} is None" if is_none else f"{name} = {low}"
    if high is None and part.missing:
        return f"{name} {'≥' if words else '>='} {low} or missing"
    begin = "" if low is None else f"{low} {'≤' if words else '<='} "
    return begin + name + ("" if high is None else f" < {high}") + missing


def _format_strings(strings: Sequence[str]) -> str:
    shown = [repr(truncate(string, LONGEST_STRING)) for string in strings[:SHOWN_STRINGS]]
    rest = len(strings) - SHOWN_STRINGS
    shown += [f"one of {rest} others"] if rest > 0 else []
    return " or ".join(shown) or "no string so far"


def _format_column(column: Column | Score, words: bool, long_scores: bool = True) -> str:
    if isinstance(column, Column):
        if words and column.kind is ColumnKind.NONE:
            return Column(ColumnKind.NUMBER, column.path).name
        return column.spell(PHRASES if words else {})
    if not long_scores:
        return "score"
    if column.cells:
        cells = "; ".join(f"{SIDES[cell.side]} {format_event(cell, words=words)}" for cell in column.cells)
        way = f"added over {column.n_terms} numbers" if column.n_terms else "by narrow ranges"
        return f"(log odds of right {way}, most clearly {cells})"
    if not column.terms:
        return "(log odds of right by boosted trees)"
    terms = []
    for term in column.terms:
        name = _format_column(term.column, words)
        if term.feature is Feature.SIGN:
            name = f"sign({name} - {term.centre:.3g})"
        elif term.feature is Feature.DISTANCE:
            name = f"|{name} - {term.centre:.3g}|"
        terms.append(f"{term.weight:+.3g}·{name}")
    rest = " …" if column.n_terms > len(terms) else ""
    return f"({' '.join(terms)}{rest} + constant)"


def format_sides(events: Sequence[Event]) -> str:
    """Return the outputs on which the left and the right side are guessed."""
    sides = []
    for side, name in SIDES.items():
        guessed = [format_event(event) for event in events if event.side == side]
        rest = len(guessed) - SHOWN_EVENTS
        guessed = [*guessed[:SHOWN_EVENTS], f"{rest} more"] if rest > 0 else guessed
        sides += [f"{name} if {'; '.join(guessed)}"] if guessed else []
    return " | ".join(sides) or "no event"


def join_cells(first: CellCount, second: CellCount) -> CellCount | None:
    """Return two cells as one if the same side is guessed there and they are adjacent ranges, else None."""
    ranges = (*first.event.ranges, *second.event.ranges)
    if first.guess != second.guess or len(first.event.ranges) != 1 or len(ranges) != 2:
        return None
    one, other = ranges
    if one.column != other.column or one.high is None or one.high != other.low or one.low == one.high:
        return None
    if one.strings is not None or other.missing:
        return None
    event = replace(first.event, ranges=(replace(one, high=other.high),))
    return CellCount(event, first.left + second.left, first.right + second.right)


def guess_regions(cells: Sequence[CellCount]) -> list[CellCount]:
    """Return the outputs on which a side is guessed, adjacent ranges joined, largest difference first."""
    regions: list[CellCount] = []
    for cell in cells:
        union = join_cells(regions[-1], cell) if regions else None
        regions[-1:] = [union] if union else [*regions[-1:], cell]
    return sorted(
        (region for region in regions if region.guess), key=lambda cell: -abs(cell.right - cell.left)
    )


def separating_event(entry: PairResult) -> str:
    """Return a description of the event that separates the sides of a pair."""
    regions = guess_regions(entry.cells)
    if not regions:
        return "no event that tells the sides apart was found"
    lines = [
        f"{SIDES[region.guess]} is guessed where {format_event(region.event)} "
        f"(left {region.left:,}, right {region.right:,} times)"
        for region in regions[:SHOWN_EVENTS]
    ]
    rest = len(regions) - SHOWN_EVENTS
    return "; ".join(lines) + (f"; and {rest} more" if rest > 0 else "")


def event_in_words(entry: PairResult) -> str:
    """Return the event that separates the sides most, and how often each side had it; empty if none."""
    regions = guess_regions(entry.cells)
    if not regions or not all(entry.side_calls):
        return ""
    most = regions[0]
    left, right = entry.side_calls
    failed = (sum(f.left for f in entry.failures), sum(f.right for f in entry.failures))
    is_failure = entry.failures and (most.left, most.right) == failed
    return (
        f"{'the call failed' if is_failure else format_event(most.event, words=True)}, "
        f"in {most.left:,} of {left:,} calls on the left input "
        f"({format_percent(round(most.left / left, 4))}) and in {most.right:,} of {right:,} on the right one "
        f"({format_percent(round(most.right / right, 4))})"
    )


def event_to_json(event: Event) -> dict[str, Any]:
    """Return an event as JSON."""
    return {
        "side": event.side,
        "ranges": [_range_to_json(part) for part in event.ranges],
        "other": event.other,
        "alike": None if event.alike is None else list(event.alike),
    }


def _range_to_json(part: ValueRange) -> dict[str, Any]:
    return {
        "column": _column_to_json(part.column),
        "low": to_json(part.low),
        "high": to_json(part.high),
        "known": part.known,
        "missing": part.missing,
        "strings": None if part.strings is None else list(part.strings),
    }


def _column_to_json(column: Column | Score) -> dict[str, Any]:
    if isinstance(column, Column):
        return {
            "kind": str(column.kind),
            "path": [{"key": step.string} if isinstance(step, Key) else step for step in column.path],
            "index": column.item,
            "of": None if column.of is None else _column_to_json(column.of),
        }
    terms = [
        {
            "weight": to_json(term.weight),
            "feature": str(term.feature),
            "column": _column_to_json(term.column),
            "centre": to_json(term.centre),
        }
        for term in column.terms
    ]
    by_cells = "added_ranges" if column.n_terms else "narrow_ranges"
    kind = by_cells if column.cells else "weighted_sum" if terms else "boosted_trees"
    cells = [event_to_json(cell) for cell in column.cells]
    return {"kind": kind, "terms": terms, "n_terms": column.n_terms, "cells": cells}
