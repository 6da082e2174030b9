"""Recompute a seeded run from its released values, and report the first number that does not follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.gate.checks.comparing import format_number
from privboost.gate.protocol.wire import WireError, read_finite, read_list, read_object
from privboost.gate.trees.expected.learner import ledger_of, setting_and_sample, split_of
from privboost.gate.trees.operations.candidates import Candidate
from privboost.gate.trees.operations.requests import Arguments
from privboost.gate.trees.operations.training import read_data
from privboost.reference.data import Sample, WeightedSample, splits
from privboost.reference.exact import ClosedInterval, Number, exact, floor
from privboost.reference.learners.boosting import leverage
from privboost.reference.learners.ensemble import setting_of_tree
from privboost.reference.learners.leaves import leaf_scale
from privboost.reference.learners.protocol import BetaRule, LeafRule
from privboost.reference.learners.splitting import Setting, node_alpha, node_budget, node_sensitivity
from privboost.reference.losses import inverse_link, link, m_alpha, select
from privboost.reference.trees.risks import Mass, leaf_masses
from privboost.reference.trees.tree import Path, Tree, next_leaf

from .laws import nearby_fraction
from .tapes import trees_of, wrong_sum

SLACK = Fraction(1, 10**6)
"""Tolerance of numbers that follow from released ones; mistakes differ by far more."""
NUDGE = Fraction(1, 10**9)
"""A margin this close to another may have been rounded to another step of the grid."""


@dataclass(frozen=True, slots=True)
class Released:
    """A tree of a result."""

    tree: Tree
    values: Mapping[Path, Fraction]
    beta: Fraction


def wrong_numbers(args: Mapping[str, Any], result: Any) -> str:
    """Return a complaint about the first number that does not follow from the release; empty if all do."""
    public, sample = setting_and_sample(read_data(Arguments("train", args)))
    trees = trees_of(result)
    if len(trees) != public.parameters.trees:
        return f"expected {public.parameters.trees} trees, got {len(trees)}"
    releases: list[Released] = []
    weights: list[tuple[Fraction, Fraction]] = [(Fraction(1, 2), Fraction(1, 2))] * len(sample)
    for index, tree in enumerate(trees):
        setting = setting_of_tree(public, index)
        if index:
            weights = _next_weights(setting, sample, weights, releases)
        release = _released(setting, tree)
        for complaint in _complaints(setting, sample, weights, release, tree):
            if complaint:
                return f"tree {index}: {complaint}"
        releases.append(release)
    members = read_object(result, "result", ("expenses", "total"))
    complaint = _difference("total", members["total"], ledger_of(public).total)
    return complaint or wrong_sum(members)


def _released(setting: Setting, given: Mapping[str, Any]) -> Released:
    """Return a tree of a result as a tree of the reference."""
    tree, candidates = Tree(), {str(split) for split in splits(setting.domain)}
    for split in read_list(given["splits"], "splits", (1 << setting.parameters.depth) - 1):
        if split not in candidates:
            raise WireError("splits", f"one of {', '.join(sorted(candidates))}", split)
        leaf = next_leaf(tree, setting.parameters.depth)
        assert leaf is not None
        tree = tree.grow(leaf, split_of(Candidate.read(split, "splits")))
    leaves = list(tree.leaves())
    values = [read_finite(value, "values") for value in read_list(given["values"], "values", len(leaves))]
    return Released(tree, dict(zip(leaves, values, strict=True)), read_finite(given["beta"], "beta"))


def _complaints(
    setting: Setting,
    sample: Sample,
    weights: Sequence[tuple[Fraction, Fraction]],
    release: Released,
    given: Mapping[str, Any],
) -> Iterator[str]:
    """Yield a complaint for every number of a tree, empty if it is right."""
    middle = WeightedSample(sample, tuple((lo + hi) / 2 for lo, hi in weights))
    yield from _wrong_masses(sample, weights, release, given)
    yield from _wrong_nodes(setting, middle, release, given)
    count = len(release.values)
    yield _difference("scale", given["scale"], leaf_scale(setting, count))
    bound, grid = setting.parameters.bound, setting.parameters.grid
    for path, value in release.values.items():
        name = f"value of leaf {''.join(map(str, path))}"
        if abs(value) > bound + SLACK:
            yield f"{name}: expected a number in [-{bound}, {bound}], got {format_number(value)}"
        if setting.protocol.leaf is not LeafRule.NOISY_MASSES:
            yield _difference(
                f"{name}, in steps of the grid,", str(value / grid), Fraction(round(value / grid))
            )
    if setting.protocol.beta is BetaRule.RAW:
        masses = leaf_masses(release.tree, middle)
        expected = leverage(setting.parameters.step, setting.size, dict(release.values), masses)
        yield _difference("beta, from raw nets and released values,", given["beta"], expected)
    elif setting.protocol.beta is BetaRule.CONSTANT or setting.protocol.leaf is not LeafRule.NOISY_MASSES:
        yield _difference("beta", given["beta"], Fraction(1))


def _wrong_masses(
    sample: Sample, weights: Sequence[tuple[Fraction, Fraction]], release: Released, given: Mapping[str, Any]
) -> Iterator[str]:
    lows, highs = ({leaf: Mass() for leaf in release.values} for _ in range(2))
    for example, (lo, hi) in zip(sample, weights, strict=True):
        leaf = release.tree.leaf_of(example.x)
        lows[leaf], highs[leaf] = lows[leaf].add(example.y, lo), highs[leaf].add(example.y, hi)
    listed = read_list(given["masses"], "masses", len(release.values))
    for leaf, masses in zip(release.values, listed, strict=True):
        for name in ("positive", "negative"):
            value = read_finite(read_object(masses, "masses", (name,))[name], name)
            lo, hi = (Fraction(getattr(side[leaf], name)) for side in (lows, highs))
            if not lo - SLACK <= value <= hi + SLACK:
                name_of_mass = f"{name} mass of leaf {''.join(map(str, leaf))}"
                expected = f"{format_number((lo + hi) / 2)} from the rows and the earlier trees"
                yield f"{name_of_mass}: expected {expected}, got {format_number(value)}"


def _wrong_nodes(
    setting: Setting, data: WeightedSample, release: Released, given: Mapping[str, Any]
) -> Iterator[str]:
    nodes = read_list(given["nodes"], "nodes", len(release.tree.nodes))
    for index, (path, _) in enumerate(release.tree.nodes):
        node = read_object(nodes[index], "node", ("alpha", "budget", "sensitivity"))
        tree = Tree(release.tree.nodes[:index])
        alpha = node_alpha(setting, data, tree, path)
        name = f"node {''.join(map(str, path)) or 'root'}"
        yield _difference(f"alpha of {name}", node["alpha"], alpha)
        yield _difference(f"budget of {name}", node["budget"], node_budget(setting, path))
        yield _difference(f"sensitivity of {name}", node["sensitivity"], node_sensitivity(setting, alpha))


def _next_weights(
    setting: Setting,
    sample: Sample,
    weights: Sequence[tuple[Fraction, Fraction]],
    releases: Sequence[Released],
) -> list[tuple[Fraction, Fraction]]:
    """Return the smallest and largest weight that each example can have, given the released values."""
    loss, grid = m_alpha(setting.parameters.boost_alpha), setting.parameters.grid
    next_weights = []
    for example, (lo, hi) in zip(sample, weights, strict=True):
        if setting.protocol.beta is BetaRule.RAW:
            last = releases[-1]
            move = last.beta * example.y * last.values[last.tree.leaf_of(example.x)]
            start = _selected(link(loss, (lo + hi) / 2))
            weight = _selected(inverse_link(loss, start - move))
            next_weights.append((weight, weight))
            continue
        margin = sum(release.beta * release.values[release.tree.leaf_of(example.x)] for release in releases)
        ends = []
        for nudge in (NUDGE, -NUDGE):
            weight = _selected(inverse_link(loss, -example.y * margin - nudge))
            ends.append(max(grid, grid * floor(min(weight, setting.weight_bound) / grid)))
        next_weights.append((Fraction(ends[0]), Fraction(ends[1])))
    return next_weights


def _selected(interval: ClosedInterval) -> Fraction:
    return nearby_fraction(exact(select(interval)))


def _difference(name: str, answer: Any, expected: Number) -> str:
    """Return a complaint if a number is not the expected one."""
    value, right = read_finite(answer, name), nearby_fraction(expected)
    if abs(value - right) <= SLACK * max(Fraction(1), abs(right)):
        return ""
    return f"{name}: expected {format_number(right)}, got {format_number(value)}"
