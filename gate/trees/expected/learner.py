"""Exact results of `train` with a tape and of `predict`, computed by the reference.

As in the reference's replay of a transcript, splits and noise are given, and all other numbers follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.gate.trees.operations.candidates import Candidate
from privboost.gate.trees.operations.requests import Arguments
from privboost.gate.trees.operations.training import (
    Attribute,
    ModelTree,
    TapedTree,
    Training,
    read_domain,
    read_model,
    read_rows,
    read_training,
)
from privboost.reference import data
from privboost.reference.exact import Number, exact, exact_sum
from privboost.reference.learners import protocol as readings
from privboost.reference.learners.boosting import INITIAL_BOUND, Release, margin, release_of_leaves
from privboost.reference.learners.ensemble import next_weights, setting_of_tree
from privboost.reference.learners.leaves import leaf_scale, noisy_leaf, raw_leaf_value
from privboost.reference.learners.protocol import AlphaRule, BetaRule, LeafRule
from privboost.reference.learners.spending import spend_tree
from privboost.reference.learners.splitting import Setting, node_alpha, node_budget, node_sensitivity
from privboost.reference.losses import inverse_link, m_alpha, select
from privboost.reference.privacy.accounting import Ledger
from privboost.reference.trees.risks import Mass, leaf_masses
from privboost.reference.trees.tree import Path, Tree, next_leaf

RULES: dict[str, type[Enum]] = {
    "alpha": readings.AlphaRule,
    "split_law": readings.SplitLaw,
    "sensitivity": readings.SensitivityRule,
    "node_budget": readings.BudgetRule,
    "leaf": readings.LeafRule,
    "beta": readings.BetaRule,
    "relation": data.Relation,
}
"""The reference's choices for the fields of a protocol."""


class Excluded(PreconditionError):
    """Report arguments that the protocol allows and the reference does not, such as a boosting alpha of 0."""


def setting_of(
    words: Mapping[str, str],
    parameters: Mapping[str, Any],
    domain: Sequence[Attribute] = (Attribute(categorical=False, n_values=2),),
    m: int = 1,
    weight_bound: Fraction = INITIAL_BOUND,
) -> Setting:
    """Return the reference's setting; words and parameters that are not given are those of SOUND.

    Requires: words and parameters that were read by `protocol`.
    Ensures: Excluded if the reference does not allow them.
    """
    rules: dict[str, Any] = {name: getattr(readings.SOUND, name) for name in RULES}
    rules |= {name: RULES[name](word) for name, word in words.items()}
    try:
        protocol = readings.Protocol("gate", **rules)
        return Setting(protocol, readings.Parameters(**parameters), domain_of(domain), m, weight_bound)
    except PreconditionError as error:
        raise Excluded(error.label, error.expected, error.got) from None


def domain_of(attributes: Sequence[Attribute]) -> data.Domain:
    """Return the reference's domain; attribute i is named x{i}."""
    return data.Domain(tuple(_attribute(f"x{index}", each) for index, each in enumerate(attributes)))


def _attribute(name: str, attribute: Attribute) -> data.Attribute:
    if attribute.categorical:
        return data.Categorical(name, tuple(map(str, range(attribute.n_values))))
    return data.Quantised(name, attribute.n_values)


def split_of(candidate: Candidate) -> data.Split:
    """Return the reference's split."""
    if candidate.equal:
        return data.OneVersusRest(candidate.attribute, candidate.value)
    return data.Threshold(candidate.attribute, candidate.value)


def setting_and_sample(training: Training) -> tuple[Setting, data.Sample]:
    """Return the reference's setting and sample of a request to train."""
    sample = tuple(data.Example(row.x, row.y) for row in training.rows)
    return setting_of(training.words, training.parameters, training.domain, len(sample)), sample


@dataclass(frozen=True, slots=True)
class GrownTree:
    """A tree grown on a tape: the numbers of its result, and the weighted sample it was grown on."""

    setting: Setting
    weighted: data.WeightedSample
    release: Release
    nodes: tuple[Mapping[str, Number], ...]
    masses: Mapping[Path, Mass]
    scale: Number


def grow_trees(training: Training) -> Iterator[GrownTree]:
    """Yield the trees of a request with a tape."""
    assert training.tape is not None
    public, sample = setting_and_sample(training)
    weighted = data.initial_weights(sample)
    releases: tuple[Release, ...] = ()
    for index, tape in enumerate(training.tape):
        setting = setting_of_tree(public, index)
        if index:
            weighted = next_weights(setting, weighted, releases)
        grown = _grow_tree(setting, weighted, tape)
        releases = (*releases, grown.release)
        yield grown


