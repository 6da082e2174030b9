"""Read the arguments of a request: exact numbers, words, rows; refuse what is missing, unknown or outside."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError

NUMBER = re.compile(r"[+-]?(\d+/0*[1-9]\d*|\d+(\.\d*)?|\.\d+)", re.ASCII)
CANDIDATE = re.compile(r"x(0|[1-9]\d*) (>=|=) (0|[1-9]\d*)", re.ASCII)
INFINITIES = ("infinity", "-infinity")
LOSSES = ("square", "log", "zero_one", "matsushita", "m_alpha")

OPERATIONS: dict[str, tuple[str, ...]] = {
    "hello": ("protocol",),
    "bayes_risk": ("loss", "u"),
    "partial_loss": ("loss", "y", "u"),
    "link": ("loss", "u"),
    "inverse_link": ("loss", "z"),
    "surrogate": ("loss", "z"),
    "perspective": ("loss", "u", "v"),
    "leaf_risk": ("alpha", "positive", "negative"),
    "sensitivity": ("rule", "alpha", "m", "weight_bound"),
    "node_budget": ("rule", "epsilon", "beta_tree", "trees", "depth", "level"),
    "leaf_budget": ("epsilon", "beta_tree", "trees"),
    "leaf_scale": (
        *("rule", "relation", "epsilon", "beta_tree", "trees", "leaves"),
        *("bound", "weight_bound"),
    ),
    "calibrated_alpha": ("error", "root_error"),
    "split_scores": ("alpha", "rows", "candidates"),
    "split_law": ("scores", "epsilon", "sensitivity", "law"),
    "leaf_value": ("rule", "alpha", "zeta", "bound", "grid", "positive", "negative", "noise"),
    "leverage": ("alpha", "bound", "m", "values", "nets"),
    "update_weight": ("rule", "alpha", "y"),
    "sample_split": ("scores", "epsilon", "sensitivity", "law", "seed", "count"),
    "sample_laplace": ("scale", "grid", "seed", "count"),
    "train": ("protocol", "parameters", "domain", "rows"),
    "predict": ("model", "domain", "rows"),
}
"""Every operation with the arguments that it always has."""

UPDATES = {"mirror": ("weight", "beta", "value"), "accumulated": ("margin", "weight_bound", "grid")}
"""The arguments of a weight's update beyond those that both rules have."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A test of one attribute: its code is at least a value, or equal to it."""

    attribute: int
    equal: bool
    value: int

    @classmethod
    def read(cls, text: Any, name: str) -> Candidate:
        """Return the test that a text such as 'x0 >= 1' names."""
        found = CANDIDATE.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            raise PreconditionError(name, "a candidate such as 'x0 >= 1' or 'x1 = 0'", repr(text))
        return cls(int(found[1]), found[2] == "=", int(found[3]))

    def __str__(self) -> str:
        return f"x{self.attribute} {'=' if self.equal else '>='} {self.value}"


@dataclass(frozen=True, slots=True)
class Row:
    """An example: codes of the attributes, label, weight."""

    x: tuple[int, ...]
    y: int = 1
    w: Fraction = Fraction(1)


def number(value: Any, name: str) -> Fraction:
    """Return the exact number that a text writes; whole JSON numbers are taken, floats are not."""
    if isinstance(value, str) and NUMBER.fullmatch(value):
        return Fraction(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    raise PreconditionError(name, "a finite number as an exact text such as '3/8'", repr(value))


def whole(value: Any, name: str, least: int) -> int:
    """Return a whole number of at least `least`."""
    found = number(value, name)
    if found.denominator != 1 or found < least:
        raise PreconditionError(name, f"a whole number >= {least}", repr(value))
    return int(found)


def label_of(value: Any, name: str = "y") -> int:
    """Return a label, which is 1 or -1."""
    found = number(value, name)
    if found not in (1, -1):
        raise PreconditionError(name, "a label 1 or -1", repr(value))
    return int(found)


def entries(value: Any, name: str) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list | tuple):
        raise PreconditionError(name, "a list", repr(value))
    return list(value)


def fields(value: Any, name: str, wanted: Sequence[str], optional: Sequence[str] = ()) -> Mapping[str, Any]:
    """Return an object that has all wanted fields and none that is unknown."""
    if not isinstance(value, Mapping):
        raise PreconditionError(name, "an object", repr(value))
    for key in wanted:
        if key not in value:
            raise PreconditionError(key, f"an argument of {name}", "none")
    for key in value:
        if key not in wanted and key not in optional:
            raise PreconditionError(str(key), f"only {', '.join((*wanted, *optional))} in {name}", repr(key))
    return value


