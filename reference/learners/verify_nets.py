"""Exhaustive check of a second tree of noisy nets, given every possible release of the first tree.

Notation:
    a, b        the examples in which two neighbours differ; under add/remove only a
    rest        the examples that they have in common
    together    whether a and b reach the same leaf of a tree

The values of a leaf of noisy nets are finite: 513 of them on a grid of 1/1024. A tree with four leaves
therefore has 513^4 possible releases. They are judged in cases that have the same loss, because

1. uniform splits do not depend on the data, so the loss of a tree is that of its nets;
2. a weight is a function of the example and of the release, so an example of the rest has the same weight in
   both samples and cancels in the difference of the nets of its leaf;
3. what is left of these differences follows from the labels and weights of a and b, and from whether they are
   together in the second tree.

Each case is judged on a pair of samples, a release and a second tree that belong to it, in both directions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import prod

from privboost.errors import PreconditionError
from privboost.reference.data import (
    Domain,
    Example,
    Relation,
    Sample,
    WeightedSample,
    all_examples,
    samples_of_size,
)
from privboost.reference.exact import Extended, Number
from privboost.reference.trees.tree import ROOT, Tree

from .boosting import Release, weight_bound_of_tree, weight_rule
from .leaves import leaf_loss, net_values
from .privacy_loss import ExactLoss, tree_law
from .protocol import LeafRule, Parameters, Protocol, SplitLaw
from .splitting import Setting
from .verification import Progress, Verification, sizes_of_pairs


@dataclass(frozen=True, slots=True)
class SecondTree:
    """The setting of a second tree, and all that the first tree can release."""

    setting: Setting
    trees: tuple[Tree, ...]
    """All trees of the depth, each of which can be the first and the second."""
    values: tuple[Number, ...]
    """All values of a leaf of the first tree."""
    weights: Mapping[tuple[int, Number], Number]
    """Weight of an example in the second tree, by its label and the value of its leaf of the first tree."""

    @property
    def releases(self) -> int:
        """Return the number of releases of a first tree."""
        return sum(len(self.values) ** len(list(tree.leaves())) for tree in self.trees)


@dataclass(frozen=True, slots=True)
class NetCase:
    """What the losses of a second tree in both directions depend on."""

    examples: tuple[tuple[int, Number], ...]
    """Label and weight of a and b, in increasing order: swapping a and b swaps the two samples."""
    together: bool


@dataclass(frozen=True, slots=True)
class Instance:
    """The examples that differ, a first tree, its values at these examples, and a second tree."""

    differing: Sample
    first_tree: Tree
    values: tuple[Number, ...]
    second_tree: Tree


def second_tree_of(protocol: Protocol, parameters: Parameters, domain: Domain, size: int) -> SecondTree:
    """Return the second tree of a protocol with uniform splits and noisy nets.

    Paper: defwunMF.
    """
    if (protocol.split_law, protocol.leaf) != (SplitLaw.UNIFORM, LeafRule.NOISY_NET):
        raise PreconditionError("defwunMF", "uniform splits and noisy nets", protocol.name)
    first, second = (
        Setting(protocol, parameters, domain, size, weight_bound_of_tree(protocol, index)) for index in (0, 1)
    )
    values = tuple(net_values(first, 1 << parameters.depth))
    x = next(domain.observations())
    weights: dict[tuple[int, Number], Number] = {}
    for value in values:
        # The weight of an example depends on the value of its own leaf only, so a tree of one leaf gives it.
        rule = weight_rule(second, [Release(Tree(), ((ROOT, value),), Fraction(1))])
        weights.update({(y, value): rule(Example(x, y)) for y in (-1, 1)})
    trees = tuple(tree for tree, _ in tree_law(first, WeightedSample((), ())))
    return SecondTree(second, trees, values, weights)


def differences(setting: Setting) -> Iterator[Sample]:
    """Yield the examples in which two neighbours can differ: a and b, or a alone.

    Paper: defEDPRIV.
    """
    exchange = setting.protocol.relation is Relation.EXCHANGE
    return combinations(all_examples(setting.domain), 2 if exchange else 1)


def cases_of(second: SecondTree) -> tuple[dict[NetCase, Instance], int]:
    """Return every case with an instance, and the number of instances that the cases stand for.

    An instance that is counted is a difference, a first tree, values of all its leaves, and a second tree.
    """
    cases: dict[NetCase, Instance] = {}
    count = 0
    n_values: dict[tuple[tuple[int, ...], bool, bool], int] = {}
    for differing in differences(second.setting):
        labels = tuple(example.y for example in differing)
        groups = _by_together(second.trees, differing)
        for (first_together, first_trees), (together, second_trees) in product(groups.items(), repeat=2):
            key = labels, first_together, together
            if key not in n_values:
                # Other differences with these labels, together or not in these trees, have the same cases.
                weightings = _weightings(second, labels, together=first_together)
                n_values[key] = sum(n for _, n in weightings.values())
                for weights, (values, _) in weightings.items():
                    instance = Instance(differing, first_trees[0], values, second_trees[0])
                    examples = tuple(sorted(zip(labels, weights, strict=True)))
                    cases.setdefault(NetCase(examples, together), instance)
            n_others = len(list(first_trees[0].leaves())) - (1 if first_together else len(differing))
            count += len(first_trees) * len(second_trees) * n_values[key] * len(second.values) ** n_others
    return cases, count


def _by_together(trees: tuple[Tree, ...], differing: Sample) -> dict[bool, list[Tree]]:
    """Return the trees in which the examples share a leaf, and those in which they do not."""
    groups: dict[bool, list[Tree]] = {}
    for tree in trees:
        together = len({tree.leaf_of(example.x) for example in differing}) < len(differing)
        groups.setdefault(together, []).append(tree)
    return groups


Weightings = dict[tuple[Number, ...], tuple[tuple[Number, ...], int]]
"""Weights of examples, with values that give them and the number of such values."""


def _weightings(second: SecondTree, labels: tuple[int, ...], *, together: bool) -> Weightings:
    """Return all weights of examples with given labels; together, all have the value of the same leaf."""
    weightings: Weightings = {}
    if together:
        for value in second.values:
            weights = tuple(second.weights[y, value] for y in labels)
            values, count = weightings.get(weights, ((value,) * len(labels), 0))
            weightings[weights] = values, count + 1
        return weightings
    for choice in product(*(_weightings(second, (y,), together=True).items() for y in labels)):
        weights = tuple(weight for (weight,), _ in choice)
        values = tuple(value for _, ((value,), _) in choice)
        weightings[weights] = values, prod(count for _, (_, count) in choice)
    return weightings


def release_of_instance(second: SecondTree, instance: Instance) -> Release:
    """Return the release of the first tree of an instance; leaves without a or b have the least value."""
    values = dict.fromkeys(instance.first_tree.leaves(), second.values[0])
    for example, value in zip(instance.differing, instance.values, strict=True):
        values[instance.first_tree.leaf_of(example.x)] = value
    return Release(instance.first_tree, tuple(values.items()), Fraction(1))


def samples_of_instance(second: SecondTree, instance: Instance) -> tuple[WeightedSample, WeightedSample]:
    """Return neighbours with the differing examples of an instance, and their weights.

    The rest is the first of its size, so that the larger sample has the public size.
    """
    setting, release = second.setting, release_of_instance(second, instance)
    rest = next(samples_of_size(setting.domain, setting.size - 1))
    added: list[Sample] = [(example,) for example in instance.differing]
    if setting.protocol.relation is Relation.ADD_REMOVE:
        added = [(), *added]
    one, other = ((*rest, *examples) for examples in added)
    return _weigh(second, release, one), _weigh(second, release, other)


def _weigh(second: SecondTree, release: Release, sample: Sample) -> WeightedSample:
    """Return a sample with the weights that a release of the first tree gives."""
    values = dict(release.values)
    weights = (second.weights[e.y, values[release.tree.leaf_of(e.x)]] for e in sample)
    return WeightedSample(sample, tuple(weights))


def _loss_of_leaves(loss: Extended, instance: Instance) -> ExactLoss:
    """Return the loss of a tree whose splits are uniform, and which releases no alphas."""
    return ExactLoss(loss, Fraction(0), Fraction(0), loss, instance.second_tree)


def verify_second_tree_of_nets(
    protocol: Protocol, parameters: Parameters, domain: Domain, size: int, progress: Progress | None = None
) -> Verification:
    """Return the greatest exact loss of a second tree, over all neighbours and all releases of a first tree.

    Paper: defEDPRIV. The claim is the second tree's share epsilon / T of the budget.
    """
    second = second_tree_of(protocol, parameters, domain, size)
    cases, count = cases_of(second)
    best: tuple[Extended, Instance, bool] | None = None
    for done, instance in enumerate(cases.values(), start=1):
        one, other = samples_of_instance(second, instance)
        for backwards, (a, b) in enumerate(((one, other), (other, one))):
            loss = leaf_loss(second.setting, instance.second_tree, a, b)
            if best is None or loss > best[0]:
                best = loss, instance, bool(backwards)
        if progress is not None and best is not None:
            progress(done, len(cases), _loss_of_leaves(best[0], best[1]))
    assert best is not None
    loss, instance, backwards = best
    one, other = samples_of_instance(second, instance)
    n_differences = sum(1 for _ in differences(second.setting))
    n_rests = sum(1 for m in sizes_of_pairs(protocol.relation, size) for _ in samples_of_size(domain, m - 1))
    return Verification(
        claim=parameters.epsilon / parameters.trees,
        pairs=n_differences * n_rests,
        classes=n_differences,
        trees=len(second.trees),
        releases=second.releases,
        all_releases=True,
        combinations=count * n_rests,
        cases=len(cases),
        greatest=_loss_of_leaves(loss, instance),
        first=(other if backwards else one).sample,
        second=(one if backwards else other).sample,
        given=release_of_instance(second, instance),
    )
