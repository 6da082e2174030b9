"""The betting test: its validity, and that guesses depend on earlier calls only."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom

from privboost.auditor.betting.wealth import (
    SHARES,
    STAKES,
    Counts,
    Points,
    Wealth,
    calls_to_catch,
    grid_of_nulls,
    power_of,
)
from privboost.auditor.conclusion import cross_check, lower_log_odds
from privboost.auditor.guessing.graded import GradedPlay
from privboost.auditor.guessing.guessers import Competition
from privboost.auditor.running.sequential import SequentialTest, block_end
from privboost.errors import PreconditionError

Array = NDArray[np.float64]
Sides = NDArray[np.int64]
ONE = Points(np.ones((1, 1)), np.zeros((1, 1)))
"""The claim epsilon = 1."""


def laplace(true: float, calls: int, seed: int) -> tuple[Array, Sides]:
    """Return outputs of the Laplace mechanism on 0 and 1, and the sides."""
    rng = np.random.default_rng(seed)
    sides = rng.integers(0, 2, calls)
    return sides + rng.laplace(scale=1 / true, size=calls), sides


def responses(true: float, calls: int, seed: int) -> tuple[Array, Sides]:
    """Return outputs of randomised response, and the sides."""
    rng = np.random.default_rng(seed)
    sides = rng.integers(0, 2, calls)
    honest = rng.random(calls) < 1 / (1 + np.exp(-true))
    return np.where(honest, sides, 1 - sides).astype(float), sides


# Wealth --------------------------------------------------------------------------------------------------

share = st.floats(0, 1)
events = st.tuples(share, share, share)
deltas = st.sampled_from([0.0, 1e-3, 0.2])


def wealth_at(nulls: Any, delta: float = 0.0, claim: float | None = None, error: float = 0.05) -> Wealth:
    """Return the wealth against values of epsilon at one delta."""
    epsilon = np.asarray(nulls, dtype=float)[:, None]
    return Wealth(nulls, Points(epsilon, np.full_like(epsilon, delta)), error, claim=claim)


def add(wealth: Wealth, right: Any, wrong: Any, abstained: Any = 0.0) -> None:
    """Add one block in which both sides are guessed, on events and with all of the capital."""
    size = wealth.nulls.size
    hits, misses, rest = (
        np.broadcast_to(np.asarray(part, float), size) for part in (right, wrong, abstained)
    )
    counts, every = Counts(hits, misses, rest, np.ones(size, dtype=bool)), np.arange(size)
    own = counts.log_gains(wealth, every, every)
    below = np.arange(wealth.claim or 0)
    claimed = counts.log_gains(wealth, np.full(below.size, wealth.claim or 0), below)
    idle = np.full((size, SHARES.size), -np.inf)
    wealth.add(np.hstack([own, idle, own]), np.hstack([claimed, idle[: below.size], claimed]), 100)


def test_wealth__of_many_noisy_numbers_is_half_by_grades() -> None:
    """The capital is 1 before and after it is divided; with delta it is divided like this from the start."""
    graded = np.zeros((1, 2 * STAKES.size + SHARES.size))
    graded[:, STAKES.size : STAKES.size + SHARES.size] = np.log(3)
    for many, delta, expected in ((False, 0.0, 1.2), (True, 0.0, 2.0), (False, 0.1, 2.0)):
        wealth = wealth_at([1.0], delta)
        if many:
            wealth.expect_many_numbers()
        wealth.add(graded, np.empty((0, graded.shape[1])), 100)
        assert np.exp(wealth.log_wealth) == pytest.approx(expected)


def chances_of(epsilon: float, delta: float, low: float, other: float, slack: float) -> Array:
    """Return probabilities of events that guess left and right: shape (side of the call, guess).

    They are the greatest under privacy, made smaller by some slack.
    """
    wrong_left, wrong_right = low / 2, other / 2
    right = [
        min(np.exp(epsilon) * wrong + delta, 1 - rest) * slack
        for wrong, rest in ((wrong_left, wrong_right), (wrong_right, wrong_left))
    ]
    return np.array([[right[0], wrong_right], [wrong_left, right[1]]])


@given(epsilon=st.floats(0, 8), delta=deltas, events=events, both=st.booleans())
def test_wealth__no_stake_wins_on_average_against_a_true_null(
    epsilon: float, delta: float, events: tuple[float, float, float], both: bool
) -> None:
    chances = chances_of(epsilon, delta, *events)
    if not both:
        chances[:, 1] = 0
    right, wrong = np.trace(chances) / 2, (chances[0, 1] + chances[1, 0]) / 2
    wealth = wealth_at([epsilon], delta)
    hit, miss, rest = np.eye(3)
    counts = Counts(hit, miss, rest, np.full(3, both))
    gains = counts.log_gains(wealth, np.arange(3), np.zeros(3, dtype=np.int64))
    means = np.array([right, wrong, 1 - right - wrong]) @ np.exp(gains)
    assert np.all(means <= 1 + 1e-12)


@given(epsilon=st.floats(0, 8), delta=deltas, events=events, grades=st.tuples(share, share))
def test_graded_stakes__do_not_win_on_average_against_a_true_null(
    epsilon: float, delta: float, events: tuple[float, float, float], grades: tuple[float, float]
) -> None:
    chances = chances_of(epsilon, delta, *events)
    chances = np.hstack([chances, 1 - chances.sum(axis=1, keepdims=True)])
    wealth = wealth_at([epsilon], delta)
    stakes = np.array([[-grades[0], grades[1], 0.0]])
    first = np.zeros(1, dtype=np.int64)
    mean = np.zeros(SHARES.size)
    for side in (0, 1):
        for cell in range(3):
            calls = np.zeros((2, 3))
            calls[side, cell] = 1
            gains = GradedPlay(stakes, *calls).log_gains(wealth, first, first)[0]
            mean += chances[side, cell] / 2 * np.exp(gains)
    assert np.all(mean <= 1 + 1e-12)


def test_wealth__one_side_pays_half_of_delta_and_two_sides_pay_all_of_it() -> None:
    # The input is published with probability 0.1: the chances are those of (0, 0.1)-privacy exactly.
    wealth, bets = wealth_at([0.0], 0.1), np.zeros(2, dtype=np.int64)
    for both, right in ((True, 0.1), (False, 0.05)):
        counts = Counts(np.array([1.0, 0.0]), np.zeros(2), np.array([0.0, 1.0]), np.full(2, both))
        means = np.array([right, 1 - right]) @ np.exp(counts.log_gains(wealth, np.arange(2), bets))
        assert means == pytest.approx(np.ones(STAKES.size), abs=1e-12)


def test_wealth__a_false_null_can_be_won_against() -> None:
    # The control of the tests above: odds of e^2 against a null of 1.
    wealth, right = wealth_at([1.0]), 1 / (1 + np.exp(-2))
    counts = Counts(np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.zeros(2), np.ones(2, dtype=bool))
    gains = counts.log_gains(wealth, np.arange(2), np.zeros(2, dtype=np.int64))
    assert (np.array([right, 1 - right]) @ np.exp(gains)).max() > 1.05


def test_wealth__the_bound_is_the_end_of_the_first_run_of_refuted_nulls() -> None:
    wealth = wealth_at([0.0, 1.0, 2.0, 3.0])
    wealth.refuted[:] = [True, True, False, True]
    assert wealth.bound == 1.0
    assert wealth.at(1.0)[1]
    assert not wealth.at(3.0)[1], "a null above one that stands is not refuted"
    wealth.refuted[:] = [False, True, True, True]
    assert wealth.bound == 0.0
    wealth.refuted[:] = True
    assert wealth.bound == 3.0


def test_wealth__without_wrong_guesses_the_calls_limit_the_bound() -> None:
    wealth = wealth_at(grid_of_nulls(1.0))
    add(wealth, 10_000, 0)
    # Clopper and Pearson give log(n / 3.0); the mean over stakes and times costs little more than one unit.
    assert np.log(10_000 / 3) - 1.2 < wealth.bound < np.log(10_000 / 3)


def test_wealth__a_claim_that_is_clearly_refuted_takes_smaller_nulls_with_it() -> None:
    nulls = [0.0, 0.5, 1.0, 1.5]
    alone, claimed = wealth_at(nulls), wealth_at(nulls, claim=1.0)
    for wealth in (alone, claimed):
        add(wealth, [50, 50, 90, 0], [50, 50, 5, 0])
    assert alone.refuted.tolist() == [False, False, True, False]
    assert alone.bound == 0.0
    assert claimed.refuted.tolist() == [True, True, True, False]
    assert claimed.bound == 1.0
    assert claimed.log_wealth[2:].tolist() == alone.log_wealth[2:].tolist()
    assert np.all(claimed.log_wealth[:2] >= np.log(0.2) + claimed.log_wealth[2])


def test_wealth__what_was_refuted_once_stays_refuted() -> None:
    wealth = wealth_at([0.0, 1.0])
    add(wealth, 100, 0)
    assert wealth.bound == 1.0
    add(wealth, 0, 100)
    assert wealth.log_wealth[1] < 0
    assert wealth.bound == 1.0


@pytest.mark.parametrize(
    ("nulls", "delta", "error"),
    [([1.0, 0.5], 0.0, 0.05), ([], 0.0, 0.05), ([-1.0], 0.0, 0.05), ([1.0], 1.1, 0.05), ([1.0], 0.0, 0.0)],
)
def test_wealth__refuses_invalid_parameters(nulls: list[float], delta: float, error: float) -> None:
    with pytest.raises(PreconditionError):
        wealth_at(nulls, delta, error=error)


# The test as a whole --------------------------------------------------------------------------------------


def test_sequential__the_future_does_not_change_the_past() -> None:
    outputs, sides = laplace(1.5, 1500, 0)
    others, other_sides = laplace(4.0, 700, 1)
    whole, changed = SequentialTest(1.0, stop=False), SequentialTest(1.0, stop=False)
    whole.update(outputs, sides)
    changed.update(np.concatenate([outputs[:800], others]), np.concatenate([sides[:800], other_sides]))
    known = [point for point in whole.curve if point.calls <= 800]
    assert len(known) > 20
    assert changed.curve[: len(known)] == known
    assert changed.curve[len(known) :] != whole.curve[len(known) : len(changed.curve)]


@pytest.mark.parametrize("shape", ["numbers", "lists", "repeated"])
def test_sequential__portions_do_not_matter(shape: str) -> None:
    values, sides = laplace(1.5, 900, 0)
    outputs: Any = {
        "numbers": values,
        "lists": [[float(value)] * (1 + int(abs(value))) for value in values],
        "repeated": np.round(values),
    }[shape]
    whole, parts = SequentialTest(1.0, stop=False), SequentialTest(1.0, stop=False)
    whole.update(outputs if shape != "repeated" else outputs.tolist(), sides)
    for start in range(0, 900, 37):
        parts.update(outputs[start : start + 37], sides[start : start + 37])
    for test in (whole, parts):
        test.finish()
    assert whole.curve == parts.curve
    assert whole.calls == 900


def test_sequential__blocks_grow_and_never_stand_still() -> None:
    ends = [0]
    while ends[-1] < 10**6:
        ends.append(block_end(ends[-1]))
    assert all(later > sooner for sooner, later in pairwise(ends))
    assert len(ends) < 200


def false_violations(runs: int, calls: int, epsilon: float) -> int:
    """Return the number of runs at the true epsilon that refute it."""
    refuted = 0
    for seed in range(runs):
        test = SequentialTest(epsilon, nulls=[epsilon])
        test.update(*responses(epsilon, calls, seed))
        refuted += test.refuted
    return refuted


def test_sequential__true_claims_are_rarely_refuted() -> None:
    """False-alarm probability 10^-6: 5 % of 120 runs, continuously watched."""
    assert false_violations(120, 200, 1.0) <= binom.isf(1e-6, 120, 0.05)


def test_sequential__a_guesser_that_peeks_is_caught_by_the_same_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The control: guesses learned from the very block they are counted on.
    count = Competition.count

    def peeking(self: Competition, outputs: Any, sides: Sides) -> object:
        self.learn(outputs, sides, len(sides))
        return count(self, outputs, sides)

    monkeypatch.setattr(Competition, "count", peeking)
    assert false_violations(24, 200, 1.0) > binom.isf(1e-6, 24, 0.05)


def test_sequential__bounds_a_laplace_mechanism_closely() -> None:
    """False-alarm probability below 10^-3, were the seeds not fixed: all of 3 runs exceed the truth."""
    bounds = []
    for seed in range(3):
        test = SequentialTest(1.0, stop=False)
        test.update(*laplace(1.0, 4000, seed))
        bounds.append(test.bound)
    assert np.mean(bounds) > 0.75
    assert min(bounds) <= 1


def test_sequential__delta_is_paid_for() -> None:
    # A mechanism that reveals its input with probability 0.05: (0, 0.05)-private, and not (0, 0.01).
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, 6000)
    outputs = np.where(rng.random(6000) < 0.05, sides, 2).astype(float)
    refuted = {}
    for delta in (0.0, 0.01, 0.05):
        test = SequentialTest(0.5, delta=delta)
        test.update(outputs, sides)
        refuted[delta] = test.refuted
    assert refuted == {0.0: True, 0.01: True, 0.05: False}


def test_sequential__stops_at_a_violation_by_default() -> None:
    outputs, sides = laplace(4.0, 2000, 0)
    stopped, going = SequentialTest(1.0), SequentialTest(1.0, stop=False)
    for test in (stopped, going):
        test.update(outputs, sides)
        test.finish()
    assert stopped.refuted
    assert stopped.calls < 200
    assert going.calls == 2000
    assert going.bound > stopped.bound


# Cross-check and power ------------------------------------------------------------------------------------


def test_fixed__lower_limit_inverts_the_binomial_tail() -> None:
    limit = lower_log_odds(np.array([40.0]), np.array([10.0]), 0.05)[0]
    assert binom.sf(39, 50, 1 / (1 + np.exp(-limit))) == pytest.approx(0.05)
    assert lower_log_odds(np.array([0.0]), np.array([9.0]), 0.05)[0] == 0


def test_fixed__rarely_exceeds_the_truth() -> None:
    """False-alarm probability 10^-6 (5 % of 30 runs)."""
    above = 0
    for seed in range(30):
        test = SequentialTest(1.0, nulls=[0.0, 0.5, 1.0], stop=False)
        test.update(*responses(1.0, 800, seed))
        check = cross_check(test)
        assert check is not None
        above += check.bound > 1.0
    assert above <= binom.isf(1e-6, 30, 0.05)


def test_fixed__needs_calls_and_no_delta() -> None:
    short, loose = SequentialTest(1.0), SequentialTest(1.0, delta=0.1)
    short.update(*laplace(1.0, 150, 0))
    loose.update(*laplace(1.0, 1000, 0))
    assert cross_check(short) is None
    assert cross_check(loose) is None


def test_power__is_kept_by_a_mechanism_of_that_size() -> None:
    """False-alarm probability below 10^-6: 12 runs that each succeed with probability 0.95."""
    common = power_of(2000, ONE, 0.05)[0].epsilon
    assert common is not None
    caught = 0
    for seed in range(12):
        # Guesses on all calls are twice as many as the statement counts on.
        test = SequentialTest(1.0, nulls=[0.0, 1.0])
        test.update(*laplace(common, 2000, seed))
        caught += test.refuted
    assert caught >= binom.ppf(1e-6, 12, 0.95)


def test_power__of_overwhelming_evidence_takes_few_calls() -> None:
    calls = calls_to_catch(30.0, 1.0, ONE, 0.05)
    assert calls is not None
    assert 4 <= calls <= 64


def test_power__grows_with_calls_and_with_the_share() -> None:
    long, short = power_of(20_000, ONE, 0.05), power_of(1000, ONE, 0.05)
    epsilons = [power.epsilon for power in long]
    assert None not in epsilons
    assert epsilons == sorted(epsilons, key=float)  # type: ignore[arg-type]
    assert long[0].epsilon < short[0].epsilon  # type: ignore[operator]
    assert short[-1].epsilon is None, "five guesses refute nothing"
