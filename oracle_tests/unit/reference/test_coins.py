"""Enumeration of coins against brute force over all tapes, and sources of bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from privboost.errors import PreconditionError, PrivboostError
from privboost.reference.exact import exp, log, sqrt
from privboost.reference.privacy import samplers
from privboost.reference.privacy.bits import BitSource, SeededBits, SystemBits, TapeBits, TapeEndError
from privboost.reference.privacy.coins import CoinLaw, enumerate_law

DEPTH = 46
TOLERANCE = Fraction(1, 2**40)

Sampler = Callable[[BitSource], Any]
THREE = [Fraction(1), Fraction(2), sqrt(3)]

# The enumeration itself ------------------------------------------------------------------------------------


@dataclass
class OnlyBits:
    """A source without `draw`, so that every bit string is enumerated separately."""

    source: BitSource

    def bit(self) -> int:
        """Return the next bit."""
        return self.source.bit()


SAMPLERS: dict[str, Sampler] = {
    "uniform": lambda bits: samplers.sample_uniform_below(5, bits),
    "bernoulli": lambda bits: samplers.sample_bernoulli(sqrt(2) - 1, bits),
    "bernoulli exp": lambda bits: samplers.sample_bernoulli_exp(log(3), bits),
    "bernoulli exp by series": lambda bits: samplers.sample_bernoulli_exp_series(sqrt(2), bits),
    "choice": lambda bits: samplers.sample_choice([1, sqrt(2), exp(1)], bits),
    "discrete laplace": lambda bits: samplers.sample_discrete_laplace(2, 1, bits),
    "exponential mechanism": lambda bits: samplers.sample_exponential_mechanism(THREE, 1, 1, bits),
    "permute-and-flip": lambda bits: samplers.sample_permute_and_flip(THREE, 1, 1, bits),
}
each_sampler = pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS.keys())


def law_of_tapes(sampler: Sampler, length: int) -> CoinLaw[Any]:
    """Return the law of a sampler by running it on every tape of a given length."""
    masses: dict[Any, Fraction] = {}
    rest = used = Fraction(0)
    mass = Fraction(1, 2**length)
    for entries in product((0, 1), repeat=length):
        tape = TapeBits(entries)
        try:
            outcome = sampler(tape)
        except TapeEndError:
            rest += mass
        else:
            masses[outcome] = masses.get(outcome, Fraction(0)) + mass
        used += mass * tape.used
    return CoinLaw(masses, rest, used)


@each_sampler
def test_coins__enumeration_agrees_with_all_tapes(sampler: Sampler) -> None:
    law, tapes = enumerate_law(lambda bits: sampler(OnlyBits(bits)), 7), law_of_tapes(sampler, 7)
    assert (law.masses, law.rest) == (tapes.masses, tapes.rest)
    assert law.bits == tapes.bits + tapes.rest  # a cut run has read one bit more


@each_sampler
def test_coins__joining_draws_keeps_the_law(sampler: Sampler) -> None:
    joined, alone = enumerate_law(sampler, DEPTH), enumerate_law(lambda bits: sampler(OnlyBits(bits)), 9)
    assert all(alone.enclose(outcome).meets(joined.enclose(outcome)) for outcome in joined.masses)
    assert set(alone.masses) <= set(joined.masses)
    assert joined.rest < alone.rest
    assert alone.bits <= joined.bits


def test_coins__a_sampler_that_never_ends_is_all_rest() -> None:
    def endless(bits: BitSource) -> int:
        while True:
            bits.bit()

    law = enumerate_law(endless, 10)
    assert not law.masses
    assert (law.rest, law.bits) == (Fraction(1), Fraction(11))


def test_coins__a_constant_takes_no_bits() -> None:
    law = enumerate_law(lambda _: "constant", 0)
    assert law == CoinLaw({"constant": Fraction(1)}, Fraction(0), Fraction(0))


def test_coins__the_expected_bits_of_a_rational_coin_are_two() -> None:
    assert (
        2 - TOLERANCE
        < enumerate_law(lambda bits: samplers.sample_bernoulli(Fraction(1, 3), bits), DEPTH).bits
        <= 2
    )


# Sources ---------------------------------------------------------------------------------------------------


def seeded_bits(seed: int, count: int) -> list[int]:
    """Return the first bits of a seeded source."""
    source = SeededBits(seed)
    return [source.bit() for _ in range(count)]


@each_sampler
@pytest.mark.parametrize("seed", range(5))
def test_tape__replays_a_run(sampler: Sampler, seed: int) -> None:
    tape = seeded_bits(seed, 1000)
    long = TapeBits(tape)
    outcome = sampler(long)
    short = TapeBits(tape[: long.used])
    assert (sampler(short), short.used, sampler(SeededBits(seed))) == (outcome, long.used, outcome)


@each_sampler
def test_tape__one_bit_too_short_is_refused(sampler: Sampler) -> None:
    tape = seeded_bits(7, 1000)
    long = TapeBits(tape)
    sampler(long)
    assert long.used > 0
    with pytest.raises(TapeEndError) as caught:
        sampler(TapeBits(tape[: long.used - 1]))
    assert caught.value.length == long.used - 1


def test_tape__its_end_is_an_error_of_ours_and_of_python() -> None:
    assert issubclass(TapeEndError, PrivboostError)
    assert issubclass(TapeEndError, EOFError)


@pytest.mark.parametrize("tape", [[0, 2], [0, "1"], [0, 1 / 2]], ids=repr)
def test_tape__holds_bits_only(tape: list[Any]) -> None:
    with pytest.raises(PreconditionError):
        TapeBits(tape)


@pytest.mark.parametrize("source", [SystemBits(), SeededBits(3)], ids=["system", "seeded"])
def test_sources__give_both_bits(source: BitSource) -> None:
    assert {source.bit() for _ in range(200)} == {0, 1}  # false alarm: 2^-199


def test_sources__a_seed_decides_every_bit() -> None:
    assert seeded_bits(5, 64) == seeded_bits(5, 64)


@each_sampler
def test_sources__samplers_run_on_bits_of_the_system(sampler: Sampler) -> None:
    assert sampler(SystemBits()) in enumerate_law(sampler, DEPTH).masses  # false alarm: 2^-40
