"""The laws of the fast learner's samplers, enumerated over all random bits and compared with exact laws.

`coins.enumerate_law` runs a sampler on every string of random bits up to a length. The rest is the
probability of strings that do not decide, so a probability lies between the counted mass and that plus the
rest. Draws of many bits are enumerated by the ranges of integers that they compare their bits with.
"""

from __future__ import annotations

import random
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from privboost.auditor.pairs.exact_settings import exact_setting
from privboost.fast import bits, budgets
from privboost.fast.bits import (
    SPARE,
    Plan,
    bernoulli,
    bits_from,
    discrete_laplace,
    enclose_chances,
    enclose_exp,
    geometric,
    plan_of,
    uniform_below,
)
from privboost.fast.estimators.forest import sample_class, sample_net_count
from privboost.fast.growth import split_laws
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
from privboost.oracle_tests.support.fast_runs import Scripted, make_samples
from privboost.reference.exact import Number, enclose, exp
from privboost.reference.learners.leaves import leaf_scale, noisy_leaf, noisy_numbers
from privboost.reference.privacy.bits import BitSource, draw
from privboost.reference.privacy.coins import CoinLaw, enumerate_law
from privboost.reference.privacy.samplers import sample_uniform_below
from privboost.reference.trees.risks import Mass
from tools.fast_inputs import PROTOCOLS, domain_of, random_data

Array = NDArray[Any]
HALF = Fraction(1, 2)
FINE = Fraction(1, 1 << 20)
FAST = str(Path(bits.__file__).parent)


class Coins(random.Random):
    """A source of bits for the fast learner that reads a source of the reference."""

    def __init__(self, source: BitSource) -> None:
        super().__init__(0)
        self.source = source

    def getrandbits(self, k: int) -> int:
        """Return an integer of k bits; the first bit is the highest."""
        value = 0
        for _ in range(k):
            value = 2 * value + self.source.bit()
        return value


class Script(random.Random):
    """A source that returns given integers, in order."""

    def __init__(self, *answers: int) -> None:
        super().__init__(0)
        self.answers = list(answers)

    def getrandbits(self, k: int) -> int:
        """Return the next integer, which must have at most k bits."""
        answer = self.answers.pop(0)
        assert 0 <= answer < 1 << k
        return answer


def enumerate_coins(sampler: Callable[[Any], Any], depth: int) -> CoinLaw[Any]:
    """Return the law of a sampler of the fast learner, enumerated over all coins."""
    return enumerate_law(lambda source: sampler(Coins(source)), depth)


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
def test_uniform__all_integers_are_equally_likely(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bits, "SPARE", 2)
    law = enumerate_coins(lambda bits: uniform_below(count, bits), 13)
    assert set(law.masses) == set(range(count))
    assert len(set(law.masses.values())) == 1
    # An attempt fails with probability at most 1/4, independently of the others, so the rest is small.
    assert law.rest <= Fraction(1, 16)


@pytest.mark.parametrize("count", [3, 89, 2**62 - 1, 3**45, 3**100])
def test_uniform__product_with_a_small_remainder_is_rejected(count: int) -> None:
    width = SPARE + max(SPARE, count.bit_length())
    limit = (1 << width) % count
    below, at = (rest * pow(count, -1, 1 << width) % (1 << width) for rest in (limit - 1, limit))
    assert uniform_below(count, Script(at)) == at * count >> width
    source = Script(below, at)
    assert uniform_below(count, source) == at * count >> width
    assert not source.answers


def test_uniform__remainder_of_random_bits_is_refused() -> None:
    law = enumerate_coins(lambda bits: bits.getrandbits(3) % 5, 16)
    assert set(misfits(law, dict.fromkeys(range(5), Fraction(1, 5)))) == set(range(5))


@pytest.mark.parametrize("chance", [Fraction(0), Fraction(1, 3), Fraction(5, 7), Fraction(1)], ids=str)
def test_bernoulli__coin_has_its_chance(chance: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        bits, "uniform_below", lambda count, bits: draw(bits.source, sample_uniform_below, count)
    )
    law = enumerate_coins(lambda bits: bernoulli(2 * chance.numerator, 2 * chance.denominator, bits), 40)
    assert misfits(law, {True: chance, False: 1 - chance}) == {}
    assert law.rest < FINE


def test_bernoulli__coin_of_large_numbers_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    part = 2**60 + 1
    for drawn, expected in ((2**60, True), (2**60 + 1, False)):
        monkeypatch.setattr(bits, "uniform_below", lambda *_, drawn=drawn: drawn)
        assert bernoulli(part, 2**61, bits_from(0)) is expected


