"""The sequential test of one pair: it takes outputs and updates wealth and bound after every block.

The length of a block depends only on the number of calls before it, so that recorded outputs give the same
bound again, however they are divided into portions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.betting.wealth import MANY_BITS, MANY_NUMBERS, Wealth
from privboost.auditor.claims import PrivacyClaim
from privboost.auditor.guessing.guessers import Competition
from privboost.auditor.guessing.outputs import CallHistory, Outputs, OutputTable, memory_limit
from privboost.auditor.guessing.partitions import Columns, Partition, count_sides
from privboost.auditor.result import CellCount, Point
from privboost.auditor.values.events import Event
from privboost.auditor.values.failures import FailureCounts

FIRST_BLOCK = 16
"""Number of calls at the start that are used for learning only."""

LEAST_BLOCK = 8
BLOCK_GROWTH = 0.1
SHOWN_CELLS = 80


def block_end(start: int) -> int:
    """Return the end of the block that begins at `start`."""
    if start < FIRST_BLOCK:
        return FIRST_BLOCK
    return start + max(LEAST_BLOCK, int(start * BLOCK_GROWTH))


def noisy_columns(outputs: Outputs) -> int:
    """Return the number of columns in which no number occurs twice."""
    return sum(np.unique(column).size == column.size for column in outputs.columns.T)


def has_many_numbers(outputs: Outputs) -> bool:
    """Return whether many numbers are noisy, or very many vary, such as bits, and no output occurs twice."""
    if noisy_columns(outputs) >= MANY_NUMBERS:
        return True
    varying = sum(np.unique(column).size > 1 for column in outputs.columns.T)
    return varying >= MANY_BITS and np.unique(outputs.keys).size == outputs.size


class SequentialTest:
    """A test of one claim on one pair that is valid at any stopping time."""

    def __init__(
        self,
        claim: PrivacyClaim | float,
        *,
        delta: float = 0.0,
        error: float = 0.05,
        low_bits: bool = False,
        ignored: Sequence[str] = (),
        stop: bool = True,
        nulls: Sequence[float] | None = None,
    ) -> None:
        """Prepare a test; a number claims this epsilon at `delta`, and `nulls` replaces the grid.

        Parts of outputs that are `ignored` are not read.
        """
        self.claim = claim if isinstance(claim, PrivacyClaim) else PrivacyClaim("eps", claim, delta)
        grid = self.claim.nulls() if nulls is None else np.asarray(nulls, dtype=np.float64)
        self._stop = stop
        self.wealth = Wealth(grid, self.claim.points_of(grid), error, claim=self.claim.value)
        self.output_table = OutputTable(low_bits, ignored)
        self.failures = FailureCounts()
        self.curve: list[Point] = []
        self._competition = Competition(self.wealth)
        self._history = CallHistory()
        self.calls = 0
        """Number of calls in complete blocks, used for tests or for learning."""

    def update(self, outputs: Sequence[Any] | NDArray[Any], sides: NDArray[np.int64]) -> None:
        """Add outputs and their sides, and test every block that is complete.

        After a violation that ends the test, further outputs are ignored.
        """
        if not len(outputs) or self._has_ended():
            return
        named = np.asarray(sides, dtype=np.int64)
        self._history.append(self.output_table.read(outputs), named)
        while self.calls < self._history.calls and block_end(self.calls) <= self._history.calls:
            self._test(block_end(self.calls))
            if self._has_ended():
                break
        used = len(outputs)
        if self._has_ended():
            used -= self._history.calls - self.calls
            self._history.cut(self.calls)
        self.failures.add(outputs[:used], named[:used])

    def learn(self, outputs: Sequence[Any] | NDArray[Any], sides: NDArray[np.int64]) -> None:
        """Add outputs of other calls, from which guesses are learned and which are not tested."""
        self._history.append(self.output_table.read(outputs), np.asarray(sides, dtype=np.int64))
        self.calls = self._history.calls

    def _has_ended(self) -> bool:
        return self._stop and self.refuted

    def finish(self) -> None:
        """Test the remaining calls, which do not fill a block."""
        if self.calls < self._history.calls and not self._has_ended():
            self._test(self._history.calls)

    def _test(self, end: int) -> None:
        start = self.calls
        if start >= FIRST_BLOCK:
            # Columns that appear later are not known yet.
            width = self.output_table.known_before(start)
            first = max(start - memory_limit(width), 0)
            earlier, named = self._history.part(first, start, width)
            if start == FIRST_BLOCK and has_many_numbers(earlier):
                self.wealth.expect_many_numbers()
            self._competition.learn(earlier, named, start)
            self.wealth.add(*self._competition.count(*self._history.part(start, end, width)), end)
            self._history.forget(first)
        self.calls = end
        self.curve.append(Point(end, self.bound, self.wealth.at(self.claim.value)[0]))

    def history(self) -> tuple[Outputs, NDArray[np.int64]]:
        """Return all outputs that are remembered as one table, and their sides."""
        width = self.output_table.known_before(self._history.calls)
        first = max(self._history.calls - memory_limit(width), 0)
        return self._history.part(first, self._history.calls)

    @property
    def bound(self) -> float:
        """Return the lower confidence bound on the parameter of the claim."""
        return self.wealth.bound

    @property
    def refuted(self) -> bool:
        """Return whether the claim is refuted."""
        return self.wealth.at(self.claim.value)[1]

    def cells(self) -> tuple[CellCount, ...]:
        """Return the leading partition with the counts of all calls.

        It is the one used against the claim if the claim is refuted or there is no bound, else the one used
        against the bound.
        """
        null = self.wealth.index_of(self.claim.value if self.refuted or self.bound <= 0 else self.bound)
        outputs, sides = self.history()
        if not outputs.size:
            return ()
        self._competition.learn(outputs, sides, self._history.calls)
        leader = self._competition.leader_at(null)
        if leader is None:
            return ()
        guesser, bet = leader
        cells = count_cells(
            guesser.partition, guesser.guesses[bet], outputs, sides, self.output_table.columns
        )
        return tuple(replace(cell, event=self.output_table.add_strings(cell.event)) for cell in cells)


def count_cells(
    partition: Partition,
    guesses: NDArray[np.int8],
    outputs: Outputs,
    sides: NDArray[np.int64],
    columns: Columns,
) -> tuple[CellCount, ...]:
    """Return the cells of a partition with their counts: in order, or by decreasing log odds."""
    left, right = count_sides(partition.cells(outputs), sides, partition.size)
    odds = np.log((right + 0.5) / (left + 0.5))
    order = range(partition.size) if partition.ordered else np.argsort(-np.abs(odds), kind="stable").tolist()
    shown = [cell for cell in order if left[cell] + right[cell]][:SHOWN_CELLS]
    return tuple(
        CellCount(
            replace(partition.event(cell, cell, columns), side=int(guesses[cell])),
            int(left[cell]),
            int(right[cell]),
        )
        for cell in shown
    )


def guessed_events(partition: Partition, guesses: NDArray[np.int8], columns: Columns) -> Iterator[Event]:
    """Yield the outputs on which the left and then the right side is guessed, adjacent cells as one event."""
    for side in (-1, 1):
        cells = np.flatnonzero(guesses == side)
        gaps = np.flatnonzero(np.diff(cells) != 1) + 1 if partition.joins else np.arange(1, cells.size)
        for run in np.split(cells, gaps):
            if run.size:
                yield replace(partition.event(int(run[0]), int(run[-1]), columns), side=side)
