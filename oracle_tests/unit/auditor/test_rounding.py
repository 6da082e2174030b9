"""Rounding of log wealth: never more above the exact one than the margin allows (docs/formal.md#rounding)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from privboost.auditor.betting import wealth as wealth_module
from privboost.auditor.betting.wealth import (
    COLUMNS,
    PARTS,
    PURE_PARTS,
    ROUNDING,
    SHARES,
    STAKES,
    Counts,
    Points,
    Wealth,
)
from privboost.auditor.guessing.graded import GradedPlay
from privboost.auditor.guessing.partitions import MOST_CELLS, cuts_of
from privboost.auditor.running.sequential import block_end

Floats = NDArray[np.float64]
UNIT = 2.0**-53
KEPT = 1 - Fraction(1, 2**48)
"""`kept` of Auditor.v."""
NULLS, CLAIM = (0.5, 1.0), 1.0
EVERY, FIRST, SECOND = np.arange(2), np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)


def derived_bound(calls: float) -> float:
    """Return the bound of docs/formal.md on what rounding adds to log wealth."""
    return (809 * calls + 30_000) * UNIT


@dataclass(frozen=True)
class Block:
    """The calls of one block, and what is staked on them, against both nulls alike."""

    right: float
    wrong: float
    abstained: float = 0.0
    both: bool = True
    stakes: tuple[float, ...] = (-0.2, 0.0, 0.3)
    left_of_cell: tuple[float, ...] = (0.0, 0.0, 0.0)
    right_of_cell: tuple[float, ...] = (0.0, 0.0, 0.0)
    graded_leads: bool = False

    @property
    def calls(self) -> float:
        """Return the number of calls: on events or in cells, whichever are more."""
        in_cells = sum(self.left_of_cell) + sum(self.right_of_cell)
        return max(self.right + self.wrong + self.abstained, in_cells)


def compute_bounds(blocks: Sequence[Block], delta: float) -> Floats:
    """Return the log wealth that the code computes."""
    wealth = new_wealth(delta)
    repeats = STAKES.size // SHARES.size
    for block in blocks:
        right, wrong, abstained = (np.full(2, part) for part in (block.right, block.wrong, block.abstained))
        counts = Counts(right, wrong, abstained, np.full(2, block.both))
        play = GradedPlay(
            np.array([block.stakes] * 2), np.array(block.left_of_cell), np.array(block.right_of_cell)
        )
        gains = []
        for rules, bets in ((EVERY, EVERY), (SECOND, FIRST)):
            events, graded = counts.log_gains(wealth, rules, bets), play.log_gains(wealth, rules, bets)
            either = np.repeat(graded, repeats, axis=1) if block.graded_leads else events
            gains.append(np.hstack([events, graded, either]))
        wealth.add(gains[0], gains[1], 0)
    return wealth.log_wealth


def new_wealth(delta: float) -> Wealth:
    """Return the wealth against two nulls, of which the second is the claim."""
    epsilon = np.array(NULLS)[:, None]
    return Wealth(NULLS, Points(epsilon, np.full_like(epsilon, delta)), 0.05, claim=CLAIM)


def fraction(number: float) -> mpmath.mpf:
    """Return a decimal number exactly as it is written."""
    exact = Fraction(repr(number))
    return mpmath.mpf(exact.numerator) / exact.denominator


def log(factor: mpmath.mpf) -> mpmath.mpf:
    """Return the logarithm, minus infinity at 0."""
    return mpmath.log(factor) if factor else mpmath.mpf("-inf")


def times(count: float, logarithm: mpmath.mpf) -> mpmath.mpf:
    """Return a product, 0 if the count is 0."""
    return mpmath.mpf(count) * logarithm if count else mpmath.mpf(0)


@cache
def event_logs(epsilon: float, delta: float, f: float, both: bool, kept: mpmath.mpf) -> tuple[Any, ...]:
    """Return the logarithms of `event_factor` of Betting.v: right, wrong, abstained."""
    charge = mpmath.mpf(delta) * (1 if both else 0.5)
    part = kept * fraction(f)
    stake = part / (mpmath.exp(epsilon) + charge)
    return log(1 + stake * (1 - charge)), log(1 - part), log(1 - stake * charge)


@cache
def graded_logs(
    epsilon: float, delta: float, share: float, stakes: tuple[float, ...], kept: mpmath.mpf
) -> list[tuple[Any, Any]]:
    """Return the logarithms of `graded_factor` of Betting.v in every cell: hit, miss."""
    ratio, sizes = mpmath.exp(epsilon), [abs(mpmath.mpf(stake)) for stake in stakes]
    tops = max(0.0, -min(stakes)), max(0.0, *stakes)
    charge = mpmath.mpf(delta) * (mpmath.mpf(tops[0]) + mpmath.mpf(tops[1])) / 2
    part = kept * fraction(share) / max(mpmath.mpf(1), charge + ratio * max(sizes))
    return [(log(1 + part * (size - charge)), log(1 - part * (ratio * size + charge))) for size in sizes]


def exact_columns(blocks: Sequence[Block], null: int, delta: float, kept: mpmath.mpf) -> list[mpmath.mpf]:
    """Return the exact log wealth of every column."""
    epsilon, logs = NULLS[null], [mpmath.mpf(0)] * sum(COLUMNS)
    for block in blocks:
        counts = block.right, block.wrong, block.abstained
        events = [
            sum(map(times, counts, event_logs(epsilon, delta, float(f), block.both, kept))) for f in STAKES
        ]
        stakes = block.stakes
        graded = []
        for share in SHARES:
            factors = graded_logs(epsilon, delta, float(share), stakes, kept)
            cells = zip(stakes, block.left_of_cell, block.right_of_cell, factors, strict=True)
            graded.append(
                sum(
                    times(right if stake > 0 else left, hit) + times(left if stake > 0 else right, miss)
                    for stake, left, right, (hit, miss) in cells
                )
            )
        either = [graded[i // 4] for i in range(STAKES.size)] if block.graded_leads else events
        logs = [old + new for old, new in zip(logs, [*events, *graded, *either], strict=True)]
    return logs


def exact(blocks: Sequence[Block], delta: float, kept: Fraction = KEPT) -> list[mpmath.mpf]:
    """Return the log wealth of Auditor.v against both nulls."""
    parts = PARTS if delta else PURE_PARTS
    weights = [fraction(part) / size for part, size in zip(parts, COLUMNS, strict=True) for _ in range(size)]
    share = mpmath.mpf(kept.numerator) / kept.denominator

    def capital(null: int) -> mpmath.mpf:
        logs = exact_columns(blocks, null, delta, share)
        return sum(weight * mpmath.exp(value) for weight, value in zip(weights, logs, strict=True))

    # What follows the decisions made against the claim makes the same bets here, so that its part is alike.
    return [log(capital(null)) for null in range(2)]


def excess(blocks: Sequence[Block], delta: float, kept: Fraction = KEPT) -> float:
    """Return the greatest amount by which a computed log wealth >= 0 is too large."""
    shown = compute_bounds(blocks, delta)
    with mpmath.workdps(60):
        true = exact(blocks, delta, kept)
        errors = [mpmath.mpf(value) - other for value, other in zip(shown, true, strict=True) if value >= 0]
        assert errors, "the case says nothing about a log wealth >= 0"
        return float(max(errors))


def balance_blocks(blocks: int, calls: float, f: float, delta: float) -> list[Block]:
    """Return blocks whose gains and losses at the stake f against the claim nearly cancel."""
    hit, miss, _ = (float(value) for value in event_logs(CLAIM, delta, f, True, mpmath.mpf(1)))
    share = -miss / (hit - miss)
    right = np.ceil(share * calls)
    rounds = [Block(right, calls - right) for _ in range(blocks)]
    return [*rounds, Block(60, 0)]


def runs(blocks: int, calls: float) -> list[Block]:
    """Return long runs of wrong guesses after long runs of right ones."""
    return [Block(calls, 0) if index < 0.8 * blocks else Block(0, calls / 2) for index in range(blocks)]


def graded_runs(blocks: int, calls: float, stakes: tuple[float, ...], seed: int) -> list[Block]:
    """Return blocks in which graded stakes lead and mostly win, in cells of random sizes."""
    rng, to_right = np.random.default_rng(seed), np.array(stakes) > 0
    made = []
    for _ in range(blocks):
        hits = np.floor(calls * rng.dirichlet(np.ones(len(stakes))))
        misses = np.floor(hits * rng.random(len(stakes)) * 0.02)
        left, right = np.where(to_right, misses, hits), np.where(to_right, hits, misses)
        made.append(Block(0, 0, 0, True, stakes, tuple(left), tuple(right), graded_leads=True))
    return made


def random_blocks(blocks: int, seed: int, delta: float) -> list[Block]:
    """Return blocks with random counts and stakes, of which most win."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(blocks):
        calls = float(rng.integers(1, 10 ** rng.integers(1, 8)))
        wrong = np.floor(calls * rng.random() * 0.1)
        abstained = np.floor((calls - wrong) * rng.random() * 0.5 * (delta < 0.01))
        stakes = tuple(rng.uniform(-1, 1, 5) * rng.choice([1e-3, 0.3, 1.0]))
        left, right = (tuple(np.floor(rng.random(5) * calls / 5)) for _ in range(2))
        both, graded_leads = bool(rng.random() < 0.7), bool(rng.random() < 0.3)
        made.append(
            Block(calls - wrong - abstained, wrong, abstained, both, stakes, left, right, graded_leads)
        )
    return made


