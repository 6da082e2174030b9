"""Inputs and outputs of mechanisms as JSON: every bit of a number is kept, and reading executes nothing.

| Python                              | JSON                                                            |
|-------------------------------------|-----------------------------------------------------------------|
| None, bool, int, str, list          | itself                                                          |
| a finite float                      | a number with all significant digits                            |
| an infinity, NaN                    | "infinity", "-infinity", "nan"                                  |
| a dict with strings as keys         | an object; any other dict {"$map": [[key, value], ...]}         |
| one of these three strings          | {"$text": "infinity"}                                           |
| tuple, bytes                        | {"$tuple": [...]}, {"$bytes": base64}                           |
| Fraction, complex                   | {"$fraction": "1/3"}, {"$complex": [re, im]}                    |
| a NumPy array                       | {"$array": nested lists or base64, "dtype": "<f8", "shape": [...]} |
| any other object                    | {"$opaque": its repr}, which cannot be read back                |

Outputs are written as the test reads them (`plain_value`), small arrays as lists.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from privboost.errors import PreconditionError
from privboost.strict_json import NOT_FINITE, JsonValue

from .objects import Opaque
from .plain_values import plain_value

LARGEST_SHOWN = 64
"""Numeric arrays with more entries than this are written as base64."""
LARGEST_ARRAY = 1 << 31
"""Maximum size of an array in a file, in bytes."""
MOST_DIMENSIONS = 32
"""Maximum number of dimensions of an array."""
LONGEST_REPR = 2000
LONGEST_FRACTION = 4000
"""Maximum number of digits of a numerator or a denominator; Python converts at most 4300."""

_DTYPE = re.compile(r"[<|][biuf][1248]|\|O|<U[0-9]{1,6}", re.ASCII)


def to_json(value: Any) -> Any:
    """Return a value in the form of the table above, for `json.dumps`."""
    if isinstance(value, np.generic) and value.dtype.kind in "biufU" and value.dtype.itemsize != 16:
        value = value.item()
    match value:
        case None | bool():
            return value
        case str():
            return {"$text": str(value)} if value in NOT_FINITE else str(value)
        case int():
            return int(value)
        case float():
            return float(value) if math.isfinite(value) else str(float(value)).replace("inf", "infinity")
        case list():
            return [to_json(entry) for entry in value]
        case tuple():
            return {"$tuple": [to_json(entry) for entry in value]}
        case dict():
            return _mapping_to_json(value, to_json)
        case np.ndarray() if _DTYPE.fullmatch(value.dtype.newbyteorder("<").str):
            return array_to_json(value)
        case bytes():
            return {"$bytes": base64.b64encode(value).decode("ascii")}
        case Fraction():
            return {"$fraction": str(value)}
        case complex():
            return {"$complex": [to_json(value.real), to_json(value.imag)]}
        case _:
            return {"$opaque": repr(value)[:LONGEST_REPR]}


def _mapping_to_json(value: dict[Any, Any], entry_to_json: Callable[[Any], Any]) -> Any:
    if all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {str(key): entry_to_json(entry) for key, entry in value.items()}
    return {"$map": [[to_json(key), entry_to_json(entry)] for key, entry in value.items()]}


def output_to_json(value: Any) -> Any:
    """Return an output as JSON; the test treats the value read back like the output itself."""
    return _plain_to_json(plain_value(value))


def equal_outputs(first: Any, second: Any) -> bool:
    """Return whether two outputs are the same, bit for bit, as far as a file can hold them."""
    return json.dumps(output_to_json(first)) == json.dumps(output_to_json(second))


def _plain_to_json(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.size <= LARGEST_SHOWN:
        value = value.tolist()
    if isinstance(value, list):
        return [_plain_to_json(entry) for entry in value]
    if isinstance(value, dict):
        return _mapping_to_json(value, _plain_to_json)
    return to_json(value)


def array_to_json(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return an array as JSON: as nested lists if it is small or not numeric, else as base64."""
    plain = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    plain = plain.reshape(array.shape)
    if plain.dtype.kind in "OU" or plain.size <= LARGEST_SHOWN:
        content = to_json(plain.tolist())
    else:
        content = base64.b64encode(plain.tobytes()).decode("ascii")
    return {"$array": content, "dtype": plain.dtype.str, "shape": list(plain.shape)}


