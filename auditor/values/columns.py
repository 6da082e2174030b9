"""The columns of outputs: every number of an output and every property of a part of it, as values.

A column is named by its path of keys and indices, so that no string is read to learn what it is. The numbers
in a string are read, and the rest is compared as a whole. The frame of "sum 1.5 of x20" is "sum # of x20": a
number is read unless letters touch it. A string is read if its frame occurs again, so that calls can be
compared; strings with frames that are nearly all different say nothing about the sides.
"""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .objects import Opaque
from .plain_values import number_string

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

MOST_COLUMNS = 4096
MIXERS: Words = np.array([0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)
COLUMNS_AT_ONCE = 64
HUGE = 1 << 1_000
"""Numbers below this one are in the range of floats."""
MOST_PARTS, MOST_PARTS_OF_FRACTION = 20, 3
"""Maximum number of floats beside the nearest one for a number that is no float."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?|nan", re.ASCII)
_NUMBER_INSIDE = re.compile(r"(?<![\w.])[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?!\w)", re.ASCII)

_PARTS = re.compile(r"(?P<sign>[+-]?)(?P<whole>\d*)(?P<rest>(?:\.\d*)?)(?P<exponent>[eE][+-]?\d+)?", re.ASCII)

LONGEST_EXACT = 1_000
"""Number of digits from which numbers in strings are rounded."""

FEWEST_UNREAD, MOST_UNREAD = 3, 0.02
"""Number of strings with a frame of their own, and their share, up to which a column counts as read."""


class ColumnKind(StrEnum):
    """What the numbers of a column are."""

    NUMBER = "number"
    """A number of the output."""
    NONE = "none"
    """1 where a part is None."""
    EMPTY = "empty"
    """1 where a dictionary is empty."""
    LENGTH = "len"
    POSITION = "position"
    """The position of a key that is not where it first was."""
    STRING = "text"
    """The index of a string."""
    NUMBER_IN_STRING = "number_in_string"
    OPAQUE = "opaque"
    """The index of the type of an object that is not read."""
    STYLE = "style"
    """The index of the spelling of a number in a string."""
    DECIMALS = "decimals"
    NAN = "nan"
    MINUS = "minus"
    """1 where a number is -0.0."""
    QUOTIENT = "quotient"
    REMAINDER = "remainder"
    """What the nearest float lacks of a number."""
    LOWEST_BIT = "lowest_bit"


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a dictionary that is not a string, as a string."""

    string: str


Path = tuple[str | int | Key, ...]
"""The steps from an output to a part of it: keys of dictionaries, and indices of lists as integers."""


class Column(NamedTuple):
    """A number of outputs, or a property of a part of them; a tuple, since every number read makes one."""

    kind: ColumnKind
    path: Path
    item: int | None = None
    """Which of the numbers in a string, or of the remainders of a number, it is."""
    of: Column | None = None
    """The number that the column is a property of, if it is not the part of the output itself."""

    @property
    def name(self) -> str:
        """Return the notation of the column, such as output.leaf, output[2], len(output.path)."""
        return self.spell({})

    @property
    def names(self) -> frozenset[str]:
        """Return the names of the parts that hold the column, such as leaf and leaf[2], and its notation."""
        return _parts_of(self.path) | {self.name}

    @property
    def part(self) -> str:
        """Return the name of the attribute or key of the output that holds the column, such as leaf."""
        return _format_step(self.path[0]).removeprefix(".") if self.path else ""

    def spell(self, phrases: Mapping[ColumnKind, str]) -> str:
        """Return the notation of the column, with phrases for some kinds of columns."""
        output = "output" + "".join(map(_format_step, self.path))
        inner = output if self.of is None else self.of.spell(phrases)
        if self.kind is ColumnKind.NUMBER:
            return inner
        if self.kind in phrases:
            return phrases[self.kind].format(inner, self.item)
        if self.kind is ColumnKind.LOWEST_BIT:
            return f"lowest bit of {inner}"
        word = "number" if self.kind is ColumnKind.NUMBER_IN_STRING else self.kind
        return f"{word}({inner})" + ("" if self.item is None else f"[{self.item}]")

    def derive(self, kind: ColumnKind, item: int | None = None) -> Column:
        """Return the column of a property of this number."""
        return Column(kind, self.path, item, None if self.kind is ColumnKind.NUMBER else self)


@dataclass(frozen=True, slots=True)
class UnmatchedPart:
    """The name of a part that is not to be read and that no output has."""

    name: str
    known: tuple[str, ...]
    """The names of the parts that the outputs have."""


@lru_cache(maxsize=MOST_COLUMNS)
def _parts_of(path: Path) -> frozenset[str]:
    spelled = ("".join(map(_format_step, path[:length])) for length in range(1, len(path) + 1))
    return frozenset(name.removeprefix(".") for name in spelled)


def _format_step(step: str | int | Key) -> str:
    """Return a step of a path: .name, ['any string'], [2], {1}, {(1, 'a')}."""
    if isinstance(step, str):
        return f".{step}" if step.isidentifier() else f"[{step!r}]"
    return f"[{step}]" if isinstance(step, int) else f"{{{step.string}}}"


def is_number(string: str) -> bool:
    """Return whether a string is a number as a whole."""
    return _NUMBER.fullmatch(string) is not None


def too_many_alone(alone: int, total: int) -> bool:
    """Return whether too many of some strings or keys occur once, so that calls cannot be compared."""
    return alone > max(FEWEST_UNREAD, MOST_UNREAD * total)


def decimals_of(number: str) -> float:
    """Return the number of digits after the point."""
    return float(len(re.split("[eE]", number, maxsplit=1)[0].partition(".")[2]))


def style_of(number: str) -> str:
    """Return the spelling of a number as far as its value does not fix it; empty for the usual spelling.

    It has a plus, the minus of 0, the zeros that begin it, a point without digits, and the exponent.
    """
    parts = _PARTS.fullmatch(number)
    if parts is None:
        return f"written {number}"
    sign = parts["sign"] if parts["sign"] == "+" or not float(number) else ""
    whole, exponent = (re.sub("[1-9].*", "", parts[name] or "") for name in ("whole", "exponent"))
    begins = "point" if not parts["whole"] else whole if parts["whole"] != "0" else ""
    ends = "point" if parts["rest"] == "." else ""
    # Digits of a string would be read as numbers.
    return "/".join((sign, begins, ends, exponent)).replace("0", "z").strip("/")


def exact_number(number: str) -> float | Fraction:
    """Return the number that a string denotes; exactly, unless its exponent is large."""
    mantissa, _, exponent = number.lower().partition("e")
    is_plain = not set(mantissa) - set("+-.0123456789") and len(mantissa) < LONGEST_EXACT
    return Fraction(number) if is_plain and len(exponent.lstrip("+-0")) <= 3 else float(number)


class StringColumns:
    """The frames of the strings in every column, numbered by first appearance."""

    def __init__(self) -> None:
        self._frames: dict[str, int] = {}
        self._counts: dict[Column, Counter[int]] = {}

    def index_of(self, column: Column, string: str) -> int:
        """Return the index of the frame of a string, and count it in the column."""
        frame = _NUMBER_INSIDE.sub("#", string)
        index = self._frames.setdefault(frame, len(self._frames))
        self._counts.setdefault(column, Counter())[index] += 1
        return index

    def within(self, column: Column, low: float | None, high: float | None) -> tuple[str, ...] | None:
        """Return the strings of a column whose indices are in a range; None for a column without strings."""
        if column not in self._counts or (low is None and high is None):
            return None
        frames, exact = list(self._frames), low == high
        return tuple(
            frames[k]
            for k in sorted(self._counts[column])
            if (low is None or k >= low) and (high is None or k < high or (exact and k == high))
        )

    def unread(self) -> list[tuple[Column, int, int]]:
        """Return columns whose frames are too different: column, strings with their own frame, strings."""
        columns = []
        for column, counts in self._counts.items():
            alone, total = sum(count == 1 for count in counts.values()), counts.total()
            if too_many_alone(alone, total):
                columns.append((column, alone, total))
        return columns


class Leaves:
    """The columns of plain outputs and their values; keys are in order if they come as they first did."""

    def __init__(self) -> None:
        self._orders: dict[Path, dict[Any, int]] = {}

    def of(self, path: Path, value: Any) -> Iterator[tuple[Column, Any]]:
        """Yield all columns of a part of a plain output with their values; columns are distinct."""
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, dict):
            yield from self._of_dictionary(path, value)
        elif isinstance(value, list):
            yield Column(ColumnKind.LENGTH, path), len(value)
            for index, inner in enumerate(value):
                yield from self.of((*path, index), inner)
        elif value is None:
            yield Column(ColumnKind.NONE, path), 1
        elif isinstance(value, str) and not is_number(value):
            yield Column(ColumnKind.STRING, path), value
            for index, number in enumerate(_NUMBER_INSIDE.findall(value)):
                yield from _parts_of_string(Column(ColumnKind.NUMBER_IN_STRING, path, index), number)
        elif isinstance(value, str):
            yield from _parts_of_string(Column(ColumnKind.NUMBER, path), value)
        elif isinstance(value, Opaque):
            yield Column(ColumnKind.OPAQUE, path), value
        else:
            yield from _number_parts(Column(ColumnKind.NUMBER, path), value)

    def _of_dictionary(self, path: Path, value: dict[Any, Any]) -> Iterator[tuple[Column, Any]]:
        if not value:
            yield Column(ColumnKind.EMPTY, path), 1
        order = self._orders.setdefault(path, {})
        if len(order) < MOST_COLUMNS:
            for key in value:
                order.setdefault(key, len(order))
        places = [order.get(key, 0) for key in value]
        if places != sorted(places):
            for position, key in enumerate(value):
                yield Column(ColumnKind.POSITION, (*path, _step(key))), position
        for key, inner in value.items():
            inside = (*path, _step(key))
            if isinstance(key, Opaque):
                yield Column(ColumnKind.OPAQUE, inside), key
            yield from self.of(inside, inner)


