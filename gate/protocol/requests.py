"""Read the arguments of a request: exact numbers, words, rows.

Every reader raises PreconditionError, naming the argument, if it is missing, unknown or outside its range.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError

from .operations import operation_of

NUMBER = re.compile(r"[+-]?(\d+/0*[1-9]\d*|\d+(\.\d*)?|\.\d+)", re.ASCII)
CANDIDATE = re.compile(r"x(0|[1-9]\d*) (>=|=) (0|[1-9]\d*)", re.ASCII)
INFINITIES = ("infinity", "-infinity")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A test of one attribute: code >= value, or code = value if `equal`."""

    attribute: int
    equal: bool
    value: int

    @classmethod
    def read(cls, value: Any, name: str) -> Candidate:
        """Parse a string such as 'x0 >= 1'; `name` is the argument it belongs to."""
        match = CANDIDATE.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise PreconditionError(name, "a candidate such as 'x0 >= 1' or 'x1 = 0'", repr(value))
        return cls(int(match[1]), match[2] == "=", int(match[3]))

    def __str__(self) -> str:
        return f"x{self.attribute} {'=' if self.equal else '>='} {self.value}"


@dataclass(frozen=True, slots=True)
class Row:
    """An example: codes of the attributes, label, weight."""

    x: tuple[int, ...]
    y: int = 1
    w: Fraction = Fraction(1)


def number(value: Any, name: str) -> Fraction:
    """Return a number exactly; strings and JSON integers are accepted, floats are not."""
    if isinstance(value, str) and NUMBER.fullmatch(value):
        return Fraction(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    raise PreconditionError(name, "a finite number as an exact string such as '3/8'", repr(value))


def integer(value: Any, name: str, least: int) -> int:
    """Return an integer that is at least `least`."""
    exact = number(value, name)
    if exact.denominator != 1 or exact < least:
        raise PreconditionError(name, f"an integer >= {least}", repr(value))
    return int(exact)


def label_of(value: Any, name: str = "y") -> int:
    """Return a label: 1 or -1."""
    label = number(value, name)
    if label not in (1, -1):
        raise PreconditionError(name, "a label 1 or -1", repr(value))
    return int(label)


def entries(value: Any, name: str) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list | tuple):
        raise PreconditionError(name, "a list", repr(value))
    return list(value)


def fields(value: Any, name: str, required: Sequence[str], optional: Sequence[str] = ()) -> Mapping[str, Any]:
    """Return an object after checking that it has all required fields, and no unknown ones."""
    if not isinstance(value, Mapping):
        raise PreconditionError(name, "an object", repr(value))
    for key in required:
        if key not in value:
            raise PreconditionError(key, f"an argument of {name}", "none")
    for key in value:
        if key not in required and key not in optional:
            raise PreconditionError(
                str(key), f"only {', '.join((*required, *optional))} in {name}", repr(key)
            )
    return value


def one_of(value: Any, name: str, words: Sequence[str]) -> str:
    """Return a string that is one of `words`."""
    if not isinstance(value, str) or value not in words:
        raise PreconditionError(name, f"one of {', '.join(words)}", repr(value))
    return value


