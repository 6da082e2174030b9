"""Factoring, and surds whose radicands are too large to factor."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privboost.reference.exact import Exact, Number, Surd, enclose, exp, log, sign, sqrt
from privboost.reference.exact.factoring import factor, is_prime

PRIMES = [2, 3, 1021, 1031, 65537, 10**9 + 7, 2**31 - 1, 10**12 + 39, 2**61 - 1]
LARGE = 2**89 - 1
LARGER = 2**107 - 1
LARGEST = 2**127 - 1


# Integers ------------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(st.lists(st.sampled_from(PRIMES), max_size=5))
def test_factoring__finds_primes_with_the_same_product(primes: list[int]) -> None:
    exponents, cofactor = factor(math.prod(primes))
    assert cofactor * math.prod(prime**exponent for prime, exponent in exponents) == math.prod(primes)
    assert {prime for prime, _ in exponents} <= set(primes)


@settings(max_examples=300)
@given(st.integers(1, 10**12))
def test_factoring__of_moderate_numbers_is_complete(number: int) -> None:
    exponents, cofactor = factor(number)
    assert (cofactor, math.prod(prime**exponent for prime, exponent in exponents)) == (1, number)


def test_factoring__primality_agrees_with_trial_division() -> None:
    trial = [n for n in range(2, 2000) if all(n % d for d in range(2, n))]
    assert [n for n in range(2, 2000) if is_prime(n)] == trial


def test_factoring__pseudoprimes_are_composite() -> None:
    numbers = [561, 3215031751, 341550071728321, 3825123056546413051, 318665857834031151167461]
    assert [number for number in (*numbers, 2**67 - 1, 1031**2) if is_prime(number)] == []
    assert [prime for prime in PRIMES if not is_prime(prime)] == []


@settings(max_examples=300)
@given(st.integers(1, 3000), st.integers(1, 3000))
def test_roots__of_integers_have_square_free_radicands(side: int, rest: int) -> None:
    root = sqrt(side * side * rest)
    radicands = [radicand for radicand, _ in root.terms] if isinstance(root, Surd) else []
    assert all(radicand % (d * d) for radicand in radicands for d in range(2, 60))


# Radicands that are not factored -------------------------------------------------------------------------

SAME: dict[str, tuple[Exact, Exact]] = {
    "square": (sqrt(LARGE**2), Fraction(LARGE)),
    "square times small": (sqrt(LARGE**2 * 6), LARGE * sqrt(6)),
    "small square": (sqrt(4 * LARGE), 2 * sqrt(LARGE)),
    "product": (sqrt(LARGE) * sqrt(LARGER), sqrt(LARGE * LARGER)),
    "square of one factor": (sqrt(LARGE**2 * LARGER), LARGE * sqrt(LARGER)),
    "cube": (sqrt(LARGE**3), LARGE * sqrt(LARGE)),
    "common factor": (sqrt(LARGE * LARGER) * sqrt(LARGER * LARGEST), LARGER * sqrt(LARGE * LARGEST)),
    "cancelling": (sqrt(LARGE * LARGER) / sqrt(LARGER), sqrt(LARGE)),
    "inverse": (1 / sqrt(LARGE * LARGER), sqrt(Fraction(1, LARGE * LARGER))),
    "sum": (sqrt(LARGE**2 * LARGER) + sqrt(LARGER), (LARGE + 1) * sqrt(LARGER)),
    "difference": (sqrt(LARGE**2 * LARGER) - LARGE * sqrt(LARGER), Fraction(0)),
    "binomial": ((sqrt(LARGE) + sqrt(LARGER)) ** 2, LARGE + LARGER + 2 * sqrt(LARGE * LARGER)),
}


@pytest.mark.parametrize(("first", "second"), SAME.values(), ids=SAME.keys())
def test_large_radicands__equality_is_decided(first: Exact, second: Exact) -> None:
    assert first == second
    assert (first < second, first <= second, sign(first - second)) == (False, True, 0)
    assert hash(first) == hash(second)


def test_large_radicands__quotients_of_sums_are_enclosed() -> None:
    value = 1 / (sqrt(LARGER) - sqrt(LARGE)) - (sqrt(LARGER) + sqrt(LARGE)) / (LARGER - LARGE)
    assert 0 in enclose(value, 200)


@pytest.mark.parametrize("value", [sqrt(LARGE * LARGER), 1 + sqrt(LARGE), sqrt(LARGE) - sqrt(LARGER)])
def test_large_radicands__powers_undo_their_inverse(value: Number) -> None:
    assert 1 in enclose(value**-2 * value**2, 100)


def test_large_radicands__near_ties_are_decided() -> None:
    root = sqrt(LARGE * LARGER)
    below = Fraction(math.isqrt(LARGE * LARGER << 2000), 2**1000)
    assert below < root < below + Fraction(1, 2**1000)


@pytest.mark.parametrize("number", [LARGE * LARGER, LARGE**2, 3 * LARGE, Fraction(LARGE, LARGER)])
def test_large_logarithms__contain_their_argument(number: Fraction) -> None:
    assert number in enclose(exp(log(number) / 2) ** 2, 10)
