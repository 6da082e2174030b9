"""Uniform splits and noisy nets: their cost, their release, and its exact privacy loss."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from privboost.errors import PreconditionError
from privboost.fast.loss import weight_table
from privboost.reference.data import (
    Categorical,
    Domain,
    Example,
    Relation,
    Threshold,
    WeightedSample,
    binary_domain,
    initial_weights,
    sample_of,
    splits,
)
from privboost.reference.exact import log
from privboost.reference.learners import leaves
from privboost.reference.learners.boosting import Release, weight_bound_of_tree, weight_rule
from privboost.reference.learners.ensemble import Ensemble, sample_private_ensemble
from privboost.reference.learners.leaves import leaf_loss, leaf_scale, value_of_noisy_net
from privboost.reference.learners.private_tree import sample_leaves, sample_split
from privboost.reference.learners.protocol import (
    SOUND,
    SOUND_NET,
    AlphaRule,
    BetaRule,
    BudgetRule,
    Parameters,
    SplitLaw,
)
from privboost.reference.learners.splitting import Setting, check_data, node_budget, split_law
from privboost.reference.learners.verify import verify_bounded
from privboost.reference.privacy.bits import SeededBits
from privboost.reference.privacy.coins import enumerate_law
from privboost.reference.privacy.mechanisms import GridLaplace
from privboost.reference.trees.tree import ROOT, Tree

SQUARE, LINE = binary_domain(2), binary_domain(1)
HALF = Fraction(1, 2)
UNIFORM = replace(SOUND, split_law=SplitLaw.UNIFORM)
NETS = SOUND_NET
STUMP = Tree().grow(ROOT, Threshold(0, 1))
ROWS = [((0, 0), -1), ((0, 1), -1), ((1, 0), 1), ((1, 1), 1)] * 2

every_relation = pytest.mark.parametrize("relation", Relation)


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
    added = replace(NETS, relation=Relation.ADD_REMOVE)
    assert leaf_scale(setting_of(trees=3, epsilon=HALF), 2) == 6
    assert leaf_scale(setting_of(added, trees=3, epsilon=HALF), 2) == 3
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
    for split, chance in third.items():
        assert counted.masses[split] <= chance <= counted.masses[split] + counted.rest


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
    for outcome, chance in expected.items():
        assert counted.masses[outcome] <= chance <= counted.masses[outcome] + counted.rest


# Exact loss ----------------------------------------------------------------------------------------------


@pytest.mark.claim("defEDPRIV")
@every_relation
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("depth", [1, 2])
def test_defEDPRIV__nets_cost_epsilon_exactly(relation: Relation, size: int, depth: int) -> None:  # noqa: N802
    parameters = Parameters(depth=depth, epsilon=Fraction(3, 2))
    verification = verify_bounded(replace(NETS, relation=relation), parameters, SQUARE, size)
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
    setting = setting_of(replace(NETS, relation=relation))
    heavy = (Fraction(3, 4),) * len(ROWS)
    sample = sample_of(SQUARE, ROWS)
    with pytest.raises(PreconditionError, match="weights of at most 1/2"):
        check_data(setting, WeightedSample(sample, heavy))
    flipped = sample_of(SQUARE, [((0, 0), 1), *ROWS[1:]])
    pair = (sample, flipped) if relation is Relation.EXCHANGE else (sample, sample[1:])
    one, other = (WeightedSample(part, heavy[: len(part)]) for part in pair)
    assert leaf_loss(setting, STUMP, one, other) == Fraction(3, 2)
