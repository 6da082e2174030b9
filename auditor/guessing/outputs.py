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

import math
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.values.objects import Opaque
from privboost.auditor.values.plain_values import ACCEPTED, is_numeric, number_string, plain_value
from privboost.auditor.values.strings import (
    StringColumns,
    decimals_of,
    exact_number,
    numbers_inside,
    style_of,
    too_many_alone,
)
from privboost.errors import TargetError

Floats = NDArray[np.float64]

MOST_COLUMNS = 4096
MOST_NOTES = 3
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?|nan", re.ASCII)
MIXERS = np.array([0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)
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


@dataclass(frozen=True, slots=True)
class _Form:
    """What outputs that are arrays of one shape have in common."""

    kept: NDArray[np.int64]
    """The indices of the paths that have a column."""
    columns: NDArray[np.int64]
    """Their columns."""
    salts: NDArray[np.uint64]
    """A salt for every path."""
    lengths: NDArray[np.int64]
    """Before which number the length of each list stands, and these lengths."""


class OutputTable:
    """Convert outputs to tables; columns are in the order in which their paths first appeared."""

    def __init__(self, low_bits: bool = False) -> None:
        self._low_bits = low_bits
        self._columns: dict[str, int] = {}
        self._first_seen: list[int] = []
        self._seen: list[int] = []
        """Number of calls that have the path of a column."""
        self._leaves = Leaves()
        self._forms: dict[tuple[int, ...], _Form] = {}
        self._strings = StringColumns()
        self._opaque: dict[str, str] = {}
        self._calls = 0
        self._left_out = False

    def read(self, outputs: Sequence[Any] | NDArray[Any]) -> Outputs:
        """Return the next outputs as a table, with a column for every path so far.

        Ensures: TargetError for outputs that cannot be converted.
        """
        try:
            numbers = _numbers_of(outputs)
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
        if self._columns.keys() <= {"len()"}:
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
        return columns, _keys_of_rows(table, form.salts)

    def _form_of(self, shape: tuple[int, ...]) -> _Form:
        if shape not in self._forms:
            leaves = list(self._leaves.of("", np.ones(shape)))
            columns = [self._column_of(path, self._calls) for path, _ in leaves]
            kept = [index for index, column in enumerate(columns) if column is not None]
            places = [index for index, (_, value) in enumerate(leaves) if isinstance(value, int)]
            lengths = [(index - before, leaves[index][1]) for before, index in enumerate(places)]
            self._forms[shape] = _Form(
                np.array(kept, dtype=np.int64),
                np.array([columns[index] for index in kept], dtype=np.int64),
                np.array([_salt(path) for path, _ in leaves], dtype=np.uint64),
                np.array(lengths, dtype=np.int64).reshape(-1, 2).T,
            )
        return self._forms[shape]

    def _read_objects(self, outputs: Sequence[Any] | NDArray[Any]) -> tuple[Floats, NDArray[np.int64]]:
        rows = [dict(self._leaves.of("", plain_value(output))) for output in outputs]
        for index, row in enumerate(rows):
            for path in row:
                self._column_of(path, self._calls + index)
        columns = np.full((len(rows), len(self._columns)), np.nan)
        for index, row in enumerate(rows):
            for path, value in row.items():
                if path in self._columns:
                    columns[index, self._columns[path]] = self._number(path, value)
                    self._seen[self._columns[path]] += 1
        keys = [_key_of(row) for row in rows]
        return columns, np.array(keys, dtype=np.uint64).view(np.int64)

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


def _keys_of_rows(table: Floats, salts: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return a key for every row, computed from its bits and the salts of its paths; -0.0 differs from 0.0.

    Two different rows share a key with probability about 2^-64, which can only hide a difference.
    """
    bits = np.ascontiguousarray(table).view(np.uint64)
    keys = np.zeros(len(bits), dtype=np.uint64)
    for start in range(0, bits.shape[1], COLUMNS_AT_ONCE):
        part = slice(start, start + COLUMNS_AT_ONCE)
        keys += _mix(bits[:, part] + salts[part]).sum(axis=1, dtype=np.uint64)
    return keys.view(np.int64)


def _digest(content: str) -> int:
    """Return 64 bits that depend on a string."""
    return int.from_bytes(blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


_salt = lru_cache(1 << 16)(_digest)
"""The digest of a path."""


def _mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return words whose bits depend on all bits of the given ones (the finaliser of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * MIXERS[0]
    words = (words ^ (words >> np.uint64(27))) * MIXERS[1]
    return words ^ (words >> np.uint64(31))


def _key_of(row: dict[str, Any]) -> int:
    """Return the key of an output; that of numbers is the one of `_keys_of_rows`."""
    words = np.array([_bits(value) for value in row.values()], dtype=np.uint64)
    salts = np.array([_salt(path) for path in row], dtype=np.uint64)
    return int(_mix(words + salts).sum(dtype=np.uint64))


def _bits(value: Any) -> int:
    """Return the bits of the float that equals a value; if there is none, of a digest."""
    if isinstance(value, float) or (isinstance(value, int) and _is_float(value)):
        return int.from_bytes(struct.pack("<d", math.nan if math.isnan(value) else value), "little")
    return _digest(_value_string(value))


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
                yield from _parts_of_string(f"number({path})[{index}]", number)
        elif isinstance(value, str):
            yield from _parts_of_string(path, value)
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
            if isinstance(key, Opaque):
                yield f"opaque({path}{_step(key)})", key
            yield from self.of(f"{path}{_step(key)}", inner)


def _parts_of_string(path: str, number: str) -> Iterator[tuple[str, Any]]:
    """Yield a number in a string, and how it is written."""
    yield from _number_parts(path, exact_number(number))
    yield f"decimals({path})", decimals_of(number)
    if style := style_of(number):
        yield f"style({path})", style


def _number_parts(path: str, value: bool | int | float | Fraction) -> Iterator[tuple[str, Any]]:
    """Yield a number and, in several floats, what the nearest float lacks; mark NaN and the minus of 0."""
    yield path, value
    if isinstance(value, float):
        if math.isnan(value):
            yield f"nan({path})", 1
        elif not value and math.copysign(1, value) < 0:
            yield f"minus({path})", 1
        return
    if value.denominator > 1 and _is_decimal_of_float(value):
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
