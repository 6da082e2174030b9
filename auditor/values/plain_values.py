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
| array, tensor, sparse matrix                  | a copy if numeric, else a list; a dict by field          |
| frame, series                                 | a dict by column or by index label                       |
| date, time, duration                          | days or microseconds as an int                           |
| member of an enumeration, path, class         | its name                                                 |
| any other object                              | a dict of its attributes, or its state as for pickle     |
| an object without a state                     | `Opaque` with its type: its content is not tested        |

Random generators among the attributes of an object are left out: they hold the coins of the call.
"""

from __future__ import annotations

import array
import dataclasses
import datetime
import enum
import logging
import math
import random
from collections import deque
from collections.abc import ItemsView, KeysView, Mapping, Sequence, ValuesView
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from numbers import Number, Rational
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

MOST_BITS = 4096
"""Python does not print integers of more than 4300 digits; integers of this size are shorter."""

ACCEPTED = (
    "numbers, strings, bytes, None, dates, arrays, frames, lists, tuples, sets, dictionaries, dataclasses, "
    "or objects with attributes"
)

EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)

_GENERATORS = (
    np.random.Generator,
    np.random.RandomState,
    np.random.BitGenerator,
    np.random.SeedSequence,
    random.Random,
)
_NOT_SEARCHED = (
    *_GENERATORS,
    ModuleType,
    FunctionType,
    BuiltinFunctionType,
    MethodType,
    logging.Logger,
)
"""Objects whose attributes are those of the process or of code, not of an output."""

Ancestors = tuple[int, ...]
"""The identities of the objects that contain a value, to detect an object that contains itself."""


@dataclasses.dataclass(frozen=True, slots=True)
class Opaque:
    """A placeholder for an object whose content is not known: its type, or its repr in a file."""

    string: str

    def __repr__(self) -> str:
        return self.string


def plain_value(value: Any) -> Any:
    """Return an output as plain values.

    Ensures: idempotent.
    """
    return _plain(value, ())


def number_string(value: bool | int | float | Fraction) -> str:
    """Return a string that is equal for numbers of equal value, except that -0.0 differs from 0.0."""
    try:
        nearest = float(value)
    except OverflowError:
        return str(value)
    return repr(nearest) if isinstance(value, float) or nearest == value else str(value)


def _plain(value: Any, ancestors: Ancestors) -> Any:
    if isinstance(value, np.generic) and not isinstance(value, np.void):
        value = value.item()
    if isinstance(value, Opaque):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    match value:
        case None | bool() | float():
            return value if value is None or isinstance(value, bool) else float(value)
        case enum.Enum():
            return value.name
        case str():
            return str.__str__(value)
        case np.ndarray() | np.void():
            return _plain_array(np.asarray(value), ancestors)
        case list() | tuple() | bytes() | bytearray() | range() | deque() | array.array() | memoryview():
            return [_plain(entry, ancestors) for entry in value]
        case KeysView() | ValuesView() | ItemsView():
            return [_plain(entry, ancestors) for entry in value]
        case set() | frozenset():
            return [_plain(entry, ancestors) for entry in sorted(value, key=repr)]
        case complex():
            return {"real": value.real, "imag": value.imag}
        case Mapping():
            return {_plain_key(key): _plain(entry, ancestors) for key, entry in value.items()}
        case datetime.date() | datetime.time() | datetime.timedelta():
            return _plain_time(value)
        case type():
            return _type_name(value)
        case PurePath():
            return str(value)
        case _:
            return _plain_object(value, ancestors)


def _plain_array(values: np.ndarray[Any, Any], ancestors: Ancestors) -> Any:
    if values.dtype.names:
        return {name: _plain_array(values[name], ancestors) for name in values.dtype.names}
    return values.copy() if values.dtype.kind in "biuf" else _plain(values.tolist(), ancestors)


def _plain_key(key: Any) -> Any:
    """Return the key of a dictionary as a hashable plain value."""
    plain = plain_value(key)
    if isinstance(plain, list):
        return tuple(_plain_key(entry) for entry in plain)
    return repr(plain) if isinstance(plain, dict | np.ndarray) else plain


def _plain_time(value: datetime.date | datetime.time | datetime.timedelta) -> int | None:
    """Return a date as days, a time or a duration as microseconds; None for a missing date."""
    if value != value:  # noqa: PLR0124
        # A missing date of pandas does not equal itself.
        return None
    if isinstance(value, datetime.datetime):
        plain = value.replace(tzinfo=None) - (value.utcoffset() or datetime.timedelta())
        return _microseconds(plain - EPOCH)
    if isinstance(value, datetime.time):
        return _plain_time(datetime.datetime.combine(EPOCH, value))
    return value.toordinal() if isinstance(value, datetime.date) else _microseconds(value)


def _microseconds(duration: datetime.timedelta) -> int:
    return duration // MICROSECOND


def _plain_object(value: Any, ancestors: Ancestors) -> Any:
    """Return an object as a number, an array or a frame if it can be converted, else its state."""
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < MOST_BITS:
        value = Fraction(value)
    if isinstance(value, Rational):
        return _plain_fraction(int(value.numerator), int(value.denominator))
    if id(value) in ancestors:
        return len(ancestors) - ancestors.index(id(value))
    inside = (*ancestors, id(value))
    if isinstance(value, _NOT_SEARCHED):
        return Opaque(_type_name(type(value)))
    if hasattr(value, "to_numpy"):
        return _plain(_frame_content(value), inside)
    converted = _as_array(value)
    if converted is not None:
        return _plain(converted, inside)
    if isinstance(value, Number) or hasattr(value, "__float__"):
        # Conversion may raise any exception; the object is then read by its state.
        with suppress(Exception):
            return float(value)
    state = _state_of(value)
    return _plain(state, inside) if state else Opaque(_type_name(type(value)))


def _frame_content(value: Any) -> Any:
    """Return the columns of a frame, or the entries of a series, with their index unless it counts rows."""
    index = list(getattr(value, "index", ())) if hasattr(value, "index") else None
    labels = {} if index is None or index == list(range(len(index))) else {"index": index}
    if hasattr(value, "columns"):
        names, table = list(value.columns), value.to_numpy()
        if len(set(names)) < len(names) or "index" in names:
            return {"columns": names, "values": table, **labels}
        return dict(zip(names, table.T, strict=True)) | labels
    entries = value.to_numpy()
    if not labels or not isinstance(index, list):
        return entries
    if len(set(index)) < len(index):
        return {"values": entries, **labels}
    return dict(zip(index, entries, strict=True))


def _as_array(value: Any) -> np.ndarray[Any, Any] | None:
    """Return a tensor or a sparse matrix as an array; None for any other object."""
    try:
        if hasattr(value, "detach"):
            value = value.detach()
            value = value.cpu() if hasattr(value, "cpu") else value
        if hasattr(value, "toarray"):
            value = value.toarray()
        if not hasattr(value, "__array__"):
            return None
        converted = np.asarray(value)
    except Exception:
        # Conversion may raise any exception; the object is then read by its state.
        return None
    return None if converted.dtype.kind == "O" and converted.ndim == 0 else converted


def _state_of(value: Any) -> Any:
    """Return the attributes of an object or, for a compiled class, what pickle keeps; empty if nothing."""
    slots = [
        name
        for base in type(value).__mro__
        for name in _names(base.__dict__.get("__slots__", ()))
        if name not in ("__dict__", "__weakref__") and hasattr(value, name)
    ]
    attributes = {name: getattr(value, name) for name in slots} | dict(getattr(value, "__dict__", {}))
    if isinstance(value, BaseException):
        attributes |= {"type": type(value).__name__, "args": value.args}
    if attributes:
        return {name: entry for name, entry in attributes.items() if not isinstance(entry, _GENERATORS)}
    try:
        reduced = value.__reduce_ex__(4)
    except Exception:
        # An object that cannot be pickled may raise any exception.
        return {}
    if isinstance(reduced, str):
        return reduced
    # The function that restores the object, and its class, say nothing about its content.
    parts = [part for part in reduced[1] if part is not type(value)] if len(reduced) > 1 else []
    parts += [part if isinstance(part, Mapping | Sequence) else list(part) for part in reduced[2:5] if part]
    return [part for part in parts if part is not None]


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


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


def _type_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
