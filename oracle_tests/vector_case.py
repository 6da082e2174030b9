"""A case of the test vectors, and the named numbers that cases are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class VectorCase:
    """One request with the flags of what it catches; its id is unique within its operation."""

    op: str
    id: str
    args: dict[str, Any]
    flags: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Point:
    """A number as it stands in an id, as text in a request, and the flags of it."""

    name: str
    text: str
    flags: tuple[str, ...] = ()


def points(*names: str, flags: Sequence[str] = ()) -> tuple[Point, ...]:
    """Return points whose names are their texts."""
    return tuple(Point(name, name, tuple(flags)) for name in names)


def power(name: str, value: Fraction, *flags: str) -> Point:
    """Return a point whose digits would fill a line, under a short name."""
    return Point(name, str(value), flags)