def calls_of(blocks: Sequence[Block]) -> float:
    """Return the number of calls."""
    return sum(block.calls for block in blocks)


NEARLY_ALL = (1 - 3e-7) / np.e
"""A stake that loses nearly all of the capital against the claim; the greatest that `graded` believes in."""

CASES: dict[str, tuple[Callable[[], list[Block]], float]] = {
    "cancelling": (lambda: balance_blocks(120, 1e6, 0.5, 0.0), 0.0),
    "cancelling, great stakes": (lambda: balance_blocks(120, 1e6, 0.95, 0.0), 0.0),
    "cancelling, small stakes": (lambda: balance_blocks(120, 1e6, 1 / 320, 0.0), 0.0),
    "cancelling, delta": (lambda: balance_blocks(60, 1e6, 0.6, 1e-3), 1e-3),
    "runs": (lambda: runs(100, 1e5), 0.0),
    "runs, delta": (lambda: runs(100, 1e5), 0.3),
    "graded": (lambda: graded_runs(60, 1e5, (-0.3, -0.1, 0.0, 0.2, 0.35), 0), 0.0),
    "graded, delta": (lambda: graded_runs(60, 1e5, (-0.3, -0.1, 0.0, 0.2, 0.35), 1), 0.01),
    "graded, nearly all": (lambda: graded_runs(60, 1e5, (-NEARLY_ALL, 0.1, NEARLY_ALL), 2), 0.0),
    "graded, reduced": (lambda: graded_runs(60, 1e5, (-0.7, 0.1, 0.77), 3), 0.1),
    "random": (lambda: random_blocks(40, 0, 0.0), 0.0),
    "random, one more": (lambda: random_blocks(40, 1, 0.0), 0.0),
    "random, delta": (lambda: random_blocks(40, 2, 1e-4), 1e-4),
}


