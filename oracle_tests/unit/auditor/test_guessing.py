"""Guessing: cells and weighted sums learned from earlier calls, over few and over many columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.guessing.guessers import Kind, new_kinds
from privboost.auditor.guessing.outputs import Outputs
from privboost.auditor.guessing.partitions import cells_by, cuts_of, learn_exact_outputs

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
    assert all(partition.describe(cell, cell, tuple("abcd")) for cell in range(partition.size))
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
    keys = np.zeros(2000, dtype=np.int64)

    def apart(name: str, columns: Array) -> float:
        return cells_apart(new_kinds()[name], Outputs(columns, keys), sides)

    assert apart("thresholds", shifted) > 0.9
    assert apart("sums", spread) > 0.9
    assert apart("thresholds", spread) < 0.85
    assert apart("trees", joint) > 0.95
    assert apart("thresholds", joint) < 0.8
    exact = Outputs(noise, np.where(rng.random(2000) < 0.9, sides, 7))
    assert cells_apart(learn_exact_outputs, exact, sides) > 0.9


def test_partitions__outputs_that_never_come_twice_are_no_cells() -> None:
    outputs = Outputs(np.zeros((100, 1)), np.arange(100))
    assert learn_exact_outputs(outputs, np.zeros(100, dtype=np.int64), 100) is None
