"""Bounded model checking of epsilon-DP: the exact loss over all neighbouring samples of a given size.

The first tree is checked exhaustively: every pair, every tree, every output. A second tree is checked given
the release of the first: for every release if splits are uniform and leaves are noisy nets (`verify_nets`),
and for a grid of noisy masses or nets otherwise. That the losses of successive trees add up is the
composition theorem, which is not checked here. If alphas are estimated and released, a tree is checked for a
grid of alphas, and the exact loss of their release is added.

Under exchange all samples have the given size, which is public. Under add/remove it is a public bound, and
all sizes from 0 to the bound are checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product

from privboost.errors import PreconditionError
from privboost.reference.data import (
    Domain,
    Example,
    Sample,
    WeightedSample,
    all_examples,
    initial_weights,
    one_pair_per_orbit,
)
from privboost.reference.exact import Number
from privboost.reference.privacy.mechanisms import certainly_less
from privboost.reference.trees.risks import Mass

from .boosting import release_of, weight_bound_of_tree, weight_rule
from .privacy_loss import ExactLoss, exact_losses, tree_law
from .protocol import AlphaRule, BetaRule, LeafRule, Parameters, Protocol, SplitLaw
from .splitting import Setting
from .verification import Progress, Verification, sizes_of_pairs
from .verify_nets import verify_second_tree_of_nets

PUBLIC_WEIGHTS = ((LeafRule.NOISY_MASSES, BetaRule.NOISY_MASSES), (LeafRule.NOISY_NET, BetaRule.CONSTANT))
"""The rules under which the next weights depend on the noisy numbers of the leaves only."""

HALF = Fraction(1, 2)


def verify_bounded(
    protocol: Protocol, parameters: Parameters, domain: Domain, size: int, progress: Progress | None = None
) -> Verification:
    """Return the greatest exact loss of the first tree over all neighbouring samples of a public size.

    Paper: defEDPRIV. The claim is the first tree's share epsilon / T of the budget.
    """
    setting = Setting(protocol, parameters, domain, size, HALF)
    return _greatest(
        setting, lambda pair: [(initial_weights(pair[0]), initial_weights(pair[1]))], 1, progress
    )


def verify_second_tree(
    protocol: Protocol, parameters: Parameters, domain: Domain, size: int, progress: Progress | None = None
) -> Verification:
    """Return the greatest exact loss of a second tree, over all releases of a first tree or a grid of them.

    Paper: defEDPRIV. The claim is the second tree's share epsilon / T of the budget. All releases are checked
    if splits are uniform and leaves are noisy nets; otherwise all first trees with a grid of noisy leaves.
    """
    if (protocol.split_law, protocol.leaf) == (SplitLaw.UNIFORM, LeafRule.NOISY_NET):
        return verify_second_tree_of_nets(protocol, parameters, domain, size, progress)
    if (protocol.leaf, protocol.beta) not in PUBLIC_WEIGHTS:
        raise PreconditionError("defwunMF", "weights that depend on noisy masses or nets only", protocol.name)
    setting = Setting(protocol, parameters, domain, size, weight_bound_of_tree(protocol, 1))
    tables = released_weights(setting)

    def weigh_pair(pair: tuple[Sample, Sample]) -> list[tuple[WeightedSample, WeightedSample]]:
        distinct = {}
        for table in tables:
            one, other = (WeightedSample(sample, tuple(table[e] for e in sample)) for sample in pair)
            distinct[one.weights, other.weights] = one, other
        return list(distinct.values())

    return _greatest(setting, weigh_pair, len(tables), progress)


def released_weights(setting: Setting) -> list[dict[Example, Number]]:
    """Return the distinct tables of weights after all first trees with a grid of noisy leaves.

    On the grid a leaf has no mass, or only mass of one class: 1/2 per public example, or 64 times as much.
    If nets are released, they are the nets of these masses.
    """
    tables: dict[tuple[Number, ...], dict[Example, Number]] = {}
    examples = all_examples(setting.domain)
    for tree, _ in tree_law(setting, WeightedSample((), ())):
        leaves = list(tree.leaves())
        for amount in (HALF * setting.size, 32 * Fraction(setting.size)):
            cells = (Mass(), Mass(amount, Fraction(0)), Mass(Fraction(0), amount))
            for choice in product(cells, repeat=len(leaves)):
                noisy = dict(zip(leaves, choice, strict=True))
                rule = weight_rule(setting, [release_of(setting, tree, noisy)])
                table = {example: rule(example) for example in examples}
                tables[tuple(table.values())] = table
    return list(tables.values())


def _with_released_alphas(setting: Setting) -> list[Setting]:
    """Return the setting with every combination of a grid of alphas per level, if alphas are released."""
    if setting.protocol.alpha is not AlphaRule.NOISY_MINORITY:
        return [setting]
    grid = product((Fraction(0), HALF, Fraction(1)), repeat=setting.parameters.depth - 1)
    return [replace(setting, alphas=alphas) for alphas in grid]


def _greatest(
    setting: Setting,
    weigh_pair: Callable[[tuple[Sample, Sample]], list[tuple[WeightedSample, WeightedSample]]],
    n_tables: int,
    progress: Progress | None,
) -> Verification:
    """Return the greatest loss over all pairs, in both directions, and all weightings of each pair."""
    pairs = classes = cases = 0
    settings = _with_released_alphas(setting)
    best: tuple[ExactLoss, Sample, Sample] | None = None
    # A raw alpha is recomputed after every split, so it depends on the order of the children.
    alike = not setting.protocol.alpha.is_raw
    relation = setting.protocol.relation
    orbits = [
        orbit
        for size in sizes_of_pairs(relation, setting.size)
        for orbit in one_pair_per_orbit(setting.domain, size, relation, children_alike=alike)
    ]
    for pair, members in orbits:
        pairs, classes = pairs + members, classes + 1
        for current, (one, other) in product(settings, weigh_pair(pair)):
            cases += 1
            there, back = exact_losses(current, one, other)
            for loss, first, second in ((there, one, other), (back, other, one)):
                if best is None or certainly_less(best[0].total, loss.total):
                    best = loss, first.sample, second.sample
        if progress is not None and best is not None:
            progress(classes, len(orbits), best[0])
    assert best is not None
    greatest, first_sample, second_sample = best
    releases = n_tables * len(settings)
    trees = sum(1 for _ in tree_law(settings[0], WeightedSample((), ())))
    return Verification(
        claim=setting.parameters.epsilon / setting.parameters.trees,
        pairs=pairs,
        classes=classes,
        trees=trees,
        releases=releases,
        all_releases=releases == 1,
        combinations=pairs * releases * trees,
        cases=cases,
        greatest=greatest,
        first=first_sample,
        second=second_sample,
    )
