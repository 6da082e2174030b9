"""Guessing: cells and weighted sums learned from earlier calls, over few and over many columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import binom

from privboost.auditor.files.events import format_event
from privboost.auditor.guessing import outputs as outputs_module
from privboost.auditor.guessing.column_cells import MOST_COMPARED, ColumnChoice
from privboost.auditor.guessing.discriminants import WEIGHTED_SUMS, WeightedSum
from privboost.auditor.guessing.guessers import Competition, Kind, new_kinds
from privboost.auditor.guessing.narrow_cells import NARROW_CELLS, narrow_cuts
from privboost.auditor.guessing.outputs import Outputs
from privboost.auditor.guessing.partitions import (
    ScoreRanges,
    cells_by,
    count_sides,
    cuts_of,
    learn_exact_outputs,
)
from privboost.auditor.guessing.summed_cells import SUMMED_CELLS, shrink
from privboost.auditor.running.sequential import SequentialTest, has_many_numbers, noisy_columns
from privboost.auditor.values.columns import Column, ColumnKind
from privboost.oracle_tests.support.marks import slow

Array = NDArray[np.float64]
Sides = NDArray[np.int64]
INF, NAN = float("inf"), float("nan")


# Cells -----------------------------------------------------------------------------------------------------


def test_cuts__an_atom_has_a_cell_of_its_own() -> None:
    values = np.concatenate([np.full(50, 2.0), np.linspace(0, 4, 51)])
    cuts = cuts_of(values, 8)
    cells = cells_by(cuts, np.array([2.0, np.nextafter(2.0, 0), np.nextafter(2.0, 3)]))
    assert len(set(cells.tolist())) == 3


def test_cuts__infinities_and_missing_numbers_have_cells() -> None:
    values = np.array([-INF, -INF, 0.0, 1.0, INF, INF, NAN, NAN])
    cuts = cuts_of(values, 4)
    cells = cells_by(cuts, np.array([-INF, 0.5, INF, NAN]))
    assert cells.tolist() == sorted(set(cells.tolist()))
    assert cuts_of(np.array([NAN]), 4).size == 0


def cells_apart(kind: Kind, outputs: Outputs, sides: Sides) -> float:
    """Return how often the more frequent side of each cell is right, on the calls that are counted."""
    learned = kind(outputs, sides, outputs.size)
    assert learned is not None
    partition, table = learned.partition, np.zeros((2, learned.partition.size))
    np.add.at(table, (learned.sides, learned.cells), 1)
    columns = [Column(ColumnKind.NUMBER, (name,)) for name in "abcd"]
    assert len({partition.event(cell, cell, columns) for cell in range(partition.size)}) == partition.size
    return float(table.max(axis=0).sum() / learned.sides.size)


def test_partitions__each_kind_finds_what_it_is_for() -> None:
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, 2000)
    noise = rng.normal(size=(2000, 4))
    shifted = noise + np.array([0, 0, 3, 0]) * sides[:, None]
    spread = noise + 1.5 * sides[:, None]
    signs = np.where(rng.random(2000) < 0.5, 1, -1)
    # The second column tells the side where the first is positive, and the third where it is negative.
    named = np.where(signs > 0, 2 * sides - 1, signs), np.where(signs < 0, 2 * sides - 1, signs)
    joint = np.stack([signs, *named, noise[:, 3]], axis=1) + 0.1 * noise
    # The signs of the first two columns are equal on one side only.
    equal = np.where(sides[:, None] > 0, np.abs(noise), np.abs(noise) * [1, -1, 1, 1]) * signs[:, None]
    keys = np.zeros(2000, dtype=np.int64)

    def apart(name: str, columns: Array) -> float:
        return cells_apart(new_kinds()[name], Outputs(columns, keys), sides)

    assert apart("thresholds", shifted) > 0.9
    assert apart("sums", spread) > 0.9
    assert apart("thresholds", spread) < 0.85
    assert apart("trees", joint) > 0.95
    assert apart("thresholds", joint) < 0.8
    assert apart("boosted trees", equal) > 0.95
    # Two numbers of equal sign have a sum far from 0, so a plain sum shows a part.
    assert apart("sums", equal) < 0.8
    exact = Outputs(noise, np.where(rng.random(2000) < 0.9, sides, 7))
    assert cells_apart(learn_exact_outputs, exact, sides) > 0.9


def test_partitions__outputs_that_never_come_twice_are_no_cells() -> None:
    outputs = Outputs(np.zeros((100, 1)), np.arange(100))
    assert learn_exact_outputs(outputs, np.zeros(100, dtype=np.int64), 100) is None


def test_partitions__outputs_that_come_again_beside_others_are_cells() -> None:
    """One call in ten has one of two outputs; all other outputs are different."""
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, 500)
    keys = np.where(rng.random(500) < 0.1, sides, 10 + np.arange(500))
    learned = learn_exact_outputs(Outputs(rng.normal(size=(500, 1)), keys), sides, 500)
    assert learned is not None
    assert learned.partition.size == 3
    assert [set(sides[learned.cells == cell].tolist()) for cell in (0, 1)] in ([{0}, {1}], [{1}, {0}])


def test_narrow_cells__numbers_that_repeat_and_dense_ranges_have_cells_of_their_own() -> None:
    rng = np.random.default_rng(0)
    dense = 0.5 + 1e-4 * np.sort(rng.random(60))
    numbers = np.concatenate([rng.normal(size=4_000), np.full(20, 1.25), dense, [NAN]])
    cuts = narrow_cuts(rng.permutation(numbers))
    repeated = cells_by(cuts, np.array([np.nextafter(1.25, 0), 1.25, np.nextafter(1.25, 2)]))
    assert len(set(repeated.tolist())) == 3
    inside = np.isin(cells_by(cuts, numbers), cells_by(cuts, dense[10:50]))
    assert inside[4_020:-1].sum() > 40
    assert inside[:4_020].sum() < 30


def test_narrow_cells__find_two_numbers_in_one_entry_of_many() -> None:
    """Six calls in a hundred show the side with log odds 4; other kinds see noise."""
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, 4_000)
    noise = rng.normal(size=(4_000, 6))
    shown = rng.random(4_000) < 0.06
    noise[shown, 3] = np.where(rng.random(4_000) < expit(4), sides, 1 - sides)[shown]
    kind = ScoreRanges(NARROW_CELLS)
    learned = kind.learn(Outputs(noise, np.arange(4_000)), sides, 4_000)
    assert learned is not None
    counts = count_sides(learned.cells, learned.sides, learned.partition.size)
    seen = np.flatnonzero(counts.sum(axis=0))
    left, right = counts[:, seen[0]], counts[:, seen[-1]]
    assert left[0] > 5 * left[1], "noise alone has log odds of 1 or 2 in a cell"
    assert right[1] > 5 * right[0]
    columns = [Column(ColumnKind.NUMBER, (index,)) for index in range(6)]
    said = format_event(replace(learned.partition.event(0, 0, columns), side=-1))
    assert "left output[3] = 0" in said
    assert "right output[3] = 1" in said


def test_narrow_cells__find_bytes_of_one_entry_that_the_other_side_never_has() -> None:
    """One call in fifty has such a byte; each of the five is seen in one call of 250."""
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, 12_000)
    noise = rng.integers(0, 246, (12_000, 4))
    noise[:, 2] += 5 * sides
    learned = ScoreRanges(NARROW_CELLS).learn(
        Outputs(noise.astype(np.float64), np.arange(12_000)), sides, 12_000
    )
    assert learned is not None
    left, right = count_sides(learned.cells, learned.sides, learned.partition.size)[:, :-1]
    assert left[: int(np.argmax(right > 0))].sum() > 50, "of about 120"
    assert right[::-1][: int(np.argmax(left[::-1] > 0))].sum() > 50


def weak_bits(shift: float) -> tuple[Array, Sides, Array]:
    """Return 24 fair bits, of which four are shifted a little, the sides, and the true log odds."""
    rng = np.random.default_rng(1)
    sides = rng.integers(0, 2, 8_000)
    signs = np.zeros(24)
    signs[[2, 9, 11, 20]] = 1, -1, 1, -1
    chances = 0.5 + shift * np.outer(2 * sides - 1, signs)
    bits = (rng.random((8_000, 24)) < chances).astype(np.float64)
    return bits, sides, (2 * bits - 1) @ (signs * np.log((0.5 + shift) / (0.5 - shift)))


def test_summed_cells__follow_the_true_log_odds_of_many_bits() -> None:
    bits, sides, true = weak_bits(0.03)
    learned = ScoreRanges(SUMMED_CELLS).learn(Outputs(bits, np.arange(8_000)), sides, 8_000)
    assert learned is not None
    score = learned.partition.scorer.scores(bits)  # type: ignore[attr-defined]
    assert np.corrcoef(score, true)[0, 1] > 0.9
    counts = count_sides(learned.cells, learned.sides, learned.partition.size)
    left, right = counts[:, counts.sum(axis=0) > 0]
    assert left[0] / right[0] > 1.15, "cross-fitted"
    assert right[-1] / left[-1] > 1.15
    columns = [Column(ColumnKind.NUMBER, (index,)) for index in range(24)]
    said = format_event(replace(learned.partition.event(0, 0, columns), side=-1))
    assert "log odds of right added over 24 numbers" in said


def test_summed_cells__believe_nothing_of_bits_alike_on_both_sides() -> None:
    bits, sides, _ = weak_bits(0.0)
    learned = ScoreRanges(SUMMED_CELLS).learn(Outputs(bits, np.arange(8_000)), sides, 8_000)
    assert learned is not None
    score = learned.partition.scorer.scores(bits)  # type: ignore[attr-defined]
    assert np.abs(score).max() < 0.05


def test_shrinkage__keeps_what_is_clear_and_drops_chance() -> None:
    rng = np.random.default_rng(2)
    chance, clear = rng.normal(size=200), np.array([8.0, -9.0])
    means = shrink(np.concatenate([chance, clear]))
    assert np.abs(means[:200]).mean() < 0.3
    assert np.allclose(means[200:], clear, rtol=0.15)
    assert np.array_equal(np.sign(means), np.sign(np.concatenate([chance, clear])))


# Many columns ----------------------------------------------------------------------------------------------


def noise_and_sides(calls: int, width: int, seed: int) -> tuple[Array, Sides]:
    """Return normal noise, and random sides."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(calls, width)), rng.integers(0, 2, calls)


