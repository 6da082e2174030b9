"""The laws of the fast learner's samplers, enumerated over all random bits and compared with exact laws.

`coins.enumerate_law` runs a sampler on every string of random bits up to a length. The rest is the
probability of strings that do not decide, so a probability lies between the counted mass and that plus the
rest.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import accumulate, pairwise, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privboost.auditor.pairs.exact_settings import exact_setting
from privboost.fast import bits, budgets
from privboost.fast.bits import bernoulli, bernoulli_exp, bits_from, discrete_laplace, uniform_below
from privboost.fast.growth import Sampled, split_laws
from privboost.fast.growth.fit import fit_trees
from privboost.fast.growth.leaves import leaf_value, release_leaves
from privboost.fast.growth.setting import Setting
from privboost.fast.growth.split_laws import draw_permute_and_flip, draw_proportional
from privboost.fast.protocol import (
    GRID,
    SOUND,
    SOUND_NET,
    AlphaRule,
    BetaRule,
    LeafRule,
    Parameters,
    Protocol,
    SplitLaw,
)
from privboost.oracle_tests.support.fast_runs import PROTOCOLS, Scripted, domain_of, random_data
from privboost.reference.data import Relation
from privboost.reference.exact import Number, enclose, exp
from privboost.reference.learners.leaves import leaf_scale, noisy_leaf, noisy_numbers
from privboost.reference.privacy.bits import BitSource, draw
from privboost.reference.privacy.coins import CoinLaw, enumerate_law
from privboost.reference.privacy.samplers import sample_uniform_below
from privboost.reference.trees.risks import Mass

Array = NDArray[Any]
HALF = Fraction(1, 2)
FINE = Fraction(1, 1 << 20)


class Coins(random.Random):
    """A source of bits for the fast learner that reads a source of the reference."""

    def __init__(self, source: BitSource, *, once: bool = False) -> None:
        super().__init__(0)
        self.source, self.once, self.asked = source, once, False

    def getrandbits(self, k: int) -> int:
        """Return an integer of k bits; the first bit is the highest."""
        value = 0
        for _ in range(k):
            value = 2 * value + self.source.bit()
        return value


def counted(sampler: Callable[[Any], Any], depth: int) -> CoinLaw[Any]:
    """Return the law of a sampler of the fast learner, enumerated over all coins."""
    return enumerate_law(lambda source: sampler(Coins(source)), depth)


class AgainError(Exception):
    """Signals that a sampler has rejected its draw and starts again."""


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat each uniform integer and each coin as one draw, so that equal outcomes share a branch.

    Samplers use the outcome of such a draw and not its bits, so no law changes. Uniform integers are drawn by
    the reference: their law is the same, as the first test shows, and fewer strings are undecided.
    """

    def uniform(count: int, bits: Coins) -> int:
        if bits.once and bits.asked:
            raise AgainError
        bits.asked = True
        return draw(bits.source, sample_uniform_below, count)

    def coin(part: int, whole: int, bits: Coins) -> bool:
        return draw(bits.source, _coin, Fraction(part, whole))

    def below_one(part: int, whole: int, bits: Coins) -> bool:
        return draw(bits.source, _below_one, Fraction(part, whole))

    monkeypatch.setattr(bits, "uniform_below", uniform)
    monkeypatch.setattr(split_laws, "uniform_below", uniform)
    monkeypatch.setattr(bits, "bernoulli", coin)
    monkeypatch.setattr(split_laws, "bernoulli", coin)
    monkeypatch.setattr(bits, "bernoulli_exp_below_one", below_one)


_original_below_one = bits.bernoulli_exp_below_one


def _below_one(exponent: Fraction, source: BitSource) -> bool:
    return _original_below_one(*exponent.as_integer_ratio(), Coins(source))


def _coin(chance: Fraction, source: BitSource) -> bool:
    return bernoulli(*chance.as_integer_ratio(), Coins(source))


def misfits(enumerated: CoinLaw[Any], law: Mapping[Any, Number]) -> dict[Any, str]:
    """Return the outcomes whose exact probability is outside the enclosure of the enumeration."""
    wrong = {}
    for outcome, chance in law.items():
        around, near = enumerated.enclose(outcome), enclose(chance, 64)
        if near.hi < around.lo or around.hi < near.lo:
            wrong[outcome] = f"{float(near.lo)} not in [{float(around.lo)}, {float(around.hi)}]"
    return wrong


