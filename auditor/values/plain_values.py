"""Convert outputs to plain values, which are compared by value and cannot be changed by the mechanism later.

| output of a mechanism                         | plain value                                              |
|-----------------------------------------------|----------------------------------------------------------|
| None, bool, int, float, string                | itself                                                   |
| Fraction, Decimal                             | an int or float if equal to one, else a Fraction         |
| int or Fraction of more than 4096 bits        | a hexadecimal string                                     |
| any other number                              | the nearest float                                        |
| list, tuple, set (sorted), bytes (as numbers) | a list                                                   |
| dictionary, dataclass (by its fields)         | a dict                                                   |
| complex                                       | a dict of `real` and `imag`                              |
| array                                         | a copy if numeric, else a list                           |
| any other object with its own repr            | that string                                              |

An object whose repr is only its address is refused: its content would not be tested.
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
"""Python does not print integers of more than 4300 digits; integers of this size are shorter."""

ACCEPTED = (
    "numbers, strings, bytes, None, arrays, lists, tuples, sets, dictionaries, dataclasses, or objects with "
    "their own repr"
)


def plain_value(value: Any) -> Any:
    """Return an output as plain values.

    Ensures: idempotent; TargetError with its type for an object whose repr is only its address.
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
            return value.copy() if value.dtype.kind in "biuf" else plain_value(value.tolist())
        case list() | tuple() | bytes() | bytearray():
            return [plain_value(entry) for entry in value]
        case set() | frozenset():
            return [plain_value(entry) for entry in sorted(value, key=repr)]
        case complex():
            return {"real": value.real, "imag": value.imag}
        case Mapping():
            return {_plain_key(key): plain_value(entry) for key, entry in value.items()}
        case _:
            return _number_or_string(value)


def number_string(value: bool | int | float | Fraction) -> str:
    """Return a string that is equal for numbers of equal value, except that -0.0 differs from 0.0."""
    try:
        nearest = float(value)
    except OverflowError:
        return str(value)
    return repr(nearest) if isinstance(value, float) or nearest == value else str(value)


def _plain_key(key: Any) -> Any:
    """Return the key of a dictionary as a hashable plain value."""
    plain = plain_value(key)
    if isinstance(plain, list):
        return tuple(_plain_key(entry) for entry in plain)
    return repr(plain) if isinstance(plain, dict | np.ndarray) else plain


def _number_or_string(value: Any) -> Any:
    """Return an object as a number if it can be converted to one, else its repr."""
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < MOST_BITS:
        value = Fraction(value)
    if isinstance(value, Rational):
        return _plain_fraction(int(value.numerator), int(value.denominator))
    try:
        return float(value)
    except Exception:
        # Conversion may raise any exception.
        return _repr(value)


def _plain_fraction(top: int, bottom: int) -> Any:
    """Return a fraction as an equal int or float if there is one, as a string if it is long."""
    if max(top.bit_length(), bottom.bit_length()) >= MOST_BITS:
        return hex(top) if bottom == 1 else f"{hex(top)}/{hex(bottom)}"
    if bottom == 1:
        return top
    fraction = Fraction(top, bottom)
    # Beyond the range of floats there is no equal one.
    nearest = top / bottom if abs(fraction) < 1 << 1000 else math.inf
    return nearest if nearest == fraction else fraction


def _repr(value: Any) -> str:
    string = repr(value)
    if _ADDRESS.search(string):
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise TargetError("outputs", ACCEPTED, f"an object of type {kind}, whose repr is only its address")
    return string
