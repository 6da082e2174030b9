"""The fast learner's samplers on all coins: their laws counted, and held against exact ones.

A source answers from every string of random bits (`coins.enumerate_law`). What is not decided by the strings
that were tried is the rest, so a probability lies between the counted mass and that mass plus the rest.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privboost.fast import ensemble as fast_ensemble
from privboost.fast import randomness, splits
from privboost.fast.ensemble import Setting
from privboost.fast.protocol import GRID, SOUND, SOUND_NET, BetaRule, LeafRule, Parameters, Protocol
from privboost.fast.randomness import (
    bernoulli,
    bernoulli_exp,
    bits_from,
    discrete_laplace,
    uniform_below,
)
from privboost.fast.splits import draw_permute_and_flip, draw_proportional
from privboost.reference.data import Relation
from privboost.reference.exact import Number, enclose, exp
from privboost.reference.learners.leaves import leaf_scale, noisy_leaf, noisy_numbers
from privboost.reference.privacy.bits import BitSource, draw
from privboost.reference.privacy.coins import CoinLaw, enumerate_law
from privboost.reference.privacy.mechanisms import GridLaplace
from privboost.reference.privacy.samplers import sample_discrete_laplace, sample_uniform_below
from privboost.reference.trees.risks import Mass

from .fast_runs import PROTOCOLS, domain_of, exact_setting

Array = NDArray[Any]
HALF = Fraction(1, 2)
FINE = Fraction(1, 1 << 20)


class Coins(random.Random):
    """A source for the fast learner whose bits are those of a source of the reference."""

    def __init__(self, source: BitSource, *, once: bool = False) -> None:
        super().__init__(0)
        self.source, self.once, self.asked = source, once, False

    def getrandbits(self, k: int) -> int:
        """Return k bits, the first one the highest."""
        number = 0
        for _ in range(k):
            number = 2 * number + self.source.bit()
        return number


def counted(sampler: Callable[[Any], Any], depth: int) -> CoinLaw[Any]:
    """Return the law of a sampler of the fast learner, from all coins."""
    return enumerate_law(lambda source: sampler(Coins(source)), depth)


class AgainError(Exception):
    """Say that a sampler has rejected what it drew, and starts again as if nothing had been drawn."""


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mark each uniform number, each coin and each noise as one draw: equal outcomes are one branch.

    What follows such a draw sees its outcome and not its bits, so no law changes. Uniform numbers, and the
    noise of leaves, are drawn by the reference: their laws are the same, as the first tests show, and fewer
    strings of bits leave them undecided.
    """

    def uniform(number: int, bits: Coins) -> int:
        if bits.once and bits.asked:
            raise AgainError
        bits.asked = True
        return draw(bits.source, sample_uniform_below, number)

    def coin(chance: Fraction, bits: Coins) -> bool:
        return draw(bits.source, _coin, chance)

    def below_one(exponent: Fraction, bits: Coins) -> bool:
        return draw(bits.source, _below_one, exponent)

    def noise(scale: Fraction, bits: Coins) -> int:
        return int(draw(bits.source, sample_discrete_laplace, scale, Fraction(1)))

    monkeypatch.setattr(randomness, "uniform_below", uniform)
    monkeypatch.setattr(splits, "uniform_below", uniform)
    monkeypatch.setattr(randomness, "bernoulli", coin)
    monkeypatch.setattr(splits, "bernoulli", coin)
    monkeypatch.setattr(randomness, "_bernoulli_exp_below_one", below_one)
    monkeypatch.setattr(fast_ensemble, "discrete_laplace", noise)


_original_below_one = randomness._bernoulli_exp_below_one


def _below_one(exponent: Fraction, source: BitSource) -> bool:
    return _original_below_one(exponent, Coins(source))


def _coin(chance: Fraction, source: BitSource) -> bool:
    return bernoulli(chance, Coins(source))


def misfits(found: CoinLaw[Any], law: Mapping[Any, Number]) -> dict[Any, str]:
    """Return the outcomes whose exact probability is not between the counted mass and that plus the rest."""
    wrong = {}
    for outcome, chance in law.items():
        around, near = found.enclose(outcome), enclose(chance, 64)
        if near.hi < around.lo or around.hi < near.lo:
            wrong[outcome] = f"{float(near.lo)} not in [{float(around.lo)}, {float(around.hi)}]"
    return wrong


