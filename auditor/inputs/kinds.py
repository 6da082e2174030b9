"""Kinds of values: what a cell, a row or a nested value may be.

A path names a part of a value: indices of lists and keys of mappings, from the outside. A leaf is a part that
is described by a kind without parts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import Any, Protocol

Path = tuple[int | str, ...]

STEPS = 16
"""Ordinary numbers of a range are at multiples of this part of it, not at its ends."""
INT64 = (-(2**63), 2**63 - 1)
"""Integers without stated bounds have 64 bits."""


class ValueKind(Protocol):
    """What a value may be."""

    def contains(self, value: Any) -> bool:
        """Return whether a value is of this kind."""

    def draw(self, random: Random) -> Any:
        """Return an ordinary value: one that is no hostile one."""

    def simple(self) -> tuple[Any, ...]:
        """Return values that are easy to read, the simplest first."""

    def leaves(self, value: Any) -> Iterator[tuple[Path, ValueKind]]:
        """Yield the leaves of a value, each with its kind."""


class CellKind:
    """A kind without parts."""

    __slots__ = ()

    def leaves(self: ValueKind, value: Any) -> Iterator[tuple[Path, ValueKind]]:
        """Yield the value itself."""
        yield (), self


@dataclass(frozen=True, slots=True)
class Double(CellKind):
    """A double, or a number that one can have."""

    low: float | None = None
    high: float | None = None
    nan: bool = True
    """Whether NaN is such a number."""
    infinities: bool = True
    """Whether infinities in the range are such numbers."""

    def contains(self, value: Any) -> bool:
        """Return whether a value is a number in the range."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if isinstance(value, float) and math.isnan(value):
            return self.nan
        if isinstance(value, float) and math.isinf(value) and not self.infinities:
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def draw(self, random: Random) -> float:
        """Return a number inside the range, with few digits where it is short."""
        share = random.randrange(1, STEPS) / STEPS
        if self.low is not None and self.high is not None:
            return self.low * (1 - share) + self.high * share
        start, sign = (0.0, 1) if self.low is None and self.high is None else (self.low, 1)
        if start is None:
            start, sign = self.high, -1
        offset = 8 * share - (4 if self.low is None and self.high is None else 0)
        return float(start or 0.0) + sign * offset

    def simple(self) -> tuple[float, ...]:
        """Return 0, 1, -1 and the bounds."""
        ends = (float(end) for end in (self.low, self.high) if end is not None)
        return tuple(filter(self.contains, (0.0, 1.0, -1.0, *ends)))


@dataclass(frozen=True, slots=True)
class Integer(CellKind):
    """An integer."""

    low: int = INT64[0]
    high: int = INT64[1]

    def contains(self, value: Any) -> bool:
        """Return whether a value is an integer in the range."""
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    def draw(self, random: Random) -> int:
        """Return a small integer in the range, or any if the range is short."""
        if self.high - self.low <= 100:
            return random.randint(self.low, self.high)
        return min(max(random.randint(-10, 10), self.low + random.randint(1, 20)), self.high - 1)

    def simple(self) -> tuple[int, ...]:
        """Return 0, 1, -1 and the bounds."""
        return tuple(filter(self.contains, (0, 1, -1, self.low, self.high)))


@dataclass(frozen=True, slots=True)
class Text(CellKind):
    """Any string that UTF-8 can encode."""

    def contains(self, value: Any) -> bool:
        """Return whether a value is a string."""
        return isinstance(value, str)

    def draw(self, random: Random) -> str:
        """Return one of a few letters, so that rows are in groups."""
        return random.choice("abc")

    def simple(self) -> tuple[str, ...]:
        """Return the empty string and letters."""
        return ("", "a", "b")


@dataclass(frozen=True, slots=True)
class Choice(CellKind):
    """One of some values; True, 1 and 1.0 are three."""

    values: tuple[Any, ...]
    spellings: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spellings", frozenset(map(repr, self.values)))

    def contains(self, value: Any) -> bool:
        """Return whether a value is one of those."""
        return repr(value) in self.spellings

    def draw(self, random: Random) -> Any:
        """Return one of the values."""
        return random.choice(self.values)

    def simple(self) -> tuple[Any, ...]:
        """Return the values."""
        return self.values