@pytest.mark.parametrize("case", CASES)
def test_rounding__adds_at_most_the_derived_bound(case: str) -> None:
    make, delta = CASES[case]
    blocks = make()
    assert excess(blocks, delta) <= derived_bound(calls_of(blocks))


def all_but_one_hit() -> list[Block]:
    """Return one miss where all is staked, then hits; the share is computed as all but 2^-53."""
    wealth = new_wealth(0.0)
    for stake in 0.7 + np.arange(200) / 1000:
        play = GradedPlay(np.array([[stake, -0.1]] * 2), np.array([1.0, 0.0]), np.zeros(2))
        if np.isfinite(play.log_gains(wealth, SECOND, SECOND)[0, 0]):
            break
    return [
        Block(0, 4000, 0, True, (float(stake), -0.1), (1.0, 0.0), (4000.0, 0.0), graded_leads=True),
    ]


def test_rounding__a_stake_of_all_is_one_of_nearly_all() -> None:
    """The exact share is smaller; the control: with the share itself the capital would be lost."""
    blocks = all_but_one_hit()
    assert excess(blocks, 0.0) <= derived_bound(calls_of(blocks))
    assert excess(blocks, 0.0, Fraction(1)) > 1


def test_rounding__single_precision_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    gains = Counts.log_gains
    monkeypatch.setattr(Counts, "log_gains", lambda *args: gains(*args).astype(np.float32))
    blocks = balance_blocks(120, 1e6, 0.5, 0.0)
    assert excess(blocks, 0.0) > derived_bound(calls_of(blocks))


def test_rounding__all_wrong_guesses_lose() -> None:
    assert np.all(compute_bounds([Block(0, 1000)] * 3, 0.0) < 0)


