"""The kinds of cells of rows: any number, also not-a-number, an infinity or a missing one, and any string."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from privboost.errors import PreconditionError
from privboost.gate.protocol.kinds import (
    EXACT_PATTERN,
    INFINITIES,
    REPEATED,
    ArgumentKind,
    NumberKind,
    Right,
    Schema,
    Wrong,
)

NAN = "nan"
_ANY = NumberKind(has_infinities=True)


@dataclass(frozen=True, slots=True)
class NumericCellKind(ArgumentKind):
    """A cell of a column of numbers: no value of it may be refused."""

    @property
    def words(self) -> str:
        """Return all that a cell may be."""
        return "any number, `infinity`, `-infinity`, `nan`, or null for a missing one"

    def read(self, value: Any, name: str) -> Any:
        """Return a fraction, one of the strings, or None."""
        return value if value is None or value == NAN else _ANY.read(value, name)

    def schema(self) -> Schema:
        """Return the schema of a cell."""
        return {
            "anyOf": [
                {"type": "string", "pattern": EXACT_PATTERN},
                {"enum": [*INFINITIES, NAN]},
                {"type": "null"},
            ]
        }

    def wrong(self, valid: Any) -> Iterator[Wrong]:
        """Yield values that are no cells."""
        yield from (("one", "one", "no-number"), ("true", True, "no-number"), ("[]", [], "no-number"))

    def right(self, valid: Any) -> Iterator[Right]:
        """Yield another number."""
        other = "1/2" if valid != "1/2" else "1/4"
        yield other, other, REPEATED


@dataclass(frozen=True, slots=True)
class StringKind(ArgumentKind):
    """Any string."""

    @property
    def words(self) -> str:
        """Return the description."""
        return "any string"

    def read(self, value: Any, name: str) -> str:
        """Return the string."""
        if not isinstance(value, str):
            raise PreconditionError(name, "a string", repr(value))
        return value

    def schema(self) -> Schema:
        """Return the schema of a string."""
        return {"type": "string"}

    def wrong(self, valid: Any) -> Iterator[Wrong]:
        """Yield values that are no strings."""
        yield from (("1", 1, "no-string"), ("null", None, "no-string"))

    def right(self, valid: Any) -> Iterator[Right]:
        """Yield another string."""
        yield f"{valid}b", f"{valid}b", REPEATED
