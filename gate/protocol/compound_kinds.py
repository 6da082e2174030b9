"""The kinds of lists and objects in requests, made from the kinds of their entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from privboost.errors import PreconditionError

from .kinds import REPEATED, ArgumentKind, LabelKind, Right, Schema, Wrong, check_members


@dataclass(frozen=True, slots=True)
class ListKind(ArgumentKind):
    """A list with at least `least` entries."""

    entry: ArgumentKind
    least: int = 0

    @property
    def words(self) -> str:
        """Return the kind of the entries."""
        entry = "labels" if isinstance(self.entry, LabelKind) else f"{self.entry.words}"
        return f"{'non-empty list' if self.least else 'list'}; each: {entry}"

    def read(self, value: Any, name: str) -> list[Any]:
        """Return the list of all entries."""
        if not isinstance(value, list | tuple):
            raise PreconditionError(name, "a list", repr(value))
        if len(value) < self.least:
            raise PreconditionError(name, f"a list of at least {self.least}", repr(value))
        return [self.entry.read(entry, name) for entry in value]

    def schema(self) -> Schema:
        """Return the schema of the list."""
        least = {"minItems": self.least} if self.least else {}
        return {"type": "array", "items": self.entry.schema(), **least}

    def wrong(self, valid: Any) -> Iterator[Wrong]:
        """Yield lists whose first or last entry is wrong, an object, and an empty list if it is too short."""
        for name, entry, flag in self.entry.wrong(valid[0]):
            yield f"[{name}]", [entry, *valid[1:]], flag
        if len(valid) > 1:
            for name, entry, flag in one_of_each_flag(self.entry.wrong(valid[-1])):
                yield f"[…, {name}]", [*valid[:-1], entry], flag
        yield "{}", {}, "no-list"
        if self.least:
            yield "[]", [], "domain"

    def right(self, valid: Any) -> Iterator[Right]:
        """Yield lists whose first entry is another one, and a shorter list."""
        for name, entry, flag in self.entry.right(valid[0]):
            yield f"[{name}]", [entry, *valid[1:]], flag
        if len(valid) > max(1, self.least):
            yield "shorter", valid[:-1], REPEATED

    def word_paths(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Yield the paths within an entry."""
        return self.entry.word_paths()


def one_of_each_flag(values: Iterator[Wrong]) -> Iterator[Wrong]:
    """Yield the first value with each flag."""
    seen: set[str] = set()
    for name, value, flag in values:
        if flag not in seen:
            seen.add(flag)
            yield name, value, flag


@dataclass(frozen=True, slots=True)
class RecordKind(ArgumentKind):
    """An object with exactly these members, or with others besides if `is_extensible`."""

    members: Mapping[str, ArgumentKind]
    is_extensible: bool = False

    @property
    def words(self) -> str:
        """Return the names of the members."""
        return f"object with {', '.join(f'`{name}`' for name in self.members)}"

    def read(self, value: Any, name: str) -> dict[str, Any]:
        """Return all members."""
        if not isinstance(value, Mapping):
            raise PreconditionError(name, "an object", repr(value))
        check_members(value, name, self.members, () if not self.is_extensible else value)
        return dict(value) | {key: kind.read(value[key], key) for key, kind in self.members.items()}

    def schema(self) -> Schema:
        """Return the schema of the object."""
        members = {name: kind.schema() for name, kind in self.members.items()}
        closed = {} if self.is_extensible else {"additionalProperties": False}
        return {"type": "object", "properties": members, "required": list(members), **closed}

    def wrong(self, valid: Any) -> Iterator[Wrong]:
        """Yield objects with a missing, an unknown or a wrong member."""
        for name in self.members:
            yield f"without {name}", {key: valid[key] for key in valid if key != name}, "nested-argument"
        yield "[]", [], "nested-argument"
        if not self.is_extensible:
            yield "with temperature", valid | {"temperature": "1"}, "nested-argument"
        for key, kind in self.members.items():
            for name, value, flag in kind.wrong(valid[key]):
                yield f"{key}={name}", valid | {key: value}, flag

    def right(self, valid: Any) -> Iterator[Right]:
        """Yield objects with another member."""
        for key, kind in self.members.items():
            for name, value, flag in kind.right(valid[key]):
                yield f"{key}={name}", valid | {key: value}, flag

    def word_paths(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Yield the paths within the members."""
        for key, kind in self.members.items():
            yield from (((key, *path), choices) for path, choices in kind.word_paths())


@dataclass(frozen=True, slots=True)
class MappingKind(ArgumentKind):
    """An object from any strings to values, with at least one."""

    key: str
    """The name of the keys in messages."""
    value: ArgumentKind

    @property
    def words(self) -> str:
        """Return the kind of the values."""
        return f"non-empty object from {self.key} to number"

    def read(self, value: Any, name: str) -> dict[str, Any]:
        """Return all values by name."""
        if not isinstance(value, Mapping) or not value:
            raise PreconditionError(name, f"an object with at least one {self.key}", repr(value))
        return {str(key): self.value.read(entry, name) for key, entry in value.items()}

    def schema(self) -> Schema:
        """Return the schema of the object."""
        return {"type": "object", "additionalProperties": self.value.schema(), "minProperties": 1}

    def wrong(self, valid: Any) -> Iterator[Wrong]:
        """Yield an empty object, a list, and objects whose first or last value is wrong."""
        yield "{}", {}, "domain"
        yield "[]", [], "nested-argument"
        first, *_, last = valid
        for name, value, flag in self.value.wrong(valid[first]):
            yield f"{{{name}}}", valid | {first: value}, flag
        for name, value, flag in one_of_each_flag(self.value.wrong(valid[last])):
            yield f"{{…, {name}}}", valid | {last: value}, flag

    def right(self, valid: Any) -> Iterator[Right]:
        """Yield objects whose first value is another one, and with a value less."""
        first, *_, last = valid
        for name, value, flag in self.value.right(valid[first]):
            yield f"{{{name}}}", valid | {first: value}, flag
        yield "shorter", {key: valid[key] for key in valid if key != last}, REPEATED
