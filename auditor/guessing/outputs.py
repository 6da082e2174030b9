"""Convert outputs of any shape to a table: columns of numbers, and a key that only equal outputs share.

Each number of an output, named by its path, is a column. Infinities are kept; a missing number is NaN. The
length of a list is a column, and so are strings, the numbers in a string and their form, None and empty
dictionaries. What a float cannot hold of a number is in columns of its own, and so are the positions of
dictionary keys that are not in the order in which keys appeared first. A column is NaN in all calls before
the one in which its path first appears. Paths beyond the first 4096 have no column; they enter the key only.
Outputs are compared by value (`plain_values`): the types of numbers and lists do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.values.objects import Opaque
from privboost.auditor.values.plain_values import ACCEPTED, number_string, plain_value
from privboost.auditor.values.strings import (
    StringColumns,
    exact_number,
    form_of,
    numbers_inside,
    too_many_alone,
)
from privboost.errors import TargetError

Floats = NDArray[np.float64]

MOST_COLUMNS = 4096
MOST_NOTES = 3
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?|nan", re.ASCII)
MIXERS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)
COLUMNS_AT_ONCE = 64
HUGE = 1 << 1_000
"""Numbers below this one are in the range of floats."""
MOST_PARTS, MOST_PARTS_OF_FRACTION = 20, 3
"""Maximum number of floats beside the nearest one for a number that is no float."""


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


class OutputTable:
    """Convert outputs to tables; columns are in the order in which their paths first appeared."""

    def __init__(self, low_bits: bool = False) -> None:
        self._low_bits = low_bits
        self._columns: dict[str, int] = {}
        self._first_seen: list[int] = []
        self._seen: list[int] = []
        """Number of calls that have the path of a column; counted for objects only."""
        self._leaves = Leaves()
        self._columns_of_tables: dict[tuple[str, int], NDArray[np.int64]] = {}
        self._strings = StringColumns()
        self._opaque: dict[str, str] = {}
        self._calls = 0
        self._left_out = False

    def read(self, outputs: Sequence[Any] | NDArray[Any]) -> Outputs:
        """Return the next outputs as a table, with a column for every path so far.

        Ensures: TargetError for outputs that cannot be converted.
        """
        try:
            if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf" and outputs.itemsize <= 8:
                columns, keys = self._read_array(outputs)
            elif (vectors := _same_vectors(outputs)) is not None:
                columns, keys = self._read_vectors(vectors)
            else:
                columns, keys = self._read_objects(outputs)
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
    def overlooked(self) -> str:
        """Return a note on what was not read of the outputs; the empty string if everything was."""
        notes = [
            f"{alone:,} of {total:,} strings in {_column_name(path)} are different from all others, so that "
            "they could not be compared"
            for path, alone, total in self._strings.unread()
        ]
        notes += [
            f"a part of the outputs was not read: {_column_name(path)}, of type {kind}"
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
        if not self._columns:
            notes.append("the outputs are empty")
        return "; ".join(notes[:MOST_NOTES])

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all columns so far."""
        names = [_column_name(path) for path in self._columns]
        if not self._low_bits:
            return tuple(names)
        return tuple(column for name in names for column in (name, f"lowest bit of {name}"))

    def in_words(self, event: str) -> str:
        """Return the description of an event with strings in place of their indices."""
        return self._strings.in_words(event)

    def known_before(self, call: int) -> int:
        """Return the number of columns that had appeared before a call."""
        known = int(np.searchsorted(self._first_seen, call))
        return 2 * known if self._low_bits else known

    def _column_of(self, path: str, call: int) -> int | None:
        """Return the column of a path, adding one if there is room; None if there is not."""
        if path not in self._columns and len(self._columns) < MOST_COLUMNS:
            self._columns[path] = len(self._columns)
            self._first_seen.append(call)
            self._seen.append(0)
        self._left_out = self._left_out or path not in self._columns
        return self._columns.get(path)

    def _read_array(self, outputs: NDArray[Any]) -> tuple[Floats, NDArray[np.int64]]:
        flat = outputs.reshape(len(outputs), -1)
        first = "" if outputs.ndim == 1 else "[0]"
        columns = self._with_remainders(self._columns_of(flat, first), flat, outputs.ndim == 1)
        return columns, _keys_of_rows(np.ascontiguousarray(flat))

    def _with_remainders(self, columns: Floats, table: NDArray[Any], scalars: bool) -> Floats:
        """Return columns with further ones for what the nearest floats of large integers lack."""
        if table.dtype.kind not in "iu" or table.dtype.itemsize < 8:
            return columns
        nearest = table.astype(np.float64)
        remainders = [
            (
                row,
                self._column_of(f"remainder({'' if scalars else f'[{index}]'})[0]", self._calls + row),
                rest,
            )
            for row, index in np.argwhere(np.abs(nearest) > 2.0**53).tolist()
            if (rest := int(table[row, index]) - int(nearest[row, index]))
        ]
        wider = np.full((len(table), len(self._columns)), np.nan)
        wider[:, : columns.shape[1]] = columns
        for row, column, rest in remainders:
            if column is not None:
                wider[row, column] = rest
        return wider

    def _read_vectors(self, vectors: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """Return what `_read_objects` returns for lists of floats of equal length, in less time."""
        table = np.concatenate([np.full((len(vectors), 1), vectors.shape[1]), vectors], axis=1)
        return self._columns_of(table, "len()"), _keys_of_rows(table)

    def _columns_of(self, table: NDArray[Any], first: str) -> Floats:
        """Return the columns of a table; all paths but the first are indices."""
        form = (first, table.shape[1])
        if form not in self._columns_of_tables:
            skipped = 0 if first == "[0]" else 1
            paths = [first][:skipped] + [f"[{index}]" for index in range(form[1] - skipped)]
            targets = [self._column_of(path, self._calls) for path in paths]
            kept = [(source, column) for source, column in enumerate(targets) if column is not None]
            self._columns_of_tables[form] = np.array(kept, dtype=np.int64).reshape(-1, 2).T
        sources, targets = self._columns_of_tables[form]
        columns = np.full((len(table), len(self._columns)), np.nan)
        columns[:, targets] = table[:, sources]
        return columns

    def _read_objects(self, outputs: Sequence[Any] | NDArray[Any]) -> tuple[Floats, NDArray[np.int64]]:
        rows = [dict(self._leaves.of("", plain_value(output))) for output in outputs]
        for index, row in enumerate(rows):
            for path in row:
                self._column_of(path, self._calls + index)
        columns = np.full((len(rows), len(self._columns)), np.nan)
        keys = np.empty(len(rows), dtype=np.int64)
        for index, row in enumerate(rows):
            for path, value in row.items():
                if path in self._columns:
                    columns[index, self._columns[path]] = self._number(path, value)
                    self._seen[self._columns[path]] += 1
            keys[index] = _key_of(row)
        return columns, keys

    def _number(self, path: str, value: Any) -> float:
        """Return the number in a column; strings that are not numbers are numbered by first appearance."""
        if isinstance(value, Opaque):
            self._opaque.setdefault(path.removeprefix("opaque(").removesuffix(")"), value.string)
            value = value.string
        if isinstance(value, str) and not _NUMBER.fullmatch(value):
            return float(self._strings.index_of(path, value))
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


def _keys_of_rows(table: NDArray[Any]) -> NDArray[np.int64]:
    """Return a key for every row, computed from its bits; -0.0 and 0.0 have different keys.

    Two different rows share a key with probability about 2^-64, which can only hide a difference.
    """
    # By value, not by type: an integer has the key of the equal float, if there is one.
    bits = np.ascontiguousarray(table, dtype=np.float64).view(np.uint64)
    if table.dtype.kind in "iu":
        nearest = table.astype(np.float64)
        inside = np.abs(nearest) < 2.0**63
        exact = inside & (np.where(inside, nearest, 0).astype(np.int64) == table)
        bits = np.where(exact, bits, table.astype(np.int64).view(np.uint64))
    keys = np.zeros(len(bits), dtype=np.uint64)
    for start in range(0, bits.shape[1], COLUMNS_AT_ONCE):
        part = bits[:, start : start + COLUMNS_AT_ONCE]
        indices = np.arange(start + 1, start + 1 + part.shape[1], dtype=np.uint64)
        keys += _mixed(part + indices * MIXERS[0]).sum(axis=1, dtype=np.uint64)
    return keys.view(np.int64)


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return words whose bits depend on all bits of the given ones (the finaliser of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * MIXERS[1]
    words = (words ^ (words >> np.uint64(27))) * MIXERS[2]
    return words ^ (words >> np.uint64(31))


def _key_of(row: dict[str, Any]) -> int:
    """Return the key of an output, computed from its paths and values in sorted order."""
    vector = _vector_of(row)
    if vector is not None:
        return int(_keys_of_rows(vector[None])[0])
    content = repr(sorted((path, _value_string(value)) for path, value in row.items()))
    return int.from_bytes(blake2b(content.encode(), digest_size=8).digest(), "big", signed=True)


def _same_vectors(outputs: Sequence[Any] | NDArray[Any]) -> Floats | None:
    """Return outputs as a table if they are lists or arrays of floats, of equal length; else None."""
    lengths = set()
    for output in outputs:
        if type(output) is list:
            floats = all(type(number) is float for number in output)
        else:
            floats = type(output) is np.ndarray and output.ndim == 1 and output.dtype == np.float64
        if not floats:
            return None
        lengths.add(len(output))
    if len(lengths) != 1 or lengths == {0}:
        return None
    table = np.array(outputs, dtype=np.float64)
    return np.where(np.isnan(table), np.nan, table)


def _vector_of(row: dict[str, Any]) -> Floats | None:
    """Return the length and the numbers of an output that equals a list of floats; else None."""
    paths = list(row)
    if paths[:1] != ["len()"] or paths[1:] != [f"[{index}]" for index in range(row["len()"])]:
        return None
    values = list(row.values())
    if not all(isinstance(value, float) or (isinstance(value, int) and _is_float(value)) for value in values):
        return None
    vector = np.array(values, dtype=np.float64)
    return np.where(np.isnan(vector), np.nan, vector)


def _is_float(value: int) -> bool:
    return abs(value) < HUGE and int(float(value)) == value


def _value_string(value: Any) -> str:
    return repr(value) if value is None or isinstance(value, str | Opaque) else number_string(value)


def _column_name(path: str) -> str:
    """Return the name of a column: output, output.leaf, output[2], len(output.path)."""
    return re.sub(r"^((?:[a-z]+\()*)", r"\1output", path)


class Leaves:
    """The paths of plain outputs with their values; keys are in order if they come as they first appeared."""

    def __init__(self) -> None:
        self._orders: dict[str, dict[Any, int]] = {}

    def of(self, path: str, value: Any) -> Iterator[tuple[str, Any]]:
        """Yield all paths of a plain output with their values; paths are distinct."""
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, dict):
            yield from self._of_dictionary(path, value)
        elif isinstance(value, list):
            yield f"len({path})", len(value)
            for index, inner in enumerate(value):
                yield from self.of(f"{path}[{index}]", inner)
        elif value is None:
            yield f"none({path})", 1
        elif isinstance(value, str) and not _NUMBER.fullmatch(value):
            yield f"text({path})", value
            for index, number in enumerate(numbers_inside(value)):
                yield from _written_number(f"number({path})[{index}]", number)
        elif isinstance(value, str):
            yield from _written_number(path, value)
        elif isinstance(value, Opaque):
            yield f"opaque({path})", value
        else:
            yield from _number_parts(path, value)

    def _of_dictionary(self, path: str, value: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
        if not value:
            yield f"empty({path})", 1
        order = self._orders.setdefault(path, {})
        if len(order) < MOST_COLUMNS:
            for key in value:
                order.setdefault(key, len(order))
        places = [order.get(key, 0) for key in value]
        if places != sorted(places):
            for position, key in enumerate(value):
                yield f"position({path}{_step(key)})", position
        for key, inner in value.items():
            yield from self.of(f"{path}{_step(key)}", inner)


def _written_number(path: str, number: str) -> Iterator[tuple[str, Any]]:
    """Yield a number in a string, and how it is written."""
    yield from _number_parts(path, exact_number(number))
    yield f"form({path})", form_of(number)


def _number_parts(path: str, value: bool | int | float | Fraction) -> Iterator[tuple[str, Any]]:
    """Yield a number and, in several floats, what the nearest float lacks."""
    yield path, value
    if isinstance(value, float) or _is_decimal_of_float(value):
        return
    rest: int | Fraction = value
    if not -HUGE < value < HUGE:
        rest, whole = value % HUGE, value // HUGE
        yield from _number_parts(f"quotient({path})", whole)
    for index in range(MOST_PARTS if isinstance(value, int) else MOST_PARTS_OF_FRACTION):
        rest -= Fraction(float(rest))
        if not rest:
            return
        yield f"remainder({path})[{index}]", float(rest)


def _is_decimal_of_float(value: int | Fraction) -> bool:
    """Return whether a number is the shortest decimal of a float, which then identifies it."""
    return -HUGE < value < HUGE and Fraction(repr(float(value))) == value


def _step(key: Any) -> str:
    """Return the path element of a dictionary key: .name, ['any string'], {1}, {(1, 'a')}."""
    if isinstance(key, str):
        return f".{key}" if key.isidentifier() else f"[{key!r}]"
    return f"{{{_key_string(key)}}}"


def _key_string(key: Any) -> str:
    if isinstance(key, tuple):
        return f"({', '.join(map(_key_string, key))})"
    return _value_string(key).removesuffix(".0") if isinstance(key, int | float) else _value_string(key)