# Uniform numbers and coins -------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7, 8, 12])
def test_uniform__all_integers_are_equally_likely(count: int) -> None:
    law = counted(lambda bits: uniform_below(count, bits), 13)
    assert set(law.masses) == set(range(count))
    assert len(set(law.masses.values())) == 1
    # Each attempt fails with probability below 1/2, independently of the others, so the rest is small.
    assert law.rest < Fraction(1, 15)


def test_uniform__remainder_of_random_bits_is_refused() -> None:
    law = counted(lambda bits: bits.getrandbits(3) % 5, 16)
    assert set(misfits(law, dict.fromkeys(range(5), Fraction(1, 5)))) == set(range(5))


@pytest.mark.usefixtures("joined")
@pytest.mark.parametrize("chance", [Fraction(0), Fraction(1, 3), Fraction(5, 7), Fraction(1)], ids=str)
def test_bernoulli__coin_has_its_chance(chance: Fraction) -> None:
    law = counted(lambda bits: bernoulli(2 * chance.numerator, 2 * chance.denominator, bits), 40)
    assert misfits(law, {True: chance, False: 1 - chance}) == {}
    assert law.rest < FINE


def test_bernoulli__coin_of_large_numbers_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    part = 2**60 + 1
    for drawn, expected in ((2**60, True), (2**60 + 1, False)):
        monkeypatch.setattr(bits, "uniform_below", lambda *_, drawn=drawn: drawn)
        assert bernoulli(part, 2**61, bits_from(0)) is expected


@pytest.mark.usefixtures("joined")
@pytest.mark.parametrize("exponent", ["0", "1/3", "1", "7/4", "3"])
def test_bernoulli_exp__coin_has_its_chance(exponent: str) -> None:
    x = Fraction(exponent)
    law = counted(lambda bits: bernoulli_exp(x, bits), 40)
    assert misfits(law, {True: exp(-x), False: 1 - exp(-x)}) == {}
    assert law.rest < FINE
    assert misfits(law, {True: exp(-x - Fraction(1, 1000))})


# Discrete Laplace noise ----------------------------------------------------------------------------------


def laplace_law(scale: Fraction, reach: int) -> dict[int, Number]:
    """Return the law of discrete Laplace noise, up to some distance from 0."""
    ratio = exp(-1 / scale)
    return {k: (1 - ratio) / (1 + ratio) * exp(-abs(k) / scale) for k in range(-reach, reach + 1)}


SCALES = ["1/3", "1", "3/2", "5/3", "3"]


def law_of_one_round(sampler: Callable[[Any], int], depth: int) -> CoinLaw[int]:
    """Return the law of a sampler that starts again after a rejection, from the coins of one round.

    It is the law of a round, given that the round is not rejected. With mass m of an outcome, probability a
    of a rejection and rest r, the probability of the outcome is from m / (1 - a) to (m + r) / (1 - a - r).
    """

    def once(source: BitSource) -> int | None:
        try:
            return sampler(Coins(source, once=True))
        except AgainError:
            return None

    law = enumerate_law(once, depth)
    again = law.masses.pop(None, Fraction(0))
    ends = 1 - again - law.rest
    lows = {k: mass / (1 - again) for k, mass in law.masses.items() if k is not None}
    return CoinLaw(lows, 2 * law.rest / ends, law.bits)


@pytest.mark.claim("sec:def")
@pytest.mark.usefixtures("joined")
@pytest.mark.parametrize("scale", SCALES)
def test_sec_def__discrete_laplace_has_its_law(scale: str) -> None:
    law = law_of_one_round(lambda bits: discrete_laplace(Fraction(scale), bits), 40)
    assert law.rest < FINE
    assert misfits(law, laplace_law(Fraction(scale), 12)) == {}
    assert misfits(law, laplace_law(Fraction(scale) * Fraction(1001, 1000), 12))


@pytest.mark.claim("sec:def")
def test_sec_def__discrete_laplace_has_its_law_bit_by_bit() -> None:
    law = counted(lambda bits: discrete_laplace(Fraction(1), bits), 14)
    assert law.rest < Fraction(1, 6)
    assert misfits(law, laplace_law(Fraction(1), 4)) == {}
    assert misfits(law, laplace_law(Fraction(2), 4))


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


