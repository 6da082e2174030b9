"""Compare the numbers of a seeded run with those that follow from its splits, values and coefficients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from privboost.gate.checks.comparing import format_number
from privboost.gate.protocol.wire import read_finite, read_list, read_object
from privboost.gate.trees.expected.learner import ledger_of

from .histories import History, TreeDraws
from .laws import nearby_fraction
from .tapes import trees_of, wrong_sum

SLACK = Fraction(1, 10**6)
"""Tolerance of numbers that follow from released ones; mistakes differ by far more."""
ROUNDED = Fraction(1, 10**12)
"""A float this close to a simple fraction is shown as the fraction."""


def wrong_numbers(args: Mapping[str, Any], result: Any) -> str:
    """Return a complaint about the first number that does not follow from the release; empty if all do."""
    history, trees = History(args), trees_of(result)
    if len(trees) != history.trees:
        return f"expected {history.trees} trees, got {len(trees)}"
    for index, (given, draws) in enumerate(zip(trees, history.replay(trees), strict=True)):
        for complaint in _complaints(history, draws, given):
            if complaint:
                return f"tree {index}: {complaint}"
    members = read_object(result, "result", ("expenses", "total"))
    complaint = _difference("total", members["total"], nearby_fraction(ledger_of(history.public).total))
    return complaint or wrong_sum(members)


def _complaints(history: History, draws: TreeDraws, given: Mapping[str, Any]) -> Iterator[str]:
    """Yield a complaint for every number of a tree, empty if it is right."""
    yield from _wrong_masses(history, draws, given)
    yield from _wrong_nodes(history, draws, given)
    yield _difference("scale", given["scale"], draws.leaves[0].scale)
    for leaf, number in enumerate(given["values"]):
        name, value = f"value of leaf {path_of(leaf, history.depth)}", read_finite(number, "values")
        if abs(value) > history.bound + SLACK:
            expected_range = f"a number in [-{history.bound}, {history.bound}]"
            yield f"{name}: expected {expected_range}, got {format_number(value)}"
        if history.words["leaf"] != "noisy_masses":
            steps = value / history.grid
            yield _difference(f"{name}, in steps of the grid,", str(steps), Fraction(round(steps)))
    if history.words["beta"] == "raw":
        expected = Fraction(history.leverage(draws))
        yield _difference("beta, from raw nets and released values,", given["beta"], expected)
    elif history.words["beta"] == "constant" or history.words["leaf"] != "noisy_masses":
        yield _difference("beta", given["beta"], Fraction(1))


def path_of(index: int, level: int) -> str:
    """Return the path of a node or leaf of a level, from its index in the level."""
    return format(index, f"0{level}b") if level else "root"


def _wrong_masses(history: History, draws: TreeDraws, given: Mapping[str, Any]) -> Iterator[str]:
    masses = read_list(given["masses"], "masses", len(draws.leaves))
    ends = (draws.weights.low, draws.weights.high)
    lows, highs = (history.leaf_masses(weights, draws.at) for weights in ends)
    for leaf, parts in enumerate(masses):
        for name, low, high in zip(("positive", "negative"), lows[:, leaf], highs[:, leaf], strict=True):
            value = read_finite(read_object(parts, "masses", (name,))[name], name)
            if not Fraction(low) - SLACK <= value <= Fraction(high) + SLACK:
                name_of_mass = f"{name} mass of leaf {path_of(leaf, history.depth)}"
                expected = f"{format_number(Fraction(low + high) / 2)} from the rows and the earlier trees"
                yield f"{name_of_mass}: expected {expected}, got {format_number(value)}"


def _wrong_nodes(history: History, draws: TreeDraws, given: Mapping[str, Any]) -> Iterator[str]:
    nodes = read_list(given["nodes"], "nodes", len(draws.splits))
    for draw, members in zip(draws.splits, nodes, strict=True):
        node = read_object(members, "node", ("alpha", "budget", "sensitivity"))
        name = f"node {path_of(draw.node + 1 - (1 << draw.level), draw.level)}"
        if draw.alpha_known:
            yield _difference(f"alpha of {name}", node["alpha"], Fraction(draw.alpha))
        yield _difference(f"budget of {name}", node["budget"], history.budgets[draw.level])
        if draw.alpha_known:
            expected = Fraction(history.sensitivity(draw.tree, draw.alpha))
            yield _difference(f"sensitivity of {name}", node["sensitivity"], expected)


def _difference(name: str, answer: Any, expected: Fraction) -> str:
    """Return a complaint if a number is not the expected one."""
    value = read_finite(answer, name)
    if abs(value - expected) <= SLACK * max(Fraction(1), abs(expected)):
        return ""
    simple = expected.limit_denominator(1000)
    right = simple if abs(simple - expected) < ROUNDED else expected
    return f"{name}: expected {format_number(right)}, got {format_number(value)}"
