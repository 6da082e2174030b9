"""Samplers against exact laws: every sampler is run on all bit strings, up to a rest of 2^-40.

The exact laws are computed from the definitions, without the formulas of the reference. The comparison is
exact, so there are no false alarms. Each negative control is a sampler with one mistake.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from math import prod
from typing import Any

import pytest

from privboost.errors import InexactInputError, PreconditionError
from privboost.oracle_tests.support.coin_laws import DEPTH, Probabilities, Sampler, check, contradictions_of
from privboost.reference.exact import Exact, Number, enclose, exact, exact_sum, exp, log, sqrt
from privboost.reference.privacy.bits import BitSource, SeededBits, TapeBits, draw
from privboost.reference.privacy.coins import enumerate_law
from privboost.reference.privacy.samplers import (
    sample_bernoulli,
    sample_bernoulli_exp,
    sample_bernoulli_exp_series,
    sample_choice,
    sample_discrete_laplace,
    sample_exponential_mechanism,
    sample_permute_and_flip,
    sample_uniform_below,
)

twenty = pytest.mark.parametrize("rng", range(20), indirect=True)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Return a generator of instances, seeded by the name of the test, or randomly on request."""
    fresh = request.config.getoption("--privboost-fresh")
    seed = secrets.token_hex(8) if fresh else request.node.name
    print(f"random.Random({seed!r})")
    return random.Random(seed)


# Instances and their exact laws --------------------------------------------------------------------------


def positive(rng: random.Random) -> Number:
    """Return a random positive number: rational, surd or transcendental."""
    value = Fraction(rng.randint(1, 40), rng.randint(1, 20))
    return rng.choice([value, value * sqrt(rng.randint(2, 9)), exp(-value), log(1 + value)])


def some_scores(rng: random.Random) -> list[Number]:
    """Return two to four random scores, some of them tied."""
    scores = [rng.choice([-1, 1]) * positive(rng) for _ in range(rng.randint(2, 4))]
    return [*scores[:-1], scores[0]] if len(scores) > 2 and rng.random() < 1 / 3 else scores


def coin(p: Exact) -> dict[bool, Exact]:
    """Return the law of a coin."""
    return {True: p, False: 1 - p}


def uniform(n: int) -> dict[int, Exact]:
    """Return equal probabilities of 0, ..., n - 1."""
    return {i: Fraction(1, n) for i in range(n)}


def proportional(weights: Sequence[Exact]) -> dict[int, Exact]:
    """Return probabilities proportional to weights."""
    return {i: weight / exact_sum(weights) for i, weight in enumerate(map(exact, weights))}


def exponential(scores: Sequence[Exact], per_score: Exact) -> dict[int, Exact]:
    """Return the law of the exponential mechanism by definition."""
    return proportional([exp(per_score * score) for score in scores])


def permute_and_flip(scores: Sequence[Exact], per_score: Exact) -> dict[int, Exact]:
    """Return the law of permute-and-flip, averaged over all orders."""
    best = max(scores)
    accept = [exp(per_score * (score - best)) for score in scores]
    orders = list(permutations(range(len(scores))))
    law: dict[int, Exact] = dict.fromkeys(range(len(scores)), 0)
    for order in orders:
        for position, i in enumerate(order):
            missed = prod((1 - accept[j] for j in order[:position]), start=Fraction(1))
            law[i] += missed * accept[i] / len(orders)
    return law


def discrete_laplace(scale: Exact, step: Fraction) -> dict[Fraction, Exact]:
    """Return the law of discrete Laplace noise, including all outcomes that an enumeration can reach."""
    ratio = exp(-step / scale)
    most = int(enclose(DEPTH * scale / step, 1).hi * Fraction(7, 10)) + 2  # log 2 < 7/10
    return {k * step: ratio ** abs(k) * (1 - ratio) / (1 + ratio) for k in range(-most, most + 1)}


# The samplers have their laws ----------------------------------------------------------------------------


@twenty
def test_uniform__has_its_law(rng: random.Random) -> None:
    n = rng.randint(1, 40)
    check(lambda bits: sample_uniform_below(n, bits), uniform(n), log(n) / log(2) + 2)