class Arguments:
    """The arguments of one request, read by name."""

    def __init__(self, op: str, given: Any) -> None:
        self.op, self._operation = op, operation_of(op)
        required = self._operation.arguments_of(given) if isinstance(given, Mapping) else ()
        self._given = fields(given, op, required, self._operation.optional)

    def raw(self, name: str) -> Any:
        """Return an argument as it was given; None if it is missing."""
        return self._given.get(name)

    def number(self, name: str) -> Fraction:
        """Return any number."""
        return number(self._given[name], name)

    def extended(self, name: str) -> Fraction | str:
        """Return a number, or the string 'infinity' or '-infinity'."""
        value = self._given[name]
        return str(value) if value in INFINITIES else number(value, name)

    def _within(self, name: str, requirement: str, *, lo: int, hi: Fraction | None, closed: bool) -> Fraction:
        value = self.number(name)
        inside = lo <= value if closed else lo < value
        if hi is not None:
            inside = inside and (value <= hi if closed else value < hi)
        if not inside:
            raise PreconditionError(name, requirement, value)
        return value

    def probability(self, name: str) -> Fraction:
        """Return a number in [0, 1]."""
        return self._within(name, "a number in [0, 1]", lo=0, hi=Fraction(1), closed=True)

    def share(self, name: str, end: Fraction = Fraction(1)) -> Fraction:
        """Return a number strictly between 0 and `end`."""
        return self._within(name, f"a number between 0 and {end}", lo=0, hi=end, closed=False)

    def positive(self, name: str) -> Fraction:
        """Return a number > 0."""
        return self._within(name, "a number > 0", lo=0, hi=None, closed=False)

    def mass(self, name: str) -> Fraction:
        """Return a number >= 0."""
        return self._within(name, "a number >= 0", lo=0, hi=None, closed=True)

    def integer(self, name: str, least: int = 1) -> int:
        """Return an integer that is at least `least`."""
        return integer(self._given[name], name, least)

    def shares(self) -> dict[str, Any]:
        """Return epsilon, beta_tree and the number of trees, by name."""
        shares = {"epsilon": self.positive("epsilon"), "beta_tree": self.share("beta_tree")}
        return shares | {"trees": self.integer("trees")}

    def word(self, name: str, words: Sequence[str] | None = None) -> str:
        """Return one of `words`; by default, of the words that the operation has for this argument."""
        return one_of(self._given[name], name, self._operation.words[name] if words is None else words)

    def label(self, name: str = "y") -> int:
        """Return a label."""
        return label_of(self._given[name], name)

    def seed(self) -> int:
        """Return the seed, an integer >= 0."""
        return integer(self._given["seed"], "seed", 0)

    def numbers(self, name: str) -> list[Fraction]:
        """Return a list of numbers."""
        return [number(value, name) for value in entries(self._given[name], name)]

    def scores(self) -> dict[str, Fraction]:
        """Return the scores of at least one candidate."""
        given = self._given["scores"]
        if not isinstance(given, Mapping) or not given:
            raise PreconditionError("scores", "an object with at least one candidate", repr(given))
        return {str(name): number(value, "scores") for name, value in given.items()}

    def noise(self, rule: str) -> dict[str, Fraction]:
        """Return the noise of a leaf, by the name of the number it is added to."""
        return noise_of(self._given["noise"], rule)

    def weighted_rows(self) -> list[Row]:
        """Return weighted rows, all of the same width."""
        rows: list[Row] = []
        for given in entries(self._given["rows"], "rows"):
            row = fields(given, "rows", ("x", "y", "w"))
            weight = number(row["w"], "w")
            if weight < 0:
                raise PreconditionError("w", "a weight >= 0", weight)
            codes = tuple(integer(code, "x", 0) for code in entries(row["x"], "x"))
            rows.append(Row(codes, label_of(row["y"]), weight))
            if len(codes) != len(rows[0].x):
                raise PreconditionError("rows", f"{len(rows[0].x)} codes in every row", len(codes))
        return rows

    def candidates(self, width: int | None) -> list[Candidate]:
        """Return candidates that test one of `width` attributes."""
        given = entries(self._given["candidates"], "candidates")
        candidates = [Candidate.read(name, "candidates") for name in given]
        for candidate in candidates:
            if width is not None and candidate.attribute >= width:
                raise PreconditionError("candidates", f"an attribute below x{width}", str(candidate))
        return candidates


def noise_of(value: Any, rule: str) -> dict[str, Fraction]:
    """Return the noise of a leaf: one number for each of its masses, or one for its value."""
    names = ("positive", "negative") if rule == "noisy_masses" else ("value",)
    return {name: number(part, name) for name, part in fields(value, "noise", names).items()}
