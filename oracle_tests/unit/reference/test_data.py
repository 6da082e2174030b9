"""Public domains, splits, samples, and neighbouring pairs with their symmetries."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from privboost.errors import PreconditionError
from privboost.reference.data import (
    Categorical,
    Domain,
    Example,
    OneVersusRest,
    Quantised,
    Relation,
    Threshold,
    WeightedSample,
    binary_domain,
    neighbouring_pairs,
    neighbours,
    one_pair_per_orbit,
    sample_of,
    samples_of_size,
    splits,
    symmetries,
    text_of,
)
from privboost.reference.exact import sqrt

SQUARE = binary_domain(2)
MIXED = Domain(
    (Quantised("age", 3, Fraction(0), Fraction(90)), Categorical("colour", ("red", "green", "blue")))
)


@pytest.mark.claim("sec-solv")
@pytest.mark.parametrize(
    ("value", "cell"), [(-5, 0), (0, 0), (29, 0), (30, 1), (59, 1), (60, 2), (90, 2), (1000, 2)]
)
def test_sec_solv__regular_quantisation_with_clipping(value: int, cell: int) -> None:
    assert Quantised("age", 3, Fraction(0), Fraction(90)).index(value) == cell


def test_sec_solv__irrational_value_has_a_cell() -> None:
    assert Quantised("x", 10).index(sqrt(2) / 2) == 7


def test_sec_solv__category_index() -> None:
    assert MIXED.attributes[1].index("green") == 1  # type: ignore[arg-type]
    with pytest.raises(PreconditionError, match="a value of colour"):
        MIXED.attributes[1].index("pink")  # type: ignore[arg-type]


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__set_of_splits() -> None:  # noqa: N802
    assert splits(MIXED) == (
        Threshold(0, 1),
        Threshold(0, 2),
        OneVersusRest(1, 0),
        OneVersusRest(1, 1),
        OneVersusRest(1, 2),
    )
    assert splits(Domain((Categorical("c", ("a", "b")),))) == (OneVersusRest(0, 0),)
    assert splits(Domain((Categorical("c", ("a",)), Quantised("x", 1)))) == ()


def test_split__tests_an_observation() -> None:
    assert [Threshold(0, 1)((value, 0)) for value in range(3)] == [0, 1, 1]
    assert [OneVersusRest(1, 2)((0, value)) for value in range(3)] == [0, 0, 1]
    assert (str(Threshold(0, 1)), str(OneVersusRest(1, 2))) == ("x0 >= 1", "x1 = 2")


@pytest.mark.parametrize(
    "make",
    [
        lambda: Quantised("x", 0),
        lambda: Quantised("x", 2, Fraction(1), Fraction(1)),
        lambda: Categorical("c", ("a", "a")),
        lambda: Categorical("c", ()),
        lambda: Domain(()),
        lambda: SQUARE.check((0, 2)),
        lambda: SQUARE.check((0,)),
        lambda: Example((0, 0), 0),
        lambda: WeightedSample((Example((0,), 1),), ()),
        lambda: WeightedSample((Example((0,), 1),), (Fraction(0),)),
        lambda: WeightedSample((Example((0,), 1),), (Fraction(3, 2),)),
    ],
)
def test_data__bad_input_is_refused(make: object) -> None:
    with pytest.raises(PreconditionError):
        make()  # type: ignore[operator]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_samples__every_multiset_once(size: int) -> None:
    samples = list(samples_of_size(SQUARE, size))
    assert len(samples) == len(set(samples)) == comb(8 + size - 1, size)


@pytest.mark.claim("defEDPRIV")
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_defEDPRIV__pairs_are_exactly_the_neighbours(relation: Relation, size: int) -> None:  # noqa: N802
    pairs = list(neighbouring_pairs(SQUARE, size, relation))
    unordered = {frozenset(pair) for pair in pairs}
    expected = {
        frozenset((one, other))
        for one in samples_of_size(SQUARE, size)
        for other in neighbours(SQUARE, one, relation)
        if len(other) <= size
    }
    assert len(pairs) == len(unordered)
    assert unordered == expected


@pytest.mark.parametrize("relation", Relation)
def test_symmetries__orbits_cover_every_pair_once(relation: Relation) -> None:
    orbits = list(one_pair_per_orbit(SQUARE, 2, relation))
    assert sum(members for _, members in orbits) == len(list(neighbouring_pairs(SQUARE, 2, relation)))
    assert len(orbits) < 20


def test_symmetries__of_a_mixed_domain() -> None:
    assert len(symmetries(SQUARE)) == 2 * 4 * 2
    assert len(symmetries(MIXED)) == 2 * 6 * 2
    assert len(symmetries(SQUARE, children_alike=False)) == 2 * 2
    identity = symmetries(MIXED)[0]
    assert identity(Example((2, 1), 1)) == Example((2, 1), 1)


def test_text__of_a_sample() -> None:
    assert text_of(sample_of(SQUARE, [((0, 1), 1), ((1, 1), -1)])) == "{01+, 11-}"
