"""The shapes of lines: which fields every kind of line has, and what may stand in them.

`schema.json` says the same to other programs. What is checked here is structure only; whether a number is
right is for `replay` to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias

from .errors import TranscriptError
from .number_text import read_number


class Plain(Enum):
    """A shape without parts, as an error message names it."""

    NUMBER = "a number, such as '3/8', '1/2 + 3*sqrt(2)', '~' with 40 decimal places, or 0.375"
    NUMBERS = "an object of numbers"
    PATH = "a path of 0s and 1s"
    TEXT = "a text"
    WHOLE = "a whole number >= 0"


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list whose items have one shape."""

    item: Shape


@dataclass(frozen=True, slots=True)
class ByKind:
    """An object whose field `kind` says which other fields it has."""

    fields: Mapping[str, Mapping[str, Shape]]


Shape: TypeAlias = Plain | ListOf | ByKind | Mapping[str, Any]

ATTRIBUTE = ByKind(
    {
        "quantised": {"name": Plain.TEXT, "n_values": Plain.WHOLE, "lo": Plain.NUMBER, "hi": Plain.NUMBER},
        "categorical": {"name": Plain.TEXT, "values": ListOf(Plain.TEXT)},
    }
)

PROTOCOL = dict.fromkeys(
    ("name", "alpha", "split_law", "sensitivity", "node_budget", "leaf", "beta", "relation"), Plain.TEXT
)

PARAMETERS: Mapping[str, Shape] = {
    "trees": Plain.WHOLE,
    "depth": Plain.WHOLE,
    "epsilon": Plain.NUMBER,
    "beta_tree": Plain.NUMBER,
    "bound": Plain.NUMBER,
    "zeta": Plain.NUMBER,
    "alphas": ListOf(Plain.NUMBER),
    "alpha_share": Plain.NUMBER,
    "grid": Plain.NUMBER,
    "boost_alpha": Plain.NUMBER,
}

LINE = ByKind(
    {
        "header": {
            "format": Plain.TEXT,
            "version": Plain.WHOLE,
            "protocol": PROTOCOL,
            "parameters": PARAMETERS,
            "domain": ListOf(ATTRIBUTE),
            "size": Plain.WHOLE,
            "trees": Plain.WHOLE,
        },
        "tree": {"tree": Plain.WHOLE, "weight_bound": Plain.NUMBER},
        "alpha": {
            "tree": Plain.WHOLE,
            "level": Plain.WHOLE,
            "minority": Plain.NUMBER,
            "scale": Plain.NUMBER,
            "noise": Plain.NUMBER,
            "noisy": Plain.NUMBER,
            "value": Plain.NUMBER,
        },
        "node": {
            "tree": Plain.WHOLE,
            "leaf": Plain.PATH,
            "alpha": Plain.NUMBER,
            "budget": Plain.NUMBER,
            "sensitivity": Plain.NUMBER,
            "scores": Plain.NUMBERS,
            "choice": Plain.TEXT,
        },
        "leaf": {
            "tree": Plain.WHOLE,
            "leaf": Plain.PATH,
            "masses": Plain.NUMBERS,
            "scale": Plain.NUMBER,
            "noise": Plain.NUMBERS,
            "noisy": Plain.NUMBERS,
            "value": Plain.NUMBER,
        },
        "beta": {"tree": Plain.WHOLE, "value": Plain.NUMBER},
        "expense": {
            "tree": Plain.WHOLE,
            "what": Plain.TEXT,
            "epsilon": Plain.NUMBER,
            "reason": Plain.TEXT,
        },
        "total": {"epsilon": Plain.NUMBER, "claim": Plain.NUMBER},
    }
)
"""The fields of every kind of line, besides `kind`."""


def check_shape(number: int, field: str, shape: Shape, found: object) -> None:
    """Raise TranscriptError where a value does not have a shape."""
    if isinstance(shape, Plain):
        _check_plain(number, field, shape, found)
    elif isinstance(shape, ListOf):
        if not isinstance(found, list):
            raise TranscriptError(number, field, "a list", short(found))
        for place, item in enumerate(found):
            check_shape(number, f"{field}[{place}]", shape.item, item)
    elif not isinstance(found, dict):
        raise TranscriptError(number, field or "json", "an object", short(found))
    elif isinstance(shape, ByKind):
        kind = found.get("kind")
        if not isinstance(kind, str) or kind not in shape.fields:
            raise TranscriptError(
                number, part(field, "kind"), f"one of {', '.join(shape.fields)}", short(kind)
            )
        check_shape(number, field, {"kind": Plain.TEXT, **shape.fields[kind]}, found)
    else:
        check_names(number, field, list(shape), found)
        for name, inner in shape.items():
            check_shape(number, part(field, name), inner, found[name])


def _check_plain(number: int, field: str, shape: Plain, found: object) -> None:
    """Raise TranscriptError where a value does not have a shape without parts."""
    if shape is Plain.NUMBERS:
        names = found if isinstance(found, dict) else {}
        check_shape(number, field, dict.fromkeys(names, Plain.NUMBER), found)
    elif not _fits(shape, found):
        raise TranscriptError(number, field, shape.value, short(found))


def _fits(shape: Plain, found: object) -> bool:
    """Return whether a value has a shape without parts."""
    if shape is Plain.NUMBER:
        return _is_number(found)
    if shape is Plain.WHOLE:
        return isinstance(found, int) and not isinstance(found, bool) and found >= 0
    return isinstance(found, str) and (shape is Plain.TEXT or set(found) <= {"0", "1"})


def _is_number(found: object) -> bool:
    """Return whether a value can be read as a number."""
    try:
        read_number(found)
    except ValueError:
        return False
    return True


def check_names(number: int, field: str, expected: Sequence[str], found: Mapping[str, object]) -> None:
    """Raise TranscriptError where an object lacks a name, or has one too many."""
    for name in expected:
        if name not in found:
            raise TranscriptError(number, part(field, name), "a value", "nothing")
    for name in found:
        if name not in expected:
            raise TranscriptError(number, part(field, name), "no such field", short(found[name]))


def part(field: str, name: str) -> str:
    """Return the name of a part of a field."""
    return f"{field}.{name}" if field else name


def short(value: object, limit: int = 80) -> str:
    """Return a value as text that fits an error message."""
    text = "nothing" if value is None else str(value) if isinstance(value, Fraction) else repr(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def text_of_found(found: object) -> str:
    """Return a number as it was found: a string as it is, a JSON number by its value."""
    return found if isinstance(found, str) else str(found)
