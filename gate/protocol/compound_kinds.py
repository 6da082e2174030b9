"""The kinds of lists and objects in requests, made from the kinds of their entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from privboost.errors import PreconditionError

from .kinds import ArgumentKind, LabelKind, Schema, Wrong, check_members


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
        """Yield lists whose first entry is wrong, and an empty list if it is too short."""
        for name, entry, flag in self.entry.wrong(valid[0]):
            yield f"[{name}]", [entry, *valid[1:]], flag
        if self.least:
            yield "[]", [], "domain"


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
        for first in list(self.members)[:1]:
            yield f"without {first}", {key: valid[key] for key in valid if key != first}, "nested-argument"
        if not self.is_extensible:
            yield "with temperature", valid | {"temperature": "1"}, "nested-argument"
        for key, kind in self.members.items():
            for name, value, flag in kind.wrong(valid[key]):
                yield f"{key}={name}", valid | {key: value}, flag


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
        """Yield an empty object, and objects whose first value is wrong."""
        yield "{}", {}, "domain"
        first = next(iter(valid))
        for name, value, flag in self.value.wrong(valid[first]):
            yield f"{{{name}}}", valid | {first: value}, flag
