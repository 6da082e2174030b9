"""Trees, their risks in both forms, weak learning, and noise-free induction."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privboost.errors import PreconditionError
from privboost.reference.data import (
    Domain,
    Example,
    Quantised,
    Threshold,
    WeightedSample,
    binary_domain,
    initial_weights,
    sample_of,
    splits,
    unit_weights,
)
from privboost.reference.exact import exact_sum, exp, sqrt
from privboost.reference.losses import LOG, MATSUSHITA, SQUARE, ZERO_ONE, m_alpha
from privboost.reference.trees.induction import Order, best_split, induce
from privboost.reference.trees.risks import (
    Mass,
    RiskReading,
    empirical_risk,
    leaf_masses,
    leaf_predictions,
    leaf_risk,
    total_risk,
    tree_risk,
)
from privboost.reference.trees.tree import ROOT, Path, Tree, classifier
from privboost.reference.trees.weak import (
    as_vote,
    balanced_weights,
    balanced_weights_as_printed,
    check_monotonic,
    check_weak_classifier,
    check_weak_split,
    check_weak_split_km,
    edge,
    mean_weight,
    normalised_leaf_weight,
    normalised_weights,
    one_step_decrease,
    split_decrease,
    tree_efficiency,
)

DOMAIN = binary_domain(2)
LEFT, RIGHT = splits(DOMAIN)
GROWN = Tree().grow(ROOT, LEFT).grow((1,), RIGHT)
XOR = sample_of(DOMAIN, [((a, b), 1 if a == b else -1) for a, b in product((0, 1), repeat=2)])
HALF = Fraction(1, 2)

weights = st.sampled_from([Fraction(1, 3), HALF, Fraction(1)])
examples = st.builds(Example, st.tuples(st.integers(0, 1), st.integers(0, 1)), st.sampled_from([-1, 1]))


@st.composite
def weighted_samples(draw: st.DrawFn) -> WeightedSample:
    """Draw a small weighted sample of the binary domain."""
    sample = tuple(draw(st.lists(examples, min_size=1, max_size=6)))
    return WeightedSample(sample, tuple(draw(weights) for _ in sample))


def test_tree__grows_and_routes() -> None:
    assert list(GROWN.leaves()) == [(0,), (1, 0), (1, 1)]
    assert [GROWN.leaf_of(x) for x in DOMAIN.observations()] == [(0,), (0,), (1, 0), (1, 1)]
    assert GROWN.depth() == 2
    assert str(GROWN) == "root: x0 >= 1, 1: x1 >= 1"
    assert str(Tree()) == "leaf"
    assert classifier(GROWN, {(0,): "a", (1, 0): "b", (1, 1): "c"})((1, 1)) == "c"


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__only_leaves_grow() -> None:  # noqa: N802
    with pytest.raises(PreconditionError, match="a leaf of the tree"):
        GROWN.grow(ROOT, LEFT)
    with pytest.raises(PreconditionError, match="a split at every node above"):
        Tree((((0,), LEFT),))


@pytest.mark.claim("defMECH")
@pytest.mark.claim("defLOSSGENPROB")
@given(weighted_samples())
def test_defMECH__both_forms_of_the_risk_agree(data: WeightedSample) -> None:  # noqa: N802
    for loss in (MATSUSHITA, SQUARE, ZERO_ONE):
        assert data.total * tree_risk(loss, GROWN, data) == total_risk(loss, GROWN, data)


@pytest.mark.claim("condGAP")
@given(weighted_samples())
def test_condGAP__a_split_never_raises_the_risk(data: WeightedSample) -> None:  # noqa: N802
    before = leaf_masses(Tree(), data)[ROOT]
    children = leaf_masses(Tree().grow(ROOT, LEFT), data)
    for loss in (MATSUSHITA, SQUARE, ZERO_ONE, m_alpha(HALF)):
        decrease = split_decrease(loss, before, children[0,], children[1,])
        assert decrease >= 0
        assert decrease == total_risk(loss, Tree(), data) - total_risk(loss, Tree().grow(ROOT, LEFT), data)


@pytest.mark.claim("defDELTA1")
def test_defDELTA1__decrease_of_a_split_in_the_papers_parameters() -> None:  # noqa: N802
    left, right = Mass(Fraction(1), Fraction(3)), Mass(Fraction(4), Fraction(2))
    before = Mass(Fraction(5), Fraction(5))
    tau, delta = Fraction(6, 10), Fraction(4, 6) - Fraction(1, 4)
    for loss in (MATSUSHITA, SQUARE, ZERO_ONE):
        assert split_decrease(loss, before, left, right) == 10 * one_step_decrease(loss, HALF, tau, delta)


@pytest.mark.claim("defLOSSGENR")
def test_defLOSSGENR__readings_of_the_empirical_risk() -> None:  # noqa: N802
    data = unit_weights(sample_of(DOMAIN, [((0, 0), 1), ((0, 0), -1), ((1, 0), 1)]))
    tree = Tree().grow(ROOT, LEFT)
    assert empirical_risk(tree, data, MATSUSHITA, RiskReading.STRICT) == 0
    assert empirical_risk(tree, data, MATSUSHITA, RiskReading.MINORITY) == Fraction(1, 3)
    assert empirical_risk(Tree(), data, MATSUSHITA) == Fraction(1, 3)


@pytest.mark.claim("predDT")
def test_predDT__predictions_of_leaves() -> None:  # noqa: N802
    masses: dict[Path, Mass] = {(0,): Mass(Fraction(1), Fraction(4)), (1,): Mass()}
    assert leaf_predictions(MATSUSHITA, masses) == {(0,): Fraction(-3, 2), (1,): 0}
    with pytest.raises(PreconditionError, match="a non-empty leaf"):
        Mass().proportion  # noqa: B018


@pytest.mark.claim("defLOSSGENPROB")
def test_defLOSSGENPROB__empty_sample_is_refused() -> None:  # noqa: N802
    with pytest.raises(PreconditionError, match="a non-empty sample"):
        tree_risk(MATSUSHITA, Tree(), WeightedSample((), ()))
    with pytest.raises(PreconditionError, match="a non-empty sample"):
        mean_weight(WeightedSample((), ()))


@pytest.mark.claim("wlaKMDT")
@given(weighted_samples())
def test_wlaKMDT__balanced_weights_are_a_balanced_distribution(data: WeightedSample) -> None:  # noqa: N802
    mass = leaf_masses(Tree(), data)[ROOT]
    if mass.positive and mass.negative:
        balanced = balanced_weights(Tree(), ROOT, data)
        assert exact_sum(balanced) == 1
        assert exact_sum(w for e, w in zip(data.sample, balanced, strict=True) if e.y == 1) == HALF
    else:
        with pytest.raises(PreconditionError, match="both classes"):
            balanced_weights(Tree(), ROOT, data)


@pytest.mark.claim("wlaKM")
@given(weighted_samples(), st.fractions(0, 1, max_denominator=8))
def test_wlaKM__equivalent_to_the_papers_with_twice_the_constant(  # noqa: N802
    data: WeightedSample, gamma: Fraction
) -> None:
    mass = leaf_masses(Tree(), data)[ROOT]
    if mass.positive and mass.negative:
        km = check_weak_split_km(gamma, Tree(), ROOT, LEFT, data)
        assert km == check_weak_split(2 * gamma, Tree(), ROOT, LEFT, data)


@pytest.mark.claim("wlaKM")
def test_wlaKM__not_equivalent_with_the_same_constant() -> None:  # noqa: N802
    data = unit_weights(sample_of(DOMAIN, [((0, 0), 1), ((1, 0), 1), ((0, 0), -1), ((0, 0), -1)]))
    assert check_weak_split(HALF, Tree(), ROOT, LEFT, data)
    assert not check_weak_split_km(HALF, Tree(), ROOT, LEFT, data)


@pytest.mark.claim("wlaKMLC")
def test_wlaKMLC__edge_of_a_classifier() -> None:  # noqa: N802
    data = WeightedSample(XOR, (HALF, HALF, Fraction(1), Fraction(1)))
    # y g(x) is -1, 1, -1, 1 on 00, 01, 10, 11.
    assert edge(data.weights, XOR, as_vote(LEFT)) == -HALF + HALF - 1 + 1
    assert exact_sum(normalised_weights(data)) == 1
    assert mean_weight(data) == Fraction(3, 4)
    assert check_weak_classifier(1, 2, lambda x: 2 * (1 if x[0] == x[1] else -1), data)
    assert not check_weak_classifier(1, 2, as_vote(LEFT), data)


@pytest.mark.claim("thBoostDT1")
def test_thBoostDT1__monotonicity_of_alphas() -> None:  # noqa: N802
    flat, ones = [HALF] * 4, [Fraction(1)] * 4
    assert check_monotonic(0, flat, ones)
    rising = [HALF, HALF, HALF * exp(Fraction(1, 8)), HALF]
    assert check_monotonic(Fraction(1, 4), rising, ones)
    assert not check_monotonic(Fraction(1, 5), rising, ones)


@pytest.mark.claim("defNW")
def test_defNW__normalised_weight_of_a_node() -> None:  # noqa: N802
    data = initial_weights(XOR)
    assert normalised_leaf_weight(GROWN, (1,), data) == HALF
    assert normalised_leaf_weight(GROWN, (1, 0), data) == Fraction(1, 4)
    assert tree_efficiency((1,), HALF, HALF) == HALF


@pytest.mark.claim("thBoostDT1")
def test_thBoostDT1__induction_learns_what_can_be_learned() -> None:  # noqa: N802
    data = initial_weights(
        sample_of(DOMAIN, [((a, b), 1 if a and b else -1) for a in (0, 1) for b in (0, 1)])
    )
    tree = induce(MATSUSHITA, DOMAIN, data, depth=2)
    assert empirical_risk(tree, data, MATSUSHITA, RiskReading.MINORITY) == 0
    assert len(tree.nodes) == 2


@pytest.mark.claim("thBoostDT1")
def test_thBoostDT1__first_split_wins_an_exact_tie() -> None:  # noqa: N802
    assert best_split(MATSUSHITA, DOMAIN, Tree(), ROOT, initial_weights(XOR)) == LEFT
    swapped = sample_of(DOMAIN, [((b, a), y) for (a, b), y in ((e.x, e.y) for e in XOR)])
    assert best_split(LOG, DOMAIN, Tree(), ROOT, initial_weights(swapped)) == LEFT


@pytest.mark.claim("boostCOND")
def test_boostCOND__stump_takes_the_split_that_separates() -> None:  # noqa: N802
    rows = [((0, 0), 1), ((0, 1), -1), ((1, 0), 1), ((1, 1), -1), ((1, 0), 1), ((1, 1), -1), ((0, 0), 1)]
    data = WeightedSample(sample_of(DOMAIN, rows), (HALF, HALF, *(Fraction(1),) * 4, HALF))
    stump = induce(ZERO_ONE, DOMAIN, data, depth=1)
    assert stump.nodes == ((ROOT, Threshold(1, 1)),)


@pytest.mark.claim("defMECH")
def test_defMECH__risk_of_a_leaf() -> None:  # noqa: N802
    assert leaf_risk(MATSUSHITA, Mass(Fraction(1), Fraction(2))) == 2 * sqrt(2)
    assert leaf_risk(MATSUSHITA, Mass()) == 0


@pytest.mark.claim("boostCOND")
def test_boostCOND__second_split_is_of_the_heavier_leaf() -> None:  # noqa: N802
    rows = [((0, 0), 1), ((0, 1), -1), ((0, 0), 1), *[((1, 0), -1)] * 3, *[((1, 1), 1)] * 2]
    data = unit_weights(sample_of(DOMAIN, rows))
    by_mass = induce(MATSUSHITA, DOMAIN, data, depth=2, order=Order.HEAVIEST, max_splits=2)
    by_level = induce(MATSUSHITA, DOMAIN, data, depth=2, max_splits=2)
    assert [path for path, _ in by_mass.nodes] == [ROOT, (1,)]
    assert [path for path, _ in by_level.nodes] == [ROOT, (0,)]


def test_induction__domain_without_a_split_is_refused() -> None:
    with pytest.raises(PreconditionError, match="a domain with a split"):
        best_split(MATSUSHITA, Domain((Quantised("x", 1),)), Tree(), ROOT, unit_weights(XOR))


@pytest.mark.claim("wlaKMDT")
def test_wlaKMDT__printed_balanced_weights_need_both_classes() -> None:  # noqa: N802
    pure = unit_weights(sample_of(DOMAIN, [((0, 0), 1)]))
    with pytest.raises(PreconditionError, match="both classes"):
        balanced_weights_as_printed(Tree(), ROOT, pure)