def bound_of(outputs: Array, sides: Sides, claim: float, delta: float = 0.0) -> float:
    """Return the bound of a test that does not stop at a violation."""
    test = SequentialTest(claim, delta=delta, stop=False, nulls=[claim * k / 50 for k in range(51)])
    test.update(outputs, sides)
    test.finish()
    return test.bound


@pytest.mark.parametrize("shift", ["one column", *slow(["all columns", "signs"])])
def test_columns__beyond_64_are_read(shift: str) -> None:
    """A shift of 2 in the last of 150 columns, or spread over all: before, nothing was found."""
    noise, sides = noise_and_sides(3000, 150, 0)
    directions = {
        "one column": np.arange(150) == 149,
        "all columns": np.ones(150) / np.sqrt(150),
        "signs": np.random.default_rng(1).choice([-1, 1], 150) / np.sqrt(150),
    }
    assert bound_of(noise + 2 * sides[:, None] * directions[shift], sides, 2.0) >= 1.4


def test_columns__many_weak_ones_are_added_up() -> None:
    """Ten Laplace numbers of scale 10: epsilon is 1, and each number alone shows a tenth of it."""
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, 10_000)
    outputs = sides[:, None] + rng.laplace(scale=10, size=(10_000, 10))
    assert bound_of(outputs, sides, 1.0) >= 0.25


