"""Convert outputs to plain values, which are compared by value and cannot be changed by the mechanism later.

| output of a mechanism                         | plain value                                              |
|-----------------------------------------------|----------------------------------------------------------|
| None, bool, int, float, string                | itself                                                   |
| Fraction, Decimal, long double                | an int or float if equal to one, else a Fraction         |
| int or Fraction of more than 4096 bits        | a hexadecimal string                                     |
| any other number                              | the nearest float                                        |
| list, tuple, set (sorted), bytes (as numbers) | a list                                                   |
| dictionary, named tuple                       | a dict                                                   |
| complex                                       | a dict of `real` and `imag`                              |
| array, tensor, sparse matrix                  | a copy if numeric, else a list; a dict by field          |
| masked array                                  | a dict of `data`, `mask` and `fill_value`                |
| frame, series                                 | a dict by column or by index label (`frames`)            |
| date, time, duration                          | days or microseconds as an int, with its zone if any     |
| member of an enumeration, path, class         | its name                                                 |
| any other object                              | a dict of its attributes or state, and class (`objects`) |
| an object of a subclass of the above          | a dict of its `value`, its attributes and its class      |
| an object without a state                     | `Opaque` with its type: its content is not tested        |

Random generators among the attributes of an object are left out: they hold the coins of the call.
"""

from __future__ import annotations

import array
import datetime
import enum
import logging
import math
import sys
from collections import deque
from collections.abc import ItemsView, KeysView, Mapping, ValuesView
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from numbers import Number, Rational
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from .frames import frame_content
from .objects import GENERATORS, Opaque, attributes_of, class_of, state_of, type_name

MOST_BITS = 4096
"""Python does not print integers of more than 4300 digits; integers of this size are shorter."""

DEEPEST = 200
"""Maximum depth of nested outputs."""

ACCEPTED = (
    "numbers, strings, bytes, None, dates, arrays, frames, lists, tuples, sets, dictionaries, dataclasses, "
    "or objects with attributes"
)

EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)

_NOT_SEARCHED = (
    *GENERATORS,
    ModuleType,
    FunctionType,
    BuiltinFunctionType,
    MethodType,
    logging.Logger,
)
"""Objects whose attributes are those of the process or of code, not of an output."""

_LIBRARIES = frozenset({"numpy", "pandas", "polars", "scipy", "jax", "jaxlib", "tensorflow"})
"""Projects whose arrays and frames hold nothing beside what is read of them."""

_OTHER = object()

Ancestors = tuple[int, ...]
"""The identities of the objects that contain a value, to detect an object that contains itself."""


def plain_value(value: Any) -> Any:
    """Return an output as plain values.

    Ensures: idempotent.
    """
    return _plain(value, ())


def is_numeric(kind: np.dtype[Any]) -> bool:
    """Return whether an array of a type holds booleans, integers or floats of at most 64 bits."""
    return kind.kind in "biuf" and kind.itemsize <= 8


def number_string(value: bool | int | float | Fraction) -> str:
    """Return a string that is equal for numbers of equal value, except that -0.0 differs from 0.0."""
    try:
        nearest = float(value)
    except OverflowError:
        return str(value)
    return repr(nearest) if isinstance(value, float) or nearest == value else str(value)


def _plain(value: Any, ancestors: Ancestors) -> Any:
    if isinstance(value, np.longdouble) and not isinstance(value, np.float64):
        value = Fraction(*map(int, value.as_integer_ratio())) if np.isfinite(value) else float(value)
    elif isinstance(value, np.generic) and not isinstance(value, np.void):
        value = value.item()
    if value is None or type(value) in (bool, float, str, Opaque):
        return value
    if type(value) is int and value.bit_length() < MOST_BITS:
        return value
    if id(value) in ancestors:
        return len(ancestors) - ancestors.index(id(value))
    if len(ancestors) == DEEPEST:
        return Opaque(f"{type_name(type(value))} below {DEEPEST} levels")
    inside = (*ancestors, id(value))
    content = _content(value, inside)
    if content is _OTHER:
        state = state_of(value)
        kind = class_of(type(value))
        return _content({**state, "__class__": kind}, inside) if state else Opaque(type_name(type(value)))
    return content if isinstance(content, Opaque) else _with_attributes(value, content, inside)


def _with_attributes(value: Any, content: Any, inside: Ancestors) -> Any:
    """Return the content of a value with what its own class adds to it, if anything."""
    project = type(value).__module__.partition(".")[0]
    if project in _LIBRARIES or isinstance(value, type | enum.Enum):
        return content
    is_known = project in sys.stdlib_module_names or project == "torch"
    attributes = getattr(value, "__dict__", {}) if is_known else attributes_of(value)
    if is_known and not attributes:
        return content
    return {"value": content} | _content({**attributes, "__class__": class_of(type(value))}, inside)


