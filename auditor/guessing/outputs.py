"""Convert outputs of any shape to a table: columns of numbers, and a key that only equal outputs share.

Each number of an output, named by its path, is a column. Infinities are kept; a missing number is NaN. The
length of a list is a column, and so are strings, the numbers in a string and how they are written, None, NaN,
the minus of -0.0 and empty dictionaries. What a float cannot hold of a number is in columns of its own, and
so are the positions of dictionary keys that are not in the order in which keys appeared first. A column is
NaN in all calls before the one in which its path first appears. Paths beyond the first 4096 have no column;
they enter the key only.
Outputs are compared by value (`plain_values`): the types of numbers, lists and batches do not matter. So the
row of an output depends on this output and earlier ones only, not on later ones of its batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.values.columns import (
    MOST_COLUMNS,
    Column,
    ColumnKind,
    Leaves,
    Path,
    StringColumns,
    UnmatchedPart,
    Words,
    is_number,
    key_of,
    keys_of_rows,
    salt_of,
    too_many_alone,
)
from privboost.auditor.values.events import Event, ValueRange
from privboost.auditor.values.objects import Opaque
from privboost.auditor.values.plain_values import ACCEPTED, is_numeric, plain_value
from privboost.errors import TargetError

Floats = NDArray[np.float64]

MOST_NOTES = 3
MOST_NUMBERS = 1 << 26
"""Maximum number of numbers from which guesses are learned; the oldest calls are forgotten first."""

SPARE = 4
"""When arrays are full, a quarter of their length is added."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """Outputs as a table, in the order of their calls."""

    columns: Floats
    """Shape (calls, columns)."""
    keys: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Return the number of calls."""
        return self.keys.size

    def __getitem__(self, part: Any) -> Outputs:
        return Outputs(self.columns[part], self.keys[part])


@dataclass(frozen=True, slots=True)
class _Form:
    """What outputs that are arrays of one shape have in common."""

    kept: NDArray[np.int64]
    """The indices of the numbers that have a column."""
    columns: NDArray[np.int64]
    """Their columns."""
    salts: Words
    """A salt for every number."""
    lengths: NDArray[np.int64]
    """Before which number the length of each list stands, and these lengths."""