def test_columns__plain_sums_are_kept_until_another_way_leads() -> None:
    """On noise alone: 26 of 30 fixed seeds; 5 of 30 without the lead that other ways must have."""
    plain = 0
    for seed in range(30):
        noise, sides = noise_and_sides(200, 12, seed)
        plain += len(set(weights_of(noise, sides))) == 1
    assert plain >= 20
    noise, sides = noise_and_sides(200, 12, 0)
    for direction in (1.5 * np.eye(12)[3], 0.5 * np.array([1, -1] * 6)):
        assert len(set(weights_of(noise + sides[:, None] * direction, sides))) > 1


def weights_of(columns: Array, sides: Sides) -> list[float]:
    """Return the weights of the sum that is learned."""
    fitted = WEIGHTED_SUMS.fit(columns, sides)
    assert fitted is not None
    assert isinstance(fitted.scorer, WeightedSum)
    return [float(weight) for weight in fitted.scorer.weights]


def test_columns__many_noisy_ones_are_counted() -> None:
    """Numbers that occur twice are no noise; a missing number may occur once."""
    columns = noise_and_sides(16, 4, 0)[0]
    columns[:, 1] = np.arange(16) // 2
    columns[3, 2] = np.nan
    columns[[4, 9], 3] = np.nan
    assert noisy_columns(Outputs(columns, np.arange(16))) == 2


