"""Reports of a check of stability: sentences, lines for a terminal, and a JSON document."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from privboost.auditor.inputs.classes import HOSTILE, ORDINARY
from privboost.auditor.numbers import count_with_noun, format_fraction, format_number
from privboost.auditor.stability.chains import first_difference
from privboost.auditor.stability.claim import StabilityClaim
from privboost.auditor.stability.metrics import Move, MoveKind, number_of
from privboost.auditor.stability.result import ComparedPair, StabilityResult, StabilityVerdict
from privboost.auditor.values.failures import failure_string
from privboost.auditor.values.tagged_json import output_to_json, to_json
from privboost.printing import make_printable_json, truncate

from . import sentences
from .report import REPRODUCE, Line, versions, wrap_lines

FORMAT, VERSION = "privboost-stability-report", 1
SCHEMA = Path(__file__).with_name("stability_report_schema.json")

DISTANCES = {
    "absolute": "absolute difference",
    "l1": "L1 distance",
    "l2": "L2 distance",
    "linf": "L∞ distance, the greatest difference of a number",
    "symmetric": "symmetric distance, the number of rows that only one result has",
    "insert_delete": "number of rows to insert and to delete",
    "exchange": "number of positions at which rows differ",
    "equal": "0 if the results are equal, else 1",
}
DIFFERENCES = {
    MoveKind.NAN: "one result has NaN where the other has a number",
    MoveKind.INFINITE: "one result has an infinity that the other does not have",
    MoveKind.SHAPE: "the results have different shapes",
    MoveKind.TYPE: "the results have different types",
    MoveKind.FAILURE: "only one input has a result",
}
"""Differences that no number measures, in words."""

ROOM = Fraction(1, 10**9)
"""Share of a result that is proposed as room for rounding."""

SHOWN_FAILURES, LONGEST_ROW = 3, 60


# Sentences ------------------------------------------------------------------------------------------------


def claim_sentence(claim: StabilityClaim) -> str:
    """Return a claim in words."""
    change = sentences.RELATIONS[claim.relation]
    bounds = bounds_string(claim)
    times = f", once, twice, ... up to {claim.d_in} times" if claim.d_in > 1 else ""
    if len(set(claim.bounds)) == 1 and times:
        times = f", up to {claim.d_in} times"
    if claim.distance == "equal" and not any(claim.bounds):
        return f"if {change}{times}, the result stays the same"
    return f"if {change}{times}, the result moves by at most {bounds} ({DISTANCES[claim.distance]})"


def bounds_string(claim: StabilityClaim) -> str:
    """Return the bounds of a claim; one if all are equal."""
    return ", ".join(dict.fromkeys(map(format_fraction, claim.bounds)))


def move_sentence(moved: Move, bound: Fraction) -> str:
    """Return how far a result moved, and by how much that is more than the bound."""
    if moved.kind is not MoveKind.DISTANCE:
        where = f" ({moved.where})" if moved.where not in ("", "result") else ""
        return f"{DIFFERENCES[moved.kind]}{where}, which is farther apart than any bound"
    excess, limit = excess_of(moved, bound), format_fraction(bound)
    distance = distance_string(moved)
    if excess <= 0:
        return f"{distance}, and the bound is {limit}"
    if distance == limit:
        return f"{distance} + {format_number(_nearest(excess))}, and the bound is {limit}"
    times = f", {format_number(float(1 + excess / bound))} times as far" if excess > bound > 0 else ""
    return f"{distance}, and the bound is {limit}: {format_number(_nearest(excess))} more{times}"


def distance_string(moved: Move) -> str:
    """Return a distance as a number; that of l2 by its root."""
    if not moved.squared:
        return format_fraction(moved.distance)
    root = root_of(moved.distance)
    return format_fraction(root) if root * root == moved.distance else f"about {_nearest(root):.17g}"


def root_of(square: Fraction) -> Fraction:
    """Return the root of a square if it is a fraction, else one that is smaller by less than 2⁻¹⁰⁰ of it."""
    top, bottom = square.numerator, square.denominator
    exact = Fraction(math.isqrt(top), math.isqrt(bottom))
    if exact * exact == square:
        return exact
    shift = max(0, 128 - (top * bottom).bit_length() // 2)
    return Fraction(math.isqrt((top * bottom) << (2 * shift)), bottom << shift)


def excess_of(moved: Move, bound: Fraction) -> Fraction:
    """Return by how much a distance is more than a bound."""
    return (root_of(moved.distance) if moved.squared else moved.distance) - bound


def _nearest(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def rounding_sentence(example: ComparedPair) -> str:
    """Return what to do about a counterexample that rounding explains; the empty string for any other."""
    if not example.is_rounding:
        return ""
    wider = example.bound + ROOM * max(example.bound, example.moved.scale)
    return (
        "rounding of doubles in the target explains this, and nothing else was found. The claim is false as "
        f"it is stated. One with room for rounding, such as a bound of {_nearest(wider):.10g}, may be true"
    )


def explain(result: StabilityResult) -> str:
    """Return the reason for the verdict."""
    example = result.counterexample
    if example is not None:
        only = ", by rounding only" if example.is_rounding else ""
        moved = move_sentence(example.moved, example.bound)
        return f"Two inputs show that the claim is false{only}: {moved}."
    tried = f"{count_with_noun(result.inputs, 'pair')} of inputs"
    if result.verdict is StabilityVerdict.INCONCLUSIVE:
        reason = result.cut_short or f"the target has no result on any of {tried}"
        return f"{reason[:1].upper()}{reason[1:]}."
    ended = f" The search ended early: {result.cut_short}." if result.cut_short else ""
    return f"None found in {tried} of these classes: {', '.join(result.classes)}.{ended}"


def meaning(result: StabilityResult) -> str:
    """Return the meaning of the verdict."""
    match result.verdict:
        case StabilityVerdict.COUNTEREXAMPLE:
            return (
                "The claim is false, provided that it is about these two inputs. Two calls show it, so there "
                "is no error probability."
            )
        case StabilityVerdict.NONE_FOUND:
            return "No pair that was tried contradicts the claim."
        case StabilityVerdict.INCONCLUSIVE:
            return "Nothing is known: there was no pair with a result to compare."


def limitations(result: StabilityResult) -> str:
    """Return the conclusions that the verdict does not allow."""
    if result.verdict is StabilityVerdict.COUNTEREXAMPLE:
        return (
            "It does not say how far a row can move the result at most: the search stops at the first "
            "counterexample and makes it small."
        )
    return (
        "It does not say that the claim is true: inputs that were not tried may contradict it. Only a proof "
        "covers all inputs."
    )


def headline(result: StabilityResult) -> str:
    """Return verdict, claim and reason as one sentence."""
    claim, example = result.claim, result.counterexample
    only = ", by rounding only" if example is not None and example.is_rounding else ""
    bounds = f"{claim.distance} ≤ {bounds_string(claim)} ({claim.relation})"
    claimed = f"{result.verdict}{only}: {result.target}, {bounds}"
    tried = count_with_noun(result.inputs, "pair") + " of inputs"
    stopped = "; interrupted" if result.interrupted else ""
    if example is not None:
        moved, classes = move_sentence(example.moved, example.bound), ", ".join(example.classes)
        return f"{claimed}; {moved} ({classes}; {tried}{stopped})"
    if result.greatest is not None:
        tried += f", greatest move {distance_string(result.greatest)}"
    return f"{claimed}; {tried}{stopped}"


def left_out(result: StabilityResult) -> list[str]:
    """Return the hostile classes of which no pair was tried."""
    return [key for key in HOSTILE if key not in result.classes and key != ORDINARY]


def format_result(value: Any) -> str:
    """Return a result as a short string."""
    if (failed := failure_string(value)) is not None:
        return f"no result: {failed}"
    number = number_of(value)
    if isinstance(number, int | Fraction) and not isinstance(number, bool):
        return format_fraction(Fraction(number))
    return format_input(value.tolist() if isinstance(value, np.ndarray) else value)


def format_input(value: Any) -> str:
    """Return an input as a short string, as Python writes it."""
    return truncate(" ".join(repr(value).split()), sentences.LONGEST_INPUT)


# Lines ----------------------------------------------------------------------------------------------------


def lines(result: StabilityResult, reproduce: str = "") -> list[Line]:
    """Return the report as named lines, the verdict first."""
    named = [
        ("verdict", str(result.verdict)),
        ("target", result.target),
        ("claim", claim_sentence(result.claim)),
        ("why", explain(result)),
    ]
    if result.counterexample is not None:
        named += example_lines(result.counterexample)
    elif result.greatest is not None:
        named.append(("greatest move", distance_string(result.greatest)))
    named += [
        ("it means", meaning(result)),
        ("it does not mean", limitations(result)),
        ("inputs", tried_sentence(result)),
        ("classes", ", ".join(f"{key} {count:,}" for key, count in result.classes.items())),
    ]
    if not_tried := left_out(result):
        named.append(("not tried", ", ".join(not_tried)))
    named += [("no result", line) for line in failure_lines(result)]
    for example in result.beyond:
        named.append(("beyond", beyond_sentence(example)))
    named.append(("seed", str(result.seed)))
    return [*named, (REPRODUCE, reproduce)] if reproduce else named


def example_lines(example: ComparedPair) -> Iterator[Line]:
    """Yield a counterexample as named lines."""
    yield "left input", format_input(example.left)
    yield "right input", format_input(example.right)
    if difference := difference_sentence(example.left, example.right):
        yield "difference", difference
    for name, output in zip(("left result", "right result"), example.outputs, strict=True):
        yield name, format_result(output)
    yield "moved", move_sentence(example.moved, example.bound)
    if advice := rounding_sentence(example):
        yield "rounding", advice
    if example.apart > 1:
        yield "apart", f"the inputs are {example.apart} steps apart"
    for key in example.classes:
        yield "class", class_sentence(key, example)


def difference_sentence(left: Any, right: Any) -> str:
    """Return the row in which two lists differ; the empty string for other inputs."""
    if not (isinstance(left, list) and isinstance(right, list)):
        return ""
    if Counter(map(repr, left)) == Counter(map(repr, right)):
        return "another order of the same rows"
    start = first_difference(left, right)
    left, right = left[start:], right[start:]
    end = first_difference(left[::-1], right[::-1])
    one, other = (
        truncate(", ".join(map(repr, side[: len(side) - end])), LONGEST_ROW) for side in (left, right)
    )
    if one and other:
        return f"row {start + 1} is {one} on the left and {other} on the right"
    return f"only the {'left' if one else 'right'} input has {one or other} (row {start + 1})"


def class_sentence(key: str, example: ComparedPair) -> str:
    """Return what a class of a counterexample is."""
    if key == ORDINARY and len(example.classes) > 1:
        return f"{key}: ordinary inputs show it as well"
    return f"{key}: {HOSTILE[key].meaning}"


def tried_sentence(result: StabilityResult) -> str:
    """Return which inputs were tried, and how many."""
    sentence = f"{result.described}: {count_with_noun(result.inputs, 'pair')} tried"
    if result.inputs_beyond:
        sentence += f", and {result.inputs_beyond:,} beyond the description"
    sentence += f", in {count_with_noun(result.calls, 'call')}"
    sentence += f" and {result.seconds:.1f} s" if result.seconds else ""
    return sentence + (" (interrupted)" if result.interrupted else "")


def failure_lines(result: StabilityResult) -> list[str]:
    """Return how many pairs had no result on either side, and why."""
    shown = [
        f"on both sides of {count_with_noun(count, 'pair')}: {text}"
        for text, count in list(result.failures.items())[:SHOWN_FAILURES]
    ]
    rest = len(result.failures) - SHOWN_FAILURES
    return [*shown, f"and {rest} more kinds"] if rest > 0 else shown


def beyond_sentence(example: ComparedPair) -> str:
    """Return a counterexample among inputs beyond the description, which does not count."""
    inputs = " against ".join(format_input(side) for side in (example.left, example.right))
    moved = move_sentence(example.moved, example.bound)
    return f"{', '.join(example.classes)}: {moved}; {inputs}. The claim is not about these inputs"


def to_text(result: StabilityResult, reproduce: str = "") -> str:
    """Return the report for a terminal."""
    return "".join(f"{name:<17}  {line}\n" for name, line in wrap_lines(lines(result, reproduce)))


# JSON -----------------------------------------------------------------------------------------------------


def to_document(result: StabilityResult, reproduce: str = "") -> dict[str, Any]:
    """Return the report as a JSON document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": result.target,
        "claim": claim_to_json(result.claim),
        "inputs": result.described,
        "seed": result.seed,
        "verdict": str(result.verdict),
        "reason": explain(result),
        "tried": result.inputs,
        "classes": dict(result.classes),
        "tried_beyond": result.inputs_beyond,
        "calls": result.calls,
        "seconds": round(result.seconds, 3),
        "interrupted": result.interrupted,
        "cut_short": result.cut_short,
        "greatest": None if result.greatest is None else move_to_json(result.greatest),
        "counterexample": None if result.counterexample is None else example_to_json(result.counterexample),
        "beyond": [example_to_json(example) for example in result.beyond],
        "failures": [{"text": text, "pairs": count} for text, count in result.failures.items()],
        "reproduce": reproduce,
        "versions": versions(result.target),
    }


