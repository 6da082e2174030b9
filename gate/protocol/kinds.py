"""The kinds of single values in requests: how each is read, described, put into a schema, and refused.

A reader raises PreconditionError, naming the argument, if a value is missing, unknown or outside its range.
`wrong` yields values that must be refused, for the vectors of the level `refusal`. `right` yields other valid
values: changed ones, the ends of ranges, great numbers, and other spellings of integers.
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
BELOW_DOUBLES = (("2^-80", Fraction(1, 1 << 80)), ("2^-1100", Fraction(1, 1 << 1100)))
"""Distances from 1 and from 0 that a double does not show, with their names."""
GREAT, GREAT_INTEGER, GREAT_JSON = 1 << 100, 1 << 70, (1 << 53) - 1
"""Numbers beyond those of 64-bit integers, and the greatest integer that every JSON reader reads exactly."""
REPEATED, RANGE_END, SPELLING, HUGE = "repeated", "range-end", "spelling", "huge"
"""Flags of valid values."""

Wrong = tuple[str, Any, str]
"""A name in ids, a value that must be refused, and the flag of the mistake of accepting it."""
Right = tuple[str, Any, str]
"""A name in ids, another valid value, and the flag of its kind."""
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

    @abstractmethod
    def right(self, valid: Any) -> Iterator[Right]:
        """Yield other valid values, made from one; with SPELLING the same value, which may be refused."""

    def word_paths(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Yield the paths of words within a value, each with the words that there may be."""
        yield from ()


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
    greatest: int | None = None
    """The greatest number that is sent if there is no upper end; None: GREAT and others, 0: none."""

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
        """Yield numbers outside the range, and values that are not numbers."""
        if self.is_json:
            yield from ((str(x), x, "domain") for x in dict.fromkeys((-1, int(self.lo or 0) - 1, 0.5)))
            yield from ((str(x).lower(), x, "no-number") for x in ("one", True, None))
            return
        for name, value in self._outside():
            yield name, str(value), "domain"
        if self.is_integer:
            yield "3/2", "3/2", "domain"
        yield "nan", "nan", "nan"
        yield "one", "one", "no-number"
        yield "an empty string", "", "no-number"
        for other in (True, None, list[Any]()):
            yield str(other).lower(), other, "no-number"
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
            name, nearest = BELOW_DOUBLES[not end]
            yield f"{end}{'-' if sign < 0 else '+'}{name}", end + sign * nearest
            yield str(end + sign * 1000), end + sign * 1000

    def right(self, valid: Any) -> Iterator[Right]:
        """Yield a changed number, ends of the range or numbers next to them, a great one, and spellings."""
        for name, number, flag in self._inside(Fraction(valid)):
            yield name, int(number) if self.is_json else str(number), flag
        yield from self.spellings(valid)

    def spellings(self, valid: Any) -> Iterator[Right]:
        """Yield an integer in other spellings."""
        if self.is_integer:
            spelt = (float(valid), str(valid)) if self.is_json else (f"{valid}.0", f"{2 * int(valid)}/2")
            yield from ((repr(each), each, SPELLING) for each in spelt)

    def _inside(self, valid: Fraction) -> Iterator[tuple[str, Fraction, str]]:
        usual = (valid + 1,) if self.is_integer else (Fraction(3, 4), Fraction(3, 8), Fraction(2))
        changed = next(x for x in usual if x != valid and self._contains(x))
        yield str(changed), changed, REPEATED
        for end, sign in ((self.lo, 1), (self.hi, -1)):
            if end is not None and not self.is_open:
                yield str(end), end, RANGE_END
            elif end is not None:
                yield f"{end}{'+' if sign > 0 else '-'}2^-53", end + sign * ULP, RANGE_END
        great = Fraction(self._great())
        for sign in (1, -1) if great else ():
            if self._contains(sign * great):
                yield f"{'' if sign > 0 else '-'}{great}", sign * great, HUGE

    def _great(self) -> int:
        if self.greatest is not None or self.hi is not None:
            return self.greatest or 0
        return GREAT_JSON if self.is_json else GREAT_INTEGER if self.is_integer else GREAT


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
        yield from ((str(x).lower(), x, "no-number") for x in (True, None))

    def right(self, valid: Any) -> Iterator[Right]:
        """Yield the other label, and spellings."""
        other = -int(valid)
        yield str(other), other if self.is_json else str(other), REPEATED
        yield from NumberKind(is_integer=True, is_json=self.is_json).spellings(valid)


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
        """Yield an unknown word, and a word in capitals."""
        yield "other", "other", "unknown-word"
        yield str(valid).upper(), str(valid).upper(), "unknown-word"

    def right(self, valid: Any) -> Iterator[Right]:
        """Yield the other words."""
        yield from ((word, word, REPEATED) for word in self.choices if word != valid)

    def word_paths(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Yield the path to the word itself, with the choices."""
        yield (), self.choices


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