def _parts_of_string(column: Column, number: str) -> Iterator[tuple[Column, Any]]:
    """Yield a number in a string, and how it is written."""
    yield from _number_parts(column, exact_number(number))
    yield column.derive(ColumnKind.DECIMALS), decimals_of(number)
    if style := style_of(number):
        yield column.derive(ColumnKind.STYLE), style


def _number_parts(column: Column, value: bool | int | float | Fraction) -> Iterator[tuple[Column, Any]]:
    """Yield a number and, in several floats, what the nearest float lacks; mark NaN and the minus of 0."""
    yield column, value
    if isinstance(value, float):
        if math.isnan(value):
            yield column.derive(ColumnKind.NAN), 1
        elif not value and math.copysign(1, value) < 0:
            yield column.derive(ColumnKind.MINUS), 1
        return
    if value.denominator > 1 and _is_decimal_of_float(value):
        return
    rest: int | Fraction = value
    if not -HUGE < value < HUGE:
        rest, whole = value % HUGE, value // HUGE
        yield from _number_parts(column.derive(ColumnKind.QUOTIENT), whole)
    for index in range(MOST_PARTS if isinstance(value, int) else MOST_PARTS_OF_FRACTION):
        rest -= Fraction(float(rest))
        if not rest:
            return
        yield column.derive(ColumnKind.REMAINDER, index), float(rest)