# Discrete Laplace noise ----------------------------------------------------------------------------------


def laplace_law(scale: Fraction, reach: int) -> dict[int, Number]:
    """Return the law of discrete Laplace noise, up to some distance from 0."""
    ratio = exp(-1 / scale)
    return {k: (1 - ratio) / (1 + ratio) * exp(-abs(k) / scale) for k in range(-reach, reach + 1)}


SCALES = [Fraction(scale) for scale in ("1/50", "1/3", "1", "3/2", "5/3", "3", "20480", "1e9")]


def chances_of(scale: Fraction, n_digits: int) -> list[Number]:
    """Return the exact probabilities of the digits, of a negative sign and of more digits."""
    digits = [1 / (1 + exp(2**k / scale)) for k in range(n_digits)]
    return [*digits, 1 / (1 + exp(1 / scale)), exp(-(2**n_digits) / scale)]


def outside(bounds: tuple[int, int], chance: Number, width: int) -> bool:
    """Return whether a positive number times 2^width is not proved to be within bounds."""
    near = enclose(chance, width + 40)
    return not bounds[0] <= max(near.lo, 0) * 2**width or not near.hi * 2**width <= bounds[1]


def pack(plan: Plan, fields: Sequence[int]) -> int:
    """Return the random bits that have given numbers in their fields, with random upper bytes."""
    upper = random.Random(5).randbytes(len(fields))
    full = [field | byte << plan.width for field, byte in zip(fields, upper, strict=True)]
    return sum(field << k * (plan.width + 8) for k, field in enumerate(full))


def noise_of(digits: Sequence[int], negative: int) -> int:
    """Return the noise with given binary digits, the lowest first, and sign."""
    magnitude = sum(digit << k for k, digit in enumerate(digits))
    return -1 - magnitude if negative else magnitude


@pytest.mark.claim("sec:def")
@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("factor", [1, 2])
def test_sec_def__bounds_enclose_the_probabilities_of_digits(scale: Fraction, factor: int) -> None:
    plan = plan_of(*scale.as_integer_ratio(), SPARE)
    width = factor * plan.width
    bounds = enclose_chances(*scale.as_integer_ratio(), plan.n_digits, width)
    chances = chances_of(scale, plan.n_digits)
    assert not any(outside(*pair, width) for pair in zip(bounds, chances, strict=True))
    assert all(0 <= low <= high <= low + 2 for low, high in bounds)
    wrong = chances_of(scale * (1 + Fraction(1, 2**50)), plan.n_digits)
    assert scale < 1 or any(outside(*pair, width) for pair in zip(bounds, wrong, strict=True))
    # The probability that a draw takes longer: undecided comparisons, and more digits.
    longer = sum(Fraction(high - low, 2**width) for low, high in bounds) + Fraction(bounds[-1][1], 2**width)
    assert longer < Fraction(1, 2**64)


@pytest.mark.parametrize("exponent", ["0", "1/1000000007", "1/3", "1"])
def test_exp__is_enclosed(exponent: str) -> None:
    x = Fraction(exponent)
    low, high = enclose_exp(*x.as_integer_ratio(), 100)
    near = enclose(exp(-x), 140)
    assert low <= near.lo * 2**100
    assert near.hi * 2**100 <= high
    assert high - low <= 4 * 40


@pytest.mark.parametrize(("exponent", "middle", "n_terms"), [("1", 94, 6), ("1/3", 184, 4)])
def test_exp__margin_is_the_proved_one(exponent: str, middle: int, n_terms: int) -> None:
    """Coq proves bounds that are 2 away from the sum for each term (Enclosures.v).

    With 8 bits the terms after the first, 256, are 256, 128, 42, 10, 2, 0 for exp(-1), and 85, 14, 1, 0 for
    exp(-1/3).
    """
    low, high = enclose_exp(*Fraction(exponent).as_integer_ratio(), 8)
    assert (low, high) == (middle - 2 * n_terms, middle + 2 * n_terms)


