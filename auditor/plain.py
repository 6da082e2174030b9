"""Outputs as plain values, by value and not by type, taken down so that nothing can change them afterwards.

| what a mechanism returns                      | plain                                                    |
|-----------------------------------------------|----------------------------------------------------------|
| None, bool, int, float, text                  | itself                                                   |
| Fraction, Decimal                             | an int or float if it is one, else a Fraction            |
| int or Fraction of more than 4096 bits        | a text                                                   |
| any other number                              | the nearest float                                        |
| list, tuple, set (sorted), bytes (as numbers) | a list                                                   |
| dictionary, dataclass (by its fields)         | a dict                                                   |
| complex                                       | a dict of `real` and `imag`                              |
| array                                         | a copy, as a list unless it is of numbers                |
| any other object with a repr of its own       | that text                                                |

What prints as nothing but its address is refused: it may hold anything, and nothing of it would be looked at.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from privboost.errors import TargetError

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+>")
MOST_BITS = 4096
"""Python refuses to print whole numbers of more than 4300 digits; these are shorter."""

WANTED = (
    "numbers, texts, bytes, None, arrays, lists, tuples, sets, dictionaries, dataclasses, or objects with a "
    "repr of their own"
)


def plain(value: Any) -> Any:
    """Return an output as plain values.

    Ensures: TargetError with its type for an object that prints as its address; plain(plain(x)) == plain(x).
    """
    if isinstance(value, np.generic):
        value = value.item()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    match value:
        case None | bool() | float():
            return value if value is None or isinstance(value, bool) else float(value)
        case str():
            return str.__str__(value)
        case np.ndarray():
            return value.copy() if value.dtype.kind in "biuf" else plain(value.tolist())
        case list() | tuple() | bytes() | bytearray():
            return [plain(entry) for entry in value]
        case set() | frozenset():
            return [plain(entry) for entry in sorted(value, key=repr)]
        case complex():
            return {"real": value.real, "imag": value.imag}
        case Mapping():
            return {_name(key): plain(entry) for key, entry in value.items()}
        case _:
            return _number_or_text(value)


def number_text(value: bool | int | float | Fraction) -> str:
    """Return a number as text that all numbers of the same value share; -0.0 is not 0.0."""
    try:
        nearest = float(value)
    except OverflowError:
        return str(value)
    return repr(nearest) if isinstance(value, float) or nearest == value else str(value)


def _name(key: Any) -> Any:
    """Return the key of a dictionary as a plain value that can be a key."""
    found = plain(key)
    if isinstance(found, list):
        return tuple(_name(entry) for entry in found)
    return repr(found) if isinstance(found, dict | np.ndarray) else found


def _number_or_text(value: Any) -> Any:
    """Return an object as the number that it is, and any other as its text."""
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < MOST_BITS:
        value = Fraction(value)
    if isinstance(value, Rational):
        return _exact(int(value.numerator), int(value.denominator))
    try:
        return float(value)
    except Exception:
        # Objects may refuse in any way.
        return _text(value)


def _exact(top: int, bottom: int) -> Any:
    """Return a fraction as the int or float that it is, else as a fraction, or as text where it is long."""
    if max(top.bit_length(), bottom.bit_length()) >= MOST_BITS:
        return hex(top) if bottom == 1 else f"{hex(top)}/{hex(bottom)}"
    if bottom == 1:
        return top
    found = Fraction(top, bottom)
    # A float is a fraction of a power of two; beyond its range the fraction stays one.
    nearest = top / bottom if abs(found) < 1 << 1000 else math.inf
    return nearest if nearest == found else found


def _text(value: Any) -> str:
    text = repr(value)
    if _ADDRESS.search(text):
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise TargetError("outputs", WANTED, f"an object of type {kind}, which prints as its address")
    return text
