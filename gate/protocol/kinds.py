"""The kinds of single values in requests: how each is read, described, put into a schema, and refused.

A reader raises PreconditionError, naming the argument, if a value is missing, unknown or outside its range.
`wrong` yields values that must be refused, for the vectors of the level `refusal`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError

NUMBER = re.compile(r"[+-]?(\d+/0*[1-9]\d*|\d+(\.\d*)?|\.\d+)", re.ASCII)
EXACT_PATTERN = r"^-?[0-9]+(\.[0-9]+|/[1-9][0-9]*)?$"
"""The exact strings that the gate sends."""
INFINITIES = ("infinity", "-infinity")
ULP = Fraction(1, 1 << 53)

Wrong = tuple[str, Any, str]
"""A name in ids, a value that must be refused, and the flag of the mistake of accepting it."""
Schema = dict[str, Any]


class ArgumentKind(ABC):
    """A kind of value."""

    @property
    @abstractmethod
    def words(self) -> str:
        """Return the description of valid values, for the page."""

    @abstractmethod
    def read(self, value: Any, name: str) -> Any:
        """Return a value of the argument `name` after checking it."""

    @abstractmethod
    def schema(self) -> Schema:
        """Return the JSON Schema of valid values."""

    @abstractmethod
    def wrong(self, valid: Any) -> Iterator[Wrong]:
        """Yield values that must be refused, made from a valid one."""


@dataclass(frozen=True, slots=True)
class NumberKind(ArgumentKind):
    """A number between two ends, which are excluded if `is_open`."""

    lo: Fraction | None = None
    hi: Fraction | None = None
    is_open: bool = False
    is_integer: bool = False
    has_infinities: bool = False
    is_json: bool = False
    """Whether it is sent as a JSON integer and not as an exact string."""
    may_be_float: bool = False
    """Whether it may be a number of a result, which can be a JSON number with a decimal point."""

    @property
    def words(self) -> str:
        """Return the range."""
        kind = "integer" if self.is_integer else "number"
        if self.lo is None:
            return "any number, `infinity` or `-infinity`" if self.has_infinities else f"any {kind}"
        sign = "<" if self.is_open else "≤"
        if self.hi is not None:
            return f"{kind}, {self.lo} {sign} x {sign} {self.hi}"
        return f"{kind} {'>' if self.is_open else '≥'} {self.lo}"

    def read(self, value: Any, name: str) -> Any:
        """Return an int, a Fraction, or one of the strings in INFINITIES."""
        if self.has_infinities and isinstance(value, str) and value in INFINITIES:
            return value
        if self.may_be_float and isinstance(value, float) and value - value == 0:
            return Fraction(value)
        is_exact = isinstance(value, str) and NUMBER.fullmatch(value)
        if not is_exact and (not isinstance(value, int) or isinstance(value, bool)):
            raise PreconditionError(name, "a finite number as an exact string such as '3/8'", repr(value))
        number = Fraction(value)
        if not self._contains(number):
            raise PreconditionError(name, self.words, str(value))
        return int(number) if self.is_integer else number

    def _contains(self, x: Fraction) -> bool:
        if self.is_integer and x.denominator != 1:
            return False
        above = self.lo is None or (x > self.lo if self.is_open else x >= self.lo)
        below = self.hi is None or (x < self.hi if self.is_open else x <= self.hi)
        return above and below

    def schema(self) -> Schema:
        """Return the schema of an exact string, or of a JSON integer."""
        if self.is_json:
            return {"type": "integer", "minimum": int(self.lo or 0)}
        exact: Schema = {"type": "string", "pattern": EXACT_PATTERN, "description": self.words}
        if self.is_integer:
            exact["pattern"] = "^[0-9]+$"
        if self.has_infinities:
            return {"anyOf": [exact, {"enum": list(INFINITIES)}]}
        return {"anyOf": [exact, {"type": "number"}]} if self.may_be_float else exact

    def wrong(self, valid: Any) -> Iterator[Wrong]:
        """Yield numbers outside the range, and strings that are not numbers."""
        if self.is_json:
            yield "-1", -1, "domain"
            return
        for name, value in self._outside():
            yield name, str(value), "domain"
        if self.is_integer:
            yield "3/2", "3/2", "domain"
        yield "nan", "nan", "nan"
        yield "one", "one", "no-number"
        yield "an empty string", "", "no-number"
        if not self.has_infinities:
            yield from ((string, string, "infinity") for string in INFINITIES)

    def _outside(self) -> Iterator[tuple[str, Fraction]]:
        """Yield the nearest numbers outside both ends, and numbers further away."""
        for end, sign in ((self.lo, -1), (self.hi, 1)):
            if end is None:
                continue
            if self.is_integer or self.is_open:
                yield from ((str(x), x) for x in ((end,) if self.is_open else ()))
                yield str(end + sign), end + sign
            else:
                yield f"{end}{'-' if sign < 0 else '+'}2^-52", end + 2 * sign * ULP
                yield str(end + sign * Fraction(1, 10)), end + sign * Fraction(1, 10)


@dataclass(frozen=True, slots=True)
class LabelKind(ArgumentKind):
    """A label: 1 or -1."""

    is_json: bool = False

    @property
    def words(self) -> str:
        """Return the two labels."""
        return "1 or -1"

    def read(self, value: Any, name: str) -> int:
        """Return 1 or -1."""
        label = NumberKind().read(value, name)
        if label not in (1, -1):
            raise PreconditionError(name, "a label 1 or -1", repr(value))
        return int(label)

    def schema(self) -> Schema:
        """Return an enumeration."""
        return {"enum": [1, -1] if self.is_json else ["1", "-1"]}

    def wrong(self, valid: Any) -> Iterator[Wrong]:
        """Yield other numbers."""
        for label in (0, 2):
            yield str(label), label if self.is_json else str(label), "domain"
        if not self.is_json:
            yield "nan", "nan", "nan"


@dataclass(frozen=True, slots=True)
class WordKind(ArgumentKind):
    """One of several words."""

    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        """Return the words."""
        return ", ".join(f"`{word}`" for word in self.choices)

    def read(self, value: Any, name: str) -> str:
        """Return the word."""
        if not isinstance(value, str) or value not in self.choices:
            raise PreconditionError(name, f"one of {', '.join(self.choices)}", repr(value))
        return value

    def schema(self) -> Schema:
        """Return an enumeration."""
        return {"enum": list(self.choices)}

    def wrong(self, valid: Any) -> Iterator[Wrong]:
        """Yield an unknown word."""
        yield "other", "other", "unknown-word"


def check_members(
    given: Mapping[str, Any], name: str, required: Mapping[str, ArgumentKind], optional: Any = ()
) -> None:
    """Check that an object has all required members, and no unknown ones."""
    for key in required:
        if key not in given:
            raise PreconditionError(key, f"an argument of {name}", "none")
    for key in given:
        if key not in required and key not in optional:
            allowed = ", ".join((*required, *optional))
            raise PreconditionError(str(key), f"only {allowed} in {name}", repr(key))
