"""Numbers closer than 2**-300, and zeros and equal numbers that algebra does not detect."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privboost.errors import PreconditionError, Undecided
from privboost.oracle_tests.support.enclosures import answer
from privboost.reference.exact import INFINITY, Exact, enclose, exact_sum, exp, log, sign, sqrt

Builder: TypeAlias = Callable[[], Exact]


# Surds: every tie is decided -----------------------------------------------------------------------------


def pell(steps: int) -> tuple[int, int]:
    """Return (p, q) with p * p - 2 * q * q = (-1) ** steps: p / q is a convergent of sqrt(2)."""
    p, q = 1, 0
    for _ in range(steps):
        p, q = p + 2 * q, p + q
    return p, q


@pytest.mark.parametrize("steps", [120, 121, 300, 301, 1500, 1501])
def test_near_ties__of_convergents_are_decided(steps: int) -> None:
    p, q = pell(steps)
    assert sign(q * sqrt(2) - p) == (1 if steps % 2 else -1)
    assert (sqrt(2) > Fraction(p, q)) == bool(steps % 2)


@pytest.mark.parametrize("exponent", [1, 2, 299, 300, 301])
def test_near_ties__powers_of_a_small_unit_have_its_sign(exponent: int) -> None:
    assert 0 < (sqrt(2) - 1) ** exponent < Fraction(1, 2 ** (38 * exponent // 30))
    assert sign((1 - sqrt(2)) ** exponent) == (-1) ** exponent


def test_near_ties__three_radicands_below_two_to_the_minus_300() -> None:
    tiny = (sqrt(3) - sqrt(2)) ** 100 * (sqrt(7) - sqrt(6)) ** 100
    assert 0 < tiny < Fraction(1, 2**300)


def test_near_ties__the_difference_of_equal_surds_is_zero_at_once() -> None:
    assert (sqrt(2) + sqrt(3)) ** 40 - (5 + 2 * sqrt(6)) ** 20 == 0


def test_near_ties__sums_of_square_roots() -> None:
    left = exact_sum(
        sqrt(n) for n in (10**12 + 1, 10**12 + 25, 10**12 + 31, 10**12 + 84, 10**12 + 87, 10**12 + 134)
    )
    right = exact_sum(
        sqrt(n) for n in (10**12, 10**12 + 27, 10**12 + 28, 10**12 + 86, 10**12 + 93, 10**12 + 128)
    )
    assert (left > right) == (enclose(left - right, 400).lo > 0)


@settings(max_examples=100)
@given(st.integers(2, 60), st.integers(100, 800), st.sampled_from([-1, 1]))
def test_near_ties__a_shift_of_a_surd_is_seen(radicand: int, bits: int, direction: int) -> None:
    root = sqrt(radicand)
    assert sign((root + direction * Fraction(1, 2**bits)) - root) == direction


@settings(max_examples=100)
@given(st.integers(2, 10**6), st.integers(10, 400))
def test_near_ties__truncated_roots_are_below(radicand: int, bits: int) -> None:
    root = sqrt(radicand)
    below = Fraction(_floor_root(radicand << (2 * bits)), 2**bits)
    assert below <= root < below + Fraction(1, 2**bits)


def _floor_root(n: int) -> int:
    """Return the integer part of the root of n by bisection, independent of math.isqrt."""
    lo, hi = 0, 1 << (n.bit_length() // 2 + 1)
    while hi - lo > 1:
        middle = (lo + hi) // 2
        lo, hi = (middle, hi) if middle * middle <= n else (lo, middle)
    return lo


# Lazy reals: near ties are decided -----------------------------------------------------------------------

SMALL = Fraction(1, 2**400)
NEAR_TIES: list[tuple[str, Builder, Builder]] = [
    ("scaled exp", lambda: exp(1), lambda: exp(1) * (1 + SMALL)),
    ("shifted exp", lambda: exp(1), lambda: exp(1) + SMALL),
    ("argument of exp", lambda: exp(1), lambda: exp(1 + SMALL)),
    ("argument of log", lambda: log(2), lambda: log(2 + SMALL)),
    ("log of nearly one", lambda: 0, lambda: log(1 + SMALL)),
    ("exp of nearly zero", lambda: 1, lambda: exp(SMALL)),
    ("exp of nearly zero, second order", lambda: 1 + SMALL, lambda: exp(SMALL)),
    ("log of nearly one, second order", lambda: log(1 + SMALL), lambda: SMALL),
    ("scaled log", lambda: log(3) * (1 - SMALL), lambda: log(3)),
    ("root of a real", lambda: sqrt(exp(1)), lambda: sqrt(exp(1) + SMALL)),
    ("surd and real", lambda: sqrt(2), lambda: exp(log(2) / 2) + SMALL),
    ("tiny exponential", lambda: 0, lambda: exp(-300)),
    ("inverse", lambda: 1 / (exp(1) + SMALL), lambda: 1 / exp(1)),
]


@pytest.mark.parametrize(
    ("smaller", "larger"), [(a, b) for _, a, b in NEAR_TIES], ids=[name for name, _, _ in NEAR_TIES]
)
def test_near_ties__of_reals_are_decided(smaller: Builder, larger: Builder) -> None:
    assert smaller() < larger()
    assert not larger() <= smaller()
    assert smaller() != larger()


# Lazy reals: exact ties are never denied -----------------------------------------------------------------

EXACT_TIES: list[tuple[str, Builder, Builder]] = [
    ("log of a power", lambda: log(4), lambda: 2 * log(2)),
    ("exp of log", lambda: exp(log(2)), lambda: 2),
    ("log of exp", lambda: log(exp(3)), lambda: 3),
    ("log of a product", lambda: log(6), lambda: log(2) + log(3)),
    ("exp of a sum", lambda: exp(2), lambda: exp(1) * exp(1)),
    ("root of a square", lambda: sqrt(exp(2)), lambda: exp(1)),
    ("half log", lambda: exp(log(2) / 2), lambda: sqrt(2)),
    ("inverse", lambda: 1 / exp(1), lambda: exp(-1)),
    ("zero", lambda: log(4) - 2 * log(2), lambda: 0),
    ("nested root", lambda: sqrt(3 + 2 * sqrt(2)), lambda: 1 + sqrt(2)),
    ("sums in another order", lambda: exp(1) + log(2) + sqrt(2), lambda: sqrt(2) + (log(2) + exp(1))),
    ("same expression twice", lambda: exp(Fraction(1, 3)), lambda: exp(Fraction(1, 3))),
]


CLAIMS: dict[str, tuple[Callable[[Any, Any], bool], bool]] = {
    "equal": (operator.eq, True),
    "not equal": (operator.ne, False),
    "less": (operator.lt, False),
    "at least": (operator.ge, True),
    "difference of sign 0": (lambda first, second: sign(first - second) == 0, True),
}


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize(
    ("first", "second"), [(a, b) for _, a, b in EXACT_TIES], ids=[name for name, _, _ in EXACT_TIES]
)
def test_exact_ties__are_equal_or_undecided(first: Builder, second: Builder, claim: str) -> None:
    compare, truth = CLAIMS[claim]
    assert answer(lambda: compare(first(), second())) in (truth, None)


def test_exact_ties__the_answer_helper_sees_a_denial() -> None:
    assert answer(lambda: exp(1) == exp(2)) is False


def undecided_tie() -> Undecided:
    """Return the error of a tie that refinement cannot decide."""
    with pytest.raises(Undecided) as caught:
        bool(exp(log(2) + log(3)) + log(5) > 6 + log(5))
    return caught.value


def test_undecided__carries_its_limit_and_its_question() -> None:
    error = undecided_tie()
    assert isinstance(error, ArithmeticError)
    assert error.limit_bits >= 1000
    assert "exp(log(2) + log(3))" in error.question.replace("log(3) + log(2)", "log(2) + log(3)")


def test_undecided__can_be_asked_again_and_leaves_the_numbers_usable() -> None:
    a, b = exp(log(2) + log(3)), exp(log(6))
    assert [answer(lambda: a < b) for _ in range(2)] in ([None, None], [False, False])
    assert a < b + 1


# Zeros that algebra does not detect ----------------------------------------------------------------------


def hidden_zero() -> Exact:
    """Return exp(log 2 + log 3) - 6, which is zero."""
    return exp(log(2) + log(3)) - 6


HIDDEN_ZEROS: dict[str, Builder] = {
    "itself": hidden_zero,
    "square": lambda: hidden_zero() ** 2,
    "product with itself": lambda: hidden_zero() * hidden_zero(),
    "fourth power": lambda: hidden_zero() ** 4,
    "cube": lambda: hidden_zero() ** 3,
    "multiple": lambda: 3 * hidden_zero(),
    "multiple by a surd": lambda: sqrt(2) * hidden_zero(),
    "multiple by a real": lambda: exp(1) * hidden_zero(),
    "multiple of the square": lambda: -log(2) * hidden_zero() ** 2,
    "sum of squares": lambda: hidden_zero() ** 2 + (exp(log(2) + log(5)) - 10) ** 2,
}
each_hidden_zero = pytest.mark.parametrize("zero", HIDDEN_ZEROS.values(), ids=HIDDEN_ZEROS.keys())


QUESTIONS: dict[str, tuple[Callable[[Any], bool], bool]] = {
    "positive": (lambda zero: zero > 0, False),
    "negative": (lambda zero: zero < 0, False),
    "zero": (lambda zero: zero == 0, True),
    "true": (bool, False),
    "root is positive": (lambda zero: sqrt(zero) > 0, False),
}


@each_hidden_zero
@pytest.mark.parametrize("question", QUESTIONS)
def test_hidden_zeros__are_zero_or_undecided(zero: Builder, question: str) -> None:
    ask, truth = QUESTIONS[question]
    assert answer(lambda: ask(zero())) in (truth, None)


@each_hidden_zero
@pytest.mark.parametrize(
    "operation", [log, *(lambda zero, top=top: top / zero for top in (1, sqrt(2), exp(1)))], ids=range(4)
)
def test_hidden_zeros__have_no_logarithm_and_are_no_divisors(
    zero: Builder, operation: Callable[[Any], Any]
) -> None:
    with pytest.raises(ArithmeticError):
        operation(zero())


@each_hidden_zero
def test_hidden_zeros__times_infinity_are_not_determined(zero: Builder) -> None:
    with pytest.raises((ArithmeticError, PreconditionError)):
        zero() * INFINITY


def test_hidden_zeros__of_any_size_are_undecided() -> None:
    with pytest.raises(Undecided):
        bool(hidden_zero() * 10**5000 > 0)


# Coarse bounds that a finer precision repairs ------------------------------------------------------------


@pytest.mark.parametrize("size", [10, 22, 54, 100, 400])
def test_coarse_bounds__of_an_exponent_are_refined(size: int) -> None:
    argument = sqrt(exp(2 * size) + 1) / sqrt(exp(2 * size) + 3)
    assert Fraction(27, 10) < exp(argument) < 3
    assert Fraction(2) < enclose(exp(argument), 1).hi < 4


@pytest.mark.parametrize("size", [10, 100, 1000])
def test_coarse_bounds__of_a_divisor_and_of_a_logarithm_are_refined(size: int) -> None:
    assert exp(size) / (exp(size) + 1) > Fraction(99, 100)
    assert abs(log(exp(-size) + exp(-2 * size)) + size) < Fraction(1, 1000)


@pytest.mark.parametrize("argument", [10**6, 10**30, 10**300])
def test_coarse_bounds__of_exponentials_beyond_memory(argument: int) -> None:
    assert answer(lambda: exp(argument) > 1) is not False
    assert exp(-argument) < Fraction(1, 10**6)