@pytest.mark.claim("sec:def")
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_sec_def__noise_is_made_of_its_digits(scale: Fraction) -> None:
    plan = plan_of(*scale.as_integer_ratio(), SPARE)
    bounds = enclose_chances(*scale.as_integer_ratio(), plan.n_digits, plan.width)
    patterns = list(product((0, 1), repeat=plan.n_digits + 1))[:200] if plan.n_digits < 10 else []
    generator = random.Random(1)
    patterns += [tuple(generator.choices((0, 1), k=plan.n_digits + 1)) for _ in range(100)]
    for pattern in patterns:
        if any(outcome and not low for outcome, (low, _) in zip(pattern, bounds[:-1], strict=True)):
            continue  # A digit with so small a probability needs more bits to be 1.
        # Numbers next to the bounds, and the smallest and largest ones.
        near = [low - 1 if one else high for one, (low, high) in zip((*pattern, 0), bounds, strict=True)]
        far = [0 if one else (1 << plan.width) - 1 for one in (*pattern, 0)]
        for fields in (near, far):
            source = Script(pack(plan, fields))
            assert discrete_laplace(scale, source) == noise_of(pattern[:-1], pattern[-1])
            assert geometric(scale, Script(pack(plan, fields))) == noise_of(pattern[:-1], 0)


@pytest.mark.claim("sec:def")
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_sec_def__probabilities_of_digits_multiply_to_the_law(scale: Fraction) -> None:
    n_digits = plan_of(*scale.as_integer_ratio(), SPARE).n_digits
    *digits, negative, more = chances_of(scale, n_digits)

    def product_of(number: int) -> Number:
        magnitude = -1 - number if number < 0 else number
        chance = (1 - more) * (negative if number < 0 else 1 - negative)
        for k, one in enumerate(digits):
            chance *= one if magnitude >> k & 1 else 1 - one
        return chance

    reach = min(4, (1 << n_digits) - 1)
    for number, chance in laplace_law(scale, reach).items():
        near = enclose(product_of(number) / chance, 100)
        assert near.lo <= 1 <= near.hi
    off = enclose(product_of(reach) / laplace_law(scale * Fraction(1001, 1000), reach)[reach], 100)
    assert not off.lo <= 1 <= off.hi


@pytest.mark.claim("sec:def")
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(3), Fraction(20480)], ids=str)
def test_sec_def__undecided_digit_reads_more_bits(scale: Fraction) -> None:
    plan = plan_of(*scale.as_integer_ratio(), SPARE)
    short, long = (
        enclose_chances(*scale.as_integer_ratio(), plan.n_digits, factor * plan.width) for factor in (1, 2)
    )
    for k in range(plan.n_digits + 1):
        # The bits that follow are those of the bounds of twice the width: just below, and at the upper one.
        for number, one in ((long[k][0] - 1, 1), (long[k][1], 0)):
            upper, lower = number >> plan.width, number & ((1 << plan.width) - 1)
            assert short[k][0] <= upper < short[k][1]
            first = [upper if j == k else short[j][1] for j in range(plan.n_digits + 2)]
            rest = [lower if j == k else 0 for j in range(plan.n_digits + 2)]
            expected = noise_of([one * (j == k) for j in range(plan.n_digits)], one * (k == plan.n_digits))
            assert discrete_laplace(scale, Script(pack(plan, first), *rest)) == expected


@pytest.mark.claim("sec:def")
def test_sec_def__digits_beyond_the_fixed_number_are_those_of_a_geometric_variable() -> None:
    plan = plan_of(3, 1, SPARE)
    beyond = plan_of(3, 1 << plan.n_digits, SPARE)
    for first in (0, 5):
        digits = [0 if first >> k & 1 else (1 << plan.width) - 1 for k in range(plan.n_digits + 1)]
        zeros = [(1 << beyond.width) - 1] * (beyond.n_digits + 2)
        # The probability of more digits is below 2^-width, so 0 is compared with it once more.
        more = [0] * (plan.n_digits + 2)
        source = Script(pack(plan, [*digits, 0]), *more, pack(beyond, zeros))
        assert discrete_laplace(Fraction(3), source) == first + (1 << plan.n_digits)
        assert not source.answers


