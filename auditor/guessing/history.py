"""The outputs and sides of earlier calls, within a limit of memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .outputs import Outputs

MOST_NUMBERS = 1 << 26
"""Maximum number of numbers from which guesses are learned; the oldest calls are forgotten first."""

SPARE = 4
"""When arrays are full, a quarter of their length is added."""


def memory_limit(width: int) -> int:
    """Return the number of calls that are remembered, for a number of columns."""
    return MOST_NUMBERS // max(width, 1)


class CallHistory:
    """Outputs and sides in the order of their calls; calls are counted from the first one ever made."""

    def __init__(self) -> None:
        self._outputs = Outputs(np.empty((0, 0)), np.empty(0, dtype=np.int64))
        self._sides = np.empty(0, dtype=np.int64)
        self._forgotten = 0
        self.calls = 0
        """Number of calls so far, including those that are forgotten."""

    def append(self, outputs: Outputs, sides: NDArray[np.int64]) -> None:
        """Add the outputs of the next calls; columns that earlier outputs lack are NaN there."""
        size, width = self.calls - self._forgotten, outputs.columns.shape[1]
        rows, old_width = self._outputs.columns.shape
        if rows < size + outputs.size or old_width < width:
            rows = max(rows, size + outputs.size + size // SPARE)
            columns = np.full((rows, max(width, old_width)), np.nan)
            columns[:size, :old_width] = self._outputs.columns[:size]
            keys, sides_ = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
            keys[:size], sides_[:size] = self._outputs.keys[:size], self._sides[:size]
            self._outputs, self._sides = Outputs(columns, keys), sides_
        end = size + outputs.size
        self._outputs.columns[size:end, :width] = outputs.columns
        self._outputs.columns[size:end, width:] = np.nan
        self._outputs.keys[size:end] = outputs.keys
        self._sides[size:end] = sides
        self.calls += outputs.size

    def part(self, start: int, end: int, width: int | None = None) -> tuple[Outputs, NDArray[np.int64]]:
        """Return calls from `start` to `end`, as far as they are remembered, with the first columns."""
        part = slice(max(start - self._forgotten, 0), end - self._forgotten)
        columns = self._outputs.columns[part, :width]
        return Outputs(columns, self._outputs.keys[part]), self._sides[part]

    def cut(self, end: int) -> None:
        """Remove the calls from `end` on."""
        self.calls = end

    def forget(self, end: int) -> None:
        """Forget calls before `end`, if they are a quarter of those that are remembered."""
        extra, size = end - self._forgotten, self.calls - self._forgotten
        if extra * SPARE > size:
            self._outputs, self._sides = self._outputs[extra:size], self._sides[extra:size].copy()
            self._outputs = Outputs(self._outputs.columns.copy(), self._outputs.keys.copy())
            self._forgotten = end