def one_of(value: Any, name: str, words: Sequence[str]) -> str:
    """Return one of some words."""
    if not isinstance(value, str) or value not in words:
        raise PreconditionError(name, f"one of {', '.join(words)}", repr(value))
    return value


class Arguments:
    """The arguments of one request, by name; every reader names the argument that it refuses."""

    def __init__(self, op: str, given: Any) -> None:
        wanted: tuple[str, ...] = OPERATIONS[op]
        optional: tuple[str, ...] = ()
        if isinstance(given, Mapping):
            if "loss" in wanted and given.get("loss") == "m_alpha":
                wanted = (*wanted, "alpha")
            if op == "update_weight":
                wanted = (*wanted, *UPDATES[one_of(given.get("rule"), "rule", tuple(UPDATES))])
            if op == "train":
                optional = ("seed", "tape")
        self.op, self._given = op, fields(given, op, wanted, optional)

    def raw(self, name: str) -> Any:
        """Return an argument as it was given, and None where it was not."""
        return self._given.get(name)

    def number(self, name: str) -> Fraction:
        """Return any number."""
        return number(self._given[name], name)

    def extended(self, name: str) -> Fraction | str:
        """Return a number, or the text of an infinity."""
        value = self._given[name]
        return str(value) if value in INFINITIES else number(value, name)

    def _within(self, name: str, requirement: str, *, lo: int, hi: Fraction | None, closed: bool) -> Fraction:
        found = self.number(name)
        inside = lo <= found if closed else lo < found
        if hi is not None:
            inside = inside and (found <= hi if closed else found < hi)
        if not inside:
            raise PreconditionError(name, requirement, found)
        return found

    def probability(self, name: str) -> Fraction:
        """Return a number in [0, 1]."""
        return self._within(name, "a number in [0, 1]", lo=0, hi=Fraction(1), closed=True)

    def share(self, name: str, end: Fraction = Fraction(1)) -> Fraction:
        """Return a number between 0 and an end, which are excluded."""
        return self._within(name, f"a number between 0 and {end}", lo=0, hi=end, closed=False)

    def positive(self, name: str) -> Fraction:
        """Return a number > 0."""
        return self._within(name, "a number > 0", lo=0, hi=None, closed=False)

    def mass(self, name: str) -> Fraction:
        """Return a number >= 0."""
        return self._within(name, "a number >= 0", lo=0, hi=None, closed=True)

    def whole(self, name: str, least: int = 1) -> int:
        """Return a whole number of at least `least`."""
        return whole(self._given[name], name, least)

    def word(self, name: str, words: Sequence[str]) -> str:
        """Return one of some words."""
        return one_of(self._given[name], name, words)

    def label(self, name: str = "y") -> int:
        """Return a label."""
        return label_of(self._given[name], name)

    def seed(self) -> int:
        """Return the seed, a whole number as a text."""
        return whole(self._given["seed"], "seed", 0)

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
        """Return the noise of a leaf by what it is added to."""
        return noise_of(self._given["noise"], rule)

    def weighted_rows(self) -> list[Row]:
        """Return weighted rows, all of one width."""
        found = []
        for given in entries(self._given["rows"], "rows"):
            row = fields(given, "rows", ("x", "y", "w"))
            weight = number(row["w"], "w")
            if weight < 0:
                raise PreconditionError("w", "a weight >= 0", weight)
            codes = tuple(whole(code, "x", 0) for code in entries(row["x"], "x"))
            found.append(Row(codes, label_of(row["y"]), weight))
            if len(codes) != len(found[0].x):
                raise PreconditionError("rows", f"{len(found[0].x)} codes in every row", len(codes))
        return found

    def candidates(self, width: int | None) -> list[Candidate]:
        """Return candidates that test one of `width` attributes."""
        found = [
            Candidate.read(text, "candidates") for text in entries(self._given["candidates"], "candidates")
        ]
        for candidate in found:
            if width is not None and candidate.attribute >= width:
                raise PreconditionError("candidates", f"an attribute below x{width}", str(candidate))
        return found


def noise_of(value: Any, rule: str) -> dict[str, Fraction]:
    """Return the noise of a leaf: of both masses, or of its value."""
    names = ("positive", "negative") if rule == "noisy_masses" else ("value",)
    return {name: number(part, name) for name, part in fields(value, "noise", names).items()}
