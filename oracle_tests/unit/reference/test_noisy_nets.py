"""Uniform splits and noisy nets: their cost, their release, and its exact privacy loss.

The exhaustive check of a second tree is compared with enumeration without any reduction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product

import mpmath
import pytest

from privboost.errors import PreconditionError
from privboost.fast import protocol as fast_protocol
from privboost.fast.loss import weight_table
from privboost.reference.data import (
    Categorical,
    Domain,
    Example,
    Relation,
    Sample,
    Threshold,
    WeightedSample,
    binary_domain,
    initial_weights,
    neighbouring_pairs,
    sample_of,
    splits,
)
from privboost.reference.exact import Extended, Number, log
from privboost.reference.learners import leaves, verify_nets
from privboost.reference.learners.boosting import (
    Release,
    WeightRule,
    margin,
    weight_bound_of_tree,
    weight_rule,
)
from privboost.reference.learners.ensemble import Ensemble, sample_private_ensemble
from privboost.reference.learners.leaves import leaf_loss, leaf_scale, net_values, value_of_noisy_net
from privboost.reference.learners.privacy_loss import tree_law
from privboost.reference.learners.private_tree import sample_leaves, sample_split
from privboost.reference.learners.protocol import (
    PRESETS,
    SOUND,
    SOUND_NET,
    AlphaRule,
    BetaRule,
    BudgetRule,
    Parameters,
    Protocol,
    SplitLaw,
)
from privboost.reference.learners.splitting import Setting, check_data, node_budget, split_law
from privboost.reference.learners.verify import verify_bounded, verify_second_tree
from privboost.reference.learners.verify_nets import (
    SecondTree,
    cases_of,
    differences,
    samples_of_instance,
    second_tree_of,
)
from privboost.reference.privacy.accounting import leaf_budget
from privboost.reference.privacy.bits import SeededBits
from privboost.reference.privacy.coins import enumerate_law
from privboost.reference.privacy.mechanisms import GridLaplace
from privboost.reference.trees.risks import leaf_masses
from privboost.reference.trees.tree import ROOT, Tree

SQUARE, LINE = binary_domain(2), binary_domain(1)
HALF = Fraction(1, 2)
UNIFORM = replace(SOUND, split_law=SplitLaw.UNIFORM)
NETS = SOUND_NET
STUMP = Tree().grow(ROOT, Threshold(0, 1))
ROWS = [((0, 0), -1), ((0, 1), -1), ((1, 0), 1), ((1, 1), 1)] * 2

every_relation = pytest.mark.parametrize("relation", Relation)


def nets_under(relation: Relation) -> Protocol:
    """Return the default learner under a relation."""
    return replace(NETS, relation=relation)


def setting_of(protocol: object = NETS, **parameters: object) -> Setting:
    """Return the setting of the first tree on eight examples."""
    return Setting(protocol, Parameters(**parameters), SQUARE, len(ROWS), HALF)  # type: ignore[arg-type]


def ensemble_of(protocol: object = NETS, **parameters: object) -> Ensemble:
    """Return an ensemble drawn with seeded bits."""
    return sample_private_ensemble(setting_of(protocol, **parameters), sample_of(SQUARE, ROWS), SeededBits(1))


# Choices that exclude each other -------------------------------------------------------------------------


@pytest.mark.claim("cboost")
@pytest.mark.parametrize("rule", [BetaRule.RAW, BetaRule.NOISY_MASSES])
def test_cboost__noisy_nets_have_a_constant_coefficient(rule: BetaRule) -> None:
    with pytest.raises(PreconditionError, match=f"a constant coefficient with noisy nets, got {rule.value}"):
        replace(NETS, beta=rule)


@pytest.mark.claim("fixALPHA")
def test_fixALPHA__nothing_is_paid_for_an_alpha_that_no_split_reads() -> None:  # noqa: N802
    with pytest.raises(PreconditionError, match="no estimate of alpha with uniform splits"):
        replace(UNIFORM, alpha=AlphaRule.NOISY_MINORITY)


# Budgets -------------------------------------------------------------------------------------------------


@pytest.mark.claim("fixEPSILON")
@pytest.mark.parametrize("rule", BudgetRule)
def test_fixEPSILON__uniform_splits_get_no_budget_and_leaves_get_all(rule: BudgetRule) -> None:  # noqa: N802
    ensemble = ensemble_of(replace(NETS, node_budget=rule), trees=2, depth=2, epsilon=Fraction(3))
    assert ensemble.ledger.total == 3
    first = ensemble.ledger.expenses[:3]
    assert [expense.epsilon for expense in first] == [0, 0, Fraction(3, 2)]
    assert [expense.reason for expense in first] == ["independent of the data"] * 2 + ["Laplace, noisy_net"]
    assert node_budget(setting_of(replace(NETS, node_budget=rule), depth=2), (0,)) == 0


@pytest.mark.claim("fixALPHA")
def test_fixALPHA__raw_alpha_that_no_split_reads_spoils_no_guarantee() -> None:  # noqa: N802
    expenses = ensemble_of(replace(NETS, alpha=AlphaRule.RAW_STRICT)).ledger.expenses
    assert [expense.what for expense in expenses] == ["splits of level 0", "leaves"]


@pytest.mark.claim("sub-sec-sum-imp")
def test_sub_sec_sum_imp__scale_of_the_noise_on_nets() -> None:
    assert leaf_scale(setting_of(trees=3, epsilon=HALF), 2) == 6
    assert leaf_scale(setting_of(nets_under(Relation.ADD_REMOVE), trees=3, epsilon=HALF), 2) == 3
    assert leaf_scale(setting_of(replace(NETS, split_law=SplitLaw.EXPONENTIAL)), 2) == 2


# Released values -----------------------------------------------------------------------------------------


@pytest.mark.claim("sub-sec-sum-imp")
@pytest.mark.parametrize(
    ("net", "value"),
    [("3/2", "1/8"), ("1", "1/16"), (3, "1/4"), (7, "1/4"), (-1, "-1/8"), (-7, "-1/4"), (0, 0)],
)
def test_sub_sec_sum_imp__value_of_a_net_is_clamped_and_rounded_down(
    net: str | int, value: str | int
) -> None:
    # Eight examples and two leaves: the public mass of a leaf is 2, the scale of the noise 1.
    assert value_of_noisy_net(setting_of(grid=Fraction(1, 16)), Fraction(net), 2) == Fraction(value)


@pytest.mark.claim("sec-solv")
def test_sec_solv__nets_learn_with_a_large_budget() -> None:
    sample = sample_of(SQUARE, ROWS)
    ensemble = ensemble_of(trees=8, epsilon=Fraction(2000))
    assert [ensemble.predict(example.x) for example in sample] == [example.y for example in sample]
    assert {release.beta for release in ensemble.releases} == {1}


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__uniform_split_is_sampled_uniformly_whatever_the_data() -> None:  # noqa: N802
    domain = Domain((Categorical("colour", ("red", "green", "blue")),))
    third = dict.fromkeys(splits(domain), Fraction(1, 3))
    data = initial_weights(sample_of(domain, [((0,), 1), ((1,), -1)]))
    setting = Setting(NETS, Parameters(), domain, 2, HALF)
    assert split_law(setting, data, Tree(), ROOT) == third
    counted = enumerate_law(lambda bits: sample_split(setting, data, Tree(), ROOT, bits), 30)
    assert counted.rest < Fraction(1, 10**6)
    assert all(chance in counted.enclose(split) for split, chance in third.items())


@pytest.mark.no_cover
@pytest.mark.claim("sub-sec-sum-imp")
def test_sub_sec_sum_imp__sampled_value_of_a_net_has_the_law_that_is_judged() -> None:
    # Mass 1/4 and scale 1/2: a quarter of a noisy net of 1/2 over 3/4 is 1/6, and 0 on the grid.
    quarter = Fraction(1, 4)
    setting = Setting(NETS, Parameters(grid=quarter, epsilon=Fraction(2)), LINE, 1, HALF)
    data = initial_weights(sample_of(LINE, [((0,), 1)]))
    counted = enumerate_law(lambda bits: sample_leaves(setting, data, STUMP, bits).values[0][1], 30)
    law = GridLaplace(HALF, HALF, quarter)
    expected = {
        -quarter: law.below(-quarter),
        Fraction(0): law.below(HALF) - law.below(-quarter),
        quarter: law.above(3 * quarter),
    }
    assert counted.rest < Fraction(1, 1000)
    assert counted.masses.keys() == expected.keys()
    assert all(chance in counted.enclose(outcome) for outcome, chance in expected.items())


# Exact loss ----------------------------------------------------------------------------------------------


@pytest.mark.claim("defEDPRIV")
@every_relation
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("depth", [1, 2])
def test_defEDPRIV__nets_cost_epsilon_exactly(relation: Relation, size: int, depth: int) -> None:  # noqa: N802
    parameters = Parameters(depth=depth, epsilon=Fraction(3, 2))
    verification = verify_bounded(nets_under(relation), parameters, SQUARE, size)
    assert verification.greatest.total == verification.greatest.leaves == verification.claim == Fraction(3, 2)
    assert verification.holds


@pytest.mark.claim("defEDPRIV")
def test_defEDPRIV__loss_of_nets_is_attained_by_the_released_value() -> None:  # noqa: N802
    grid = Fraction(1, 16)
    setting = Setting(NETS, Parameters(grid=grid), LINE, 2, HALF)
    # The nets of the left leaf are -1 and 0; noisy ones up to -19/16 give the value -1/4, others more.
    one, other = (initial_weights(sample_of(LINE, [((0,), -1), ((0,), y)])) for y in (-1, 1))
    last = Fraction(-19, 16)
    assert (
        value_of_noisy_net(setting, last, 2) == Fraction(-1, 4) < value_of_noisy_net(setting, last + grid, 2)
    )
    chances = [GridLaplace(Fraction(net), leaf_scale(setting, 2), grid).below(last) for net in (-1, 0)]
    assert log(chances[0] / chances[1]) == leaf_loss(setting, STUMP, one, other) == 1


@pytest.mark.claim("defEDPRIV")
def test_defEDPRIV__nets_with_the_noise_of_one_touched_example_do_not_hold(  # noqa: N802
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(leaves, "leaf_scale", lambda setting, count: leaf_scale(setting, count) / 2)
    verification = verify_bounded(NETS, Parameters(), SQUARE, 2)
    assert (verification.greatest.total, verification.holds) == (2, False)


@pytest.mark.claim("defEDPRIV")
@every_relation
def test_defEDPRIV__splits_that_read_the_data_for_free_do_not_hold(  # noqa: N802
    relation: Relation, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = replace(NETS, split_law=SplitLaw.EXPONENTIAL, relation=relation)
    assert verify_bounded(protocol, Parameters(), SQUARE, 2).holds
    monkeypatch.setattr(leaves, "split_share", lambda _: Fraction(0))
    assert not verify_bounded(protocol, Parameters(), SQUARE, 2).holds


# Weights -------------------------------------------------------------------------------------------------


@pytest.mark.claim("sec:priv")
def test_sec_priv__weights_of_nets_never_exceed_those_of_the_first_tree() -> None:
    assert [weight_bound_of_tree(NETS, tree) for tree in range(3)] == [HALF] * 3
    assert [weight_bound_of_tree(SOUND, tree) for tree in range(3)] == [HALF, 1, 1]


@pytest.mark.claim("defwunMF")
@pytest.mark.parametrize("alpha", [Fraction(1), HALF, Fraction(1, 10)])
def test_defwunMF__fast_table_of_weights_is_the_rule_of_the_reference(alpha: Fraction) -> None:  # noqa: N802
    steps = 1024
    table = weight_table(4 * steps, alpha, steps // 2).tolist()
    setting = setting_of(boost_alpha=alpha)
    for signed in [*range(-4 * steps, 4 * steps + 1, 61), -1, 0, 1]:
        release = Release(STUMP, (((0,), Fraction(signed, steps)), ((1,), Fraction(0))), Fraction(1))
        weight = weight_rule(setting, [release])(Example((0, 0), 1))
        assert weight == Fraction(table[4 * steps + signed], steps) <= HALF


@pytest.mark.claim("sec:priv")
@every_relation
def test_sec_priv__weights_above_the_bound_would_cost_more(relation: Relation) -> None:
    setting = setting_of(nets_under(relation))
    heavy = (Fraction(3, 4),) * len(ROWS)
    sample = sample_of(SQUARE, ROWS)
    with pytest.raises(PreconditionError, match="weights of at most 1/2"):
        check_data(setting, WeightedSample(sample, heavy))
    flipped = sample_of(SQUARE, [((0, 0), 1), *ROWS[1:]])
    pair = (sample, flipped) if relation is Relation.EXCHANGE else (sample, sample[1:])
    one, other = (WeightedSample(part, heavy[: len(part)]) for part in pair)
    assert leaf_loss(setting, STUMP, one, other) == Fraction(3, 2)


# Second tree, after all releases of the first -----------------------------------------------------------


def all_pairs(domain: Domain, size: int, relation: Relation) -> list[tuple[Sample, Sample]]:
    """Return all neighbours of a public size; under add/remove, of all sizes from 0 to the bound."""
    sizes = [size] if relation is Relation.EXCHANGE else range(1, size + 1)
    return [pair for m in sizes for pair in neighbouring_pairs(domain, m, relation)]


def values_of_many_nets(setting: Setting, n_leaves: int) -> list[Number]:
    """Return the values of all noisy nets from -8 to 8, which are clamped at both ends."""
    grid = setting.parameters.grid
    nets = (grid * index for index in range(int(-8 / grid), int(8 / grid) + 1))
    values = sorted({value_of_noisy_net(setting, net, n_leaves) for net in nets})
    assert (values[0], values[-1]) == (Fraction(-1, 4), Fraction(1, 4))
    return values


def all_releases(setting: Setting) -> Iterator[Release]:
    """Yield every release of a first tree."""
    for tree, _ in tree_law(setting, WeightedSample((), ())):
        paths = list(tree.leaves())
        for values in product(values_of_many_nets(setting, len(paths)), repeat=len(paths)):
            yield Release(tree, tuple(zip(paths, values, strict=True)), Fraction(1))


# The preset --------------------------------------------------------------------------------------------


def test_presets__are_those_of_the_fast_learner() -> None:
    assert PRESETS.keys() == fast_protocol.PRESETS.keys()
    for name, preset in PRESETS.items():
        for field in fields(Protocol):
            if field.name != "name":
                theirs = getattr(fast_protocol.PRESETS[name], field.name)
                assert getattr(preset, field.name).value == theirs.value


# Values --------------------------------------------------------------------------------------------------


def test_net_values__are_all_multiples_of_the_grid_up_to_a_quarter() -> None:
    setting = Setting(NETS, Parameters(trees=2, depth=2), SQUARE, 3, HALF)
    assert net_values(setting, 4) == [Fraction(k, 1024) for k in range(-256, 257)]


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(20), Fraction(1000)])
@pytest.mark.parametrize("n_leaves", [2, 4, 8])
def test_net_values__are_those_of_noisy_nets(epsilon: Fraction, n_leaves: int) -> None:
    setting = Setting(NETS, Parameters(epsilon=epsilon, grid=Fraction(1, 32)), SQUARE, 1, HALF)
    assert net_values(setting, n_leaves) == values_of_many_nets(setting, n_leaves)


def test_net_values__are_fewer_if_a_step_of_the_net_is_more_than_a_step_of_the_value() -> None:
    setting = Setting(NETS, Parameters(epsilon=Fraction(1000)), SQUARE, 1, HALF)
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


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.claim("defEDPRIV")
@pytest.mark.parametrize(
    ("domain", "protocol", "size", "depth", "grid"),
    [
        (LINE, NETS, 2, 1, Fraction(1, 64)),
        (SQUARE, NETS, 2, 1, Fraction(1, 8)),
        (SQUARE, nets_under(Relation.ADD_REMOVE), 2, 1, Fraction(1, 16)),
        (SQUARE, nets_under(Relation.ADD_REMOVE), 1, 2, Fraction(1, 4)),
    ],
)
def test_defEDPRIV__cases_have_the_losses_of_all_that_they_stand_for(  # noqa: N802
    domain: Domain, protocol: Protocol, size: int, depth: int, grid: Fraction
) -> None:
    parameters = Parameters(trees=2, depth=depth, grid=grid)
    second = second_tree_of(protocol, parameters, domain, size)
    losses, count = enumerated_losses(second.setting)
    assert reduced_losses(second) == losses
    verification = verify_second_tree(protocol, parameters, domain, size)
    assert verification.pairs == len(all_pairs(domain, size, protocol.relation))
    assert verification.combinations == count
    assert verification.pairs * verification.releases * verification.trees == count
    assert verification.greatest.total == max(losses) == verification.claim == HALF
    assert verification.cases < count


@every_relation
def test_cases__stand_for_all_releases_and_have_the_weights_of_the_learner(relation: Relation) -> None:
    second = second_tree_of(nets_under(relation), Parameters(trees=2, depth=2), SQUARE, 3)
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
        self._logs: dict[Number, dict[Number, mpmath.mpf]] = {}

    def logs(self, net: Number) -> dict[Number, mpmath.mpf]:
        """Return the logarithm of the probability of every value of a leaf with a given net."""
        if net not in self._logs:
            centre, last = net / self.grid, int(8 / self.grid)
            weights = dict.fromkeys(self.values, mpmath.mpf(0))
            for index in range(-last, last + 1):
                distance = abs(index - centre)
                # The ends stand for a whole geometric tail, which the clamp maps to one value.
                tail = 1 / (1 - self.ratio) if abs(index) == last else 1
                value = value_of_noisy_net(self.setting, self.grid * index, 2)
                weights[value] += tail * self.ratio**distance
            total = mpmath.fsum(weights.values())
            assert abs(total * (1 - self.ratio) / (1 + self.ratio) - 1) < mpmath.mpf(10) ** -50
            self._logs[net] = {value: mpmath.log(weight / total) for value, weight in weights.items()}
        return self._logs[net]


def nets_of(tree: Tree, data: WeightedSample) -> list[Number]:
    """Return the nets of the leaves."""
    return [mass.positive - mass.negative for mass in leaf_masses(tree, data).values()]


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


@pytest.mark.no_cover
@pytest.mark.claim("defEDPRIV")
@every_relation
def test_defEDPRIV__two_trees_lose_epsilon_over_all_values(relation: Relation) -> None:  # noqa: N802
    parameters = Parameters(trees=2, grid=Fraction(1, 8))
    setting = Setting(nets_under(relation), parameters, LINE, 2, HALF)
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
    verification = verify_second_tree(nets_under(relation), COARSE, SQUARE, 2)
    assert not verification.holds
    assert verification.greatest.total == verification.claim / factor


@pytest.mark.claim("defEDPRIV")
@every_relation
def test_defEDPRIV__weights_above_the_bound_of_the_noise_do_not_hold(  # noqa: N802
    relation: Relation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def weigh_unclipped(setting: Setting, releases: list[Release]) -> WeightRule:
        return weight_rule(replace(setting, weight_bound=Fraction(1)), releases)

    monkeypatch.setattr(verify_nets, "weight_rule", weigh_unclipped)
    verification = verify_second_tree(nets_under(relation), COARSE, SQUARE, 2)
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
    verification = verify_second_tree(nets_under(Relation.ADD_REMOVE), Parameters(trees=2), SQUARE, 2)
    assert verification.greatest.total == HALF * Fraction(513, 512)
    assert not verification.holds


@pytest.mark.claim("defEDPRIV")
@every_relation
def test_defEDPRIV__budget_of_one_tree_for_each_of_two_does_not_hold(  # noqa: N802
    relation: Relation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaves, "leaf_budget", lambda epsilon, share, _trees: leaf_budget(epsilon, share, 1))
    verification = verify_second_tree(nets_under(relation), COARSE, SQUARE, 2)
    assert (verification.greatest.total, verification.claim, verification.holds) == (1, HALF, False)


@pytest.mark.claim("defwunMF")
def test_defwunMF__other_protocols_have_no_finite_releases() -> None:  # noqa: N802
    with pytest.raises(PreconditionError, match="uniform splits and noisy nets, got SOUND"):
        second_tree_of(SOUND, COARSE, SQUARE, 2)
