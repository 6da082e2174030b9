"""The Coq model of the auditor (`proofs_check/coq`): its constants and its factors are those of the code."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from privboost.auditor.betting.wealth import (
    BY_CLAIM,
    COLUMNS,
    PARTS,
    PURE_PARTS,
    ROUNDING,
    ROUNDING_OF_A_CALL,
    SHARES,
    STAKES,
    Counts,
    Points,
    Wealth,
)
from privboost.auditor.guessing.graded import GradedPlay
from privboost.auditor.running.sequential import FIRST_BLOCK, SequentialTest
from privboost.errors import PreconditionError
from privboost.oracle_tests.unit.auditor.test_rounding import KEPT
from tools.coq_development import find_source

SOURCE = find_source("Auditor").read_text("utf-8")
Floats = NDArray[np.float64]
ONE = np.zeros(1, dtype=np.int64)


def constants(name: str) -> list[Fraction]:
    """Return the numbers in the definition of a name of the Coq model."""
    body = re.search(rf"Definition {name}\b[^:]*:[^=]*:=(.*?)\.\n", SOURCE, re.DOTALL)
    assert body is not None
    return [Fraction(number) for number in re.findall(r"\d+(?:/\d+)?", body.group(1).replace(" ", ""))]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("stakes_on_events", STAKES),
        ("shares", SHARES),
        ("parts", (*PURE_PARTS, *PARTS)),
        ("by_claim", [BY_CLAIM]),
        ("rounding", [ROUNDING, ROUNDING_OF_A_CALL]),
        ("first_block", [FIRST_BLOCK]),
        ("kept", [1, float(1 - KEPT)]),
    ],
)
def test_formal_model__constants_are_those_of_the_code(name: str, values: list[float]) -> None:
    assert [float(number) for number in constants(name)] == pytest.approx(list(values), rel=1e-15)


def test_formal_model__parts_are_divided_by_the_columns() -> None:
    divisors = re.findall(r"(?:events|grades|either) / (\d+)", SOURCE)
    assert [int(number) for number in divisors] == list(COLUMNS)


def separate_sides(calls: int, width: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return noisy outputs that show the side, and the sides."""
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, calls)
    return rng.random((calls, width)) + 10 * sides[:, None], sides


@pytest.mark.parametrize("ends", [(16, 40), (9, 16, 17), (10, 15, 30), (40,)])
def test_formal_model__nothing_is_staked_on_the_first_block(ends: tuple[int, ...]) -> None:
    """`learning`: call 17 is the first that is staked on, also if the test is finished before and goes on."""
    outputs, sides = separate_sides(ends[-1], 1)
    test, start = SequentialTest(0.0), 0
    for end in ends:
        test.update(outputs[start:end], sides[start:end])
        test.finish()
        start = end
        assert test.wealth._staked == (end > FIRST_BLOCK)
        assert (test.wealth.log_wealth[0] != 0) == (end > FIRST_BLOCK)


@pytest.mark.parametrize("noisy", [False, True])
def test_formal_model__the_first_block_decides_how_capital_is_divided(noisy: bool) -> None:
    """`pure`: the parts depend on calls 1 to 16 and on no other; the wealth then is still 1."""
    outputs, sides = separate_sides(100, 8)
    outputs[:FIRST_BLOCK] = outputs[:FIRST_BLOCK] if noisy else np.round(outputs[:FIRST_BLOCK])
    test = SequentialTest(0.0, stop=False)
    for end in (FIRST_BLOCK, FIRST_BLOCK + 1, 100):
        test.update(outputs[test.calls : end], sides[test.calls : end])
        test.finish()
        parts = PARTS if noisy and end > FIRST_BLOCK else PURE_PARTS
        assert test.wealth._capital.tolist() == np.repeat(np.divide(parts, COLUMNS), COLUMNS).tolist()


def test_formal_model__capital_is_not_divided_after_a_block() -> None:
    test = SequentialTest(0.0)
    test.wealth.expect_many_numbers()
    test.update(*separate_sides(24, 1))
    with pytest.raises(PreconditionError):
        test.wealth.expect_many_numbers()


@pytest.mark.parametrize("guesses", [(-1, 0, 1), (-1, -1, 0), (1, 0, 0), (0, 0, 0)])
def test_formal_model__event_factor(guesses: tuple[int, ...]) -> None:
    """`event_factor` of Betting.v, written out, is the factor of one call."""
    epsilon, delta = 0.7, 0.03
    wealth = Wealth([epsilon], Points(np.array([[epsilon]]), np.array([[delta]])), 0.05)
    sides = (-1 in guesses) + (1 in guesses)
    charge = delta / 2 * sides
    for cell, side in ((cell, side) for cell in range(3) for side in (-1, 1)):
        guess = guesses[cell]
        stake = STAKES / (math.exp(epsilon) + charge)
        expected = (
            1 - stake * charge if guess == 0 else 1 + stake * (1 - charge) if guess == side else 1 - STAKES
        )
        right, wrong = np.array([float(guess == side)]), np.array([float(guess == -side)])
        abstained = np.array([float(guess == 0 and sides > 0)])
        counts = Counts(right, wrong, abstained, np.array([sides == 2]))
        np.testing.assert_allclose(np.exp(counts.log_gains(wealth, ONE, ONE)[0]), expected, atol=1e-14)


@pytest.mark.parametrize("stakes", [(-0.3, 0.0, 0.2), (0.1, 0.4, 0.0), (-0.9, 0.8, 0.7), (0.0, 0.0, 0.0)])
def test_formal_model__graded_factor(stakes: tuple[float, ...]) -> None:
    """`graded_factor` of Betting.v, written out, is the factor of one call."""
    epsilon, delta = 0.7, 0.03
    wealth = Wealth([epsilon], Points(np.array([[epsilon]]), np.array([[delta]])), 0.05)
    ratio = math.exp(epsilon)
    charge = delta * (max(0.0, -min(stakes)) + max(0.0, *stakes)) / 2
    scale = 1 / max(1, charge + ratio * max(map(abs, stakes)))
    for cell, right_side in ((cell, right_side) for cell in range(3) for right_side in (False, True)):
        size, hit = abs(stakes[cell]), (stakes[cell] > 0) == right_side
        gain = size - charge if hit else -(ratio * size + charge)
        left, right = np.zeros(3), np.zeros(3)
        (right if right_side else left)[cell] = 1
        play = GradedPlay(np.array([stakes]), left, right)
        gains = play.log_gains(wealth, ONE, ONE)[0]
        np.testing.assert_allclose(np.exp(gains), 1 + SHARES * scale * gain, atol=1e-14)
