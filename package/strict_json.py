"""Strict JSON: parse a document, then read every value as the type that is expected.

Unlike Python's parser, `parse` rejects NaN, Infinity, 1e999, duplicate keys and encodings other than UTF-8,
and everything beyond the limits on size, depth and digits below, in time linear in the size.
A `JsonValue` knows its path in the document, which error messages begin with:
`model.trees[0].values[2]: expected a finite number, got "x"`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from .errors import PreconditionError
from .files import LARGEST_FILE, read_file

NOT_FINITE = {"infinity": math.inf, "-infinity": -math.inf, "nan": math.nan}
"""Strings that represent the floats that JSON cannot express."""
FRACTION_DIGITS = 400
"""Default maximum number of digits of a numerator or denominator, small enough for fast arithmetic."""
LONGEST_SHOWN = 80
"""Maximum length of a value in an error message, and of a key in a path."""
DEEPEST = 100
"""Maximum number of lists and objects within each other."""
LONGEST_INTEGER = 4000
"""Maximum number of digits of an integer; Python converts at most 4300."""

_LONG_NUMBER = re.compile(rf"(?<![0-9])[0-9]{{{LONGEST_INTEGER + 1}}}")
_FINITE = 'finite numbers; infinities and NaN are written "infinity", "-infinity" and "nan"'


@dataclass(frozen=True, slots=True)
class JsonValue:
    """A value of a document and its path.

    Every method that reads the value raises PreconditionError with the path if the value has another type.
    """

    value: Any
    path: str

    def refusal(self, expected: str) -> PreconditionError:
        """Return the error to raise when the value is not as expected."""
        is_scalar = self.value is None or isinstance(self.value, str | int | float)
        shown = json.dumps(self.value)[:LONGEST_SHOWN] if is_scalar else f"a {type(self.value).__name__}"
        return PreconditionError(self.path, expected, shown)

    def has(self, name: str) -> bool:
        """Return whether an object has a key."""
        return name in self._object()

    def member(self, name: str) -> JsonValue:
        """Return the value of a key of an object."""
        if not self.has(name):
            raise PreconditionError(self.path, f'the key "{name}"', f"the keys {list(self.value)}")
        return self.at(name)

    def at(self, name: str) -> JsonValue:
        """Return the value of a key that an object has."""
        return JsonValue(self.value[name], f"{self.path}.{name[:LONGEST_SHOWN]}")

    def members(self, *names: str) -> list[JsonValue]:
        """Return the values of an object that has exactly these keys, in the order of the arguments."""
        values = [self.member(name) for name in names]
        if unknown := sorted(self._object().keys() - set(names)):
            raise PreconditionError(self.path, f"no keys but {list(names)}", unknown)
        return values

    def items(self, count: int | None = None, *, empty: bool = True) -> list[JsonValue]:
        """Return the items of a list; its length must be `count` if given, or at least 1 unless `empty`."""
        if not isinstance(self.value, list):
            raise self.refusal("a list")
        if count not in (None, len(self.value)) or not (self.value or empty or count == 0):
            expected = "a list that is not empty" if count is None else f"a list of {count}"
            raise PreconditionError(self.path, expected, f"a list of {len(self.value)}")
        return [JsonValue(item, f"{self.path}[{index}]") for index, item in enumerate(self.value)]

    def equal_to(self, expected: str | int) -> None:
        """Raise an error unless the value is the expected one."""
        if type(self.value) is not type(expected) or self.value != expected:
            raise self.refusal(json.dumps(expected))

    def text(self) -> str:
        """Return a string."""
        if not isinstance(self.value, str):
            raise self.refusal("a string")
        return self.value

    def line(self) -> str:
        """Return a string of one line without control characters."""
        if not self.text().isprintable():
            raise self.refusal("a string without control characters")
        return self.text()

    def among(self, choices: Iterable[str]) -> str:
        """Return a string that is one of the choices."""
        listed = [str(choice) for choice in choices]
        if not isinstance(self.value, str) or self.value not in listed:
            raise self.refusal(f"one of {listed}")
        return self.value

    def truth(self) -> bool:
        """Return a boolean."""
        if not isinstance(self.value, bool):
            raise self.refusal("true or false")
        return self.value

    def whole(self, least: int | None = None, most: int | None = None) -> int:
        """Return an integer within bounds."""
        is_integer = isinstance(self.value, int) and not isinstance(self.value, bool)
        if not (is_integer and _is_within(self.value, least, most)):
            raise self.refusal(f"an integer{_bounds(least, most)}")
        return int(self.value)

    def number(self, least: float | None = None, most: float | None = None, *, finite: bool = True) -> float:
        """Return a number within bounds; with `finite=False`, the strings in NOT_FINITE are read too."""
        number = _float(self.value, finite)
        if number is None or not _is_within(number, least, most):
            bounds = _bounds(least, most)
            raise self.refusal(f"a number{bounds}" if bounds or not finite else "a finite number")
        return number

    def fraction(self, digits: int = FRACTION_DIGITS) -> Fraction:
        """Return an exact number, written as a string such as "3/8"."""
        if not re.fullmatch(fraction_pattern(digits), self.text(), re.ASCII):
            raise self.refusal('an exact number such as "3/8"')
        return Fraction(self.value)

    def scalar(self) -> Any:
        """Return a string, a boolean, an integer or a finite float."""
        return self.value if isinstance(self.value, str | bool | int) else self.number()

    def _object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.refusal("an object")
        return self.value


def fraction_pattern(digits: int = FRACTION_DIGITS) -> str:
    """Return a regular expression for fractions with at most `digits` digits in each part."""
    return rf"-?[0-9]{{1,{digits}}}(/[1-9][0-9]{{0,{digits - 1}}})?"


def read(path: Path, name: str) -> JsonValue:
    """Parse a JSON file; `name` stands for it in error messages.

    Ensures: PreconditionError if the file cannot be read, and as for `parse`.
    """
    try:
        content = read_file(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PreconditionError(name, "a file that can be read", f"'{path}' ({reason})") from None
    return parse(content, name)


def parse(source: str | bytes, path: str, read_float: Callable[[str], object] | None = None) -> JsonValue:
    """Parse a JSON document; its name in error messages is `path`.

    `read_float` converts numbers with a decimal point or an exponent, and raises ValueError to refuse one.
    Ensures: PreconditionError(path, ...) for invalid UTF-8, invalid JSON, duplicate keys, numbers that are
    not finite, and documents beyond the limits.
    """
    if len(source) > LARGEST_FILE:
        raise PreconditionError(path, f"at most {LARGEST_FILE} bytes", len(source))
    try:
        string = source if isinstance(source, str) else source.decode("utf-8")
        decoder = _decoder(read_float or _finite_float, bool(_LONG_NUMBER.search(string)))
        value = decoder.decode(string)
        if _is_deep(value):
            raise PreconditionError(path, f"at most {DEEPEST} lists or objects within each other", "more")
        return JsonValue(value, path)
    except PreconditionError as error:
        raise PreconditionError(path, error.expected, error.got) from None
    except UnicodeDecodeError as error:
        raise PreconditionError(path, "UTF-8", error) from None
    except (ValueError, RecursionError) as error:
        raise PreconditionError(path, "valid JSON", error) from None


def _float(value: object, finite: bool) -> float | None:
    """Return a JSON value as a float, or None if it is not a number or outside the range of floats."""
    if isinstance(value, str):
        return None if finite else NOT_FINITE.get(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _is_within(number: float, least: float | None, most: float | None) -> bool:
    """Return whether a number is within the bounds; NaN is not within any."""
    return (least is None or number >= least) and (most is None or number <= most)


def _bounds(least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return f" from {least} to {most}"
    return f" >= {least}" if least is not None else f" <= {most}" if most is not None else ""


# The hooks do not know the path; `parse` adds it.


def _is_deep(value: object) -> bool:
    """Return whether lists and objects are nested more than DEEPEST levels deep."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            entry
            for outer in level
            if isinstance(outer, list | dict)
            for entry in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(entry, list | dict)
        ]
        if not level:
            return False
    return True


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        repeated = sorted(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise PreconditionError("", "each key of an object once", repeated)
    return members


def _integer(literal: str) -> int:
    if len(literal) > LONGEST_INTEGER:
        raise PreconditionError("", f"integers of at most {LONGEST_INTEGER} digits", f"{len(literal)} digits")
    return int(literal)


def _no_constant(name: str) -> NoReturn:
    raise PreconditionError("", _FINITE, name)


def _finite_float(literal: str) -> float:
    number = float(literal)
    if math.isinf(number):
        raise PreconditionError("", _FINITE, literal)
    return number


@lru_cache
def _decoder(read_float: Callable[[str], object], has_long_numbers: bool) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=_object_of,
        parse_constant=_no_constant,
        parse_float=read_float,
        # A function of Python slows down the parser.
        parse_int=_integer if has_long_numbers else None,
    )