@pytest.mark.claim("sec:def")
def test_sec_def__digits_beyond_have_the_scale_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 3 spare bits, three digits are drawn at first and none later; there are more with exp(-8/3)."""
    monkeypatch.setattr(bits, "SPARE", 3)
    plan, beyond = plan_of(3, 1, 3), plan_of(3, 8, 3)
    most = 255
    first, last = pack(plan, [*[most] * (plan.n_digits + 1), 0]), pack(beyond, [most, most])
    # Between 256 exp(-16/3) = 1.2 and 256 exp(-8/3) = 17.8.
    source = Script(first, pack(beyond, [most, 10]), last)
    assert discrete_laplace(Fraction(3), source) == 2 << plan.n_digits
    assert not source.answers


@pytest.mark.claim("sec:def")
@pytest.mark.parametrize("n_digits", range(1, 10))
def test_sec_def__spare_bits_are_those_of_the_proof(n_digits: int) -> None:
    """Coq proves that draws end with these numbers (`n_digits` and `first_width` in FastSamplers.v)."""
    # 3/4 of 72 times the scale is 2^n_digits / 2.
    plan = plan_of(1 << n_digits, 108, SPARE)
    assert (plan.n_digits, plan.width) == (n_digits, (n_digits + 72 + 7) // 8 * 8)


class Fields(Coins):
    """Coins that treat numbers on the same side of their bounds as one outcome."""

    plan: Plan

    def getrandbits(self, k: int) -> int:
        """Return random bits; numbers in fields of a plan are replaced by others with the same outcome."""
        if k != self.plan.n_bits:
            return super().getrandbits(k)
        bounds = zip(self.plan.fields(self.plan.lows), self.plan.fields(self.plan.highs), strict=True)
        return pack(self.plan, [draw(self.source, _field, self.plan.width, *pair) for pair in bounds])


def _field(width: int, low: int, high: int, source: BitSource) -> int:
    """Return a number of `width` bits, and the same one for all that are below or not below both bounds."""
    number = 0
    for left in reversed(range(width)):
        number |= source.bit() << left
        if number >= high or number + (1 << left) <= low:
            return high if number >= high else 0
    return number


@pytest.mark.claim("sec:def")
@pytest.mark.parametrize(("scale", "spare"), [(SCALES[1], 3), *((scale, 7) for scale in SCALES[1:-2])])
def test_sec_def__discrete_laplace_has_its_law(
    scale: Fraction, spare: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few bits are drawn at first, so that more bits and more digits are needed often."""
    monkeypatch.setattr(bits, "SPARE", spare)

    def sampler(source: BitSource) -> int:
        coins = Fields(source)

        def remember_plan(*arguments: int) -> Plan:
            coins.plan = plan_of(*arguments)
            return coins.plan

        monkeypatch.setattr(bits, "plan_of", remember_plan)
        return discrete_laplace(scale, coins)

    law = enumerate_law(sampler, 14)
    assert law.rest < Fraction(1, 20)
    assert misfits(law, laplace_law(scale, 12)) == {}
    assert misfits(law, laplace_law(scale * Fraction(6, 5), 12))
    # Noise with two zeros has half the probability at every number but 0.
    assert misfits(law, {k: chance / 2 for k, chance in laplace_law(scale, 12).items() if k})


@pytest.mark.claim("sec:def")
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(7, 2), Fraction(20480)], ids=str)
def test_sec_def__sampled_noise_has_its_law(scale: Fraction) -> None:
    """A right sampler fails with probability 10^-6, over seeds; these seeds are fixed."""
    source, count = bits_from(11), 40_000
    step = max(1, int(scale / 2))
    edges = [k * step for k in range(-8, 9)]
    drawn = Counter(bisect_left(edges, discrete_laplace(scale, source)) for _ in range(count))
    q = np.exp(-1 / float(scale))
    # P(k <= edge), from the geometric tails on both sides.
    cumulated = [q**-edge / (1 + q) if edge < 0 else 1 - q ** (edge + 1) / (1 + q) for edge in edges]
    expected = count * np.diff([0.0, *cumulated, 1.0])
    assert chisquare([drawn[cell] for cell in range(len(edges) + 1)], expected).pvalue > 1e-6
    wrong = count * np.diff([0.0, *np.sqrt(cumulated), 1.0])
    assert chisquare([drawn[cell] for cell in range(len(edges) + 1)], wrong).pvalue < 1e-6


# Work of a draw ------------------------------------------------------------------------------------------


def work_of(seed: int, call: Callable[..., object], *arguments: object) -> tuple[tuple[int, ...], int]:
    """Return the sizes of a call's requests for random bits, and the number of lines of fast that it runs."""
    requests: list[int] = []
    lines = 0

    class Metered(random.Random):
        def getrandbits(self, k: int) -> int:
            requests.append(k)
            return super().getrandbits(k)

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.startswith(FAST):
            return None
        lines += event == "line"
        return trace

    call(*arguments, random.Random(0))  # Public constants of the draw are cached by the first call.
    source, before = Metered(seed), sys.gettrace()
    sys.settrace(trace)
    try:
        call(*arguments, source)
    finally:
        sys.settrace(before)
    return tuple(requests), lines


