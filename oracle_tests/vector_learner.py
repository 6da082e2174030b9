"""What the reference answers to `train` with a tape, and to `predict`: every number, exactly.

The loop is that of the reference's replay of a transcript: splits and noise are given, all else follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from privboost.reference.data import (
    Attribute,
    Categorical,
    Domain,
    Quantised,
    Relation,
    Sample,
    Split,
    WeightedSample,
    initial_weights,
    sample_of,
    splits,
)
from privboost.reference.exact import Number, exact_sum
from privboost.reference.learners.boosting import INITIAL_BOUND, Release, margin, release_of_leaves
from privboost.reference.learners.ensemble import next_weights, setting_of_tree
from privboost.reference.learners.leaves import leaf_scale, noisy_leaf, noisy_numbers, raw_leaf_value
from privboost.reference.learners.loss import next_leaf
from privboost.reference.learners.protocol import (
    AlphaRule,
    BetaRule,
    BudgetRule,
    LeafRule,
    Parameters,
    Protocol,
    SensitivityRule,
    SplitLaw,
)
from privboost.reference.learners.spending import spend_tree
from privboost.reference.learners.splitting import Setting, node_alpha, node_budget, node_sensitivity
from privboost.reference.losses import inverse_link, m_alpha, select
from privboost.reference.privacy.accounting import Ledger
from privboost.reference.trees.risks import Mass, leaf_masses
from privboost.reference.trees.tree import Path, Tree

from .vector_answers import Arguments, number, require, split_of, whole

RULES: dict[str, type[Enum]] = {
    "alpha": AlphaRule,
    "split_law": SplitLaw,
    "sensitivity": SensitivityRule,
    "node_budget": BudgetRule,
    "leaf": LeafRule,
    "beta": BetaRule,
    "relation": Relation,
}
SWITCHES: dict[str, tuple[str, ...]] = {
    "alpha": ("schedule", "raw_strict", "raw_minority"),
    "split_law": ("exponential", "permute_and_flip"),
    "sensitivity": ("printed", "sharp"),
    "node_budget": ("printed", "level"),
    "leaf": ("noisy_masses", "link_noise_clamp", "link_clamp_noise"),
    "beta": ("noisy_masses", "raw", "constant"),
    "relation": ("exchange", "add_remove"),
}
"""The words of the protocol page, by field."""

NUMBERS = ("epsilon", "beta_tree", "bound", "zeta", "boost_alpha", "grid")


@dataclass(frozen=True, slots=True)
class Tape:
    """What replaces the randomness of one tree."""

    choices: tuple[str, ...]
    noise: tuple[Mapping[str, Fraction], ...]


def domain_of(attributes: Sequence[Mapping[str, Any]]) -> Domain:
    """Return the public domain that a request describes."""
    found: list[Attribute] = []
    for place, attribute in enumerate(attributes):
        values, kind = attribute["n_values"], attribute["kind"]
        require(kind in ("quantised", "categorical"), "domain", "quantised or categorical", kind)
        if kind == "quantised":
            found.append(Quantised(f"x{place}", values))
        else:
            found.append(Categorical(f"x{place}", tuple(map(str, range(values)))))
    return Domain(tuple(found))


def setting_of(args: Arguments) -> tuple[Setting, Sample]:
    """Return the public setting of a request to train, and its sample."""
    words = args["protocol"]
    for field, allowed in SWITCHES.items():
        require(words.get(field) in allowed, field, f"one of {', '.join(allowed)}", words.get(field))
    rules: dict[str, Any] = {field: rule(words[field]) for field, rule in RULES.items()}
    protocol = Protocol(name="gate", **rules)
    given = args["parameters"]
    alphas = tuple(number({"alpha": alpha}, "alpha") for alpha in given["alphas"])
    numbers: dict[str, Any] = {name: number(given, name) for name in NUMBERS}
    trees, depth = whole(given, "trees"), whole(given, "depth")
    parameters = Parameters(trees=trees, depth=depth, alphas=alphas, **numbers)
    domain = domain_of(args["domain"])
    sample = sample_of(domain, [(tuple(row["x"]), row["y"]) for row in args["rows"]])
    return Setting(protocol, parameters, domain, len(sample), INITIAL_BOUND), sample


def tapes_of(args: Arguments) -> tuple[Tape, ...]:
    """Return the tape of a request, tree by tree."""
    return tuple(
        Tape(
            tuple(entry["choices"]),
            tuple({name: number(leaf, name) for name in leaf} for leaf in entry["noise"]),
        )
        for entry in args["tape"]
    )


@dataclass(frozen=True, slots=True)
class GrownTree:
    """One tree on its tape: all numbers that a result tells, and the weights that it was grown on."""

    setting: Setting
    data: WeightedSample
    release: Release
    nodes: tuple[Mapping[str, Number], ...]
    masses: Mapping[Path, Mass]
    scale: Number


def grow_trees(args: Arguments) -> Iterator[GrownTree]:
    """Yield the trees of a request with a tape.

    Ensures: PreconditionError for what must be refused.
    """
    public, sample = setting_of(args)
    tapes = tapes_of(args)
    require(len(tapes) == public.parameters.trees, "tape", f"{public.parameters.trees} trees", len(tapes))
    data = initial_weights(sample)
    releases: tuple[Release, ...] = ()
    for place, tape in enumerate(tapes):
        setting = setting_of_tree(public, place)
        if place:
            data = next_weights(setting, data, releases)
        grown = _grow_tree(setting, data, tape)
        releases = (*releases, grown.release)
        yield grown


def _grow_tree(setting: Setting, data: WeightedSample, tape: Tape) -> GrownTree:
    """Return one tree on its tape."""
    tree, nodes = Tree(), []
    candidates = {str(split): split for split in splits(setting.domain)}
    choices = iter(tape.choices)
    while (leaf := next_leaf(tree, setting.parameters.depth)) is not None:
        choice = next(choices, None)
        require(choice in candidates, "tape", f"a candidate among {', '.join(candidates)}", choice)
        alpha = node_alpha(setting, data, tree, leaf)
        nodes.append(
            {
                "alpha": alpha,
                "budget": node_budget(setting, leaf),
                "sensitivity": node_sensitivity(setting, alpha),
            }
        )
        tree = tree.grow(leaf, candidates[str(choice)])
    masses = leaf_masses(tree, data)
    require(len(tape.noise) == len(masses), "tape", f"noise of {len(masses)} leaves", len(tape.noise))
    leaves = {}
    for (path, mass), noise in zip(masses.items(), tape.noise, strict=True):
        require(set(noise) == set(noisy_numbers(setting)), "tape", str(noisy_numbers(setting)), noise)
        leaves[path] = noisy_leaf(setting, mass, noise, len(masses))
    release = release_of_leaves(setting, tree, leaves)
    return GrownTree(setting, data, release, tuple(nodes), masses, leaf_scale(setting, len(masses)))


def train(args: Arguments) -> dict[str, Any]:
    """Return the exact result of `train` with a tape."""
    grown = list(grow_trees(args))
    ledger = ledger_of(setting_of(args)[0])
    return {
        "trees": [_told(tree) for tree in grown],
        "expenses": [
            {"what": expense.what, "epsilon": expense.epsilon}
            for expense in ledger.expenses
            if expense.epsilon
        ],
        "total": ledger.total,
    }


def _told(tree: GrownTree) -> dict[str, Any]:
    return {
        "splits": [str(split) for _, split in tree.release.tree.nodes],
        "values": [value for _, value in tree.release.values],
        "beta": tree.release.beta,
        "nodes": [dict(node) for node in tree.nodes],
        "masses": [{"positive": mass.positive, "negative": mass.negative} for mass in tree.masses.values()],
        "scale": tree.scale,
    }


def ledger_of(public: Setting) -> Ledger:
    """Return all expenses of a run: they follow from what is public."""
    ledger = Ledger(public.protocol.relation)
    for place in range(public.parameters.trees):
        ledger = spend_tree(setting_of_tree(public, place), ledger)
    return ledger


def predict(args: Arguments) -> list[Number]:
    """Return the margins H(x) of a model that is given by its numbers."""
    domain = domain_of(args["domain"])
    releases = [release_of_model(tree) for tree in args["model"]["trees"]]
    return [margin(releases, domain.check(tuple(row["x"]))) for row in args["rows"]]


def release_of_model(tree: Mapping[str, Any]) -> Release:
    """Return a tree of a model: complete, its splits in level order."""
    shape = tree_of(tree["splits"])
    values = [number({"value": value}, "value") for value in tree["values"]]
    leaves = list(shape.leaves())
    require(len(values) == len(leaves), "model", f"{len(leaves)} values", len(values))
    return Release(shape, tuple(zip(leaves, values, strict=True)), number(tree, "beta"))


def tree_of(choices: Sequence[str]) -> Tree:
    """Return the complete tree that has these splits in level order."""
    depth = len(choices).bit_length()
    require(len(choices) == (1 << depth) - 1, "model", "the splits of a complete tree", len(choices))
    tree = Tree()
    for text in choices:
        leaf = next_leaf(tree, depth)
        assert leaf is not None
        split: Split = split_of(text)
        tree = tree.grow(leaf, split)
    return tree


def roundings(args: Arguments) -> Iterator[tuple[str, Number, Fraction]]:
    """Yield what a run with a tape rounds down to the grid or compares: a name, the number, and the step.

    A float lands on the other side where a number is very near to a multiple of the step and not exact in
    floats; such tapes are not asked.
    """
    grown = list(grow_trees(args))
    for place, tree in enumerate(grown):
        setting = tree.setting
        grid = setting.parameters.grid
        if setting.protocol.leaf is not LeafRule.NOISY_MASSES:
            for mass in tree.masses.values():
                yield "leaf", raw_leaf_value(setting, mass), grid
        if place and setting.protocol.beta is not BetaRule.RAW:
            loss = m_alpha(setting.parameters.boost_alpha)
            releases = [earlier.release for earlier in grown[:place]]
            for example in tree.data.sample:
                weight = select(inverse_link(loss, -example.y * margin(releases, example.x)))
                assert not isinstance(weight, int)
                yield "weight", weight, grid  # type: ignore[misc]
        if place and setting.protocol.alpha is AlphaRule.RAW_STRICT:
            for size in range(len(tree.nodes)):
                for mass in leaf_masses(Tree(tree.release.tree.nodes[:size]), tree.data).values():
                    yield "draw", exact_sum([mass.positive, -mass.negative]), Fraction(10) ** 9
