"""Private learners end to end: ledgers add up, ensembles predict, MABoost follows its definition."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from privboost.errors import InexactInputError, PreconditionError
from privboost.oracle_tests.support.marks import slow
from privboost.reference.data import (
    Domain,
    Example,
    Quantised,
    Relation,
    Threshold,
    WeightedSample,
    binary_domain,
    initial_weights,
    sample_of,
)
from privboost.reference.exact import exact, exact_sum
from privboost.reference.learners.boosting import Release, leverage, margin, mirror_update, weight_rule
from privboost.reference.learners.ensemble import maboost, sample_private_ensemble, tree_learner
from privboost.reference.learners.leaves import (
    centre_of_leaf,
    clamp,
    leaf_scale,
    raw_leaf_value,
    value_of_noisy_mass,
)
from privboost.reference.learners.privacy_loss import exact_loss
from privboost.reference.learners.private_tree import sample_leaves
from privboost.reference.learners.protocol import (
    AS_PRINTED,
    SOUND,
    AlphaRule,
    BetaRule,
    BudgetRule,
    LeafRule,
    Parameters,
    Protocol,
    SensitivityRule,
    SplitLaw,
)
from privboost.reference.learners.splitting import (
    Setting,
    node_alpha,
    node_budget,
    node_sensitivity,
    split_law,
    split_scores,
)
from privboost.reference.losses import m_alpha
from privboost.reference.privacy.bits import SeededBits
from privboost.reference.privacy.coins import enumerate_law
from privboost.reference.privacy.mechanisms import GridLaplace, certainly_less
from privboost.reference.trees.risks import Mass, leaf_masses, total_risk
from privboost.reference.trees.tree import ROOT, Tree

DOMAIN = binary_domain(2)
LEARNABLE = sample_of(
    DOMAIN, [((a, b), 1 if a else -1) for a, b in product((0, 1), repeat=2) for _ in range(2)]
)
HALF = Fraction(1, 2)

CHOICES: list[Protocol] = [
    SOUND,
    AS_PRINTED,
    *(replace(SOUND, alpha=rule) for rule in AlphaRule),
    *(replace(SOUND, split_law=law) for law in SplitLaw),
    *(replace(SOUND, sensitivity=rule) for rule in SensitivityRule),
    *(replace(SOUND, node_budget=rule) for rule in BudgetRule),
    *(replace(SOUND, leaf=rule, beta=BetaRule.CONSTANT) for rule in LeafRule),
    *(replace(SOUND, beta=rule) for rule in BetaRule),
    replace(SOUND, relation=Relation.ADD_REMOVE),
    replace(AS_PRINTED, relation=Relation.ADD_REMOVE),
]


def setting_of(protocol: Protocol = SOUND, **parameters: object) -> Setting:
    """Return the setting of the first tree on the learnable sample."""
    return Setting(protocol, Parameters(**parameters), DOMAIN, len(LEARNABLE), HALF)  # type: ignore[arg-type]


@pytest.mark.claim("sec-solv")
@pytest.mark.parametrize("protocol", CHOICES, ids=repr)
def test_sec_solv__every_protocol_runs_and_spends_epsilon(protocol: Protocol) -> None:
    setting = setting_of(protocol, trees=2, depth=2, bound=Fraction(2), epsilon=Fraction(3))
    ensemble = sample_private_ensemble(setting, LEARNABLE, SeededBits(7))
    assert ensemble.ledger.total == 3
    assert len(ensemble.releases) == 2
    assert all(len(list(release.tree.leaves())) == 4 for release in ensemble.releases)
    assert all(abs(value) <= 2 for release in ensemble.releases for _, value in release.values)
    assert {ensemble.predict(x) for x in DOMAIN.observations()} <= {-1, 1}


@pytest.mark.claim("sec-solv")
def test_sec_solv__ledger_names_what_the_paper_takes_from_raw_data() -> None:
    printed = sample_private_ensemble(setting_of(AS_PRINTED), LEARNABLE, SeededBits(1)).ledger
    sound = sample_private_ensemble(setting_of(), LEARNABLE, SeededBits(1)).ledger
    assert [e.what for e in printed.expenses if "not a guarantee" in e.reason] == ["alpha", "coefficient"]
    assert not any("as printed" in expense.reason for expense in sound.expenses)


@pytest.mark.claim("sec-solv")
def test_sec_solv__with_a_large_budget_the_ensemble_learns() -> None:
    setting = setting_of(trees=2, epsilon=Fraction(2000))
    ensemble = sample_private_ensemble(setting, LEARNABLE, SeededBits(3))
    assert [ensemble.predict(example.x) for example in LEARNABLE] == [example.y for example in LEARNABLE]


@pytest.mark.claim("sec-solv")
def test_sec_solv__same_bits_same_ensemble_other_bits_another() -> None:
    runs = [sample_private_ensemble(setting_of(), LEARNABLE, SeededBits(seed)).releases for seed in (5, 5, 6)]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.claim("defEDPRIV")
def test_defEDPRIV__sample_must_fit_the_public_size() -> None:  # noqa: N802
    for size in (3, 9):
        with pytest.raises(PreconditionError, match=f"{size} examples"):
            sample_private_ensemble(replace(setting_of(), size=size), LEARNABLE, SeededBits(1))
    bounded = replace(setting_of(replace(SOUND, relation=Relation.ADD_REMOVE)), size=9)
    for sample in (LEARNABLE, ()):
        assert sample_private_ensemble(bounded, sample, SeededBits(1)).ledger.total == 1


@pytest.mark.claim("sec:priv")
def test_sec_priv__setting_and_data_are_checked() -> None:
    setting = setting_of()
    for bad in ({"size": 0}, {"weight_bound": Fraction(0)}, {"domain": Domain((Quantised("x", 1),))}):
        with pytest.raises(PreconditionError):
            replace(setting, **bad)
    with pytest.raises(PreconditionError, match="weights of at most 1/100"):
        exact_loss(replace(setting, weight_bound=Fraction(1, 100)), *[initial_weights(LEARNABLE)] * 2)
    outside = (*LEARNABLE[:-1], Example((7, -3), 1))
    with pytest.raises(PreconditionError, match="an observation with indices"):
        sample_private_ensemble(setting, outside, SeededBits(1))


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__scores_are_the_whole_risk_up_to_a_constant() -> None:  # noqa: N802
    data = initial_weights(LEARNABLE)
    setting = setting_of()
    tree = Tree().grow(ROOT, next(iter(split_law(setting, data, Tree(), ROOT))))
    for alpha in (Fraction(0), HALF, Fraction(1)):
        scores = split_scores(setting, data, tree, (1,), alpha)
        whole = {split: total_risk(m_alpha(alpha), tree.grow((1,), split), data) for split in scores}
        assert len({scores[split] + whole[split] for split in scores}) == 1


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__better_splits_are_likelier() -> None:  # noqa: N802
    law = split_law(setting_of(), initial_weights(LEARNABLE), Tree(), ROOT)
    informative, useless = law.values()
    assert certainly_less(useless, informative)


@pytest.mark.claim("fixALPHA")
def test_fixALPHA__calibrated_alpha() -> None:  # noqa: N802
    rows = [((0, 0), 1), ((0, 0), 1), ((0, 1), -1), ((1, 0), -1), ((1, 1), -1), ((1, 1), -1), ((1, 1), 1)]
    data = initial_weights(sample_of(DOMAIN, rows))
    tree = Tree().grow(ROOT, next(iter(split_law(setting_of(), data, Tree(), ROOT))))
    for rule in (AlphaRule.RAW_STRICT, AlphaRule.RAW_MINORITY):
        setting = setting_of(replace(SOUND, alpha=rule))
        assert node_alpha(setting, data, Tree(), ROOT) == 1
        assert node_alpha(setting, data, tree, (0,)) == Fraction(2, 3)
    scheduled = setting_of(alphas=(Fraction(1), HALF))
    assert [node_alpha(scheduled, data, tree, (0,) * level) for level in range(4)] == [1, HALF, HALF, HALF]


@pytest.mark.claim("fixEPSILON")
def test_fixEPSILON__node_budgets() -> None:  # noqa: N802
    printed = setting_of(AS_PRINTED, trees=2, depth=3)
    budgets = [node_budget(printed, (0,) * level) for level in range(3)]
    assert budgets == [Fraction(1, 12 << level) for level in range(3)]
    assert node_budget(setting_of(trees=2, depth=3), (0, 1)) == Fraction(1, 12)


@pytest.mark.claim("sensALPHA")
def test_sensALPHA__node_sensitivities() -> None:  # noqa: N802
    assert node_sensitivity(setting_of(AS_PRINTED), Fraction(0)) == 3
    assert node_sensitivity(setting_of(), Fraction(0)) == 1


@pytest.mark.claim("sub-sec-sum-imp")
def test_sub_sec_sum_imp__leaf_values() -> None:
    pure, empty = Mass(Fraction(2), Fraction(0)), Mass()
    printed = setting_of(AS_PRINTED, bound=Fraction(3))
    assert raw_leaf_value(printed, pure) > 99
    assert raw_leaf_value(setting_of(replace(AS_PRINTED, leaf=LeafRule.LINK_CLAMP_NOISE)), pure) == 10
    assert raw_leaf_value(printed, empty) == value_of_noisy_mass(printed, empty) == 0
    assert value_of_noisy_mass(printed, pure) == 3
    assert value_of_noisy_mass(printed, Mass(Fraction(-1), Fraction(-2))) == 0
    assert value_of_noisy_mass(printed, Mass(Fraction(1), Fraction(4))) == Fraction(-3, 2)
    assert clamp(Fraction(-9), Fraction(3)) == -3
    assert leaf_scale(printed, 2) == 24
    assert leaf_scale(setting_of(), 2) == 2
    assert leaf_scale(setting_of(replace(SOUND, relation=Relation.ADD_REMOVE)), 2) == 1


@pytest.mark.claim("defwunMF")
def test_defwunMF__weights_follow_the_margin_on_the_grid() -> None:  # noqa: N802
    setting = replace(setting_of(), weight_bound=Fraction(1))
    release = Release(Tree(), ((ROOT, Fraction(3, 2)),), Fraction(1))
    positive, negative = sample_of(DOMAIN, [((0, 0), 1), ((0, 0), -1)])
    rule = weight_rule(setting, [release])
    grid = setting.parameters.grid
    assert margin([release, release], (0, 0)) == 3
    assert rule(positive) == Fraction(1, 5) // grid * grid
    assert rule(negative) == Fraction(4, 5) // grid * grid
    assert all((rule(example) / grid).denominator == 1 for example in (positive, negative))  # type: ignore[union-attr]
    assert weight_rule(setting, [release] * 10**4)(positive) == grid


@pytest.mark.claim("defwunMF")
def test_defwunMF__mirror_update_of_matsushita_accumulates_margins() -> None:  # noqa: N802
    loss = m_alpha(1)
    once = mirror_update(loss, HALF, Fraction(1), 1, Fraction(3, 4))
    assert mirror_update(loss, once, Fraction(1), 1, Fraction(3, 4)) == Fraction(1, 5)


@pytest.mark.claim("cboost")
def test_cboost__coefficients_are_those_of_the_pseudo_code() -> None:
    alpha, bound = Fraction(1), Fraction(2)
    weak = tree_learner(m_alpha(alpha), DOMAIN, 1, bound)
    steps = maboost(alpha, bound, 2, LEARNABLE, weak)
    data = initial_weights(LEARNABLE)
    a = alpha / bound**2
    for step in steps:
        direct = a / len(LEARNABLE) * exact_sum(w * e.y * exact(step.classifier(e.x)) for e, w in data)
        assert step.beta == direct
        updated = [
            mirror_update(m_alpha(alpha), w, step.beta, e.y, exact(step.classifier(e.x))) for e, w in data
        ]
        data = WeightedSample(LEARNABLE, tuple(updated))
    assert steps[1].mean_weight < steps[0].mean_weight == HALF


@pytest.mark.claim("cboost")
@pytest.mark.parametrize(("alpha", "bound", "pi"), [(0, 1, 0), ("3/2", 1, 0), (1, 0, 0), (1, 1, 1)], ids=str)
def test_cboost__parameters_are_checked(alpha: object, bound: int, pi: int) -> None:
    with pytest.raises(PreconditionError, match="cboost"):
        maboost(exact(alpha), bound, 1, LEARNABLE, tree_learner(m_alpha(1), DOMAIN, 1, 1), pi=pi)


@pytest.mark.claim("cboost")
def test_cboost__leverage_by_leaves_is_the_sum_over_examples() -> None:
    data = initial_weights(LEARNABLE)
    tree = Tree().grow(ROOT, next(iter(split_law(setting_of(), data, Tree(), ROOT))))
    values = {leaf: Fraction(index + 1) for index, leaf in enumerate(tree.leaves())}
    by_leaves = leverage(HALF, 8, values, leaf_masses(tree, data))
    assert by_leaves == HALF / 8 * exact_sum(w * e.y * values[tree.leaf_of(e.x)] for e, w in data)


@pytest.mark.parametrize(
    "bad",
    [
        {"trees": 0},
        {"depth": 0},
        {"epsilon": Fraction(0)},
        {"beta_tree": Fraction(1)},
        {"bound": Fraction(0)},
        {"zeta": HALF},
        {"alphas": ()},
        {"alphas": (Fraction(2),)},
        {"boost_alpha": Fraction(0)},
        {"grid": Fraction(1, 3)},
        {"grid": Fraction(0)},
        {"bound": Fraction(1, 3)},
    ],
    ids=str,
)
def test_parameters__are_checked(bad: dict[str, object]) -> None:
    with pytest.raises(PreconditionError, match="sec-solv"):
        Parameters(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["epsilon", "beta_tree", "bound", "zeta", "boost_alpha", "grid", "alpha_share"]
)
def test_parameters__floats_are_refused(name: str) -> None:
    with pytest.raises(InexactInputError, match=name):
        Parameters(**{name: 0.5})  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [{"trees": 1.5}, {"depth": 2.0}, {"depth": True}], ids=str)
def test_parameters__counts_are_integers(bad: dict[str, object]) -> None:
    with pytest.raises(PreconditionError, match="an integer >= 0"):
        Parameters(**bad)  # type: ignore[arg-type]


@pytest.mark.no_cover
@pytest.mark.claim("sub-sec-sum-imp")
@pytest.mark.parametrize("rule", [LeafRule.LINK_NOISE_CLAMP, *slow([LeafRule.LINK_CLAMP_NOISE])])
def test_sub_sec_sum_imp__sampled_leaf_has_the_law_that_is_judged(rule: LeafRule) -> None:
    protocol = replace(SOUND, leaf=rule, beta=BetaRule.CONSTANT)
    parameters = Parameters(bound=Fraction(1), grid=HALF, zeta=Fraction(1, 5), epsilon=Fraction(8))
    setting = Setting(protocol, parameters, binary_domain(1), 1, HALF)
    data = initial_weights(sample_of(binary_domain(1), [((0,), 1)]))
    tree = Tree().grow(ROOT, Threshold(0, 1))
    counted = enumerate_law(lambda bits: sample_leaves(setting, data, tree, bits).values[0][1], 40)
    law = GridLaplace(centre_of_leaf(setting, leaf_masses(tree, data)[0,]), leaf_scale(setting, 2), HALF)
    expected = {
        Fraction(-1): law.below(-1),
        -HALF: law.below(-HALF) - law.below(-1),
        Fraction(0): law.below(0) - law.below(-HALF),
        HALF: law.below(HALF) - law.below(0),
        Fraction(1): law.above(1),
    }
    assert counted.rest < Fraction(1, 1000)
    assert all(chance in counted.enclose(outcome) for outcome, chance in expected.items())