def _grow_tree(setting: Setting, weighted: data.WeightedSample, tape: TapedTree) -> GrownTree:
    tree, nodes = Tree(), []
    candidates = {str(split): split for split in data.splits(setting.domain)}
    choices = iter(tape.choices)
    while (leaf := next_leaf(tree, setting.parameters.depth)) is not None:
        alpha = node_alpha(setting, weighted, tree, leaf)
        nodes.append(
            {
                "alpha": alpha,
                "budget": node_budget(setting, leaf),
                "sensitivity": node_sensitivity(setting, alpha),
            }
        )
        tree = tree.grow(leaf, candidates[next(choices)])
    masses = leaf_masses(tree, weighted)
    leaves = {
        path: noisy_leaf(setting, mass, noise, len(masses))
        for (path, mass), noise in zip(masses.items(), tape.noise, strict=True)
    }
    release = release_of_leaves(setting, tree, leaves)
    return GrownTree(setting, weighted, release, tuple(nodes), masses, leaf_scale(setting, len(masses)))


def train(arguments: Arguments) -> dict[str, Any]:
    """Return the exact result of `train` with a tape."""
    training = read_training(arguments)
    if training.tape is None:
        raise PreconditionError("tape", "a tape, since results with a seed are random", "a seed")
    grown = list(grow_trees(training))
    ledger = ledger_of(setting_and_sample(training)[0])
    expenses = [expense for expense in ledger.expenses if expense.epsilon]
    return {
        "trees": [_result_of(tree) for tree in grown],
        "expenses": [{"what": expense.what, "epsilon": expense.epsilon} for expense in expenses],
        "total": ledger.total,
    }


def _result_of(tree: GrownTree) -> dict[str, Any]:
    return {
        "splits": [str(split) for _, split in tree.release.tree.nodes],
        "values": [value for _, value in tree.release.values],
        "beta": tree.release.beta,
        "nodes": [dict(node) for node in tree.nodes],
        "masses": [{"positive": mass.positive, "negative": mass.negative} for mass in tree.masses.values()],
        "scale": tree.scale,
    }


def ledger_of(public: Setting) -> Ledger:
    """Return all expenses of a run, which depend on its public setting only."""
    ledger = Ledger(public.protocol.relation)
    for index in range(public.parameters.trees):
        ledger = spend_tree(setting_of_tree(public, index), ledger)
    return ledger


def predict(arguments: Arguments) -> list[Number]:
    """Return the margins H(x) of a model that is given by its numbers."""
    domain = read_domain(arguments["domain"])
    rows = read_rows(arguments, domain)
    releases = [_release_of(tree) for tree in read_model(arguments, domain)]
    return [margin(releases, row.x) for row in rows]


def _release_of(given: ModelTree) -> Release:
    tree, depth = Tree(), len(given.splits).bit_length()
    for candidate in given.splits:
        leaf = next_leaf(tree, depth)
        assert leaf is not None
        tree = tree.grow(leaf, split_of(candidate))
    return Release(tree, tuple(zip(tree.leaves(), given.values, strict=True)), given.beta)


def roundings(args: Mapping[str, Any]) -> Iterator[tuple[Number, Fraction]]:
    """Yield the numbers that a run with a tape rounds down to a grid or compares, each with its step.

    A float may round differently if such a number is very close to a multiple of the step, but not exact in
    floats.
    """
    grown = list(grow_trees(read_training(Arguments("train", args))))
    for index, tree in enumerate(grown):
        setting = tree.setting
        grid = setting.parameters.grid
        if setting.protocol.leaf is not LeafRule.NOISY_MASSES:
            for mass in tree.masses.values():
                yield raw_leaf_value(setting, mass), grid
        if index and setting.protocol.beta is not BetaRule.RAW:
            loss = m_alpha(setting.parameters.boost_alpha)
            releases = [earlier.release for earlier in grown[:index]]
            for example in tree.weighted.sample:
                yield exact(select(inverse_link(loss, -example.y * margin(releases, example.x)))), grid
        if index and setting.protocol.alpha is AlphaRule.RAW_STRICT:
            for size in range(len(tree.nodes)):
                for mass in leaf_masses(Tree(tree.release.tree.nodes[:size]), tree.weighted).values():
                    yield exact_sum([mass.positive, -mass.negative]), Fraction(10) ** 9