def _is_decimal_of_float(value: int | Fraction) -> bool:
    """Return whether a number is the shortest decimal of a float, which then identifies it."""
    return -HUGE < value < HUGE and Fraction(repr(float(value))) == value


def _step(key: Any) -> str | Key:
    """Return the step of a path to the entry of a dictionary."""
    return key if isinstance(key, str) else Key(_key_string(key))


def _key_string(key: Any) -> str:
    if isinstance(key, tuple):
        return f"({', '.join(map(_key_string, key))})"
    return _value_string(key).removesuffix(".0") if isinstance(key, int | float) else _value_string(key)


def _is_float(value: int) -> bool:
    return abs(value) < HUGE and int(float(value)) == value


def _value_string(value: Any) -> str:
    return repr(value) if value is None or isinstance(value, str | Opaque) else number_string(value)


def keys_of_rows(table: Floats, salts: Words) -> NDArray[np.int64]:
    """Return a key for every row, computed from its bits and the salts of its columns; -0.0 differs from 0.0.

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


@lru_cache(1 << 16)
def salt_of(column: Column) -> int:
    """Return the digest of a column."""
    return _digest(column.name)


def _mix(words: Words) -> Words:
    """Return words whose bits depend on all bits of the given ones (the finaliser of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * MIXERS[0]
    words = (words ^ (words >> np.uint64(27))) * MIXERS[1]
    return words ^ (words >> np.uint64(31))


def key_of(row: dict[Column, Any]) -> int:
    """Return the key of an output; that of numbers is the one of `keys_of_rows`."""
    words = np.array([_bits(value) for value in row.values()], dtype=np.uint64)
    salts = np.array([salt_of(column) for column in row], dtype=np.uint64)
    return int(_mix(words + salts).sum(dtype=np.uint64))


def _bits(value: Any) -> int:
    """Return the bits of the float that equals a value; if there is none, of a digest."""
    if isinstance(value, float) or (isinstance(value, int) and _is_float(value)):
        return int.from_bytes(struct.pack("<d", math.nan if math.isnan(value) else value), "little")
    return _digest(_value_string(value))
