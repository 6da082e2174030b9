"""The shapes of lines: the fields of every kind of line, and the types of their values.

`schema.json` is the same specification for other programs. Only the structure is checked here; `replay`
checks the values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias

from .errors import TranscriptError
from .number_format import read_number

LONGEST_NAME = 80
"""Maximum length of a name in a message."""


class Plain(Enum):
    """A shape without parts; the value describes it in error messages."""

    NUMBER = "a number, such as '3/8', '1/2 + 3*sqrt(2)', '~' with 40 decimal places, or 0.375"
    NUMBERS = "an object of numbers"
    PATH = "a path of 0s and 1s"
    STRING = "a string"
    INTEGER = "an integer >= 0"


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list whose items all have the same shape."""

    item: Shape


@dataclass(frozen=True, slots=True)
class ByKind:
    """An object whose field `kind` determines its other fields."""

    fields: Mapping[str, Mapping[str, Shape]]


@dataclass(frozen=True, slots=True)
class Extensible:
    """An object that has some fields, and may have all of some others."""

    fields: Mapping[str, Shape]
    others: Mapping[str, Shape]


Shape: TypeAlias = Plain | ListOf | ByKind | Extensible | Mapping[str, Any]


def _each(shape: Plain, names: str) -> dict[str, Plain]:
    """Return the same shape for each of some names, which are separated by spaces."""
    return dict.fromkeys(names.split(), shape)


ATTRIBUTE = ByKind(
    {
        "quantised": {"name": Plain.STRING, "n_values": Plain.INTEGER, **_each(Plain.NUMBER, "lo hi")},
        "categorical": {"name": Plain.STRING, "values": ListOf(Plain.STRING)},
    }
)

PROTOCOL = _each(Plain.STRING, "name alpha split_law sensitivity node_budget leaf beta relation")

PARAMETERS: dict[str, Shape] = {
    **_each(Plain.INTEGER, "trees depth"),
    **_each(Plain.NUMBER, "epsilon beta_tree bound zeta"),
    "alphas": ListOf(Plain.NUMBER),
    **_each(Plain.NUMBER, "alpha_share grid boost_alpha"),
}

CONCENTRATED = _each(Plain.NUMBER, "delta rho")
"""Parameters that a run with Gaussian noise has as well."""

LINE = ByKind(
    {
        "header": {
            "format": Plain.STRING,
            "version": Plain.INTEGER,
            "protocol": PROTOCOL,
            "parameters": Extensible(PARAMETERS, CONCENTRATED),
            "domain": ListOf(ATTRIBUTE),
            "size": Plain.INTEGER,
            "trees": Plain.INTEGER,
        },
        "tree": {"tree": Plain.INTEGER, "weight_bound": Plain.NUMBER},
        "alpha": {
            **_each(Plain.INTEGER, "tree level"),
            **_each(Plain.NUMBER, "minority scale noise noisy value"),
        },
        "node": {
            "tree": Plain.INTEGER,
            "leaf": Plain.PATH,
            **_each(Plain.NUMBER, "alpha budget sensitivity"),
            "scores": Plain.NUMBERS,
            "choice": Plain.STRING,
        },
        "leaf": {
            "tree": Plain.INTEGER,
            "leaf": Plain.PATH,
            "masses": Plain.NUMBERS,
            "scale": Plain.NUMBER,
            **_each(Plain.NUMBERS, "noise noisy"),
            "value": Plain.NUMBER,
        },
        "beta": {"tree": Plain.INTEGER, "value": Plain.NUMBER},
        "expense": {
            "tree": Plain.INTEGER,
            "what": Plain.STRING,
            "epsilon": Plain.NUMBER,
            "reason": Plain.STRING,
        },
        "total": _each(Plain.NUMBER, "epsilon claim"),
    }
)
"""The fields of every kind of line, other than `kind`."""


def check_shape(line: int, field: str, shape: Shape, value: object) -> None:
    """Raise TranscriptError if a value does not have a shape."""
    if isinstance(shape, Plain):
        _check_plain(line, field, shape, value)
    elif isinstance(shape, ListOf):
        if not isinstance(value, list):
            raise TranscriptError(line, field, "a list", abridge(value))
        for index, item in enumerate(value):
            check_shape(line, f"{field}[{index}]", shape.item, item)
    elif not isinstance(value, dict):
        raise TranscriptError(line, field or "json", "an object", abridge(value))
    elif isinstance(shape, ByKind):
        kind = value.get("kind")
        if not isinstance(kind, str) or kind not in shape.fields:
            raise TranscriptError(
                line, part(field, "kind"), f"one of {', '.join(shape.fields)}", abridge(kind)
            )
        check_shape(line, field, {"kind": Plain.STRING, **shape.fields[kind]}, value)
    elif isinstance(shape, Extensible):
        has_others = not shape.others.keys().isdisjoint(value)
        check_shape(line, field, {**shape.fields, **(shape.others if has_others else {})}, value)
    else:
        check_names(line, field, list(shape), value)
        for name, inner in shape.items():
            check_shape(line, part(field, name), inner, value[name])


def _check_plain(line: int, field: str, shape: Plain, value: object) -> None:
    """Raise TranscriptError if a value does not have a shape without parts."""
    if shape is Plain.NUMBERS:
        names = value if isinstance(value, dict) else {}
        check_shape(line, field, dict.fromkeys(names, Plain.NUMBER), value)
    elif not _fits(shape, value):
        raise TranscriptError(line, field, shape.value, abridge(value))


def _fits(shape: Plain, value: object) -> bool:
    """Return whether a value has a shape without parts."""
    if shape is Plain.NUMBER:
        return _is_number(value)
    if shape is Plain.INTEGER:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return isinstance(value, str) and (shape is Plain.STRING or set(value) <= {"0", "1"})


def _is_number(value: object) -> bool:
    """Return whether a value can be read as a number."""
    try:
        read_number(value)
    except ValueError:
        return False
    return True


def check_names(line: int, field: str, expected: Sequence[str], value: Mapping[str, object]) -> None:
    """Raise TranscriptError if an object lacks an expected key or has another one."""
    for name in expected:
        if name not in value:
            raise TranscriptError(line, part(field, name), "a value", "nothing")
    known = frozenset(expected)
    for name in value:
        if name not in known:
            raise TranscriptError(line, part(field, name), "no such field", abridge(value[name]))


def part(field: str, name: str) -> str:
    """Return the name of a part of a field, which is shortened if it is long."""
    return f"{field}.{name[:LONGEST_NAME]}" if field else name[:LONGEST_NAME]


def abridge(value: object, limit: int = 80) -> str:
    """Return a value as a string that fits an error message."""
    shown = "nothing" if value is None else str(value) if isinstance(value, Fraction) else repr(value)
    return shown if len(shown) <= limit else f"{shown[: limit - 3]}..."