# Uniform numbers and coins -------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 3, 5, 6, 7, 8, 9, 12])
def test_uniform__each_number_is_as_likely(number: int) -> None:
    found = counted(lambda bits: uniform_below(number, bits), 17)
    assert set(found.masses) == set(range(number))
    assert len(set(found.masses.values())) == 1
    # Each attempt fails with a chance below 1/2, whatever came before, so nothing else can be in the rest.
    assert found.rest < Fraction(1, 20)


def test_uniform__remainder_of_random_bits_is_refused() -> None:
    found = counted(lambda bits: bits.getrandbits(3) % 5, 16)
    assert set(misfits(found, dict.fromkeys(range(5), Fraction(1, 5)))) == set(range(5))


@pytest.mark.usefixtures("joined")
@pytest.mark.parametrize("chance", [Fraction(0), Fraction(1, 3), Fraction(5, 7), Fraction(1)], ids=str)
def test_bernoulli__coin_has_its_chance(chance: Fraction) -> None:
    found = counted(lambda bits: bernoulli(chance, bits), 40)
    assert misfits(found, {True: chance, False: 1 - chance}) == {}
    assert found.rest < FINE


@pytest.mark.usefixtures("joined")
@pytest.mark.parametrize("exponent", ["0", "1/3", "1", "7/4", "3"])
def test_bernoulli_exp__coin_has_its_chance(exponent: str) -> None:
    x = Fraction(exponent)
    found = counted(lambda bits: bernoulli_exp(x, bits), 40)
    assert misfits(found, {True: exp(-x), False: 1 - exp(-x)}) == {}
    assert found.rest < FINE
    assert misfits(found, {True: exp(-x - Fraction(1, 1000))})


# Discrete Laplace noise ----------------------------------------------------------------------------------


def laplace_law(scale: Fraction, reach: int) -> dict[int, Number]:
    """Return the law of discrete Laplace noise, up to some distance from 0."""
    ratio = exp(-1 / scale)
    return {k: (1 - ratio) / (1 + ratio) * exp(-abs(k) / scale) for k in range(-reach, reach + 1)}


SCALES = ["1/3", "1", "3/2", "5/3", "4", "23/7"]


def law_of_one_round(sampler: Callable[[Any], int], depth: int) -> CoinLaw[int]:
    """Return the law of a sampler that starts again after a rejection, from the coins of one round.

    The law is that of a round which ends: masses are divided by the chance that it does. What is undecided
    may be an end or not, so it counts for both.
    """

    def once(source: BitSource) -> int | None:
        try:
            return sampler(Coins(source, once=True))
        except AgainError:
            return None

    found = enumerate_law(once, depth)
    again = found.masses.pop(None, Fraction(0))
    ends = 1 - again - found.rest
    lows = {k: mass / (1 - again) for k, mass in found.masses.items() if k is not None}
    return CoinLaw(lows, 1 - ends / (1 - again) + found.rest / ends, found.bits)


@pytest.mark.claim("sec:def")
@pytest.mark.usefixtures("joined")
@pytest.mark.parametrize("scale", SCALES)
def test_sec_def__discrete_laplace_has_its_law(scale: str) -> None:
    found = law_of_one_round(lambda bits: discrete_laplace(Fraction(scale), bits), 40)
    assert found.rest < FINE
    assert misfits(found, laplace_law(Fraction(scale), 12)) == {}
    assert misfits(found, laplace_law(Fraction(scale) * Fraction(1001, 1000), 12))


@pytest.mark.claim("sec:def")
def test_sec_def__discrete_laplace_has_its_law_bit_by_bit() -> None:
    found = counted(lambda bits: discrete_laplace(Fraction(1), bits), 16)
    assert found.rest < Fraction(1, 30)
    assert misfits(found, laplace_law(Fraction(1), 4)) == {}
    assert misfits(found, laplace_law(Fraction(3, 2), 4))


