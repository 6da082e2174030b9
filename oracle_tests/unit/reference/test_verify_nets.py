"""The exhaustive check of a second tree of noisy nets, against enumeration without any reduction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product

import mpmath
import pytest

from privboost.errors import PreconditionError
from privboost.fast import protocol as fast_protocol
from privboost.reference.data import (
    Domain,
    Relation,
    Sample,
    WeightedSample,
    binary_domain,
    initial_weights,
    neighbouring_pairs,
)
from privboost.reference.exact import Extended
from privboost.reference.learners import leaves, verify_nets
from privboost.reference.learners.boosting import Release, WeightRule, margin, weight_rule
from privboost.reference.learners.leaves import leaf_loss, leaf_scale, net_values, value_of_noisy_net
from privboost.reference.learners.privacy_loss import tree_law
from privboost.reference.learners.protocol import PRESETS, SOUND, SOUND_NET, Parameters, Protocol
from privboost.reference.learners.splitting import Setting
from privboost.reference.learners.verify import verify_second_tree
from privboost.reference.learners.verify_nets import (
    SecondTree,
    cases_of,
    differences,
    samples_of_instance,
    second_tree_of,
)
from privboost.reference.trees.risks import leaf_masses
from privboost.reference.trees.tree import Tree

SQUARE, LINE = binary_domain(2), binary_domain(1)
HALF = Fraction(1, 2)

every_relation = pytest.mark.parametrize("relation", Relation)


def protocol_of(relation: Relation) -> Protocol:
    """Return the default learner under a relation."""
    return replace(SOUND_NET, relation=relation)


def all_pairs(domain: Domain, size: int, relation: Relation) -> list[tuple[Sample, Sample]]:
    """Return all neighbours of a public size; under add/remove, of all sizes from 0 to the bound."""
    sizes = [size] if relation is Relation.EXCHANGE else range(1, size + 1)
    return [pair for m in sizes for pair in neighbouring_pairs(domain, m, relation)]


def values_of_many_nets(setting: Setting, n_leaves: int) -> list[Fraction]:
    """Return the values of all noisy nets from -8 to 8, which are clamped at both ends."""
    grid = setting.parameters.grid
    nets = (grid * index for index in range(int(-8 / grid), int(8 / grid) + 1))
    values = sorted({Fraction(value_of_noisy_net(setting, net, n_leaves)) for net in nets})  # type: ignore[arg-type]
    assert (values[0], values[-1]) == (Fraction(-1, 4), Fraction(1, 4))
    return values


def all_releases(setting: Setting) -> Iterator[Release]:
    """Yield every release of a first tree."""
    for tree, _ in tree_law(setting, WeightedSample((), ())):
        paths = list(tree.leaves())
        for values in product(values_of_many_nets(setting, len(paths)), repeat=len(paths)):
            yield Release(tree, tuple(zip(paths, values, strict=True)), Fraction(1))


# The protocol --------------------------------------------------------------------------------------------


def test_presets__are_those_of_the_fast_learner() -> None:
    assert PRESETS.keys() == fast_protocol.PRESETS.keys()
    for name, preset in PRESETS.items():
        for field in fields(Protocol):
            if field.name != "name":
                theirs = getattr(fast_protocol.PRESETS[name], field.name)
                assert getattr(preset, field.name).value == theirs.value


# Values --------------------------------------------------------------------------------------------------


def test_net_values__are_all_multiples_of_the_grid_up_to_a_quarter() -> None:
    setting = Setting(SOUND_NET, Parameters(trees=2, depth=2), SQUARE, 3, HALF)
    assert net_values(setting, 4) == [Fraction(k, 1024) for k in range(-256, 257)]


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(20), Fraction(1000)])
@pytest.mark.parametrize("n_leaves", [2, 4, 8])
def test_net_values__are_those_of_noisy_nets(epsilon: Fraction, n_leaves: int) -> None:
    setting = Setting(SOUND_NET, Parameters(epsilon=epsilon, grid=Fraction(1, 32)), SQUARE, 1, HALF)
    assert net_values(setting, n_leaves) == values_of_many_nets(setting, n_leaves)


def test_net_values__are_fewer_if_a_step_of_the_net_is_more_than_a_step_of_the_value() -> None:
    setting = Setting(SOUND_NET, Parameters(epsilon=Fraction(1000)), SQUARE, 1, HALF)
    assert len(net_values(setting, 8)) < 513


# Losses --------------------------------------------------------------------------------------------------


def reduced_losses(second: SecondTree) -> set[Extended]:
    """Return the losses of all cases, in both directions."""
    cases, _ = cases_of(second)
    losses = set()
    for instance in cases.values():
        one, other = samples_of_instance(second, instance)
        losses |= {leaf_loss(second.setting, instance.second_tree, *p) for p in ((one, other), (other, one))}
    return losses


def enumerated_losses(setting: Setting) -> tuple[set[Extended], int]:
    """Return the losses of all neighbours, releases of a first tree and second trees, and their number.

    Losses are those of one direction; `reduced_losses` has both.
    """
    losses: set[Extended] = set()
    count = 0
    trees = [tree for tree, _ in tree_law(setting, WeightedSample((), ()))]
    pairs = all_pairs(setting.domain, setting.size, setting.protocol.relation)
    for release in all_releases(setting):
        rule = lru_cache(maxsize=None)(weight_rule(setting, [release]))
        for pair in pairs:
            one, other = (WeightedSample(sample, tuple(map(rule, sample))) for sample in pair)
            for tree in trees:
                count += 1
                losses.add(leaf_loss(setting, tree, one, other))
    return losses, count


@pytest.mark.claim("defEDPRIV")
@pytest.mark.parametrize(
    ("relation", "size", "depth", "grid"),
    [
        (Relation.EXCHANGE, 2, 1, Fraction(1, 8)),
        (Relation.ADD_REMOVE, 2, 1, Fraction(1, 8)),
        (Relation.ADD_REMOVE, 1, 2, Fraction(1, 4)),
    ],
)
def test_defEDPRIV__cases_have_the_losses_of_all_that_they_stand_for(  # noqa: N802
    relation: Relation, size: int, depth: int, grid: Fraction
) -> None:
    parameters = Parameters(trees=2, depth=depth, grid=grid)
    second = second_tree_of(protocol_of(relation), parameters, SQUARE, size)
    losses, count = enumerated_losses(second.setting)
    assert reduced_losses(second) == losses
    verification = verify_second_tree(protocol_of(relation), parameters, SQUARE, size)
    assert verification.pairs == len(all_pairs(SQUARE, size, relation))
    assert verification.combinations == count
    assert verification.pairs * verification.releases * verification.trees == count
    assert verification.greatest.total == max(losses) == verification.claim == HALF
    assert verification.cases < count


@every_relation
def test_cases__stand_for_all_releases_and_have_the_weights_of_the_learner(relation: Relation) -> None:
    second = second_tree_of(protocol_of(relation), Parameters(trees=2, depth=2), SQUARE, 3)
    assert second.releases == 8 * 513**4
    cases, count = cases_of(second)
    assert count == len(list(differences(second.setting))) * second.releases * 8
    for case, instance in list(cases.items())[:: max(1, len(cases) // 50)]:
        rule = weight_rule(second.setting, [verify_nets.release_of_instance(second, instance)])
        for data in samples_of_instance(second, instance):
            assert tuple(map(rule, data.sample)) == data.weights
        assert sorted((e.y, rule(e)) for e in instance.differing) == list(case.examples)


# Both trees together, by probabilities -------------------------------------------------------------------


class Outputs:
    """Probabilities of leaf values, summed up from the noise without the reference's laws."""

    def __init__(self, setting: Setting) -> None:
        self.setting, self.grid = setting, setting.parameters.grid
        self.values = values_of_many_nets(setting, 2)
        scale = leaf_scale(setting, 2)
        assert isinstance(scale, Fraction)
        self.ratio = mpmath.exp(-mpmath.mpf(self.grid.numerator) / self.grid.denominator / scale)
        self._logs: dict[Fraction, dict[Fraction, mpmath.mpf]] = {}

    def logs(self, net: Fraction) -> dict[Fraction, mpmath.mpf]:
        """Return the logarithm of the probability of every value of a leaf with a given net."""
        if net not in self._logs:
            centre, last = net / self.grid, int(8 / self.grid)
            weights = dict.fromkeys(self.values, mpmath.mpf(0))
            for index in range(-last, last + 1):
                distance = abs(index - centre)
                # The ends stand for a whole geometric tail, which the clamp maps to one value.
                tail = 1 / (1 - self.ratio) if abs(index) == last else 1
                weights[value_of_noisy_net(self.setting, self.grid * index, 2)] += tail * self.ratio**distance  # type: ignore[index]
            total = mpmath.fsum(weights.values())
            assert abs(total * (1 - self.ratio) / (1 + self.ratio) - 1) < mpmath.mpf(10) ** -50
            self._logs[net] = {value: mpmath.log(weight / total) for value, weight in weights.items()}
        return self._logs[net]


