"""The report of a check of stability as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from privboost.auditor.inputs.classes import HOSTILE
from privboost.auditor.stability.metrics import MoveKind
from privboost.auditor.stability.result import ComparedPair, StabilityResult, StabilityVerdict
from privboost.pages import Html, Section, badge, code, element, join, page, table

from . import stability_report as words
from .page import reproduction_section, tile_list

BADGES = {
    StabilityVerdict.COUNTEREXAMPLE: ("bad", "✗"),
    StabilityVerdict.NONE_FOUND: ("good", "✓"),
    StabilityVerdict.INCONCLUSIVE: ("warn", "?"),
}


def stability_page(result: StabilityResult, reproduce: str, advice: Sequence[tuple[str, str]] = ()) -> str:
    """Return the page of a check of stability.

    `reproduce` is the command that makes the same calls; `advice` has sentences with further commands.
    """
    commands = [("Repeat the same calls:", reproduce)] if reproduce else []
    seed = f"Seed {result.seed}. The inputs that were tried follow from it."
    sections = [
        _meaning(result),
        *_counterexample(result),
        _inputs(result),
        *_beyond(result),
        reproduction_section(result.target, (*commands, *advice), seed),
    ]
    return page(f"Stability of {result.target}: {result.verdict}", _introduction(result), sections)


def stability_fragment(result: StabilityResult) -> Html:
    """Return a check of stability as an HTML fragment: verdict, result, and the counterexample."""
    verdict = element("p", badge(*BADGES[result.verdict], result.verdict), " ", code(result.target))
    parts = (_meaning(result), *_counterexample(result))
    body = (part.body for part in parts)
    return join((verdict, element("p", words.explain(result)), tile_list(_tiles(result)), *body))


def _introduction(result: StabilityResult) -> Html:
    return element(
        "header",
        element("h1", badge(*BADGES[result.verdict], result.verdict), " ", code(result.target)),
        element("p", words.explain(result)),
        tile_list(_tiles(result)),
    )


def _tiles(result: StabilityResult) -> Iterator[tuple[str, str]]:
    example, claim = result.counterexample, result.claim
    moved = result.greatest if example is None else example.moved
    if moved is not None and moved.kind is MoveKind.DISTANCE:
        yield words.distance_string(moved), "greatest move" if example is None else "moved by"
    elif moved is not None:
        yield "∞", "moved by"
    yield f"≤ {words.bounds_string(claim)}", f"claimed, in {claim.distance} distance"
    yield f"{result.inputs:,}", "pairs of inputs tried" + (", interrupted" if result.interrupted else "")
    yield f"{len(result.classes):,}", "classes of inputs"


def _meaning(result: StabilityResult) -> Section:
    claim = words.claim_sentence(result.claim)
    named = [
        ("Claim", f"{claim[:1].upper()}{claim[1:]}."),
        ("It means", words.meaning(result)),
        ("It does not mean", words.limitations(result)),
    ]
    paragraphs = (element("p", element("b", f"{name}. "), text) for name, text in named)
    return Section("meaning", "Result", join(paragraphs))


def _counterexample(result: StabilityResult) -> list[Section]:
    example = result.counterexample
    if example is None:
        return []
    rows = [
        (side, code(words.format_input(data)), code(words.format_result(output)))
        for side, data, output in zip(
            ("Left", "Right"), (example.left, example.right), example.outputs, strict=True
        )
    ]
    caption = f"Two inputs, {example.apart} step{'s' if example.apart > 1 else ''} apart, and their results."
    moved = words.move_sentence(example.moved, example.bound)
    difference = words.difference_sentence(example.left, example.right)
    parts = [
        element("p", f"Moved: {moved}."),
        element("p", f"Difference of the inputs: {difference}.") if difference else Html(""),
        table(caption, ("Side", "Input", "Result"), rows, (10, 50, 40)),
        element("ul", *(element("li", words.class_sentence(key, example)) for key in example.classes)),
    ]
    if advice := words.rounding_sentence(example):
        parts.append(element("p", element("b", "Rounding. "), f"{advice[:1].upper()}{advice[1:]}."))
    return [Section("counterexample", "The counterexample", join(parts))]


def _inputs(result: StabilityResult) -> Section:
    rows = [(key, HOSTILE[key].meaning, f"{count:,}") for key, count in result.classes.items()]
    parts = [
        element("p", "Inputs: ", code(result.described), "."),
        table(f"{words.tried_sentence(result)}.", ("Class", "Meaning", "Pairs"), rows, (25, 60, 15)),
    ]
    if not_tried := words.left_out(result):
        reason = "Classes of which no pair was tried, since the description has none or the search ended: "
        parts.append(element("p", reason, ", ".join(not_tried), "."))
    if failures := words.failure_lines(result):
        parts += [
            element("p", "Pairs without a result on either side, which do not count against the claim:"),
            element("ul", *(element("li", line) for line in failures)),
        ]
    return Section("inputs", "Inputs that were tried", join(parts))


def _beyond(result: StabilityResult) -> list[Section]:
    if not result.inputs_beyond:
        return []
    intro = element(
        "p",
        f"{result.inputs_beyond:,} pairs have an input beyond the description. The claim is not about them, "
        "and they never change the verdict.",
    )
    rows = [_beyond_row(example) for example in result.beyond]
    headers = ("Classes", "Left", "Right", "Moved")
    found = table("Pairs that would contradict the claim.", headers, rows, (18, 26, 26, 30))
    body = [intro, found if rows else element("p", "None of them would contradict the claim.")]
    return [Section("beyond", "Beyond the described inputs", join(body))]


def _beyond_row(example: ComparedPair) -> Sequence[object]:
    inputs = (code(words.format_input(side)) for side in (example.left, example.right))
    return ", ".join(example.classes), *inputs, words.move_sentence(example.moved, example.bound)