@twenty
def test_bernoulli__has_its_law_and_takes_few_bits(rng: random.Random) -> None:
    rational, x = Fraction(rng.randint(0, 100), 100), positive(rng)
    irrational = 1 / (1 + positive(rng) * rng.choice([1, sqrt(2), exp(1)]))
    check(lambda bits: sample_bernoulli(rational, bits), coin(rational), 2)
    check(lambda bits: sample_bernoulli(irrational, bits), coin(irrational), 3)
    check(lambda bits: sample_bernoulli_exp(x, bits), coin(exp(-x)), 3)
    check(lambda bits: sample_bernoulli_exp_series(x, bits), coin(exp(-x)), 12)


@twenty
def test_choice__has_its_law(rng: random.Random) -> None:
    weights = [positive(rng) for _ in range(rng.randint(1, 5))]
    check(lambda bits: sample_choice(weights, bits), proportional(weights), log(len(weights)) / log(2) + 4)


@twenty
@pytest.mark.claim("sec:def")
def test_laplace__on_a_grid_has_its_law(rng: random.Random) -> None:
    step, scale = Fraction(1, rng.randint(1, 4)), Fraction(rng.randint(1, 8), rng.randint(3, 6))
    check(lambda bits: sample_discrete_laplace(scale, step, bits), discrete_laplace(scale, step), 30)


@pytest.mark.claim("sec:def")
def test_laplace__with_an_irrational_scale_has_its_law() -> None:
    scale = sqrt(2)
    check(lambda bits: sample_discrete_laplace(scale, 1, bits), discrete_laplace(scale, Fraction(1)))


each_split_law = pytest.mark.parametrize(
    ("sampler", "law", "most_bits"),
    [(sample_exponential_mechanism, exponential, 6), (sample_permute_and_flip, permute_and_flip, 16)],
)


@twenty
@each_split_law
@pytest.mark.claim("expSPLIT")
def test_expsplit__mechanisms_have_their_laws(
    sampler: Any, law: Any, most_bits: int, rng: random.Random
) -> None:
    scores, epsilon = some_scores(rng), Fraction(rng.randint(0, 30), 10)
    reach = Fraction(1, 4) + positive(rng)
    check(lambda bits: sampler(scores, epsilon, reach, bits), law(scores, epsilon / (2 * reach)), most_bits)


@pytest.mark.claim("expSPLIT")
@each_split_law
def test_expsplit__the_two_goes_where_scores_move_one_way(sampler: Any, law: Any, most_bits: int) -> None:
    scores = [Fraction(1), sqrt(2), Fraction(0)]
    check(lambda bits: sampler(scores, 1, 3, bits, one_sided=True), law(scores, Fraction(1, 3)), most_bits)


# Ties that algebra does not detect do not stop a sampler ---------------------------------------------------


def hide_multiple(n: int) -> Number:
    """Return 6 n as a lazy real that algebra does not simplify to an integer."""
    return n * exp(log(2) + log(3))


def test_bernoulli__of_a_hidden_half_has_its_law_and_takes_three_bits() -> None:
    check(lambda bits: sample_bernoulli(hide_multiple(1) / 12, bits), coin(Fraction(1, 2)), 3)


def test_choice__of_hidden_equal_weights_has_its_law() -> None:
    check(lambda bits: sample_choice([hide_multiple(1), 6, 12], bits), proportional([1, 1, 2]), 6)


@pytest.mark.claim("expSPLIT")
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
@each_split_law
def test_expsplit__hidden_ties_of_the_best_score_are_harmless(
    order: tuple[int, ...], sampler: Any, law: Any, most_bits: int
) -> None:
    scores = [(hide_multiple(1), 6, 5)[i] for i in order]
    check(lambda bits: sampler(scores, 2, 1, bits), law([(6, 6, 5)[i] for i in order], 1), most_bits)


# Negative controls: the same comparison rejects samplers with one mistake ----------------------------------


def modulo(n: int, bits: BitSource) -> int:
    """Return a number below n with the bias of a remainder."""
    return sum(bits.bit() << i for i in range(8)) % n


def signed_geometric(r: Exact, bits: BitSource) -> int:
    """Return noise that counts zero twice, once for each sign."""
    size = 0
    while draw(bits, sample_bernoulli_exp, exact(r)):
        size += 1
    return size if draw(bits, sample_bernoulli, Fraction(1, 2)) else -size


def flip_in_order(scores: Sequence[Exact], bits: BitSource) -> int:
    """Return the first score that is accepted, in the order given instead of a random one."""
    best = max(scores)
    return next(
        i for i, score in enumerate(scores) if draw(bits, sample_bernoulli_exp, exact(best - score) / 2)
    )