def nets_of(tree: Tree, data: WeightedSample) -> list[Fraction]:
    """Return the nets of the leaves."""
    return [Fraction(mass.positive - mass.negative) for mass in leaf_masses(tree, data).values()]  # type: ignore[arg-type]


def loss_of_two_trees(outputs: Outputs, one: Sample, other: Sample) -> mpmath.mpf:
    """Return the greatest log ratio of probabilities over all values of the leaves of two trees."""
    ((tree, _),) = tree_law(outputs.setting, WeightedSample((), ()))
    paths = list(tree.leaves())
    initial = [[outputs.logs(net) for net in nets_of(tree, initial_weights(s))] for s in (one, other)]
    greatest = mpmath.mpf("-inf")
    for first in product(outputs.values, repeat=2):
        release = Release(tree, tuple(zip(paths, first, strict=True)), Fraction(1))
        rule = weight_rule(outputs.setting, [release])
        data = [WeightedSample(sample, tuple(map(rule, sample))) for sample in (one, other)]
        later = [[outputs.logs(net) for net in nets_of(tree, part)] for part in data]
        for second in product(outputs.values, repeat=2):
            here, there = (
                sum(logs[value] for logs, value in zip((*a, *b), (*first, *second), strict=True))
                for a, b in zip(initial, later, strict=True)
            )
            greatest = max(greatest, here - there)
    return greatest


