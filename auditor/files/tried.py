"""What a report says of described inputs: the pairs that were tried, the smallest, and what is beyond."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from privboost.auditor.inputs.classes import HOSTILE
from privboost.auditor.numbers import count_with_noun, format_bound
from privboost.auditor.result import AuditResult, PairResult, Sight, Tried, TriedPair
from privboost.auditor.values.tagged_json import to_json
from privboost.pages import Html, Section, code, element, join, table

from . import sentences

SIGHTS = {
    Sight.FAILURE: "only one side fails",
    Sight.TYPE: "outputs of another type",
    Sight.ENTRIES: "another number of entries, or other keys",
    Sight.NOT_FINITE: "NaN or an infinity on one side only",
    Sight.CONSTANT: "a number without noise, where other inputs have some",
    Sight.FAR: "values farther apart than noise of the claim's size explains",
    Sight.NOTHING: "nothing that needs no statistics",
    Sight.REFUSED: "both sides fail",
}
"""What a few calls on a pair show, in words."""

SHOWN_NAMES = 3

Line = tuple[str, str]


def describe_classes(keys: Sequence[str]) -> str:
    """Return what classes contain, in words."""
    return "; ".join(HOSTILE[key].meaning for key in keys)


def summary(tried: Tried) -> str:
    """Return which pairs were tried."""
    counted = count_with_noun(len(tried.pairs), "pair")
    left = f"; {tried.untried} more on the list were not needed or not reached" if tried.untried else ""
    calls = count_with_noun(tried.calls, "call")
    how = f"tried ({tried.relation}), by {calls} that no test uses"
    return f"{tried.inputs}: {counted} of neighbours {how}{left}"


def sights(pairs: Sequence[TriedPair]) -> Iterator[tuple[Sight, str]]:
    """Yield what a few calls show, the most suspicious first, with the pairs that show it."""
    for sight in Sight:
        names = [entry.pair.name for entry in pairs if entry.sight is sight]
        if names:
            more = len(names) - SHOWN_NAMES
            shown = ", ".join(f"'{name}'" for name in names[:SHOWN_NAMES])
            shown += f" and {more} more" if more > 0 else ""
            yield sight, f"{SIGHTS[sight]}: {shown}"


def class_of_witness(result: AuditResult, entry: PairResult) -> str:
    """Return the classes of a pair of described inputs; those of the smallest pair if it shows the same."""
    tried = result.tried
    if tried is None or tried.smallest is None or not is_refuted(tried.smallest):
        return describe_classes(entry.pair.classes)
    return describe_classes(tried.smallest.pairs[0].pair.classes)


def is_refuted(test: AuditResult) -> bool:
    """Return whether the claim is refuted on the one pair of a test."""
    return test.pairs[0].refuted


def smallest_lines(tried: Tried) -> Iterator[Line]:
    """Yield the smallest pair that shows a violation, and its test."""
    if tried.smallest is None:
        return
    entry = tried.smallest.pairs[0]
    yield (
        "smallest pair",
        test_sentence(tried.smallest, f"searched by {tried.shrinking_calls:,} further calls"),
    )
    yield from sentences.input_lines(entry.pair)
    yield "  class", describe_classes(entry.pair.classes)


def test_sentence(test: AuditResult, source: str) -> str:
    """Return the outcome of a test of one pair on coins of its own."""
    outcome = "refuted" if is_refuted(test) else "NOT refuted"
    bound = f"ε {format_bound(test.bound, test.claim.value)}".replace("ε", test.claim.symbol)
    return f"{source}; {outcome} on fresh coins (seed {test.seed}), {bound} after {test.calls:,} calls"


def lines(tried: Tried) -> Iterator[Line]:
    """Yield the lines of a report about described inputs."""
    yield from smallest_lines(tried)
    yield "described inputs", summary(tried)
    yield "classes tried", ", ".join(key.replace("_", " ") for key in tried.classes)
    yield from (("a few calls show", sentence) for _, sentence in sights(tried.pairs))
    if tried.beyond:
        counted = count_with_noun(len(tried.beyond), "pair")
        yield (
            "beyond them",
            f"{counted} beyond the described inputs, which do not affect the verdict",
        )
        yield from (("", sentence) for _, sentence in sights(tried.beyond))
        for test in tried.beyond_tests:
            pair = test.pairs[0].pair
            source = f"'{pair.name}' ({describe_classes(pair.classes)})"
            yield "  beyond", test_sentence(test, source)
            yield from sentences.input_lines(pair)


def to_document(tried: Tried) -> dict[str, Any]:
    """Return what was tried as JSON."""
    return {
        "inputs": tried.inputs,
        "relation": tried.relation,
        "calls": tried.calls,
        "untried": tried.untried,
        "search_budget": tried.search_budget,
        "classes": {key: HOSTILE[key].meaning for key in tried.classes},
        "pairs": [_pair_document(entry) for entry in tried.pairs],
        "shrinking_calls": tried.shrinking_calls,
        "smallest": None if tried.smallest is None else _test_document(tried.smallest),
        "beyond": [_pair_document(entry) for entry in tried.beyond],
        "beyond_tests": [_test_document(test) for test in tried.beyond_tests],
    }


def _pair_document(entry: TriedPair) -> dict[str, Any]:
    return {
        "name": entry.pair.name,
        "classes": list(entry.pair.classes),
        "sight": str(entry.sight),
        "left_output": entry.left,
        "right_output": entry.right,
    }


def _test_document(test: AuditResult) -> dict[str, Any]:
    pair = test.pairs[0].pair
    return {
        "name": pair.name,
        "classes": list(pair.classes),
        "left": to_json(pair.left),
        "right": to_json(pair.right),
        "refuted": is_refuted(test),
        "seed": int(test.seed),
        "confidence": float(test.confidence),
        "bound": to_json(float(test.bound)),
        "calls": int(test.calls),
    }


def page_sections(tried: Tried) -> list[Section]:
    """Return the sections of a page about described inputs."""
    body = [element("p", f"Described as {summary(tried)}."), _class_table(tried.pairs)]
    sections = [Section("tried", "Which inputs were tried", join(body))]
    if tried.smallest is not None:
        items = [
            element("li", f"{name.strip().capitalize()}: ", code(line))
            for name, line in _input_items(tried.smallest)
        ]
        sentence = test_sentence(tried.smallest, f"Searched by {tried.shrinking_calls:,} further calls")
        sections.insert(
            0,
            Section(
                "smallest", "The smallest pair", join((element("p", sentence, "."), element("ul", *items)))
            ),
        )
    if tried.beyond:
        tests = [
            element(
                "li",
                test_sentence(
                    test, f"“{test.pairs[0].pair.name}” ({describe_classes(test.pairs[0].pair.classes)})"
                ),
                ".",
            )
            for test in tried.beyond_tests
        ]
        intro = element("p", "Inputs that the description excludes. They do not affect the verdict.")
        beyond = join((intro, element("ul", *tests) if tests else Html(""), _class_table(tried.beyond)))
        sections.append(Section("beyond", "Beyond the described inputs", beyond))
    return sections


def _input_items(test: AuditResult) -> Iterator[Line]:
    pair = test.pairs[0].pair
    yield from sentences.input_lines(pair)
    yield "class", describe_classes(pair.classes)


def _class_table(pairs: Sequence[TriedPair]) -> Html:
    """Return a table with a row for every class: the number of its pairs, and what a few calls show."""
    keys = [key for key in HOSTILE if any(key in entry.pair.classes for entry in pairs)]
    rows = []
    for key in keys:
        own = [entry for entry in pairs if key in entry.pair.classes]
        counts = Counter(entry.sight for entry in own)
        shown = "; ".join(f"{SIGHTS[sight]} ({counts[sight]})" for sight in Sight if counts[sight])
        rows.append((HOSTILE[key].meaning, f"{len(own)}", shown))
    caption = "What a few calls on each pair show. It decides which pairs are tested, and is no verdict."
    return table(caption, ("Class", "Pairs", "A few calls show (pairs)"), rows, (40, 10, 50))
