"""Sentences for a finding that is handed over: evidence, margin, relation, failures, differing rows."""

from __future__ import annotations

import math
import re
from typing import Any

from privboost.auditor.numbers import (
    count_with_noun,
    format_exactly,
    format_number,
    format_percent,
    round_down,
)
from privboost.auditor.pairs.patterns import ADD_REMOVE, EXCHANGE
from privboost.auditor.result import AuditResult, PairResult, Verdict
from privboost.auditor.values.tagged_json import to_json

from .sentences import guess_regions

RELATIONS = {EXCHANGE: "one row is exchanged for another", ADD_REMOVE: "one row is added or removed"}
_WORDS = (
    (r"none\((output[^ ]*)\) = 1", r"\1 is None"),
    (r"none\((output[^ ]*)\) is missing", r"\1 is not None"),
    (r"empty\((output[^ ]*)\)", r"the emptiness of \1"),
    (r"len\((output[^ ]*)\)", r"the length of \1"),
    (r"number\((output[^ ]*)\)\[(\d+)\]", r"number \2 in the string \1"),
    (r"text\((output[^ ]*)\)", r"the string \1"),
    (r"opaque\((output[^ ]*)\)", r"the type of \1"),
    (r"<=", "≤"),
    (r">=", "≥"),
)
"""How the names of columns read in words."""

SHOWN_FAILURES = 3
LONGEST_ROW = 120
SMALLEST_MARGIN = 0.001
"""Share of the claim below which a margin is not printed as a number."""


def log_e_value(result: AuditResult) -> float:
    """Return the natural logarithm of the e-value against the claim: the mean of the wealths over all pairs.

    If the claim is true its mean is at most 1, whenever the run stops.
    """
    logs = [entry.log_e_value for entry in result.pairs]
    top = max(logs, default=0.0)
    if math.isinf(top):
        return top
    return top + math.log(sum(math.exp(log - top) for log in logs) / max(len(logs), 1))


def e_value(result: AuditResult) -> str:
    """Return the e-value against the claim, and what it means."""
    return (
        f"{large(log_e_value(result))} against the claim: if the claim were true, its mean would be at most "
        f"1, and it would ever reach {format_number(1 / (1 - result.confidence))} with probability at most "
        f"{format_percent(1 - result.confidence)}"
    )


def large(log: float) -> str:
    """Return e^log with three significant digits, as a power of ten if it is large."""
    if log < math.log(1e6):
        return f"{float(f'{math.exp(log):.3g}'):,g}"
    exponent = math.floor(log / math.log(10))
    return f"{math.exp(log - exponent * math.log(10)):.2g}·10^{exponent}" if math.isfinite(log) else "∞"


def margin(result: AuditResult) -> str:
    """Return how far the bound is above or below the claim."""
    claimed = result.claim.value
    difference = result.bound - claimed
    if result.verdict is Verdict.VIOLATION and difference < SMALLEST_MARGIN * claimed:
        return "the bound is just above the claim"
    if result.verdict is Verdict.VIOLATION:
        return f"the bound is {format_number(max(difference, 0.0))} above the claim" + (
            f", {format_number(result.bound / claimed)} times as large" if claimed > 0 else ""
        )
    return f"the bound is {format_number(max(-difference, 0.0))} below the claim"


def relation(result: AuditResult, entry: PairResult) -> str:
    """Return how the inputs of a pair differ, and what that means for claims under the other relation."""
    kind = entry.pair.relation
    sentence = f"{kind}: {RELATIONS.get(kind, 'as stated with the pair')}"
    if result.relation is not None:
        return f"{sentence}; the target states its claim for {result.relation}"
    if result.verdict is not Verdict.VIOLATION:
        return sentence
    if kind == ADD_REMOVE:
        return (
            f"{sentence}; a claim for exchanged rows only says nothing about this pair (--relation exchange)"
        )
    claim = result.claim
    if kind != EXCHANGE or claim.kind != "eps" or claim.fixed or claim.group > 1:
        return sentence
    double = 2 * claim.value
    status = "refuted, too" if entry.bound > double else "not refuted by this pair"
    return (
        f"{sentence}; a claim of ε ≤ {format_exactly(claim.value)} for added or removed rows allows "
        f"ε ≤ {format_exactly(double)} here and is {status}"
    )


def event_in_words(entry: PairResult) -> str:
    """Return the event that separates the sides most, and how often each side had it; empty if none."""
    regions = guess_regions(entry.cells)
    if not regions or not all(entry.side_calls):
        return ""
    most = regions[0]
    left, right = entry.side_calls
    failed = tuple(sum(counts) for counts in zip(*((f.left, f.right) for f in entry.failures), strict=True))
    event = "the call failed" if (most.left, most.right) == failed else in_words(most.text)
    return (
        f"{event}, in {most.left:,} of {left:,} calls on the left input "
        f"({format_percent(round(most.left / left, 4))}) and in {most.right:,} of {right:,} on the right one "
        f"({format_percent(round(most.right / right, 4))})"
    )


def in_words(event: str) -> str:
    """Return the description of an event with the kinds of columns in words."""
    for pattern, words in _WORDS:
        event = re.sub(pattern, words, event)
    return event


def failures(entry: PairResult) -> str:
    """Return how often each side failed, and how; the empty string if no call failed."""
    lines = [
        f"{failed.text} (left {failed.left:,}, right {failed.right:,} times)"
        for failed in entry.failures[:SHOWN_FAILURES]
    ]
    rest = len(entry.failures) - SHOWN_FAILURES
    return "; ".join(lines) + (f"; and {rest} more" if rest > 0 else "")


def difference(left: Any, right: Any) -> str:
    """Return the rows in which two tables differ; the empty string for other inputs."""
    if not all(isinstance(side, dict) and isinstance(side.get("X"), list) for side in (left, right)):
        return ""
    tables = [_rows(side) for side in (left, right)]
    parts = []
    for name, own, other in (("left", *tables), ("right", *reversed(tables))):
        rest = list(other)
        alone = [(k, row) for k, row in enumerate(own) if not _remove_row(rest, row)]
        parts += [f"only {name} has {_shorten(row)} (row {k + 1} of {len(own)})" for k, row in alone[:2]]
    return "; ".join(parts)


def _rows(side: dict[str, Any]) -> list[str]:
    labels = side.get("y") or [None] * len(side["X"])
    return [
        str(to_json(row)) + ("" if label is None else f" with label {to_json(label)}")
        for row, label in zip(side["X"], labels, strict=True)
    ]


def _remove_row(rows: list[str], row: str) -> bool:
    """Remove a row from a list if it is there, and return whether it was."""
    if row not in rows:
        return False
    rows.remove(row)
    return True


def _shorten(row: str) -> str:
    return row if len(row) <= LONGEST_ROW else f"{row[: LONGEST_ROW - 1]}…"


def confirmation(result: AuditResult) -> str:
    """Return the outcome of the repetition on fresh coins; the empty string if there was none."""
    again = result.confirmation
    if again is None:
        return ""
    outcome = "confirmed" if again.verdict is Verdict.VIOLATION else "NOT confirmed"
    return (
        f"{outcome} on fresh coins (seed {again.seed}), on the pair '{again.pairs[0].pair.name}' alone, at "
        f"error probability {format_percent(1 - again.confidence)}: {count_with_noun(again.calls, 'call')}, "
        f"bound {again.claim.symbol} > {round_down(again.bound)}, e-value {large(log_e_value(again))}"
    )