@pytest.mark.claim("sec:def")
@pytest.mark.usefixtures("joined")
def test_sec_def__noise_with_two_zeros_is_refused() -> None:
    def with_two_zeros(bits: Coins) -> int:
        rounds = 0
        while bernoulli_exp(Fraction(2, 3), bits):
            rounds += 1
        return -rounds if bits.getrandbits(1) else rounds

    assert 0 in misfits(counted(with_two_zeros, 30), laplace_law(Fraction(3, 2), 4))


# Splits --------------------------------------------------------------------------------------------------


def places_of(relative: Array, monkeypatch: pytest.MonkeyPatch) -> tuple[int, Callable[[int], int]]:
    """Return below which number a split is drawn, and the split that a number below it gives."""
    asked: list[int] = []

    def answer(number: int) -> Callable[[int, object], int]:
        def below(total: int, _: object) -> int:
            asked.append(total)
            return number

        return below

    def place(number: int) -> int:
        monkeypatch.setattr(splits, "uniform_below", answer(number))
        return draw_proportional(relative, bits_from(0))

    place(0)
    return asked[0], place


@pytest.mark.claim("expSPLIT")
@pytest.mark.parametrize(
    "relative",
    [[0.375, 1.0, 2.0**-7, 1.0], [1.0], [2.0**-900, 1.0, 1 / 3], np.exp(-np.arange(30.0) * 23).tolist()],
    ids=len,
)
def test_expSPLIT__split_is_drawn_exactly_from_its_chances(  # noqa: N802
    relative: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    total, place = places_of(np.array(relative), monkeypatch)
    numbers = [Fraction(number) for number in relative]
    ends = [total * end / sum(numbers) for end in accumulate(numbers)]
    assert all(end.denominator == 1 for end in ends)
    # A uniform number below the total falls between the ends of a split as often as its chance says.
    for number, (start, end) in enumerate(pairwise([Fraction(0), *ends])):
        assert place(int(start)) == place(int(end) - 1) == number


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__float_between_0_and_1_would_never_draw_a_rare_split() -> None:  # noqa: N802
    relative = np.array([1.0, 2.0**-60])
    cumulated = np.cumsum(relative / relative.sum())
    greatest = 1 - 2.0**-53
    assert np.searchsorted(cumulated, greatest, side="right") == 0
    assert draw_proportional(relative, _Ones()) == 1


class _Ones(random.Random):
    """A source whose bits are a 1 and then zeros: the first number that is no longer the first split's."""

    def __init__(self) -> None:
        super().__init__(0)

    def getrandbits(self, k: int) -> int:
        """Return the highest of k bits alone."""
        return 1 << (k - 1)


@pytest.mark.claim("expSPLIT")
@pytest.mark.usefixtures("joined")
def test_expSPLIT__permute_and_flip_is_drawn_exactly_from_its_chances() -> None:  # noqa: N802
    found = counted(lambda bits: draw_permute_and_flip(np.array([1.0, 0.5, 0.25]), bits), 40)
    # Half the integral of (1 - x) (1 - x / 4) over [0, 1], and so on.
    first = 1 - Fraction(3, 8) + Fraction(1, 24)
    second = HALF * (1 - Fraction(5, 8) + Fraction(1, 12))
    third = Fraction(1, 4) * (1 - Fraction(3, 4) + Fraction(1, 6))
    assert found.rest < FINE
    assert first + second + third == 1
    assert misfits(found, {0: first, 1: second, 2: third}) == {}
    assert misfits(found, {0: Fraction(4, 7), 1: Fraction(2, 7), 2: Fraction(1, 7)})


# Leaves --------------------------------------------------------------------------------------------------

LEAVES: dict[str, Protocol] = {
    "nets": SOUND_NET,
    "nets, add/remove": PROTOCOLS["add/remove, nets"],
    "masses": SOUND,
    "masses, add/remove": PROTOCOLS["add/remove"],
    "link, noise, clamp": SOUND.changed(leaf=LeafRule.LINK_NOISE_CLAMP, beta=BetaRule.CONSTANT),
    "link, clamp, noise": PROTOCOLS["clamp before noise"],
}


def small_noise(protocol: Protocol) -> Setting:
    """Return a setting with two leaves whose noise has a scale of 3/2 grid steps."""
    for epsilon in (Fraction(1), Fraction(2 * GRID, 3)):
        setting = Setting(protocol, Parameters(1, 1, epsilon, bound=Fraction(1)), domain_of(2), 3)
        steps = leaf_scale(exact_setting(setting), 2) * GRID
    scaled = Parameters(1, 1, epsilon * Fraction(steps) / Fraction(3, 2), bound=Fraction(1))
    return Setting(protocol, scaled, domain_of(2), 3)


@pytest.mark.claim("sub-sec-sum-imp")
@pytest.mark.usefixtures("joined")
@pytest.mark.parametrize("name", LEAVES)
@pytest.mark.parametrize("masses", [(512, 1024), (0, 0), (0, 512), (512, 512)], ids=str)
def test_sub_sec_sum_imp__leaf_has_the_reference_s_law(name: str, masses: tuple[int, int]) -> None:
    setting = small_noise(LEAVES[name])
    exact = exact_setting(setting)
    scale = leaf_scale(exact, 2)
    assert scale * GRID == Fraction(3, 2)

    def value(bits: Any) -> float:
        leaves = fast_ensemble._Leaves(setting, bits, Fraction(scale), np.array([masses]))
        leaves.add(0)
        return float(leaves.values[0])

    found = counted(value, 30)
    assert found.rest < Fraction(1, 1000)
    assert law_misfits(setting, masses, found) == []
    # The law of the leaf with the classes exchanged, or of one more row, is another.
    assert law_misfits(setting, (masses[0] + 300, masses[1]), found)


def law_misfits(setting: Setting, masses: tuple[int, int], found: CoinLaw[float]) -> list[tuple[float, Any]]:
    """Return the values whose counted mass disagrees with the noise of the reference that leads to them.

    The reference's noise is summed up to 14 steps; what is beyond is added to the rest.
    """
    exact = exact_setting(setting)
    scale, step = leaf_scale(exact, 2), Fraction(1, GRID)
    mass = Mass(Fraction(masses[1], GRID), Fraction(masses[0], GRID))
    noise = GridLaplace(Fraction(0), scale, step)
    chances = {k: enclose(noise.below(k * step) - noise.below((k - 1) * step), 64) for k in range(-14, 15)}
    names = noisy_numbers(exact)
    expected: dict[float, Fraction] = {}
    for steps in np.ndindex(*(len(chances),) * len(names)):
        drawn = [k - 14 for k in steps]
        leaf = noisy_leaf(exact, mass, {n: k * step for n, k in zip(names, drawn, strict=True)}, 2)
        unit = GRID if setting.protocol.leaf is LeafRule.NOISY_NET else 1
        near = float(enclose(leaf.value * unit, 60).lo)
        chance = Fraction(1)
        for k in drawn:
            chance *= chances[k].lo
        key = min(found.masses, key=lambda value, near=near: abs(value - near))
        key = key if abs(key - near) < 2.0**-40 else near
        expected[key] = expected.get(key, Fraction(0)) + chance
    beyond = 1 - sum(expected.values())
    wrong: list[tuple[float, Any]] = []
    for value in {*expected, *found.masses}:
        here, there = expected.get(value, Fraction(0)), found.masses.get(value, Fraction(0))
        if here > there + found.rest or there > here + beyond:
            wrong.append((value, (float(here), float(there))))
    return wrong


# Sources -------------------------------------------------------------------------------------------------


def test_bits__come_from_the_operating_system_unless_a_seed_is_given() -> None:
    assert isinstance(bits_from(None), random.SystemRandom)
    assert not isinstance(bits_from(3), random.SystemRandom)
    again = bits_from(3)
    assert again.getrandbits(64) == bits_from(3).getrandbits(64)
    assert bits_from(3).getrandbits(64) != bits_from(4).getrandbits(64)
    source = random.Random(1)
    assert bits_from(source) is source


def test_bits__relation_of_both_learners_has_the_same_names() -> None:
    assert {relation.value for relation in Relation} == {p.relation.value for p in PROTOCOLS.values()}