COUNTS = [(0, 0), (1, 0), (0, 1), (5, 900), (900, 5), (10**6, 0)]
FLAT, RANDOM = np.zeros((3, 7)), np.random.default_rng(0).random((2, 3, 7))
SCORES = [FLAT, FLAT - np.arange(7), -50 * RANDOM[0], -1e4 * RANDOM[1]]
WORK: dict[str, tuple[Callable[..., Any], list[Any], int]] = {
    **{
        f"noise of scale {scale}": (discrete_laplace, [(Fraction(scale),)], 300)
        for scale in ("1/3", 2, 20480)
    },
    "uniform integers": (uniform_below, [(n,) for n in (1, 2, 3, 89, 90, 2**53 + 1, 2**62 - 1)], 50),
    "exponential": (split_laws.draw, [(SplitLaw.EXPONENTIAL, table, 1.0) for table in SCORES], 20),
    "permute and flip": (split_laws.draw, [(SplitLaw.PERMUTE_AND_FLIP, table, 1.0) for table in SCORES], 20),
    "class of a leaf": (sample_class, [(*pair, Fraction(1, 5)) for pair in COUNTS], 50),
    "net of a leaf": (sample_net_count, [(*pair, Fraction(1, 5)) for pair in COUNTS], 50),
}
"""Samplers with arguments of which an observer may know nothing, and the number of seeds."""


@pytest.mark.parametrize("name", WORK)
def test_work__of_a_draw_is_the_same_for_all_arguments_and_outcomes(name: str) -> None:
    sampler, arguments, seeds = WORK[name]
    assert len({work_of(seed, sampler, *given) for given in arguments for seed in range(seeds)}) == 1
    outcomes = {str(sampler(*given, bits_from(seed))) for given in arguments for seed in range(seeds)}
    assert len(outcomes) >= 2 + ("noise" in name)


# Splits --------------------------------------------------------------------------------------------------