def split_map(relative: Array, monkeypatch: pytest.MonkeyPatch) -> tuple[int, Callable[[int], int]]:
    """Return the total below which an integer is drawn, and the map from that integer to a split."""
    asked: list[int] = []

    def answer(drawn: int) -> Callable[[int, object], int]:
        def below(total: int, _: object) -> int:
            asked.append(total)
            return drawn

        return below

    def split_of(drawn: int) -> int:
        monkeypatch.setattr(split_laws, "uniform_below", answer(drawn))
        return draw_proportional(relative[None], bits_from(0))[0]

    split_of(0)
    return asked[0], split_of


@pytest.mark.claim("expSPLIT")
@pytest.mark.parametrize(
    "relative",
    [
        [0.375, 1.0, 2.0**-7, 1.0],
        [1.0],
        [2.0**-900, 1.0, 1 / 3],
        np.exp(-np.arange(30.0) * 23).tolist(),
        # Sums that just do not fit into 63 bits, and that do not by far.
        [1 - 2.0**-53] * 6 + [2.0**-9],
        [1.0, 1.0, 1.0, 2.0**-12],
    ],
)
def test_expSPLIT__split_is_drawn_exactly_from_its_chances(  # noqa: N802
    relative: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    total, split_of = split_map(np.array(relative), monkeypatch)
    fractions = [Fraction(number) for number in relative]
    ends = [total * end / sum(fractions) for end in accumulate(fractions)]
    assert all(end.denominator == 1 for end in ends)
    # Each split is drawn for a range of integers whose length is proportional to its chance.
    for number, (start, end) in enumerate(pairwise([Fraction(0), *ends])):
        assert split_of(int(start)) == split_of(int(end) - 1) == number


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__each_law_is_drawn_by_its_own_sampler() -> None:  # noqa: N802
    scores = np.array([[0.0, -1.0, -2.0], [-3.0, 0.0, -1.0]])
    relative = split_laws.chances(scores, 0.5)
    seeds = range(20)
    for seed in seeds:
        chosen = Sampled(bits_from(seed)).splits(SplitLaw.EXPONENTIAL, scores, 0.5)
        assert chosen == draw_proportional(relative, bits_from(seed))
    for seed in seeds:
        again = bits_from(seed)
        expected = [draw_permute_and_flip(row, again) for row in relative]
        assert Sampled(bits_from(seed)).splits(SplitLaw.PERMUTE_AND_FLIP, scores, 0.5) == expected
    for seed in seeds:
        again = bits_from(seed)
        expected = [uniform_below(3, again) for _ in scores]
        assert Sampled(bits_from(seed)).splits(SplitLaw.UNIFORM, scores, 0.5) == expected
        assert Sampled(bits_from(seed)).uniform(3, 2) == expected


@pytest.mark.claim("sec:def")
def test_sec_def__noise_of_a_fit_is_drawn_by_its_sampler() -> None:
    draws, again = Sampled(bits_from(1)), bits_from(1)
    assert [draws.noise(Fraction(7, 2)) for _ in range(20)] == [
        discrete_laplace(Fraction(7, 2), again) for _ in range(20)
    ]


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__float_between_0_and_1_would_never_draw_a_rare_split() -> None:  # noqa: N802
    relative = np.array([1.0, 2.0**-60])
    cumulated = np.cumsum(relative / relative.sum())
    greatest = 1 - 2.0**-53
    assert np.searchsorted(cumulated, greatest, side="right") == 0
    assert draw_proportional(relative[None], _Ones()) == [1]


class _Ones(random.Random):
    """A source that returns the smallest integer that does not select the first split."""

    def __init__(self) -> None:
        super().__init__(0)

    def getrandbits(self, k: int) -> int:
        """Return an integer of k bits with only the highest bit set."""
        return 1 << (k - 1)


@pytest.mark.claim("expSPLIT")
@pytest.mark.usefixtures("joined")
def test_expSPLIT__permute_and_flip_is_drawn_exactly_from_its_chances() -> None:  # noqa: N802
    law = counted(lambda bits: draw_permute_and_flip(np.array([1.0, 0.5, 0.25]), bits), 40)
    # Half the integral of (1 - x) (1 - x / 4) over [0, 1], and so on.
    first = 1 - Fraction(3, 8) + Fraction(1, 24)
    second = HALF * (1 - Fraction(5, 8) + Fraction(1, 12))
    third = Fraction(1, 4) * (1 - Fraction(3, 4) + Fraction(1, 6))
    assert law.rest < FINE
    assert first + second + third == 1
    assert misfits(law, {0: first, 1: second, 2: third}) == {}
    assert misfits(law, {0: Fraction(4, 7), 1: Fraction(2, 7), 2: Fraction(1, 7)})


# Leaves --------------------------------------------------------------------------------------------------

LEAVES: dict[str, Protocol] = {
    "nets": SOUND_NET,
    "nets, add/remove": PROTOCOLS["add/remove, nets"],
    "masses": SOUND,
    "masses, add/remove": PROTOCOLS["add/remove"],
    "link, noise, clamp": SOUND.changed(leaf=LeafRule.LINK_NOISE_CLAMP, beta=BetaRule.CONSTANT),
    "link, clamp, noise": PROTOCOLS["clamp before noise"],
}


def value_of(setting: Setting, masses: tuple[int, int], noise: tuple[int, ...]) -> tuple[Any, list[Fraction]]:
    """Return the fast value of a leaf with given noise, in units, and the scales of the noise, in steps."""
    draws = Scripted(noise)
    scale = budgets.leaf_scale(setting.protocol, setting.parameters, setting.weight_bound(0))
    (leaf,) = release_leaves(setting, np.array([masses]), scale, draws)
    assert leaf.noise == noise
    assert leaf.value == leaf_value(setting, masses, noise)
    is_net = setting.protocol.leaf is LeafRule.NOISY_NET
    return Fraction(leaf.value, GRID) if is_net else leaf.value, draws.scales


def disagrees(value: Any, exact: Number) -> bool:
    """Return whether a value differs from the exact one; floats may differ by 2^-45."""
    near = enclose(exact, 80)
    if isinstance(value, Fraction):
        return value != exact
    slack = Fraction(1, 1 << 45) * max(Fraction(1), abs(near.lo))
    return not near.lo - slack <= Fraction(value) <= near.hi + slack


@pytest.mark.claim("sub-sec-sum-imp")
@pytest.mark.parametrize("boost_alpha", [Fraction(1), HALF, Fraction(1, 10)], ids=str)
@pytest.mark.parametrize("name", LEAVES)
def test_sub_sec_sum_imp__leaf_follows_from_its_noise_as_in_the_reference(
    name: str, boost_alpha: Fraction
) -> None:
    public = Parameters(1, 1, Fraction(3), bound=Fraction(3), boost_alpha=boost_alpha)
    setting = Setting(LEAVES[name], public, domain_of(2), 3)
    exact = exact_setting(setting)
    names = noisy_numbers(exact)
    refused = 0
    # The link of the last masses is so close below a grid step that floats would round it to the step.
    pairs = [(512, 1024), (0, 0), (0, 512), (512, 512), (512, 2048), (512, 8192), (1, 10**6), (918, 1465)]
    for masses in pairs:
        mass = Mass(Fraction(masses[1], GRID), Fraction(masses[0], GRID))
        for steps in product((-3000, -513, -512, -1, 0, 1, 700), repeat=len(names)):
            noise = {part: Fraction(k, GRID) for part, k in zip(names, steps, strict=True)}
            value, scales = value_of(setting, masses, steps)
            assert scales == [leaf_scale(exact, 2) * GRID] * len(names)
            leaf = noisy_leaf(exact, mass, noise, 2)
            assert not disagrees(value, leaf.value), (masses, steps)
            shifted = {part: step + Fraction(1, GRID) for part, step in list(noise.items())[:1]}
            refused += disagrees(value, noisy_leaf(exact, mass, {**noise, **shifted}, 2).value)
    assert refused


@pytest.mark.claim("fixALPHA")
def test_fixALPHA__estimate_has_the_noise_of_its_budget() -> None:  # noqa: N802
    draws = Scripted()
    protocol = SOUND.changed(alpha=AlphaRule.NOISY_MINORITY)
    setting = Setting(protocol, Parameters(2, 2, Fraction(3)), domain_of(2, 2), 8)
    fit_trees(setting, random_data(setting.domain, 8, 0).rows, draws)
    budget = budgets.alpha_budget(setting.parameters)
    # In every tree one estimate, for its second level, comes before two masses of each of four leaves.
    assert len(draws.scales) == 18
    assert draws.scales[::9] == [GRID * setting.weight_bound(tree) / budget for tree in range(2)]


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
