"""The sentences of a report, shared by the terminal, the HTML page and messages of failing tests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from privboost.auditor.betting.wealth import DECISIVE_SHARES, PROBABILITY, Power
from privboost.auditor.claims import PrivacyClaim
from privboost.auditor.inputs.classes import ORDINARY
from privboost.auditor.numbers import (
    count_with_noun,
    floor_to_decimals,
    format_bound,
    format_exactly,
    format_number,
    format_percent,
    round_down,
    round_up,
)
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.relations import is_checked
from privboost.auditor.result import AuditResult, FixedBound, PairResult, Verdict
from privboost.auditor.values.columns import UnmatchedPart
from privboost.auditor.values.tagged_json import to_json
from privboost.limits import (
    ADD_REMOVE,
    ANSWERS,
    AS_GIVEN,
    CHANGE_VALUE,
    DELETE_INSERT,
    EXCHANGE,
    INSERT_DELETE,
    L1,
    L2,
    USER,
)
from privboost.printing import suggest, truncate

from .events import format_sides

LONGEST_INPUT = 160
NOTHING_CAUGHT = "no violation of any size would have been found"
RELATIONS = {
    EXCHANGE: "one row is exchanged for another",
    ADD_REMOVE: "one row is added or removed",
    INSERT_DELETE: "one row is inserted or deleted, and the order of rows matters",
    CHANGE_VALUE: "one value of one row is changed",
    USER: "all rows of one user are added or removed",
    DELETE_INSERT: "one row is deleted and one inserted, maybe elsewhere, and the order of rows matters",
    L1: "the inputs are numbers, which change by at most 1 in sum",
    L2: "the inputs are numbers, whose changes have a Euclidean length of at most 1",
    ANSWERS: "the inputs are answers to queries, each of which changes by at most 1 with one row",
    AS_GIVEN: "privboost has not checked that the inputs are neighbours; the verdict holds only if they are",
}
SHOWN_FAILURES = 3
SHOWN_PARTS = 5
LONGEST_ROW = 120
SMALLEST_MARGIN = 0.001
"""Share of the claim below which a margin is not printed as a number."""

POWER = (
    "each with probability at least 95 %, in a run of this length, for an event that the guesser has found "
    "by half of the calls; an event that it does not find is not caught"
)


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


def explain(result: AuditResult) -> str:
    """Return the reason for the verdict."""
    if result.verdict is Verdict.VIOLATION:
        return _explain_violation(result)
    if result.confirmation is not None:
        return f"A violation was found, but it was {confirmation(result)}."
    if result.cut_short:
        return f"The calls ended early: {result.cut_short}. There was no violation before."
    calls = count_with_noun(result.calls, "call")
    if reason := next(filter(None, map(note, result.pairs)), ""):
        return f"No violation was found, but {reason}."
    if result.required is not None and not result.required.met:
        reason = f"{caught_sentence(result)}, and {required_sentence(result)}"
        return f"No violation in {calls}, but the run is too short: {reason}."
    if result.contested:
        entry = result.contested[0]
        return (
            f"No violation in {calls}, but the cross-check of the pair '{entry.pair.name}' exceeds the claim"
            f": {cross_check(entry.fixed)}. More calls decide."
        )
    power = f"{caught_sentence(result)} with probability {format_percent(PROBABILITY)}"
    return f"No violation in {calls}. {power[0].upper()}{power[1:]}."


def note(entry: PairResult) -> str:
    """Return why the outputs say little; the empty string if they do not."""
    if entry.note or not entry.n_stuck:
        return entry.note
    return f"all of {entry.n_stuck} outputs are the same number with many digits; is its seed fixed?"


def hint(entry: PairResult) -> str:
    """Return a likely reason for a violation; the empty string if there is none."""
    if (shared := entry.shared_noise) is None:
        return ""
    return (
        f"{shared.first} − {shared.second} is the same on all calls of the {shared.side} input, although "
        "both vary: they seem to share their noise"
    )


def caught_sentence(result: AuditResult) -> str:
    """Return which violation a run would have found, on an event of the decisive share."""
    share = _decisive_share(result)
    caught = next((least_caught(result.claim, power) for power in result.power if power.share == share), "")
    return f"a violation of {caught} would have been found" if caught else NOTHING_CAUGHT


def least_caught(claim: PrivacyClaim, power: Power) -> str:
    """Return the least violation that would have been caught on an event; the empty string if there is none.

    It is in the parameter of the claim.
    """
    if power.epsilon is None:
        return ""
    return _at_least(claim, claim.parameter_at(power.epsilon, power.share))


def _at_least(claim: PrivacyClaim, value: float) -> str:
    symbol = claim.widened.symbol if claim.widened.value else "ε"
    return f"{symbol} ≥ {round_up(value)}" + (claim.widened.condition if symbol != claim.symbol else "")


def required_violation(result: AuditResult) -> str:
    """Return which violation a run has to find to be CONSISTENT; the empty string if nothing is required."""
    required, claim = result.required, result.claim
    if required is None:
        return ""
    return _at_least(claim, required.factor * claim.widened.value or required.epsilon)


def required_sentence(result: AuditResult) -> str:
    """Return the same as a sentence, with the multiple of the claim."""
    if result.required is None:
        return ""
    factor = format_number(result.required.factor)
    return f"a verdict needs {factor} times the claim, {required_violation(result)}"


def _explain_violation(result: AuditResult) -> str:
    refuted = [entry for entry in result.pairs if entry.refuted]
    best = max(refuted or result.pairs, key=lambda entry: entry.bound)
    claimed = result.claim.format_with("=")
    reason = (
        f"On the pair '{best.pair.name}' the sides were guessed better than {claimed} allows, "
        f"after {best.calls} calls"
    )
    if best.constant:
        which = "either input" if len(best.constant) == 2 else f"the {best.constant[0]} input"
        reason += f"; every call on {which} gave the same output: noise is missing, clamped away, or constant"
    if len(refuted) > 1:
        reason += f"; in all on {len(refuted)} of {len(result.pairs)} pairs"
    return f"{reason}."


def separation(result: AuditResult) -> str:
    """Return the bound that more calls would give if no guess is wrong; else the empty string."""
    top = best_pair(result)
    if result.verdict is not Verdict.VIOLATION or top is None or top.projected is None:
        return ""
    calls, bound = top.projected
    return (
        "the event that is guessed on one side never occurred on the other, so only the number of calls "
        f"limits the bound: after {calls:,} calls like these it would be {result.claim.symbol} > "
        f"{round_down(bound)}"
    )


def noiseless(result: AuditResult) -> str:
    """Return the parts of the outputs that differ without noise; the empty string if none does."""
    if not result.noiseless:
        return ""
    parts = [f"{part.name} is {part.left} left, {part.right} right" for part in result.noiseless]
    more = f"; and {len(parts) - SHOWN_PARTS} more" if len(parts) > SHOWN_PARTS else ""
    return f"in every call {'; '.join(parts[:SHOWN_PARTS])}{more}"


def rest(result: AuditResult) -> str:
    """Return the verdict on the other parts of the outputs; the empty string without a second audit."""
    if result.rest is None:
        return ""
    again = result.rest
    return (
        f"{again.verdict} for the rest of the outputs, on new calls (seed {again.seed}): {explain(again)}"
        + (f" The bound is {again.claim.symbol} > {round_down(again.bound)}." if again.bound > 0 else "")
    )


def details(result: AuditResult) -> list[tuple[str, str]]:
    """Return the basis of a violation and the parts that were left out, as sentences with names."""
    lines = [
        ("without exception", separation(result)),
        ("without noise", noiseless(result)),
        ("the rest", rest(result)),
        ("ignored", ", ".join(result.ignored)),
        ("not ignored", list_unmatched(result.unmatched)),
    ]
    return [(name, line) for name, line in lines if line]


def list_unmatched(parts: Sequence[UnmatchedPart]) -> str:
    """Return which parts were to be ignored that no output has; the empty string if there are none."""
    return "; ".join(f"no output has a part '{part.name}'{suggest(part.name, part.known)}" for part in parts)


def headline(result: AuditResult) -> str:
    """Return verdict, claim and bound as one sentence."""
    bound = f"bound {result.claim.symbol} {format_bound(result.bound, result.claim.value)}"
    bounded = bound if result.bound > 0 else "no bound above 0"
    calls = f"{count_with_noun(result.calls, 'call')}, confidence {format_percent(result.confidence)}"
    stopped = "; interrupted" if result.interrupted else ""
    silent = result.verdict is Verdict.VIOLATION or not result.power or any(map(note, result.pairs))
    power = "" if silent else f"; {caught_sentence(result)}"
    return f"{result.verdict}: {result.target}, claim {result.claim}, {bounded} ({calls}{stopped}){power}"


def meaning(result: AuditResult) -> str:
    """Return the meaning of the verdict."""
    error = format_percent(1 - result.confidence)
    factor = format_number(result.required.factor if result.required else 1.0)
    match result.verdict:
        case Verdict.VIOLATION:
            return (
                "The claim is refuted, provided that the two inputs are neighbours. If the claim were true, "
                f"an audit would report a violation with probability at most {error}, regardless of how long "
                "it runs and when it stops."
            )
        case Verdict.CONSISTENT:
            return (
                "Nothing on these pairs contradicts the claim. The run was long enough to catch "
                f"{factor} times the claim, by an event that occurs on "
                f"{format_percent(_decisive_share(result))} of the calls and that the guesser found by half "
                "of them. "
                f"The bound itself is wrong with probability at most {error}."
            )
        case Verdict.INCONCLUSIVE:
            return f"The run does not decide. The bound still holds, with error probability at most {error}."


def _decisive_share(result: AuditResult) -> float:
    return result.required.share if result.required else DECISIVE_SHARES[0]


def limitations(result: AuditResult) -> str:
    """Return the conclusions that the verdict does not allow."""
    if result.verdict is Verdict.VIOLATION:
        return (
            "It does not say how large ε is: the bound is a lower bound, a run that stops at the first "
            "violation leaves it low, and other inputs may be easier to tell apart. It does not say why the "
            "claim fails; start with the outputs that tell the sides apart."
        )
    return (
        "It does not say that the mechanism is private: other inputs, rarer events on the same inputs, or "
        "events that the guesser cannot express may still tell inputs apart. Only a proof covers all inputs."
    )


def error_probability(result: AuditResult) -> str:
    """Return how the error probability is divided among the pairs."""
    total, count = format_percent(1 - result.confidence), result.shared_by or len(result.pairs)
    if count == 1:
        return f"{total}, all of it on one pair"
    each = list(dict.fromkeys(format_percent(entry.error) for entry in result.pairs))
    most = "" if count == len(result.pairs) else "at most "
    where = "on each" if result.shared_by is None else "on the first"
    others = f", {each[1]} on each other" if len(each) > 1 else ""
    return f"{total} in all, for {most}{count} pairs at once: {each[0]} {where}{others} (union bound)"


def power_sentence(claim: PrivacyClaim, power: Power) -> str:
    """Return one line of the power statement; `POWER` states the assumptions of all lines."""
    event = f"an event seen on {format_percent(power.share)} of calls, found by half of them"
    caught = least_caught(claim, power)
    return f"{event}: {f'every {caught}' if caught else f'no {claim.widened.symbol}'} would have been caught"


def cross_check(check: FixedBound | None) -> str:
    """Return the bound of the cross-check and the counts behind it; the empty string if there was none."""
    if check is None:
        return ""
    return (
        f"ε ≥ {floor_to_decimals(max(check.bound, 0.0))} from the event “{format_sides(check.events)}”, "
        f"chosen on the first part of the calls; on the rest {check.right} guesses right, {check.wrong} wrong"
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
    if hostile := [key for key in entry.pair.classes if key != ORDINARY]:
        parts.append(f"class {', '.join(key.replace('_', ' ') for key in hostile)}")
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


def short_input(value: Any) -> str:
    """Return an input as a short string."""
    string = str(to_json(value)) if not isinstance(value, str) else repr(value)
    return truncate(" ".join(string.split()), LONGEST_INPUT)


def input_lines(pair: Pair) -> Iterator[tuple[str, str]]:
    """Yield the inputs of a pair or, for tables, the rows in which they differ."""
    if words := difference(pair.left, pair.right):
        yield "  difference", words
    else:
        yield "  left input", short_input(pair.left)
        yield "  right input", short_input(pair.right)


def log_e_value(result: AuditResult) -> float:
    """Return the natural logarithm of the e-value against the claim: the mean of the wealths over all pairs.

    A pair has the weight of its error probability; the wealth is 1 for pairs that were not chosen. If the
    claim is true its mean is at most 1, whenever the run stops.
    """
    weights = [entry.error / (1 - result.confidence) for entry in result.pairs]
    logs = [*(entry.log_e_value for entry in result.pairs), 0.0]
    top = max(logs)
    if math.isinf(top):
        return top
    unspent = max(1 - sum(weights), 0.0)
    parts = zip([*weights, unspent], logs, strict=True)
    return top + math.log(sum(weight * math.exp(log - top) for weight, log in parts))


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
    sentence = f"{kind}: {RELATIONS[kind]}"
    if result.claim.group > 1 and kind in {EXCHANGE, ADD_REMOVE}:
        changed = "exchanged for others" if kind == EXCHANGE else "added or removed"
        sentence = f"{kind}: {result.claim.group} rows are {changed}"
    if kind != AS_GIVEN and not is_checked(entry.pair):
        sentence += ", as stated with the pair; not checked, since the inputs have no rows"
    if result.relation is not None:
        return f"{sentence}; the target states its claim for {result.relation}"
    if result.verdict is not Verdict.VIOLATION:
        return sentence
    if kind == ADD_REMOVE:
        return f"{sentence}; a claim for exchanged rows only says nothing about this pair"
    claim = result.claim
    if kind != EXCHANGE or claim.kind != "eps" or claim.fixed or claim.group > 1:
        return sentence
    double = 2 * claim.value
    status = "refuted, too" if entry.bound > double else "not refuted by this pair"
    return (
        f"{sentence}; a claim of ε ≤ {format_exactly(claim.value)} for added or removed rows allows "
        f"ε ≤ {format_exactly(double)} here and is {status}"
    )


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
        rest, alone = Counter(other), []
        for number, row in enumerate(own, 1):
            rest[row] -= 1
            if rest[row] < 0:
                alone.append(f"only {name} has {truncate(row, LONGEST_ROW)} (row {number} of {len(own)})")
        parts += alone[:2]
    return "; ".join(parts)


def _rows(side: dict[str, Any]) -> list[str]:
    labels = side.get("y") or [None] * len(side["X"])
    return [
        str(to_json(row)) + ("" if label is None else f" with label {to_json(label)}")
        for row, label in zip(side["X"], labels, strict=True)
    ]


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


def seed(result: AuditResult) -> str:
    """Return the seed, and for a target that does not take seeds what follows from it."""
    if result.seeded is not False:
        return str(result.seed)
    return f"{result.seed}; the sides follow from it, the outputs do not: the target does not take seeds"