def to_json_text(result: StabilityResult, reproduce: str = "") -> str:
    """Return the report as a JSON string."""
    document = json.dumps(to_document(result, reproduce), indent=1, ensure_ascii=False, allow_nan=False)
    return make_printable_json(document) + "\n"


def claim_to_json(claim: StabilityClaim) -> dict[str, Any]:
    """Return a claim as JSON; fractions are strings."""
    return {
        "relation": claim.relation,
        "distance": claim.distance,
        "bounds": [str(bound) for bound in claim.bounds],
    }


def move_to_json(moved: Move) -> dict[str, Any]:
    """Return how far a result moved as JSON: exactly, and as a number near it."""
    measured = moved.kind is MoveKind.DISTANCE
    exact = str(moved.distance)
    root = root_of(moved.distance) if moved.squared else moved.distance
    return {
        "kind": str(moved.kind),
        "exact": exact if measured else None,
        "squared": moved.squared,
        "about": to_json(_nearest(root)) if measured else None,
        "where": moved.where,
    }


def example_to_json(example: ComparedPair) -> dict[str, Any]:
    """Return a counterexample as JSON."""
    return {
        "name": example.pair.name,
        "relation": example.pair.relation,
        "classes": list(example.classes),
        "apart": example.apart,
        "left": to_json(example.left),
        "right": to_json(example.right),
        "results": [output_to_json(output) for output in example.outputs],
        "moved": move_to_json(example.moved),
        "bound": str(example.bound),
        "rounding": example.is_rounding,
    }