def from_json(node: JsonValue) -> Any:
    """Return the value written by `to_json`."""
    value = node.value
    if isinstance(value, str):
        return NOT_FINITE.get(value, value)
    if isinstance(value, list):
        return [from_json(entry) for entry in node.items()]
    if not isinstance(value, dict):
        return value
    tag = next((name for name in value if name.startswith("$")), None)
    if tag is None:
        return {name: from_json(node.at(name)) for name in value}
    if tag == "$array":
        return array_from_json(node)
    if tag not in _READERS:
        raise PreconditionError(node.path, f"one of {[*_READERS, '$array']}", tag)
    (content,) = node.members(tag)
    return _READERS[tag](content)


def array_from_json(node: JsonValue) -> np.ndarray[Any, Any]:
    """Return the array written by `array_to_json`."""
    content, dtype_node, shape_node = node.members("$array", "dtype", "shape")
    dtype = _dtype(dtype_node)
    if len(shape_node.items()) > MOST_DIMENSIONS:
        raise shape_node.refusal(f"at most {MOST_DIMENSIONS} dimensions")
    shape = tuple(entry.whole(0, LARGEST_ARRAY) for entry in shape_node.items())
    # A dimension of 0 does not allow others of any size.
    if math.prod(length or 1 for length in shape) * dtype.itemsize > LARGEST_ARRAY:
        raise shape_node.refusal(f"at most {LARGEST_ARRAY} bytes")
    if isinstance(content.value, str):
        return _from_base64(content, dtype, shape)
    entries = list(_flat(content, len(shape)))
    if len(entries) != math.prod(shape):
        raise PreconditionError(content.path, f"{math.prod(shape)} entries", len(entries))
    array = np.empty(shape, dtype)
    try:
        for index, entry in enumerate(entries):
            array.flat[index] = entry
    except (TypeError, ValueError, OverflowError) as error:
        raise PreconditionError(content.path, f"entries of type {dtype}", error) from None
    return array


def _dtype(node: JsonValue) -> np.dtype[Any]:
    try:
        if _DTYPE.fullmatch(node.text()):
            return np.dtype(node.text())
    except TypeError:
        # A type of the right form that does not exist, such as "<f1".
        pass
    raise node.refusal('a type such as "<f8"')


def _from_base64(content: JsonValue, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    if dtype.kind in "OU":
        raise content.refusal("nested lists")
    raw = _bytes(content)
    if len(raw) != math.prod(shape) * dtype.itemsize:
        raise PreconditionError(content.path, f"{math.prod(shape)} entries of {dtype}", f"{len(raw)} bytes")
    return np.frombuffer(raw, dtype).reshape(shape).astype(dtype.newbyteorder("="))


def _flat(node: JsonValue, depth: int) -> Iterator[Any]:
    """Yield the entries of lists nested to a given depth."""
    if depth == 0:
        yield from_json(node)
        return
    for entry in node.items():
        yield from _flat(entry, depth - 1)


def _bytes(node: JsonValue) -> bytes:
    try:
        return base64.b64decode(node.text(), validate=True)
    except (binascii.Error, ValueError):
        raise PreconditionError(node.path, "base64", f"{node.value[:40]!r}") from None


def _complex(node: JsonValue) -> complex:
    parts = [entry.number(finite=False) for entry in node.items()]
    if len(parts) != 2:
        raise node.refusal("two numbers")
    return complex(*parts)


def _map(node: JsonValue) -> dict[Any, Any]:
    mapping: dict[Any, Any] = {}
    for pair in node.items():
        entries = [from_json(entry) for entry in pair.items()]
        try:
            key, value = entries
            mapping[key] = value
        except (TypeError, ValueError):
            raise pair.refusal("a key and a value") from None
    return mapping


_READERS: dict[str, Callable[[JsonValue], Any]] = {
    "$text": JsonValue.text,
    "$tuple": lambda node: tuple(from_json(entry) for entry in node.items()),
    "$map": _map,
    "$bytes": _bytes,
    "$fraction": lambda node: node.fraction(LONGEST_FRACTION),
    "$complex": _complex,
    "$opaque": lambda node: Opaque(node.text()),
}