def flip_with_replacement(scores: Sequence[Exact], bits: BitSource) -> int:
    """Draw with replacement, which gives the exponential mechanism: a rejected score may be drawn again."""
    while (i := draw(bits, flip_any, tuple(scores))) is None:
        pass
    return i


def flip_any(scores: tuple[Exact, ...], bits: BitSource) -> int | None:
    """Return the index of a uniformly drawn score if it is accepted."""
    i = draw(bits, sample_uniform_below, len(scores))
    return i if draw(bits, sample_bernoulli_exp, exact(max(scores) - scores[i]) / 2) else None


THREE = [Fraction(1), Fraction(2), sqrt(3)]
NUDGE = Fraction(1, 2**38)
MISTAKES: dict[str, tuple[Sampler, Probabilities]] = {
    "coin off by 2^-38": (lambda bits: sample_bernoulli(Fraction(1, 3) + NUDGE, bits), coin(Fraction(1, 3))),
    "irrational coin off by 2^-38": (lambda bits: sample_bernoulli(exp(-1) - NUDGE, bits), coin(exp(-1))),
    "exponent off by 2^-36": (lambda bits: sample_bernoulli_exp(1 + 4 * NUDGE, bits), coin(exp(-1))),
    "remainder": (lambda bits: modulo(5, bits), uniform(5)),
    "one number too many": (lambda bits: sample_uniform_below(6, bits), uniform(5)),
    "rounded weight": (
        lambda bits: sample_choice([1, Fraction(14142135624, 10**10)], bits),
        proportional([1, sqrt(2)]),
    ),
    "weights in another order": (
        lambda bits: sample_choice([1, 2, exp(1)], bits),
        proportional([2, 1, exp(1)]),
    ),
    "two signs of zero": (lambda bits: signed_geometric(1, bits), discrete_laplace(1, Fraction(1))),
    "scale for its inverse": (
        lambda bits: sample_discrete_laplace(Fraction(1, 2), 1, bits),
        discrete_laplace(2, Fraction(1)),
    ),
    "exponential mechanism without the 2": (
        lambda bits: sample_exponential_mechanism(THREE, 2, 1, bits),
        exponential(THREE, Fraction(1, 2)),
    ),
    "lower scores preferred": (
        lambda bits: sample_exponential_mechanism(THREE, 1, 1, bits),
        exponential(THREE, Fraction(-1, 2)),
    ),
    "permute-and-flip in a fixed order": (
        lambda bits: flip_in_order(THREE, bits),
        permute_and_flip(THREE, Fraction(1, 2)),
    ),
    "permute-and-flip with replacement": (
        lambda bits: flip_with_replacement(THREE, bits),
        permute_and_flip(THREE, Fraction(1, 2)),
    ),
    "the exponential mechanism for permute-and-flip": (
        lambda bits: sample_exponential_mechanism(THREE, 1, 1, bits),
        permute_and_flip(THREE, Fraction(1, 2)),
    ),
}


@pytest.mark.parametrize(("sampler", "law"), MISTAKES.values(), ids=MISTAKES.keys())
def test_coins__a_mistake_is_rejected(sampler: Sampler, law: Probabilities) -> None:
    assert contradictions_of(enumerate_law(sampler, DEPTH), law) != []


def test_coins__drawing_with_replacement_is_the_exponential_mechanism() -> None:
    check(lambda bits: flip_with_replacement(THREE, bits), exponential(THREE, Fraction(1, 2)))


# Extremes cost little --------------------------------------------------------------------------------------

EXTREMES: dict[str, Sampler] = {
    "tiny chance": lambda bits: sample_bernoulli_exp(10**300, bits),
    "tiny chance by series": lambda bits: sample_bernoulli_exp_series(10**6, bits),
    "chance near 1": lambda bits: sample_bernoulli(1 - exp(-(10**5)), bits),
    "wide noise": lambda bits: sample_discrete_laplace(10**30, 1, bits),
    "narrow noise": lambda bits: sample_discrete_laplace(1, 10**30, bits),
    "tiny weights": lambda bits: sample_choice([exp(-1000), exp(-1001)], bits),
    "many weights": lambda bits: sample_choice([sqrt(n) for n in range(1, 200)], bits),
    "distant scores": lambda bits: sample_exponential_mechanism([-(10**9), 10**9, 0], 1, 1, bits),
    "huge rate": lambda bits: sample_exponential_mechanism([log(2), log(3), 1], 10**40, 1, bits),
    "distant scores, permuted": lambda bits: sample_permute_and_flip([-(10**9), 10**9, 0], 1, 1, bits),
}