def _content(value: Any, inside: Ancestors) -> Any:
    """Return the content of a value of a known kind; `_OTHER` for any other object."""
    match value:
        case bool() | float():
            return float(value)
        case enum.Enum():
            return _plain_member(value, inside)
        case str():
            return str.__str__(value)
        case np.ma.MaskedArray() if value is np.ma.masked:
            return {"masked": True}
        case np.ma.MaskedArray():
            mask, filling = np.ma.getmaskarray(value), value.fill_value
            return _content({"data": np.asarray(value.data), "mask": mask, "fill_value": filling}, inside)
        case np.ndarray() | np.void():
            return _plain_array(np.asarray(value), inside)
        case tuple() if hasattr(value, "_fields"):
            return _content(dict(zip(value._fields, value, strict=True)), inside)
        case memoryview():
            return _plain(value.tolist(), inside)
        case list() | tuple() | bytes() | bytearray() | range() | deque() | array.array():
            return [_plain(entry, inside) for entry in value]
        case KeysView() | ValuesView() | ItemsView():
            return [_plain(entry, inside) for entry in value]
        case set() | frozenset():
            return [_plain(entry, inside) for entry in sorted(value, key=repr)]
        case complex() | np.complexfloating():
            return {"real": _plain(value.real, inside), "imag": _plain(value.imag, inside)}
        case Mapping():
            return _plain_mapping(value, inside)
        case datetime.date() | datetime.time() | datetime.timedelta():
            return _plain_time(value)
        case type():
            return _content(class_of(value), inside)
        case PurePath():
            return str(value)
        case _:
            return _convert(value, inside)


def _plain_member(value: enum.Enum, inside: Ancestors) -> Any:
    """Return the name of a member, with its value if its class is not that of a module."""
    known = isinstance(class_of(type(value)), str) and "<locals>" not in type(value).__qualname__
    return value.name if known else {"name": value.name, "value": _plain(value.value, inside)}


def _plain_array(values: np.ndarray[Any, Any], ancestors: Ancestors) -> Any:
    if values.dtype.names:
        return {name: _plain_array(values[name], ancestors) for name in values.dtype.names}
    return values.copy() if is_numeric(values.dtype) else _plain(values.tolist(), ancestors)


def _plain_mapping(value: Mapping[Any, Any], inside: Ancestors) -> dict[Any, Any]:
    """Return a dictionary by plain keys; lists of keys and entries if two plain keys are the same."""
    items = [(_plain_key(key), _plain(entry, inside)) for key, entry in value.items()]
    keys = [key for key, _ in items]
    if len(set(map(repr, keys))) < len(keys):
        return {"keys": keys, "entries": [entry for _, entry in items]}
    return dict(items)


def _plain_key(key: Any) -> Any:
    """Return the key of a dictionary as a hashable plain value."""
    plain = plain_value(key)
    if isinstance(plain, list):
        return tuple(_plain_key(entry) for entry in plain)
    return repr(plain) if isinstance(plain, dict | np.ndarray) else plain


def _plain_time(value: datetime.date | datetime.time | datetime.timedelta) -> Any:
    """Return a date as days, a time or a duration as microseconds; None for a missing date.

    A time with a zone, a repeated hour or nanoseconds is a dict that has them, too.
    """
    if value != value:  # noqa: PLR0124
        # A missing date of pandas does not equal itself.
        return None
    zone = getattr(value, "tzinfo", None)
    details = {
        "zone": None if zone is None else str(zone),
        "fold": getattr(value, "fold", 0) or None,
        "nanosecond": getattr(value, "nanosecond", getattr(value, "nanoseconds", 0)) or None,
    }
    kept = {name: detail for name, detail in details.items() if detail is not None}
    return {"time": _whole_time(value), **kept} if kept else _whole_time(value)


def _whole_time(value: datetime.date | datetime.time | datetime.timedelta) -> int:
    if isinstance(value, datetime.datetime):
        plain = value.replace(tzinfo=None) - (value.utcoffset() or datetime.timedelta())
        return (plain - EPOCH) // MICROSECOND
    if isinstance(value, datetime.time):
        return _whole_time(datetime.datetime.combine(EPOCH, value))
    return value.toordinal() if isinstance(value, datetime.date) else value // MICROSECOND


def _convert(value: Any, inside: Ancestors) -> Any:
    """Return an object as a number, an array or a frame if it can be converted, else `_OTHER`."""
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < MOST_BITS:
        value = Fraction(value)
    if isinstance(value, Rational):
        return _plain_fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, _NOT_SEARCHED):
        return Opaque(type_name(type(value)))
    if hasattr(value, "to_numpy"):
        return _content(frame_content(value), inside)
    converted = _as_array(value)
    if converted is not None:
        return _content(converted, inside)
    if isinstance(value, Number) or hasattr(value, "__float__"):
        # Conversion may raise any exception; the object is then read by its state.
        with suppress(Exception):
            return float(value)
    return _OTHER


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