class Drawn(Choice):
    """One of the rows that a strategy draws, the simplest first."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Day(CellKind):
    """A date as a string such as '2020-01-31'."""

    first: date
    last: date

    def contains(self, value: Any) -> bool:
        """Return whether a value is a date from the first to the last."""
        try:
            return isinstance(value, str) and self.first <= date.fromisoformat(value) <= self.last
        except ValueError:
            return False

    def draw(self, random: Random) -> str:
        """Return a date inside the range."""
        days = (self.last - self.first).days
        return (self.first + timedelta(days=random.randint(min(1, days), max(days - 1, 0)))).isoformat()

    def simple(self) -> tuple[str, ...]:
        """Return the first and the last date."""
        return tuple(dict.fromkeys((self.first.isoformat(), self.last.isoformat())))


@dataclass(frozen=True, slots=True)
class Union(CellKind):
    """A value of one of several kinds, the most frequent first."""

    kinds: tuple[ValueKind, ...]

    def contains(self, value: Any) -> bool:
        """Return whether a value is of one of the kinds."""
        return any(kind.contains(value) for kind in self.kinds)

    def draw(self, random: Random) -> Any:
        """Return a value of the most frequent kind."""
        return self.kinds[0].draw(random)

    def simple(self) -> tuple[Any, ...]:
        """Return the simple values of all kinds, those of the most frequent first."""
        return tuple(value for kind in self.kinds for value in kind.simple())

    def leaves(self, value: Any) -> Iterator[tuple[Path, ValueKind]]:
        """Yield the parts of a nested value, or else the value itself, which may get another kind."""
        kind = next((kind for kind in self.kinds if kind.contains(value)), None)
        if kind is None or isinstance(kind, CellKind):
            yield (), self
        else:
            yield from kind.leaves(value)


@dataclass(frozen=True, slots=True)
class Columns:
    """A list with a kind for each entry, such as the row of a table."""

    kinds: tuple[ValueKind, ...]

    def contains(self, value: Any) -> bool:
        """Return whether a value is a list of such entries."""
        return (
            isinstance(value, list | tuple)
            and len(value) == len(self.kinds)
            and all(kind.contains(entry) for kind, entry in zip(self.kinds, value, strict=True))
        )

    def draw(self, random: Random) -> list[Any]:
        """Return a list of ordinary entries."""
        return [kind.draw(random) for kind in self.kinds]

    def simple(self) -> tuple[list[Any], ...]:
        """Return lists of the k-th simple value of every entry."""
        return tuple(map(list, zip(*(kind.simple() for kind in self.kinds), strict=False)))

    def leaves(self, value: Any) -> Iterator[tuple[Path, ValueKind]]:
        """Yield the leaves of all entries."""
        for index, (kind, entry) in enumerate(zip(self.kinds, value, strict=False)):
            yield from (((index, *path), leaf) for path, leaf in kind.leaves(entry))


@dataclass(frozen=True, slots=True)
class Lists:
    """A list of values of one kind."""

    kind: ValueKind
    least: int
    most: int

    def contains(self, value: Any) -> bool:
        """Return whether a value is a list of such entries, neither too short nor too long."""
        return (
            isinstance(value, list)
            and self.least <= len(value) <= self.most
            and all(map(self.kind.contains, value))
        )

    def draw(self, random: Random) -> list[Any]:
        """Return a list of any length that is allowed."""
        return [self.kind.draw(random) for _ in range(random.randint(self.least, self.most))]

    def simple(self) -> tuple[list[Any], ...]:
        """Return the shortest list of each simple value."""
        return tuple([value] * self.least for value in self.kind.simple()[: self.least or 1])

    def leaves(self, value: Any) -> Iterator[tuple[Path, ValueKind]]:
        """Yield the leaves of all entries."""
        for index, entry in enumerate(value):
            yield from (((index, *path), leaf) for path, leaf in self.kind.leaves(entry))


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a mapping, and whether every mapping has it."""

    key: str
    kind: ValueKind
    required: bool = True


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping with some keys."""

    members: tuple[Member, ...]

    def contains(self, value: Any) -> bool:
        """Return whether a value is a mapping with the required keys and no unknown ones."""
        if not isinstance(value, dict) or set(value) - {member.key for member in self.members}:
            return False
        return all(
            member.kind.contains(value[member.key]) if member.key in value else not member.required
            for member in self.members
        )

    def draw(self, random: Random) -> dict[str, Any]:
        """Return a mapping with all keys."""
        return {member.key: member.kind.draw(random) for member in self.members}

    def simple(self) -> tuple[dict[str, Any], ...]:
        """Return mappings of the required keys with the k-th simple value of each."""
        wanted = [member for member in self.members if member.required]
        values = zip(*(member.kind.simple() for member in wanted), strict=False)
        return tuple(dict(zip((member.key for member in wanted), entry, strict=True)) for entry in values)

    def leaves(self, value: Any) -> Iterator[tuple[Path, ValueKind]]:
        """Yield the leaves of all members."""
        for member in self.members:
            if member.key in value:
                entry = value[member.key]
                yield from (((member.key, *path), leaf) for path, leaf in member.kind.leaves(entry))


def get_part(value: Any, path: Path) -> Any:
    """Return the part of a value at a path."""
    for step in path:
        value = value[step]
    return value


def replace_part(value: Any, path: Path, part: Any) -> Any:
    """Return a copy of a value with another part at a path."""
    if not path:
        return part
    step, *rest = path
    if isinstance(value, dict):
        return {**value, step: replace_part(value[step], tuple(rest), part)}
    index = int(step)
    return [*value[:index], replace_part(value[index], tuple(rest), part), *value[index + 1 :]]


def scalars_of(value: Any) -> Iterator[Any]:
    """Yield all values in nested lists and mappings."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for entry in value:
            yield from scalars_of(entry)
    else:
        yield value


def join_kinds(kinds: Sequence[ValueKind]) -> ValueKind:
    """Return the kind of values of any of these kinds."""
    distinct = tuple(dict.fromkeys(kinds))
    return distinct[0] if len(distinct) == 1 else Union(distinct)