@pytest.mark.parametrize("sampler", EXTREMES.values(), ids=EXTREMES.keys())
@pytest.mark.parametrize("seed", range(3))
def test_samplers__extremes_take_few_bits(sampler: Sampler, seed: int) -> None:
    source = SeededBits(seed)
    tape = TapeBits(source.bit() for _ in range(1000))
    sampler(tape)
    assert tape.used <= 400


# Refusals --------------------------------------------------------------------------------------------------

NO_BITS = TapeBits([])
BROKEN: dict[str, tuple[str, Callable[[], object]]] = {
    "n = 0": ("uniform", lambda: sample_uniform_below(0, NO_BITS)),
    "n negative": ("uniform", lambda: sample_uniform_below(-3, NO_BITS)),
    "n not whole": ("uniform", lambda: sample_uniform_below(Fraction(3, 2), NO_BITS)),  # type: ignore[arg-type]
    "p negative": ("bernoulli", lambda: sample_bernoulli(Fraction(-1, 9), NO_BITS)),
    "p above 1": ("bernoulli", lambda: sample_bernoulli(sqrt(2), NO_BITS)),
    "x negative": ("bernoulli", lambda: sample_bernoulli_exp(-log(2), NO_BITS)),
    "x negative in the series": ("bernoulli", lambda: sample_bernoulli_exp_series(-1, NO_BITS)),
    "no weights": ("choice", lambda: sample_choice([], NO_BITS)),
    "a weight of 0": ("choice", lambda: sample_choice([1, 0], NO_BITS)),
    "a negative weight": ("choice", lambda: sample_choice([1, 1 - sqrt(2)], NO_BITS)),
    "scale 0": ("laplace", lambda: sample_discrete_laplace(0, 1, NO_BITS)),
    "step negative": ("laplace", lambda: sample_discrete_laplace(1, -1, NO_BITS)),
    "step irrational": ("laplace", lambda: sample_discrete_laplace(1, sqrt(2), NO_BITS)),
    "no scores": ("expSPLIT", lambda: sample_exponential_mechanism([], 1, 1, NO_BITS)),
    "no scores to permute": ("expSPLIT", lambda: sample_permute_and_flip([], 1, 1, NO_BITS)),
    "epsilon negative": ("expSPLIT", lambda: sample_exponential_mechanism([1], -1, 1, NO_BITS)),
    "sensitivity 0": ("expSPLIT", lambda: sample_permute_and_flip([1], 1, 0, NO_BITS)),
    "depth negative": ("enumerate_law", lambda: enumerate_law(lambda bits: bits.bit(), -1)),
    "seed not an int": ("SeededBits", lambda: SeededBits("5")),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("label", "call"), BROKEN.values(), ids=BROKEN.keys())
def test_refusals__name_the_assumption(label: str, call: Callable[[], object]) -> None:
    with pytest.raises(PreconditionError) as caught:
        call()
    assert caught.value.label == label


INEXACT: dict[str, Callable[[Any], object]] = {
    "n": lambda x: sample_uniform_below(x, NO_BITS),
    "p": lambda x: sample_bernoulli(x, NO_BITS),
    "x": lambda x: sample_bernoulli_exp(x, NO_BITS),
    "x of the series": lambda x: sample_bernoulli_exp_series(x, NO_BITS),
    "weight": lambda x: sample_choice([1, x], NO_BITS),
    "scale": lambda x: sample_discrete_laplace(x, 1, NO_BITS),
    "step": lambda x: sample_discrete_laplace(1, x, NO_BITS),
    "score": lambda x: sample_exponential_mechanism([1, x], 1, 1, NO_BITS),
    "epsilon": lambda x: sample_exponential_mechanism([1], x, 1, NO_BITS),
    "sensitivity": lambda x: sample_permute_and_flip([1], 1, x, NO_BITS),
}


@pytest.mark.parametrize("call", INEXACT.values(), ids=INEXACT.keys())
@pytest.mark.parametrize("value", [1.0, True, None], ids=repr)
def test_refusals__of_inexact_numbers(call: Callable[[Any], object], value: object) -> None:
    with pytest.raises(InexactInputError):
        call(value)
