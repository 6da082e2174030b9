"""The named numbers that cases are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class InputPoint:
    """A number: its name in ids, its string in requests, and its flags."""

    name: str
    string: str
    flags: tuple[str, ...] = ()


def points(*names: str, flags: Sequence[str] = ()) -> tuple[InputPoint, ...]:
    """Return points that are named by their strings."""
    return tuple(InputPoint(name, name, tuple(flags)) for name in names)


def named_point(name: str, value: Fraction, *flags: str) -> InputPoint:
    """Return a point whose name in ids is shorter than its number."""
    return InputPoint(name, str(value), flags)
