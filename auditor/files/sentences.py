"""The sentences of a report, shared by the terminal, the HTML page and messages of failing tests."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from privboost.auditor.betting.wealth import Power
from privboost.auditor.claims import PrivacyClaim
from privboost.auditor.numbers import (
    count_with_noun,
    floor_to_decimals,
    format_bound,
    format_number,
    format_percent,
    round_down,
    round_up,
)
from privboost.auditor.result import AuditResult, CellCount, FixedBound, PairResult, Verdict
from privboost.auditor.values.tagged_json import to_json

LONGEST_INPUT = 160
SHOWN_REGIONS = 3
SHORT = 500
"""With fewer calls on a pair, the last line of a consistent audit states its power."""

_RANGE = re.compile(r"(?:(?P<low>[^ ]+) <= )?(?P<name>.+?)(?: < (?P<high>[^ ]+))?")

SIDES = {-1: "left", 1: "right"}
POWER = (
    "each with probability at least 95 %, in a run of this length, for an event that the guesser has found "
    "by half of the calls; an event that it does not find is not caught"
)


@dataclass(frozen=True, slots=True)
class GuessRegion:
    """A range of outputs on which one side is guessed, and how often each side gave such an output."""

    side: int
    text: str
    left: int
    right: int


def claim(result: AuditResult) -> str:
    """Return the claim."""
    return str(result.claim)


def neighbours(result: AuditResult) -> str:
    """Return the neighbouring relations of the pairs."""
    relations = sorted({entry.pair.relation for entry in result.pairs})
    return f"neighbouring inputs (relation {' and '.join(relations)})"


def bound(result: AuditResult) -> str:
    """Return the bound and its confidence, or a note that there is none."""
    if result.bound <= 0:
        return "none: the two sides could not be told apart"
    return (
        f"with probability at least {format_percent(result.confidence)} over the audit's own coins, "
        f"{result.claim.symbol} {format_bound(result.bound, result.claim.value)}{result.claim.condition}"
    )


def headline(result: AuditResult) -> str:
    """Return verdict, claim and bound as one sentence."""
    bound = f"bound {result.claim.symbol} {format_bound(result.bound, result.claim.value)}"
    bounded = bound if result.bound > 0 else "no bound above 0"
    calls = f"{count_with_noun(result.calls, 'call')}, confidence {format_percent(result.confidence)}"
    stopped = "; interrupted" if result.interrupted else ""
    if result.verdict is Verdict.CONSISTENT and min(entry.calls for entry in result.pairs) < SHORT:
        stopped += f"; a short run, which would have caught ε ≥ {round_up(result.power[0].epsilon or 0.0)}"
    return f"{result.verdict}: {result.target}, claim {claim(result)}, {bounded} ({calls}{stopped})"


def meaning(result: AuditResult) -> str:
    """Return the meaning of the verdict."""
    error = format_percent(1 - result.confidence)
    match result.verdict:
        case Verdict.VIOLATION:
            return (
                "The claim is refuted, provided that the two inputs are neighbours. If the claim were true, "
                f"an audit would report a violation with probability at most {error}, regardless of how long "
                "it runs and when it stops."
            )
        case Verdict.CONSISTENT:
            return (
                "Nothing on these pairs contradicts the claim. The run was long enough to catch a violation "
                "of the size in the power table, by an event that the guesser found by half of the calls. "
                f"The bound itself is wrong with probability at most {error}."
            )
        case Verdict.INCONCLUSIVE:
            return f"The run does not decide. The bound still holds, with error probability at most {error}."


def limitations(result: AuditResult) -> str:
    """Return the conclusions that the verdict does not allow."""
    if result.verdict is Verdict.VIOLATION:
        return (
            "It does not say how large ε is: the bound is a lower bound, a run that stops at the first "
            "violation leaves it low (--no-stop continues), and other inputs may be easier to tell apart. It "
            "does not say why the claim fails; start with the outputs that tell the sides apart."
        )
    return (
        "It does not say that the mechanism is private: other inputs, rarer events on the same inputs, or "
        "events that the guesser cannot express may still tell inputs apart. Only a proof covers all inputs."
    )


def error_probability(result: AuditResult) -> str:
    """Return how the error probability is divided among the pairs."""
    total, count = format_percent(1 - result.confidence), len(result.pairs)
    if count == 1:
        return f"{total}, all of it on one pair"
    each = sorted({format_percent(entry.error) for entry in result.pairs})
    return f"{total} in all, for {count} pairs at once: {' or '.join(each)} on each (union bound)"


def power_sentence(power: Power) -> str:
    """Return one line of the power statement; `POWER` states the assumptions of all lines."""
    event = f"an event seen on {format_percent(power.share)} of calls, found by half of them"
    if power.epsilon is None:
        return f"{event}: no ε would have been caught"
    return f"{event}: every ε ≥ {round_up(power.epsilon)} would have been caught"


def cross_check(check: FixedBound) -> str:
    """Return the bound of the cross-check and the counts behind it."""
    return (
        f"ε ≥ {floor_to_decimals(max(check.bound, 0.0))} from the event “{check.event}”, chosen on the first "
        f"part of the calls; on the rest {check.right} guesses right, {check.wrong} wrong"
    )


def envelope_sentence(result: AuditResult) -> str:
    """Return the lower envelope of delta(epsilon)."""
    shown = [f"δ({epsilon:g}) > {round_down(delta)}" for epsilon, delta in result.envelope if delta > 0]
    held = f"at once with probability at least {format_percent(result.confidence)}"
    return f"{', '.join(shown)}; {held}" if shown else "no bound on δ above 0 at any ε"


def pair_summary(entry: PairResult, claimed: PrivacyClaim, source: str = "") -> str:
    """Return the bound on one pair; `source` says where its relation and exact loss come from."""
    after = f"after {count_with_noun(entry.calls, 'call')}"
    parts = [
        entry.pair.relation + source,
        f"{claimed.symbol} {format_bound(entry.bound, claimed.value)} {after}"
        if entry.bound > 0
        else f"no bound above 0 {after}",
        f"error {format_percent(entry.error)}",
    ]
    if entry.pair.exact is not None:
        parts.append(f"exact loss {format_number(entry.pair.exact)}{source}")
    return "; ".join(parts)


def exceeds_exact(entry: PairResult, claimed: PrivacyClaim) -> bool:
    """Return whether the bound exceeds the exact loss; this happens with at most the error probability.

    The loss is an epsilon, so other bounds are not compared with it.
    """
    if claimed.kind != "eps" or claimed.group > 1 or entry.pair.exact is None:
        return False
    return entry.bound > entry.pair.exact + 1e-9


def best_pair(result: AuditResult) -> PairResult | None:
    """Return the pair with the greatest bound, or None if no call was made."""
    called = (entry for entry in result.pairs if entry.calls)
    return max(called, key=lambda entry: entry.bound, default=None)


def guess_regions(cells: Sequence[CellCount]) -> list[GuessRegion]:
    """Return the outputs on which a side is guessed, adjacent ranges joined, largest difference first."""
    regions: list[GuessRegion] = []
    for cell in cells:
        last = regions[-1] if regions else None
        union = joined_ranges(last.text, cell.text) if last and last.side == cell.guess else None
        if last and union:
            regions[-1] = GuessRegion(last.side, union, last.left + cell.left, last.right + cell.right)
        else:
            regions.append(GuessRegion(cell.guess, cell.text, cell.left, cell.right))
    guessed = [replace(region, text=cell_string(region.text)) for region in regions if region.side]
    return sorted(guessed, key=lambda region: -abs(region.right - region.left))


def joined_ranges(first: str, second: str) -> str | None:
    """Return two adjacent ranges as one, or None if they are not adjacent."""
    low, high = _RANGE.fullmatch(first), _RANGE.fullmatch(second)
    if not low or not high or low["name"] != high["name"] or not low["high"] or low["high"] != high["low"]:
        return None
    begin = f"{low['low']} <= " if low["low"] else ""
    end = f" < {high['high']}" if high["high"] else ""
    return f"{begin}{low['name']}{end}" if begin or end else f"any {low['name']}"


def cell_string(cell: str) -> str:
    """Return a range as "name = value" if it holds one number: its ends print the same, or are neighbours."""
    parts = _RANGE.fullmatch(cell)
    if parts and parts["low"] and parts["high"]:
        low, high = float(parts["low"]), float(parts["high"])
        if low == high or math.nextafter(low, math.inf) == high:
            return f"{parts['name']} = {parts['low']}"
    return cell


def separating_event(entry: PairResult) -> str:
    """Return a description of the event that separates the sides of a pair."""
    regions = guess_regions(entry.cells)
    if not regions:
        return "no event that tells the sides apart was found"
    lines = []
    for region in regions[:SHOWN_REGIONS]:
        seen = f"left {region.left:,}, right {region.right:,} times"
        lines.append(f"{SIDES[region.side]} is guessed where {region.text} ({seen})")
    rest = len(regions) - SHOWN_REGIONS
    return "; ".join(lines) + (f"; and {rest} more" if rest > 0 else "")


def short_input(value: Any) -> str:
    """Return an input as a short string."""
    string = str(to_json(value)) if not isinstance(value, str) else repr(value)
    string = " ".join(string.split())
    return string if len(string) <= LONGEST_INPUT else f"{string[: LONGEST_INPUT - 1]}…"