@pytest.mark.claim("defEDPRIV")
@every_relation
def test_defEDPRIV__two_trees_lose_epsilon_over_all_values(relation: Relation) -> None:  # noqa: N802
    parameters = Parameters(trees=2, grid=Fraction(1, 8))
    setting = Setting(protocol_of(relation), parameters, LINE, 2, HALF)
    with mpmath.workdps(60):
        outputs = Outputs(setting)
        losses = [
            loss_of_two_trees(outputs, a, b)
            for one, other in all_pairs(LINE, 2, relation)
            for a, b in ((one, other), (other, one))
        ]
        assert abs(max(losses) - 1) < mpmath.mpf(10) ** -50


# Wrong learners ------------------------------------------------------------------------------------------

COARSE = Parameters(trees=2, grid=Fraction(1, 32))


@pytest.mark.claim("defEDPRIV")
@every_relation
@pytest.mark.parametrize("factor", [HALF, Fraction(1023, 1024)], ids=["half", "slightly too small"])
def test_defEDPRIV__noise_of_too_small_a_scale_does_not_hold(  # noqa: N802
    relation: Relation, factor: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaves, "leaf_scale", lambda setting, count: factor * leaf_scale(setting, count))
    verification = verify_second_tree(protocol_of(relation), COARSE, SQUARE, 2)
    assert not verification.holds
    assert verification.greatest.total == verification.claim / factor


@pytest.mark.claim("defEDPRIV")
def test_defEDPRIV__noise_of_add_remove_does_not_hold_under_exchange(  # noqa: N802
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(setting: Setting, count: int) -> object:
        return leaf_scale(replace(setting, protocol=protocol_of(Relation.ADD_REMOVE)), count)

    monkeypatch.setattr(leaves, "leaf_scale", wrong)
    verification = verify_second_tree(SOUND_NET, COARSE, SQUARE, 2)
    assert (verification.greatest.total, verification.holds) == (1, False)


@pytest.mark.claim("defEDPRIV")
@every_relation
def test_defEDPRIV__weights_above_the_bound_of_the_noise_do_not_hold(  # noqa: N802
    relation: Relation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unclipped(setting: Setting, releases: list[Release]) -> WeightRule:
        return weight_rule(replace(setting, weight_bound=Fraction(1)), releases)

    monkeypatch.setattr(verify_nets, "weight_rule", unclipped)
    verification = verify_second_tree(protocol_of(relation), COARSE, SQUARE, 2)
    assert not verification.holds
    # The greatest weight after one tree is that of a margin of -1/4, rounded down to 17/32.
    assert verification.greatest.total == HALF * Fraction(17, 16)
    assert verification.given is not None
    assert Fraction(-1, 4) in {-abs(value) for _, value in verification.given.values}


@pytest.mark.claim("defEDPRIV")
def test_defEDPRIV__weight_that_is_wrong_after_one_value_alone_does_not_hold(  # noqa: N802
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(setting: Setting, releases: list[Release]) -> WeightRule:
        rule = weight_rule(setting, releases)
        return lambda example: (
            Fraction(513, 1024) if margin(releases, example.x) == Fraction(37, 1024) else rule(example)
        )

    monkeypatch.setattr(verify_nets, "weight_rule", wrong)
    verification = verify_second_tree(protocol_of(Relation.ADD_REMOVE), Parameters(trees=2), SQUARE, 2)
    assert verification.greatest.total == HALF * Fraction(513, 512)
    assert not verification.holds


@pytest.mark.claim("defEDPRIV")
@every_relation
def test_defEDPRIV__budget_of_one_tree_for_each_of_two_does_not_hold(  # noqa: N802
    relation: Relation, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget: Callable[..., object] = leaves.leaf_budget
    monkeypatch.setattr(leaves, "leaf_budget", lambda epsilon, share, _trees: budget(epsilon, share, 1))
    verification = verify_second_tree(protocol_of(relation), COARSE, SQUARE, 2)
    assert (verification.greatest.total, verification.claim, verification.holds) == (1, HALF, False)


@pytest.mark.claim("defwunMF")
def test_defwunMF__other_protocols_have_no_finite_releases() -> None:  # noqa: N802
    with pytest.raises(PreconditionError, match="uniform splits and noisy nets, got SOUND"):
        second_tree_of(SOUND, COARSE, SQUARE, 2)
