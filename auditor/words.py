"""What an audit found, in words: the same sentences for a terminal, a page and a test that fails."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .json_values import to_json
from .numbers import above, at_least, counted, exact_number, number, percent, rounded_up
from .power import Power
from .result import AuditResult, CellCount, FixedBound, PairResult, Verdict

LONGEST_INPUT = 160
MOST_REGIONS = 3

_RANGE = re.compile(r"(?:(?P<low>[^ ]+) <= )?(?P<name>.+?)(?: < (?P<high>[^ ]+))?")

SIDES = {-1: "left", 1: "right"}
POWER = (
    "each with probability at least 95 %, by a run of this length, for an event that the guesser has found "
    "by half of the calls; an event that it does not find is not caught"
)


@dataclass(frozen=True, slots=True)
class Region:
    """Outputs that name one side, in words, with how often each side gave one of them."""

    side: int
    text: str
    left: int
    right: int


def claim(result: AuditResult) -> str:
    """Return the claim."""
    tail = f" with δ = {number(result.delta)}" if result.delta else ""
    return f"ε ≤ {exact_number(result.epsilon)}{tail}"


def neighbours(result: AuditResult) -> str:
    """Return what neighbours are, as the pairs have it."""
    relations = sorted({found.pair.relation for found in result.pairs})
    return f"neighbouring inputs (relation {' and '.join(relations)})"


def bound(result: AuditResult) -> str:
    """Return the bound with its confidence, or that there is none."""
    if result.bound <= 0:
        return "none: the two sides could not be told apart"
    return (
        f"with probability at least {percent(result.confidence)} over the audit's own coins, "
        f"ε {above(result.bound, result.epsilon)}"
        + (f" at δ = {number(result.delta)}" if result.delta else "")
    )


def headline(result: AuditResult) -> str:
    """Return verdict, claim and bound as one sentence."""
    found = f"bound ε {above(result.bound, result.epsilon)}" if result.bound > 0 else "no bound above 0"
    calls = f"{counted(result.calls, 'call')}, confidence {percent(result.confidence)}"
    stopped = "; interrupted" if result.interrupted else ""
    return f"{result.verdict}: {result.target}, claim {claim(result)}, {found} ({calls}{stopped})"


def meaning(result: AuditResult) -> str:
    """Return what the verdict says."""
    error = percent(1 - result.confidence)
    match result.verdict:
        case Verdict.VIOLATION:
            return (
                "The claim is refuted, provided that the two inputs are neighbours. If it were true, an "
                f"audit would say this with probability at most {error}, however long it runs and whenever "
                "it stops."
            )
        case Verdict.CONSISTENT:
            return (
                "Nothing on these pairs contradicts the claim, in a run long enough to catch a violation of "
                "the size in the power table by an event that the guesser has found by half of the calls. "
                f"The bound itself is wrong with probability at most {error}."
            )
        case Verdict.INCONCLUSIVE:
            return f"The run decides nothing. The bound still holds, up to an error probability of {error}."


def limits(result: AuditResult) -> str:
    """Return what the verdict does not say."""
    if result.verdict is Verdict.VIOLATION:
        return (
            "It does not say how large ε is: the bound is a lower one, a run that ends at the first "
            "violation leaves it low (--no-stop goes on), and other inputs may be told apart more easily. It "
            "does not say why; the separating event is where to look."
        )
    return (
        "It does not say that the mechanism is private: other inputs, or rarer events of the same ones, or "
        "events that the guesser has no form for, may still tell. Only a proof covers all inputs."
    )


def errors(result: AuditResult) -> str:
    """Return how the error probability is shared among the pairs."""
    total, count = percent(1 - result.confidence), len(result.pairs)
    if count == 1:
        return f"{total}, all of it on one pair"
    each = sorted({percent(found.error) for found in result.pairs})
    return f"{total} in all, for {count} pairs at once: {' or '.join(each)} on each (union bound)"


def power_line(power: Power) -> str:
    """Return one line of the power statement; `POWER` says what all of them presume."""
    seen = f"an event seen on {percent(power.share)} of calls, found by half of them"
    if power.epsilon is None:
        return f"{seen}: no ε would have been caught"
    return f"{seen}: every ε ≥ {rounded_up(power.epsilon)} would have been caught"


def fixed(found: FixedBound) -> str:
    """Return the cross-check with a fixed event."""
    return (
        f"ε ≥ {at_least(max(found.bound, 0.0))} from the event “{found.event}”, chosen on the first part of "
        f"the calls; on the rest {found.right} guesses right, {found.wrong} wrong"
    )


def pair_line(found: PairResult, claimed: float, source: str = "") -> str:
    """Return what was found on one pair; `source` says where relation and exact loss are taken from."""
    after = f"after {counted(found.calls, 'call')}"
    parts = [
        found.pair.relation + source,
        f"ε {above(found.bound, claimed)} {after}" if found.bound > 0 else f"no bound above 0 {after}",
        f"error {percent(found.error)}",
    ]
    if found.pair.exact is not None:
        parts.append(f"exact loss {number(found.pair.exact)}{source}")
    return "; ".join(parts)


def above_exact(found: PairResult) -> bool:
    """Return whether the bound is above the exact loss, which has at most the stated error probability."""
    return found.pair.exact is not None and found.bound > found.pair.exact + 1e-9


def best(result: AuditResult) -> PairResult | None:
    """Return the pair with the greatest bound, or None if nothing was called."""
    return max((found for found in result.pairs if found.calls), key=lambda found: found.bound, default=None)


def regions(cells: Sequence[CellCount]) -> list[Region]:
    """Return the outputs on which a side is named, neighbouring ranges joined, the most telling first."""
    found: list[Region] = []
    for cell in cells:
        last = found[-1] if found else None
        text = joined(last.text, cell.text) if last and last.side == cell.guess else None
        if last and text:
            found[-1] = Region(last.side, text, last.left + cell.left, last.right + cell.right)
        else:
            found.append(Region(cell.guess, cell.text, cell.left, cell.right))
    named = [replace(region, text=cell_text(region.text)) for region in found if region.side]
    return sorted(named, key=lambda region: -abs(region.right - region.left))


def joined(first: str, second: str) -> str | None:
    """Return two ranges that touch as one, or None."""
    low, high = _RANGE.fullmatch(first), _RANGE.fullmatch(second)
    if not low or not high or low["name"] != high["name"] or not low["high"] or low["high"] != high["low"]:
        return None
    begin = f"{low['low']} <= " if low["low"] else ""
    end = f" < {high['high']}" if high["high"] else ""
    return f"{begin}{low['name']}{end}" if begin or end else f"any {low['name']}"


def cell_text(text: str) -> str:
    """Return a range so narrow that both of its ends print alike as the one number that it is."""
    found = _RANGE.fullmatch(text)
    return (
        f"{found['name']} = {found['low']}"
        if found and found["low"] and found["low"] == found["high"]
        else text
    )


def event(found: PairResult) -> str:
    """Return the event that separates the sides of a pair, in words."""
    named = regions(found.cells)
    if not named:
        return "no event that tells the sides apart was found"
    lines = []
    for region in named[:MOST_REGIONS]:
        seen = f"left {region.left:,}, right {region.right:,} times"
        lines.append(f"{SIDES[region.side]} is guessed where {region.text} ({seen})")
    rest = len(named) - MOST_REGIONS
    return "; ".join(lines) + (f"; and {rest} more" if rest > 0 else "")


def shown_input(value: Any) -> str:
    """Return an input as short text."""
    text = str(to_json(value)) if not isinstance(value, str) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_INPUT else f"{text[: LONGEST_INPUT - 1]}…"