@pytest.mark.parametrize(
    ("columns", "keys", "many"),
    [
        (np.random.default_rng(0).normal(size=(16, 8)), np.arange(16), True),
        (np.random.default_rng(0).normal(size=(16, 7)), np.arange(16), False),
        (np.eye(16), np.arange(16), True),
        (np.eye(16)[:, :15], np.arange(16), False),
        (np.eye(16), np.arange(16) // 2, False),
    ],
)
def test_many_numbers__are_noisy_or_bits_of_outputs_that_never_repeat(
    columns: Array, keys: Sides, many: bool
) -> None:
    assert has_many_numbers(Outputs(columns, keys)) is many


def test_columns__correlated_noise_is_removed() -> None:
    """Prefix sums of Laplace noise: only the difference of two neighbouring sums has a shift."""
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, 4000)
    noise = rng.laplace(size=(4000, 16))
    noise[:, 8] += sides
    assert bound_of(np.cumsum(noise, axis=1), sides, 1.0) >= 0.6


def test_columns__a_wider_noise_in_many_columns_is_found() -> None:
    noise, sides = noise_and_sides(4000, 100, 0)
    assert bound_of(noise * (1 + 0.2 * sides[:, None]), sides, 2.0) >= 1.0


def null_runs(runs: int, calls: int, width: int) -> int:
    """Return the number of violations of a true claim, on outputs whose sum attains it exactly."""
    refuted = 0
    for seed in range(runs):
        noise, sides = noise_and_sides(calls, width, seed)
        rng = np.random.default_rng(1000 + seed)
        # Randomised response with odds e, written into the sum of all columns, which are otherwise noise.
        told = np.where(rng.random(calls) < 1 / (1 + np.exp(-1)), sides, 1 - sides)
        noise += (10 * (2 * told - 1) - noise.mean(axis=1))[:, None]
        test = SequentialTest(1.0, nulls=[1.0])
        test.update(noise, sides)
        refuted += test.refuted
    return refuted


@pytest.mark.parametrize("width", [5, *slow([80])])
def test_columns__true_claims_on_many_numbers_are_rarely_refuted(width: int) -> None:
    """False-alarm probability 10^-6: 5 % of the runs, continuously watched. The claim is attained exactly."""
    assert null_runs(30, 200, width) <= binom.isf(1e-6, 30, 0.05)


def test_columns__weights_that_peek_are_caught_by_the_same_count(monkeypatch: pytest.MonkeyPatch) -> None:
    # The control: in-sample scores of a discriminant, learned from the very block they are counted on.
    count = Competition.count

    def peeking(self: Competition, outputs: Outputs, sides: Sides) -> object:
        self.learn(outputs, sides, len(sides))
        return count(self, outputs, sides)

    monkeypatch.setattr(Competition, "count", peeking)
    assert null_runs(12, 200, 80) > binom.isf(1e-6, 12, 0.05)


def test_columns__the_future_does_not_change_the_past() -> None:
    noise, sides = noise_and_sides(1500, 70, 0)
    others, other_sides = noise_and_sides(1500, 70, 1)
    shifted, changed = noise + sides[:, None] / 4, others + other_sides[:, None]
    whole, other = SequentialTest(1.0, stop=False), SequentialTest(1.0, stop=False)
    whole.update(shifted, sides)
    other.update(np.concatenate([shifted[:800], changed]), np.concatenate([sides[:800], other_sides]))
    known = [point for point in whole.curve if point.calls <= 800]
    assert known[-1].bound > 0
    assert other.curve[: len(known)] == known


def test_history__forgets_the_oldest_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    noise, sides = noise_and_sides(2000, 4, 0)
    outputs = noise + 3 * sides[:, None]
    monkeypatch.setattr(outputs_module, "MOST_NUMBERS", 5 * 300)
    whole, parts = SequentialTest(1.0, stop=False), SequentialTest(1.0, stop=False)
    whole.update(outputs, sides)
    for start in range(0, 2000, 190):
        parts.update(outputs[start : start + 190], sides[start : start + 190])
    for test in (whole, parts):
        test.finish()
        table, named = test.history()
        np.testing.assert_array_equal(table.columns[:, 1:], outputs[-300:])
        np.testing.assert_array_equal(named, sides[-300:])
    assert whole.curve == parts.curve
    assert whole.bound > 3


def test_screening__keeps_the_columns_that_differ() -> None:
    noise, sides = noise_and_sides(1000, 300, 0)
    noise[:, 7] += sides
    noise[:, 290] *= 1 + sides
    columns = ColumnChoice().learn(Outputs(noise, np.zeros(1000, dtype=np.int64)), sides, 1000)
    assert columns.size == MOST_COMPARED
    assert {7, 290} == set(columns[:2].tolist())