class OutputTable:
    """Convert outputs to tables; columns are in the order in which they first appeared."""

    def __init__(self, low_bits: bool = False, ignored: Sequence[str] = ()) -> None:
        self._ignored = frozenset(ignored)
        self._unmatched = set(ignored)
        self._low_bits = low_bits
        self._columns: dict[Column, int] = {}
        self._first_seen: list[int] = []
        self._seen: list[int] = []
        """Number of calls that have a number in a column."""
        self._leaves = Leaves()
        self._forms: dict[tuple[int, ...], _Form] = {}
        self._strings = StringColumns()
        self._opaque: dict[Path, str] = {}
        self._calls = 0
        self._left_out = False

    def read(self, outputs: Sequence[Any] | NDArray[Any]) -> Outputs:
        """Return the next outputs as a table, with all columns so far.

        Ensures: TargetError for outputs that cannot be converted.
        """
        try:
            numbers = None if self._ignored else _numbers_of(outputs)
            columns, keys = self._read_objects(outputs) if numbers is None else self._read_numbers(numbers)
        except TargetError:
            raise
        except Exception as error:
            # Any object may be an output, and inspecting it may raise any exception.
            raise TargetError("outputs", ACCEPTED, f"{type(error).__name__}: {error}") from error
        self._calls += len(outputs)
        if self._low_bits:
            columns = np.stack([columns, lowest_bits(columns)], axis=2).reshape(len(columns), -1)
        return Outputs(columns, keys)

    @property
    def unread_note(self) -> str:
        """Return a note on what was not read of the outputs; the empty string if everything was."""
        notes = [
            f"{alone:,} of {total:,} strings in {column.name} are different from all others, so that "
            "they could not be compared"
            for column, alone, total in self._strings.unread()
        ]
        notes += [
            f"a part of the outputs was not read: {Column(ColumnKind.NUMBER, path).name}, of type {kind}"
            for path, kind in self._opaque.items()
        ]
        alone = {call for call, seen in zip(self._first_seen, self._seen, strict=True) if seen == 1}
        if too_many_alone(len(alone), self._calls):
            notes.append(
                f"{len(alone):,} of {self._calls:,} outputs have keys or parts that no other output has, so "
                "that these could not be compared"
            )
        if self._left_out:
            notes.append(
                f"outputs have more than {MOST_COLUMNS} numbers, of which only these were tested one by one"
            )
        if self._columns.keys() <= {Column(ColumnKind.LENGTH, ())}:
            notes.append("the outputs are empty")
        return "; ".join(notes[:MOST_NOTES])

    @property
    def unmatched(self) -> tuple[UnmatchedPart, ...]:
        """Return the ignored parts that no output had so far."""
        if not self._unmatched:
            return ()
        names = tuple(sorted({name for column in self._columns for name in column.names}))
        return tuple(UnmatchedPart(name, names) for name in sorted(self._unmatched))

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return all columns so far."""
        if not self._low_bits:
            return tuple(self._columns)
        return tuple(
            half for column in self._columns for half in (column, column.derive(ColumnKind.LOWEST_BIT))
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Return the notation of all columns so far."""
        return tuple(column.name for column in self.columns)

    def add_strings(self, event: Event) -> Event:
        """Return an event whose ranges of indices of strings have these strings."""
        return replace(event, ranges=tuple(map(self._add_strings, event.ranges)))

    def _add_strings(self, part: ValueRange) -> ValueRange:
        if not isinstance(part.column, Column):
            cells = tuple(map(self.add_strings, part.column.cells))
            return replace(part, column=replace(part.column, cells=cells))
        return replace(part, strings=self._strings.within(part.column, part.low, part.high))

    def format_number(self, index: int, number: float) -> str:
        """Return the number of a column, or the string that it stands for."""
        strings = self._strings.within(self.columns[index], number, number)
        return repr(strings[0]) if strings else "missing" if np.isnan(number) else f"{number:g}"

    def known_before(self, call: int) -> int:
        """Return the number of columns that had appeared before a call."""
        known = int(np.searchsorted(self._first_seen, call))
        return 2 * known if self._low_bits else known

    def _index_of(self, column: Column, call: int) -> int | None:
        """Return the index of a column, adding it if there is room; None if there is not."""
        if column not in self._columns and len(self._columns) < MOST_COLUMNS:
            self._columns[column] = len(self._columns)
            self._first_seen.append(call)
            self._seen.append(0)
        self._left_out = self._left_out or column not in self._columns
        return self._columns.get(column)

    def _read_numbers(self, numbers: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """Read arrays of floats of equal shape, as `_read_objects` does but faster."""
        form = self._form_of(numbers.shape[1:])
        table = numbers.reshape(len(numbers), -1)
        if form.lengths.size:
            table = np.insert(table, form.lengths[0], form.lengths[1], axis=1)
        columns = np.full((len(table), len(self._columns)), np.nan)
        columns[:, form.columns] = table[:, form.kept]
        for column in form.columns:
            self._seen[column] += len(table)
        return columns, keys_of_rows(table, form.salts)

    def _form_of(self, shape: tuple[int, ...]) -> _Form:
        if shape not in self._forms:
            leaves = list(self._leaves.of((), np.ones(shape)))
            columns = [self._index_of(column, self._calls) for column, _ in leaves]
            kept = [index for index, column in enumerate(columns) if column is not None]
            places = [index for index, (_, value) in enumerate(leaves) if isinstance(value, int)]
            lengths = [(index - before, leaves[index][1]) for before, index in enumerate(places)]
            self._forms[shape] = _Form(
                np.array(kept, dtype=np.int64),
                np.array([columns[index] for index in kept], dtype=np.int64),
                np.array([salt_of(column) for column, _ in leaves], dtype=np.uint64),
                np.array(lengths, dtype=np.int64).reshape(-1, 2).T,
            )
        return self._forms[shape]

    def _read_objects(self, outputs: Sequence[Any] | NDArray[Any]) -> tuple[Floats, NDArray[np.int64]]:
        rows = [dict(self._leaves.of((), plain_value(output))) for output in outputs]
        if self._ignored:
            rows = [dict(self._without_ignored(row)) for row in rows]
        for index, row in enumerate(rows):
            for column in row:
                self._index_of(column, self._calls + index)
        columns = np.full((len(rows), len(self._columns)), np.nan)
        for index, row in enumerate(rows):
            for column, value in row.items():
                if column in self._columns:
                    columns[index, self._columns[column]] = self._number(column, value)
                    self._seen[self._columns[column]] += 1
        keys = [key_of(row) for row in rows]
        return columns, np.array(keys, dtype=np.uint64).view(np.int64)

    def _without_ignored(self, row: Mapping[Column, Any]) -> Iterator[tuple[Column, Any]]:
        for column, value in row.items():
            if column.names.isdisjoint(self._ignored):
                yield column, value
            else:
                self._unmatched -= column.names

    def _number(self, column: Column, value: Any) -> float:
        """Return the number in a column; strings that are not numbers are numbered by first appearance."""
        if isinstance(value, Opaque):
            self._opaque.setdefault(column.path, value.string)
            value = value.string
        if isinstance(value, str) and not is_number(value):
            return float(self._strings.index_of(column, value))
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")


def lowest_bits(numbers: Floats) -> Floats:
    """Return the greatest k such that a number is a multiple of 2^k; NaN for 0, infinities and NaN."""
    usable = np.isfinite(numbers) & (numbers != 0)
    mantissas, exponents = np.frexp(np.where(usable, numbers, 1.0))
    whole = np.abs(mantissas * 2.0**53).astype(np.int64)
    lowest = np.log2((whole & -whole).astype(np.float64)) + exponents - 53
    return np.where(usable, lowest, np.nan)


def _numbers_of(outputs: Sequence[Any] | NDArray[Any]) -> Floats | None:
    """Return outputs that equal arrays of floats, of equal shape, as one array; else None.

    NaN and the minus of 0 have columns of their own, so that outputs with these are read one by one.
    """
    if type(outputs) is np.ndarray:
        if not is_numeric(outputs.dtype):
            return None
        numbers = outputs.astype(np.float64)
        if outputs.dtype.kind in "iu" and (np.abs(numbers) >= 2.0**53).any():
            return None
    elif _are_vectors(outputs):
        numbers = np.array(outputs, dtype=np.float64)
    else:
        return None
    is_plain = not np.isnan(numbers).any() and not (np.signbit(numbers) & (numbers == 0)).any()
    return numbers if is_plain else None


def _are_vectors(outputs: Sequence[Any] | NDArray[Any]) -> bool:
    """Return whether all outputs are lists or arrays of floats, of equal length."""
    lengths = set()
    for output in outputs:
        if type(output) is list:
            floats = all(type(number) is float for number in output)
        else:
            floats = type(output) is np.ndarray and output.ndim == 1 and output.dtype == np.float64
        if not floats:
            return False
        lengths.add(len(output))
    return len(lengths) == 1


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
