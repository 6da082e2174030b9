"""Bounded model checking of epsilon-DP: the exact loss over all neighbouring samples of a given size.

The first tree is checked exhaustively: every pair, every tree, every output. A second tree is checked given
the release of the first, for every first tree and a grid of noisy masses or nets. That the losses of
successive trees add up is the composition theorem, which is not checked here. If alphas are estimated and
released, a tree is checked for a grid of alphas, and the exact loss of their release is added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
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
from privboost.reference.exact import Infinity, Number, exact
from privboost.reference.privacy.mechanisms import certainly_less
from privboost.reference.trees.risks import Mass

from .boosting import release_of, weight_bound_of_tree, weight_rule
from .privacy_loss import ExactLoss, exact_losses, tree_law
from .protocol import AlphaRule, BetaRule, LeafRule, Parameters, Protocol
from .splitting import Setting

Progress = Callable[[int], None]

PUBLIC_WEIGHTS = ((LeafRule.NOISY_MASSES, BetaRule.NOISY_MASSES), (LeafRule.NOISY_NET, BetaRule.CONSTANT))
"""The rules under which the next weights depend on the noisy numbers of the leaves only."""

HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Verification:
    """The extent of a check, the greatest loss, and the pair of samples that attains it."""

    claim: Number
    pairs: int
    orbits: int
    releases: int
    greatest: ExactLoss
    first: Sample
    second: Sample

    @property
    def holds(self) -> bool:
        """Return whether the greatest loss is at most the claim, decided exactly.

        The search for the greatest loss does not distinguish losses that differ by less than 2^-128. If the
        greatest loss is below the claim by at least that much, the claim holds for every pair; otherwise it
        holds up to 2^-128.
        """
        return not isinstance(self.greatest.total, Infinity) and exact(self.greatest.total) <= self.claim


def verify_bounded(
    protocol: Protocol,
    parameters: Parameters,
    domain: Domain,
    size: int,
    progress: Progress | None = None,
) -> Verification:
    """Return the greatest exact loss of the first tree over all neighbouring samples of a given size.

    Paper: defEDPRIV. The claim is the first tree's share epsilon / T of the budget.
    """
    setting = Setting(protocol, parameters, domain, size, HALF)
    return _greatest(setting, size, lambda pair: [_initial(pair)], progress)


def verify_second_tree(
    protocol: Protocol,
    parameters: Parameters,
    domain: Domain,
    size: int,
    progress: Progress | None = None,
) -> Verification:
    """Return the greatest exact loss of a second tree, over all first trees and a grid of noisy leaves.

    Paper: defEDPRIV. The claim is the second tree's share epsilon / T of the budget.
    """
    if (protocol.leaf, protocol.beta) not in PUBLIC_WEIGHTS:
        raise PreconditionError("defwunMF", "weights that depend on noisy masses or nets only", protocol.name)
    setting = Setting(protocol, parameters, domain, size, weight_bound_of_tree(protocol, 1))
    tables = released_weights(setting)

    def weighted(pair: tuple[Sample, Sample]) -> list[tuple[WeightedSample, WeightedSample]]:
        distinct = {}
        for table in tables:
            one, other = (WeightedSample(sample, tuple(table[e] for e in sample)) for sample in pair)
            distinct[one.weights, other.weights] = one, other
        return list(distinct.values())

    return _greatest(setting, size, weighted, progress)


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


def _initial(pair: tuple[Sample, Sample]) -> tuple[WeightedSample, WeightedSample]:
    """Return a pair with the initial weights."""
    return initial_weights(pair[0]), initial_weights(pair[1])


def _greatest(
    setting: Setting,
    size: int,
    weighted: Callable[[tuple[Sample, Sample]], list[tuple[WeightedSample, WeightedSample]]],
    progress: Progress | None,
) -> Verification:
    """Return the greatest loss over all pairs, in both directions, and all weightings of each pair."""
    pairs = orbits = releases = 0
    settings = _with_released_alphas(setting)
    best: tuple[ExactLoss, Sample, Sample] | None = None
    # A raw alpha is recomputed after every split, so it depends on the order of the children.
    alike = not setting.protocol.alpha.is_raw
    relation = setting.protocol.relation
    for pair, members in one_pair_per_orbit(setting.domain, size, relation, children_alike=alike):
        pairs, orbits = pairs + members, orbits + 1
        for current, (one, other) in product(settings, weighted(pair)):
            releases += 1
            there, back = exact_losses(current, one, other)
            for loss, first, second in ((there, one, other), (back, other, one)):
                if best is None or certainly_less(best[0].total, loss.total):
                    best = loss, first.sample, second.sample
        if progress is not None:
            progress(orbits)
    assert best is not None
    claim = setting.parameters.epsilon / setting.parameters.trees
    return Verification(claim, pairs, orbits, releases, *best)
