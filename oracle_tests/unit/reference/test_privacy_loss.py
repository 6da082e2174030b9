"""Exact privacy loss: SOUND is private on every pair; each printed leak shows and vanishes when closed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from privboost.errors import PreconditionError
from privboost.oracle_tests.support.marks import keep_every, slow
from privboost.reference.data import (
    Relation,
    binary_domain,
    initial_weights,
    neighbouring_pairs,
    one_pair_per_orbit,
    sample_of,
)
from privboost.reference.exact import INFINITY, Infinity, enclose, exact, exact_sum, log
from privboost.reference.learners.calibration import alpha_loss, estimate, wants_estimate, with_alpha
from privboost.reference.learners.forests import (
    Accounting,
    Forest,
    LeafMechanism,
    exact_forest_loss,
    leaf_class_law,
    random_trees,
    sample_forest,
)
from privboost.reference.learners.leaks import LEAKS, PRINTED_LEAKS, Leak, raw_alpha_as_printed
from privboost.reference.learners.privacy_loss import ExactLoss, exact_loss, exact_losses, tree_law
from privboost.reference.learners.protocol import (
    AS_PRINTED,
    SOUND,
    AlphaRule,
    BetaRule,
    LeafRule,
    Parameters,
    SplitLaw,
)
from privboost.reference.learners.splitting import Setting
from privboost.reference.learners.verify import verify_bounded, verify_second_tree
from privboost.reference.privacy.accounting import alpha_budget
from privboost.reference.privacy.bits import SeededBits
from privboost.reference.privacy.mechanisms import certainly_less
from privboost.reference.trees.risks import Mass
from privboost.reference.trees.tree import Tree

SQUARE, LINE = binary_domain(2), binary_domain(1)
HALF = Fraction(1, 2)
TWO_LEVELS = Parameters(depth=2, alphas=(Fraction(1), HALF))


@pytest.mark.no_cover
@pytest.mark.claim("defEDPRIV")
@pytest.mark.parametrize("law", keep_every(3, SplitLaw))
@pytest.mark.parametrize(
    ("relation", "size", "pairs"),
    [
        (Relation.EXCHANGE, 2, 224),
        (Relation.EXCHANGE, 3, 1008),
        # Under add/remove the larger sample has from 1 example to the bound: 8 + 64 + 288 + 960 pairs.
        (Relation.ADD_REMOVE, 2, 72),
        (Relation.ADD_REMOVE, 3, 360),
        (Relation.ADD_REMOVE, 4, 1320),
    ],
)
def test_defEDPRIV__sound_holds_on_all_pairs(  # noqa: N802
    relation: Relation, size: int, pairs: int, law: SplitLaw
) -> None:
    verification = verify_bounded(replace(SOUND, relation=relation, split_law=law), TWO_LEVELS, SQUARE, size)
    assert verification.pairs == pairs
    assert verification.holds


@pytest.mark.claim("defEDPRIV")
def test_defEDPRIV__level_lemma_is_attained_by_permute_and_flip() -> None:  # noqa: N802
    protocol = replace(SOUND, relation=Relation.ADD_REMOVE, split_law=SplitLaw.PERMUTE_AND_FLIP)
    verification = verify_bounded(protocol, TWO_LEVELS, SQUARE, 2)
    assert verification.greatest.total == verification.claim == 1
    assert (verification.greatest.splits, verification.greatest.leaves) == (HALF, HALF)


@pytest.mark.claim("defEDPRIV")
def test_defEDPRIV__second_tree_holds_given_any_first() -> None:  # noqa: N802
    protocol = replace(SOUND, relation=Relation.ADD_REMOVE)
    calls: list[tuple[int, int, ExactLoss]] = []
    parameters = Parameters(trees=2, depth=1, bound=Fraction(1))
    verification = verify_second_tree(protocol, parameters, SQUARE, 2, lambda *call: calls.append(call))
    assert verification.holds
    assert verification.claim == HALF
    of = verification.classes
    assert [(done, total) for done, total, _ in calls] == [(done, of) for done in range(1, of + 1)]
    assert calls[-1][2] == verification.greatest
    assert verification.cases > verification.classes
    assert not verification.all_releases


@pytest.mark.claim("defEDPRIV")
@pytest.mark.parametrize("leak", [*LEAKS, *PRINTED_LEAKS], ids=lambda leak: f"{leak.key} {leak.where}")
def test_defEDPRIV__leak_is_above_the_claim_and_vanishes_when_closed(leak: Leak) -> None:  # noqa: N802
    claim = leak.parameters.epsilon
    open_loss, closed_loss = leak.loss(leak.leaking), leak.loss(leak.closed)
    assert open_loss > claim
    assert not isinstance(closed_loss, Infinity)
    assert closed_loss <= claim


@pytest.mark.claim("defEDPRIV")
def test_defEDPRIV__leaks_differ_from_their_closed_form_in_one_choice() -> None:  # noqa: N802
    fields = ("alpha", "split_law", "sensitivity", "node_budget", "leaf", "beta", "relation")
    for leak in (*LEAKS, *PRINTED_LEAKS):
        assert sum(getattr(leak.leaking, name) != getattr(leak.closed, name) for name in fields) == 1


@pytest.mark.claim("fixALPHA")
def test_fixALPHA__the_leak_under_the_printed_rules_grows_with_the_sample() -> None:  # noqa: N802
    leaks = [raw_alpha_as_printed(half) for half in (41, 42, 160)]
    assert [len(leak.first) for leak in leaks] == [83, 85, 321]
    losses = [leak.loss(AS_PRINTED) for leak in leaks]
    assert losses[0] < 1 < losses[1]
    assert Fraction(5112, 1000) < losses[2] < Fraction(5114, 1000)


@pytest.mark.claim("defEDPRIV")
@pytest.mark.parametrize(
    "protocol",
    [
        replace(SOUND, leaf=LeafRule.LINK_NOISE_CLAMP, beta=BetaRule.CONSTANT),
        replace(SOUND, beta=BetaRule.RAW),
    ],
    ids=["leaf", "beta"],
)
def test_defEDPRIV__bounded_check_finds_the_leaks(protocol: object) -> None:  # noqa: N802
    verification = verify_bounded(protocol, Parameters(bound=Fraction(1)), LINE, 2)  # type: ignore[arg-type]
    assert not verification.holds


@pytest.mark.claim("defEDPRIV")
def test_defEDPRIV__as_printed_has_disjoint_supports() -> None:  # noqa: N802
    assert verify_bounded(AS_PRINTED, Parameters(), LINE, 2).greatest.total == INFINITY


@pytest.mark.claim("defwunMF")
def test_defwunMF__second_tree_is_judged_for_noisy_masses_only() -> None:  # noqa: N802
    with pytest.raises(PreconditionError, match="weights that depend on noisy masses"):
        verify_second_tree(AS_PRINTED, Parameters(trees=2), LINE, 2)


@pytest.mark.no_cover
@pytest.mark.claim("fixALPHA")
def test_fixALPHA__minority_reading_stays_below_the_claim_on_all_tiny_pairs() -> None:  # noqa: N802
    protocol = replace(SOUND, alpha=AlphaRule.RAW_MINORITY)
    assert verify_bounded(protocol, Parameters(depth=2), SQUARE, 3).holds


@pytest.mark.claim("fixALPHA")
@pytest.mark.parametrize("relation", Relation)
def test_fixALPHA__private_estimate_holds_on_all_tiny_pairs(relation: Relation) -> None:  # noqa: N802
    protocol = replace(SOUND, alpha=AlphaRule.NOISY_MINORITY, relation=relation)
    verification = verify_bounded(protocol, Parameters(depth=2), SQUARE, 2)
    assert verification.holds
    assert (verification.releases, verification.all_releases) == (3, False)
    assert verification.cases == 3 * verification.classes


@pytest.mark.claim("fixALPHA")
def test_fixALPHA__release_of_alpha_costs_its_budget_at_most_and_attains_it() -> None:  # noqa: N802
    protocol = replace(SOUND, alpha=AlphaRule.NOISY_MINORITY)
    setting = Setting(protocol, Parameters(depth=2), SQUARE, 2, HALF)
    tree = next(tree for tree, _ in tree_law(replace(setting, alphas=(HALF,)), initial_weights(())))
    losses = [
        alpha_loss(setting, tree, initial_weights(one), initial_weights(other))
        for one, other in neighbouring_pairs(SQUARE, 2, Relation.EXCHANGE)
    ]
    assert max(losses) == alpha_budget(1, HALF * Fraction(1, 4), 1, 2) == Fraction(1, 8)


@pytest.mark.claim("fixALPHA")
def test_fixALPHA__estimate_is_clamped_and_recorded_by_level() -> None:  # noqa: N802
    setting = Setting(replace(SOUND, alpha=AlphaRule.NOISY_MINORITY), Parameters(depth=3), LINE, 4, HALF)
    data = initial_weights(sample_of(LINE, [((0,), 1), ((0,), -1), ((1,), 1), ((1,), 1)]))
    assert [estimate(setting, data, Tree(), Fraction(noise)).alpha for noise in (-9, 0, 9)] == [0, HALF, 1]
    assert not wants_estimate(setting, ())
    assert wants_estimate(setting, (0,))
    assert not wants_estimate(with_alpha(setting, HALF), (0,))
    with pytest.raises(PreconditionError, match="a released alpha for level 1"):
        exact_loss(setting, data, data)


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__law_of_trees_sums_to_one_and_losses_are_antisymmetric() -> None:  # noqa: N802
    setting = Setting(SOUND, TWO_LEVELS, SQUARE, 3, HALF)
    pair, _ = next(iter(one_pair_per_orbit(SQUARE, 3, Relation.EXCHANGE)))
    one, other = map(initial_weights, pair)
    assert 1 in enclose(exact_sum(chance for _, chance in tree_law(setting, one)), 100)
    assert len(dict(tree_law(setting, one))) == 8
    there, back = exact_losses(setting, one, other)
    assert exact_loss(setting, other, one).total == back.total
    assert there.total >= 0 <= back.total


def test_symmetry__reduction_does_not_miss_the_greatest_loss() -> None:
    setting = Setting(SOUND, Parameters(), SQUARE, 2, HALF)
    every = [
        exact(exact_loss(setting, initial_weights(a), initial_weights(b)).total)
        for one, other in neighbouring_pairs(SQUARE, 2, Relation.EXCHANGE)
        for a, b in ((one, other), (other, one))
    ]
    reduced = exact(verify_bounded(SOUND, Parameters(), SQUARE, 2).greatest.total)
    assert not any(certainly_less(reduced, loss) for loss in every)


@pytest.mark.no_cover
@pytest.mark.parametrize("rule", [AlphaRule.RAW_STRICT, *slow([AlphaRule.RAW_MINORITY])])
def test_symmetry__reduction_for_raw_alpha_keeps_the_order_of_children(rule: AlphaRule) -> None:
    protocol = replace(SOUND, alpha=rule)
    setting = Setting(protocol, Parameters(depth=2), SQUARE, 2, HALF)
    every = [
        exact(loss.total)
        for pair in neighbouring_pairs(SQUARE, 2, Relation.EXCHANGE)
        for loss in exact_losses(setting, *map(initial_weights, pair))
    ]
    reduced = exact(verify_bounded(protocol, Parameters(depth=2), SQUARE, 2).greatest.total)
    assert not any(certainly_less(reduced, loss) for loss in every)


# Forests -------------------------------------------------------------------------------------------------


def forest_of(mechanism: LeafMechanism, accounting: Accounting, relation: Relation, trees: int = 1) -> Forest:
    """Return a small forest."""
    return Forest(mechanism, accounting, SQUARE, trees, 1, Fraction(1), relation)


@pytest.mark.claim("sub-sec-sum-imp")
@pytest.mark.parametrize("mechanism", LeafMechanism)
@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("relation", Relation)
def test_sub_sec_sum_imp__forests_are_private_on_all_tiny_pairs(
    mechanism: LeafMechanism, accounting: Accounting, relation: Relation
) -> None:
    forest = forest_of(mechanism, accounting, relation)
    losses = [
        exact_forest_loss(forest, a, b)
        for (one, other), _ in one_pair_per_orbit(SQUARE, 3, relation)
        for a, b in ((one, other), (other, one))
    ]
    assert all(loss <= forest.epsilon for loss in losses)


@pytest.mark.claim("sub-sec-sum-imp")
def test_sub_sec_sum_imp__tight_accounting_of_laplace_is_attained() -> None:
    for accounting, greatest in ((Accounting.TIGHT, 1), (Accounting.PRINTED, HALF)):
        forest = forest_of(LeafMechanism.LAPLACE, accounting, Relation.EXCHANGE)
        pairs = one_pair_per_orbit(SQUARE, 2, Relation.EXCHANGE)
        assert max(exact_forest_loss(forest, *pair) for pair, _ in pairs) == greatest


@pytest.mark.claim("sub-sec-sum-imp")
def test_sub_sec_sum_imp__class_law_of_a_leaf() -> None:
    forest = forest_of(LeafMechanism.EXPONENTIAL, Accounting.TIGHT, Relation.EXCHANGE)
    law = leaf_class_law(forest, Mass(Fraction(3), Fraction(1)))
    assert 1 in enclose(log(law[1] / law[-1]), 80)


@pytest.mark.claim("sub-sec-sum-imp")
@pytest.mark.parametrize("mechanism", LeafMechanism)
def test_sub_sec_sum_imp__forest_is_sampled_and_accounted(mechanism: LeafMechanism) -> None:
    forest = forest_of(mechanism, Accounting.PRINTED, Relation.EXCHANGE, trees=3)
    sample = next(iter(neighbouring_pairs(SQUARE, 4, Relation.EXCHANGE)))[0]
    model = sample_forest(forest, sample, SeededBits(2))
    assert model.ledger.total == 1
    assert len(model.trees) == 3
    assert {model.predict(x) for x in SQUARE.observations()} <= {-1, 1}


def test_sub_sec_sum_imp__random_trees_are_uniform() -> None:
    chances = [chance for _, chance in random_trees(SQUARE, 2)]
    assert chances == [Fraction(1, 8)] * 8