class Answers:
    """Scripted answers in place of the uniform integers and coins of a split."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.drawn: list[int] = []
        self.heads: list[bool] = []
        self.totals: list[int] = []
        self.chances: list[Fraction] = []
        monkeypatch.setattr(split_laws, "uniform_below", self._uniform)
        monkeypatch.setattr(split_laws, "bernoulli", self._coin)

    def _uniform(self, count: int, _: object) -> int:
        self.totals.append(count)
        return self.drawn.pop(0)

    def _coin(self, part: int, whole: int, _: object) -> bool:
        self.chances.append(Fraction(part, whole))
        return self.heads.pop(0)


RELATIVE: list[list[float]] = [
    [0.375, 1.0, 2.0**-7, 1.0],
    [1.0],
    [2.0**-900, 1.0, 1 / 3],
    np.exp(-np.arange(30.0) * 23).tolist(),
    [1.0, *[1 - 2.0**-53] * 5, 2.0**-9],
    [1.0, *[np.nextafter(2.0**-12, 1)] * 6],
]


@pytest.mark.claim("expSPLIT")
@pytest.mark.parametrize("relative", RELATIVE)
def test_expSPLIT__split_is_drawn_exactly_from_its_chances(  # noqa: N802
    relative: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, row, count = Answers(monkeypatch), np.array([relative]), len(relative)

    def split_of(drawn: int, *more: int, heads: Sequence[bool] = ()) -> int:
        answers.drawn, answers.heads = [drawn, *more], list(heads)
        (chosen,) = draw_proportional(row, bits_from(0))
        assert not answers.drawn
        assert not answers.heads
        return chosen

    assert split_of(0) == 0 or relative[0] < 2.0**-50
    total = answers.totals[0] - count
    # The number of integers that select a split directly, and the coin of its own integer.
    ends = [bisect_left(range(total), index + 1, key=split_of) for index in range(count)]
    answers.chances.clear()
    for index in range(count):
        assert split_of(total + index, heads=[True]) == index
    masses = [end - start + part for start, end, part in zip([0, *ends], ends, answers.chances, strict=False)]
    assert [mass / sum(masses) for mass in masses] == [
        Fraction(number) / sum(map(Fraction, relative)) for number in relative
    ]
    # A coin that does not accept starts again, and this is rare.
    assert split_of(total, 0, heads=[False]) == split_of(0)
    assert Fraction(count, total) <= Fraction(count**2, 2**60)


@pytest.mark.claim("expSPLIT")
@pytest.mark.parametrize("chance", [1.0, 1 - 2.0**-53, 1 / 3, 2.0**-62, 2.0**-900, float(np.exp(-50))])
def test_expSPLIT__coin_of_permute_and_flip_has_its_chance(  # noqa: N802
    chance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, row = Answers(monkeypatch), np.array([[1.0, chance]])

    def accepts(number: int, heads: bool) -> bool:
        answers.drawn, answers.heads = [0], [heads]
        assert draw_permute_and_flip(row, Script((4 * number + 3) << 64)) == [0]
        return answers.totals[-1] == 2

    # The count of numbers that are accepted without a coin, and the coin of the next one.
    below = bisect_left(range(1 << 62), True, key=lambda number: not accepts(number, heads=False))
    answers.chances.clear()
    part = answers.chances[-1] if below < 1 << 62 and accepts(below, heads=True) else Fraction(0)
    assert (below + part) / 2**62 == Fraction(chance)


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__draws_of_a_fit_are_those_of_its_samplers() -> None:  # noqa: N802
    scores = np.array([[0.0, -1.0, -2.0], [-3.0, 0.0, -1.0]])
    relative = split_laws.chances(scores, 0.5)
    for seed in range(20):
        again = bits_from(seed)
        uniform = [uniform_below(3, again) for _ in scores]
        for split_law, expected in (
            (SplitLaw.EXPONENTIAL, draw_proportional(relative, bits_from(seed))),
            (SplitLaw.PERMUTE_AND_FLIP, draw_permute_and_flip(relative, bits_from(seed))),
            (SplitLaw.UNIFORM, uniform),
        ):
            assert make_samples(seed).splits(split_law, scores, 0.5) == expected
        assert make_samples(seed).uniform(3, 2) == uniform
        noise = discrete_laplace(Fraction(7, 2), bits_from(seed))
        assert make_samples(seed).noise(Fraction(7, 2)) == noise


@pytest.mark.claim("expSPLIT")
def test_expSPLIT__permute_and_flip_is_drawn_exactly_from_its_chances(  # noqa: N802
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers, chances = Answers(monkeypatch), [1.0, 0.5, 0.25]
    law = dict.fromkeys(range(3), Fraction(0))
    for coins in product((True, False), repeat=3):
        masses = [Fraction(q) if coin else 1 - Fraction(q) for q, coin in zip(chances, coins, strict=True)]
        mass = prod(masses, start=Fraction(1))
        word = sum((0 if coin else 2**64 - 1) << 64 * index for index, coin in enumerate(coins))
        if not mass:
            continue
        for pick in range(sum(coins)):
            answers.drawn = [pick]
            law[draw_permute_and_flip(np.array([chances]), Script(word))[0]] += mass / sum(coins)
        assert answers.totals[-1] == sum(coins)
    # Half the integral of (1 - x) (1 - x / 4) over [0, 1], and so on.
    first = 1 - Fraction(3, 8) + Fraction(1, 24)
    second = HALF * (1 - Fraction(5, 8) + Fraction(1, 12))
    third = Fraction(1, 4) * (1 - Fraction(3, 4) + Fraction(1, 6))
    assert first + second + third == 1
    assert law == {0: first, 1: second, 2: third}


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


@pytest.mark.claim("fixALPHA")
@pytest.mark.parametrize(
    ("name", "later"), [("estimated alpha", Fraction), ("estimated alpha, raw beta", float)]
)
def test_fixALPHA__estimate_is_exact_if_the_masses_are(name: str, later: type) -> None:  # noqa: N802
    records: list[Any] = []
    setting = Setting(PROTOCOLS[name], Parameters(2, 2, Fraction(3)), domain_of(2, 2), 8)
    fit_trees(setting, random_data(setting.domain, 8, 0).rows, Scripted([3]), records.append)
    first, second = [entry for entry in records if entry["kind"] == "alpha"]
    # Half a unit and three steps of noise, as a share of half of 8 weights of at most 1/2.
    assert (first["value"], type(first["value"])) == ((HALF + Fraction(3, GRID)) / 2, Fraction)
    # Raw coefficients make the weights of later trees floats.
    assert second["value"] == pytest.approx(float(second["minority"]) / 4)
    assert type(second["value"]) is later


# Sources -------------------------------------------------------------------------------------------------


def test_bits__come_from_the_operating_system_unless_a_seed_is_given() -> None:
    assert isinstance(bits_from(None), random.SystemRandom)
    assert bits_from(3).getrandbits(64) == bits_from(3).getrandbits(64)
    assert bits_from(3).getrandbits(64) != bits_from(4).getrandbits(64)
    source = random.Random(1)
    assert bits_from(source) is source