def random_logs(seed: int) -> list[float]:
    """Return logarithms of columns: near each other or far apart, of any size, some minus infinity."""
    rng = np.random.default_rng(seed)
    logs = rng.normal(scale=10.0 ** rng.integers(-3, 4), size=sum(COLUMNS))
    logs[rng.random(logs.size) < 0.1] = -np.inf
    logs[0] = rng.normal()
    return list(logs + rng.choice([-1e5, -20.0, 0.0, 3.0, 1e7]))


def excess_of_parts(own: Sequence[float], by_claim: Sequence[float], delta: float) -> Floats:
    """Return by how many units too large the log wealth is, for a null below the claim and for the claim.

    What the bound of docs/formal.md allows is subtracted: more for the first, which has two parts.
    """
    wealth = new_wealth(delta)
    wealth.add(np.array([own, own]), np.array([by_claim]), 0)
    parts = PARTS if delta else PURE_PARTS
    with mpmath.workdps(60):
        weights = [fraction(part) / n for part, n in zip(parts, COLUMNS, strict=True) for _ in range(n)]
        means = [sum(map(times, weights, map(mpmath.exp, logs))) for logs in (own, by_claim)]
        truth = log(fraction(0.8) * means[0] + fraction(0.2) * means[1]), log(means[0])
        errors = [
            float((mpmath.mpf(shown) - right) / UNIT)
            for shown, right in zip(map(float, wealth.log_wealth), truth, strict=True)
        ]
    sizes = np.abs(wealth.log_wealth)
    excess: Floats = np.array(errors) - np.array([500 + 4 * sizes[0], 220 + 1.1 * sizes[1]])
    return excess


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_rounding__of_the_mean_is_within_its_bound(delta: float) -> None:
    worst = [excess_of_parts(random_logs(seed), random_logs(seed + 1000), delta) for seed in range(100)]
    assert np.max(worst) <= 0


def test_rounding__of_the_mean_in_single_precision_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    mean = wealth_module.log_mean
    monkeypatch.setattr(wealth_module, "log_mean", lambda *args: mean(*args).astype(np.float32))
    worst = [excess_of_parts(random_logs(seed), random_logs(seed + 1000), 0.0) for seed in range(20)]
    assert np.max(worst) > 0


def test_rounding__a_mean_is_of_few_columns_of_which_none_is_negligible() -> None:
    """`columns_weights` of Rounding.v, and the layers in which `@` adds."""
    for parts in (PARTS, PURE_PARTS):
        assert min(part / size for part, size in zip(parts, COLUMNS, strict=True)) > 1 / 120 - UNIT
    assert sum(COLUMNS) <= 64


@pytest.mark.parametrize("error", [2.0**-100, 1e-12, (1 - 0.95) / 3, 0.5, 1 - 2.0**-53])
def test_rounding__the_limit_is_hardly_below_the_exact_one(error: float) -> None:
    wealth = Wealth(NULLS, Points(np.ones((2, 1)), np.zeros((2, 1))), error, claim=CLAIM)
    with mpmath.workdps(60):
        for calls in (0, 10**7, 123_456_789, 10**15):
            margin = max(fraction(1e-6), calls * fraction(1e-13))
            exact_limit = margin - mpmath.log(mpmath.mpf(error))
            assert mpmath.mpf(wealth.limit_after(calls)) >= exact_limit - 2000 * UNIT


@pytest.mark.parametrize("power", range(16))
def test_rounding__the_margin_covers_the_derived_bound(power: int) -> None:
    wealth, calls = new_wealth(0.0), 10**power
    assert wealth.limit_after(calls) + np.log(wealth.error) >= derived_bound(calls)


def test_rounding__up_to_ten_million_calls_the_margin_is_the_same() -> None:
    wealth = new_wealth(0.0)
    assert wealth.limit_after(10**7) == wealth.limit_after(0) == -np.log(wealth.error) + ROUNDING
    assert wealth.limit_after(2 * 10**7) > wealth.limit_after(10**7)


def test_rounding__terms_are_added_in_at_most_512_layers() -> None:
    blocks, end = 0, 0
    while end < 10**15:
        blocks, end = blocks + 1, block_end(end)
    rng = np.random.default_rng(0)
    tables = (rng.random(20_000), np.floor(rng.random(20_000) * 40), np.repeat(np.arange(69.0), 300))
    cells = max(cuts_of(numbers, MOST_CELLS, tails=True).size + 2 for numbers in tables)
    assert blocks == 326
    assert cells == 71
    assert blocks + cells <= 512
