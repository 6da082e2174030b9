"""Long sums and products, deeply nested and shared expressions, and copies."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, ctx

from privboost.oracle_tests.support.expressions import dyadic
from privboost.reference.exact import Exact, enclose, exact_sum, exp, log, sqrt

BITS = 50
DEPTH = 2000


def encloses_ball(value: Exact, ball: arb) -> bool:
    """Return whether a narrow enclosure of a value and a narrow ball of Arb overlap."""
    enclosure = enclose(value, BITS)
    middle, radius = dyadic(ball.mid()), dyadic(ball.rad())
    return (
        enclosure.width <= Fraction(1, 2**BITS)
        and enclosure.lo <= middle + radius
        and middle - radius <= enclosure.hi
    )


def iterate(function: Callable[[Any], Any], value: Any, times: int) -> Any:
    """Return the value after a function was applied several times."""
    for _ in range(times):
        value = function(value)
    return value


@pytest.fixture(autouse=True)
def _precision() -> Iterator[None]:
    """Compute balls with enough bits, and restore the precision afterwards."""
    before, ctx.prec = ctx.prec, 500
    yield
    ctx.prec = before


def test_ball_check__rejects_a_value_next_to_the_ball() -> None:
    assert not encloses_ball(exp(1) + Fraction(1, 2 ** (BITS - 2)), arb(1).exp())


# Long chains ---------------------------------------------------------------------------------------------


def test_chains__ten_thousand_additions_of_surds() -> None:
    total: Exact = 0
    for i in range(10_000):
        total = total + sqrt(i % 30)
    assert total == exact_sum(sqrt(i % 30) for i in range(10_000))


Step = Callable[[Any, int], Any]
CHAINS: dict[str, tuple[range, Exact, Step, Callable[[], arb]]] = {
    "additions of one real": (range(10_000), 0, lambda x, _: x + exp(1), lambda: 10_000 * arb(1).exp()),
    "additions of different reals": (
        range(1, 501),
        0,
        lambda x, i: x + exp(Fraction(1, i)),
        lambda: sum(((arb(1) / i).exp() for i in range(1, 501)), arb(0)),
    ),
    "factors": (
        range(2, 1002),
        1,
        lambda x, i: x * log(i) / log(i + 1),
        lambda: arb(2).log() / arb(1002).log(),
    ),
    "exponentials multiplied": (
        range(1, 1001),
        1,
        lambda x, i: x * exp(Fraction(1, i)),
        lambda: sum((arb(1) / i for i in range(1, 1001)), arb(0)).exp(),
    ),
    "doublings": (range(200), exp(1), lambda x, _: x + x, lambda: arb(1).exp() * arb(2) ** 200),
    "nested roots": (range(DEPTH), exp(1), lambda x, _: sqrt(1 + x), lambda: (1 + arb(5).sqrt()) / 2),
    "nested fractions": (range(DEPTH), exp(1), lambda x, _: 1 / (1 + x), lambda: (arb(5).sqrt() - 1) / 2),
}


@pytest.mark.parametrize("name", CHAINS)
def test_chains__have_the_value_in_closed_form(name: str) -> None:
    steps, value, step, ball = CHAINS[name]
    for i in steps:
        value = step(value, i)
    assert encloses_ball(value, ball())


def test_chains__ten_thousand_terms_in_one_sum() -> None:
    total = exact_sum(exp(Fraction(1, i)) for i in range(1, 10_001))
    assert encloses_ball(total, sum(((arb(1) / i).exp() for i in range(1, 10_001)), arb(0)))


# Deep nests ----------------------------------------------------------------------------------------------


def test_nests__two_thousand_logarithms() -> None:
    ball = iterate(lambda ball: (2 + ball).log(), arb(1).exp(), DEPTH)
    assert encloses_ball(iterate(lambda x: log(2 + x), exp(1), DEPTH), ball)


def test_nests__two_thousand_exponentials() -> None:
    ball = iterate(lambda ball: (-ball).exp(), arb(2).log(), DEPTH)
    assert encloses_ball(iterate(lambda x: exp(-x), log(2), DEPTH), ball)


def test_nests__five_thousand_levels_can_be_freed() -> None:
    iterate(lambda x: sqrt(1 + log(x * 3)), exp(1), 5000)
    assert exp(1) > 2


def test_nests__two_thousand_levels_have_a_string() -> None:
    assert str(iterate(lambda x: sqrt(1 + x), exp(1), DEPTH))


# Shared expressions --------------------------------------------------------------------------------------


def test_sharing__two_hundred_doublings_of_an_opaque_sum() -> None:
    ball = iterate(lambda ball: (2 + ball).log() + (1 + ball).sqrt(), arb(1) / 3, 200)
    assert encloses_ball(iterate(lambda x: log(2 + x) + sqrt(1 + x), Fraction(1, 3), 200), ball)


def test_sharing__sixty_squarings() -> None:
    enclosure = enclose(iterate(lambda x: x * x, log(2), 60), BITS)
    assert max(abs(enclosure.lo), abs(enclosure.hi)) <= Fraction(1, 2**BITS)


def test_sharing__sixty_squarings_of_a_sum() -> None:
    ball = iterate(lambda ball: ball * ball - arb(1) / 2, arb(2).log(), 60)
    assert encloses_ball(iterate(lambda x: x * x - Fraction(1, 2), log(2), 60), ball)


# Copies --------------------------------------------------------------------------------------------------

EXAMPLES: list[Exact] = [
    sqrt(2),
    1 - 3 * sqrt(5),
    exp(1),
    2 * log(3) + exp(Fraction(-1, 2)),
    sqrt(exp(1) * log(7)),
]


@pytest.mark.parametrize("value", EXAMPLES, ids=str)
def test_copies__are_equal(value: Exact) -> None:
    copies = [pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)]
    assert [str(one) for one in copies] == [str(value)] * 3


def test_copies__of_surds_keep_their_hash() -> None:
    value = 1 + sqrt(2)
    assert hash(pickle.loads(pickle.dumps(value))) == hash(value)


@pytest.mark.parametrize("value", EXAMPLES, ids=str)
def test_values__cannot_be_changed(value: Exact) -> None:
    with pytest.raises((AttributeError, TypeError)):
        value.anything = 1  # type: ignore[union-attr]
