"""Inputs and outputs of mechanisms as JSON: every bit of a number is kept, and reading executes nothing.

| Python                              | JSON                                                            |
|-------------------------------------|-----------------------------------------------------------------|
| None, bool, int, text, list         | itself                                                          |
| a finite float                      | a number with as many digits as its bits need                   |
| an infinity, NaN                    | "infinity", "-infinity", "nan"                                  |
| a dict with texts as keys           | an object; any other one {"$map": [[key, value], ...]}          |
| one of these three texts            | {"$text": "infinity"}                                           |
| tuple, bytes                        | {"$tuple": [...]}, {"$bytes": base64}                           |
| Fraction, complex                   | {"$fraction": "1/3"}, {"$complex": [re, im]}                    |
| a NumPy array                       | {"$array": nested lists or base64, "dtype": "<f8", "shape": [...]} |
| any other object                    | {"$opaque": what repr says}, which cannot be read back          |

Outputs are written as the test reads them (`plain_value`), small arrays as lists.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from privboost.errors import PreconditionError

from .plain import plain_value

NOT_FINITE = {"infinity": math.inf, "-infinity": -math.inf, "nan": math.nan}
LARGEST_SHOWN = 64
"""Arrays of numbers with more entries than this are written as base64."""
LARGEST_ARRAY = 1 << 31
"""No file describes an array of more bytes."""
LONGEST_REPR = 2000

_DTYPE = re.compile(r"[<|][biuf][1248]|\|O|<U[0-9]{1,6}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Opaque:
    """Stand for an object of which a file holds the text only."""

    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Place:
    """A value of a document, and where it stands there."""

    found: Any
    path: str

    def refusal(self, wanted: str) -> PreconditionError:
        """Return the error that this value is not what is wanted."""
        plain = self.found is None or isinstance(self.found, str | int | float)
        shown = json.dumps(self.found)[:80] if plain else f"a {type(self.found).__name__}"
        return PreconditionError(self.path, wanted, shown)

    def members(self, *names: str) -> list[Place]:
        """Return the members of an object, which must have these and no others."""
        if not isinstance(self.found, dict):
            raise self.refusal("an object")
        for name in names:
            if name not in self.found:
                raise PreconditionError(self.path, f'a member "{name}"', f"the members {list(self.found)}")
        if unknown := sorted(self.found.keys() - set(names)):
            raise PreconditionError(self.path, f"no members but {list(names)}", unknown)
        return [Place(self.found[name], f"{self.path}.{name}") for name in names]

    def items(self) -> list[Place]:
        """Return the entries of a list."""
        if not isinstance(self.found, list):
            raise self.refusal("a list")
        return [Place(entry, f"{self.path}[{number}]") for number, entry in enumerate(self.found)]

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.found, str):
            raise self.refusal("a text")
        return self.found

    def truth(self) -> bool:
        """Return true or false."""
        if not isinstance(self.found, bool):
            raise self.refusal("true or false")
        return self.found

    def whole(self, least: int = 0) -> int:
        """Return a whole number that is at least so great."""
        if isinstance(self.found, bool) or not isinstance(self.found, int) or self.found < least:
            raise self.refusal(f"a whole number from {least}")
        return self.found

    def number(self) -> float:
        """Return a number, which may be written "infinity", "-infinity" or "nan"."""
        if isinstance(self.found, str) and self.found in NOT_FINITE:
            return NOT_FINITE[self.found]
        if isinstance(self.found, bool) or not isinstance(self.found, int | float):
            raise self.refusal("a number")
        return float(self.found)


def read_json(text: str, path: str) -> Place:
    """Return the document of JSON text, without repeated members and bare infinities."""
    try:
        return Place(json.loads(text, object_pairs_hook=_members, parse_constant=no_constant), path)
    except PreconditionError as error:
        raise PreconditionError(path, error.requirement, error.found) from None
    except (ValueError, RecursionError) as error:
        raise PreconditionError(path, "JSON text", error) from None


def float_to_json(value: float) -> float | str:
    """Return a float as JSON has it: a number, or the text of an infinity or NaN."""
    return float(value) if math.isfinite(value) else str(float(value)).replace("inf", "infinity")


def to_json(value: Any) -> Any:
    """Return a value as what `json.dumps` takes."""
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
            return float_to_json(value)
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
    """Return an output as JSON that the test reads as it reads the output itself."""
    return _plain_to_json(plain_value(value))


def _plain_to_json(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.size <= LARGEST_SHOWN:
        value = value.tolist()
    if isinstance(value, list):
        return [_plain_to_json(entry) for entry in value]
    if isinstance(value, dict):
        return _mapping_to_json(value, _plain_to_json)
    return to_json(value)


def array_to_json(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return an array as JSON: as nested lists where it is small, or not of numbers."""
    plain = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    plain = plain.reshape(array.shape)
    if plain.dtype.kind in "OU" or plain.size <= LARGEST_SHOWN:
        content = to_json(plain.tolist())
    else:
        content = base64.b64encode(plain.tobytes()).decode("ascii")
    return {"$array": content, "dtype": plain.dtype.str, "shape": list(plain.shape)}


def from_json(place: Place) -> Any:
    """Return the value that `to_json` has written."""
    found = place.found
    if isinstance(found, str):
        return NOT_FINITE.get(found, found)
    if isinstance(found, list):
        return [from_json(entry) for entry in place.items()]
    if not isinstance(found, dict):
        return found
    tag = next((name for name in found if name.startswith("$")), None)
    if tag is None:
        return {name: from_json(Place(entry, f"{place.path}.{name}")) for name, entry in found.items()}
    if tag == "$array":
        return array_from_json(place)
    if tag not in _READERS:
        raise PreconditionError(place.path, f"one of {[*_READERS, '$array']}", tag)
    (content,) = place.members(tag)
    return _READERS[tag](content)


def array_from_json(place: Place) -> np.ndarray[Any, Any]:
    """Return the array that `array_to_json` has written."""
    content, dtype_place, shape_place = place.members("$array", "dtype", "shape")
    if not _DTYPE.fullmatch(dtype_place.text()):
        raise dtype_place.refusal('a type such as "<f8"')
    dtype = np.dtype(dtype_place.text())
    shape = tuple(entry.whole() for entry in shape_place.items())
    if math.prod(shape) * dtype.itemsize > LARGEST_ARRAY:
        raise shape_place.refusal(f"at most {LARGEST_ARRAY} bytes")
    if isinstance(content.found, str):
        return _from_base64(content, dtype, shape)
    entries = list(_flat(content, len(shape)))
    if len(entries) != math.prod(shape):
        raise PreconditionError(content.path, f"{math.prod(shape)} entries", len(entries))
    array = np.empty(shape, dtype)
    try:
        for number, entry in enumerate(entries):
            array.flat[number] = entry
    except (TypeError, ValueError, OverflowError) as error:
        raise PreconditionError(content.path, f"entries of type {dtype}", error) from None
    return array


def _from_base64(content: Place, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    if dtype.kind in "OU":
        raise content.refusal("nested lists")
    raw = _bytes(content)
    if len(raw) != math.prod(shape) * dtype.itemsize:
        raise PreconditionError(content.path, f"{math.prod(shape)} entries of {dtype}", f"{len(raw)} bytes")
    return np.frombuffer(raw, dtype).reshape(shape).astype(dtype.newbyteorder("="))


def _flat(place: Place, depth: int) -> Iterator[Any]:
    """Yield the entries of lists that are nested so deep."""
    if depth == 0:
        yield from_json(place)
        return
    for entry in place.items():
        yield from _flat(entry, depth - 1)


def _bytes(place: Place) -> bytes:
    try:
        return base64.b64decode(place.text(), validate=True)
    except (binascii.Error, ValueError):
        raise PreconditionError(place.path, "base64", f"{place.found[:40]!r}") from None


def _fraction(place: Place) -> Fraction:
    if not re.fullmatch(r"-?[0-9]{1,4000}(/[0-9]{0,3999}[1-9][0-9]*)?", place.text(), re.ASCII):
        raise place.refusal('an exact number such as "3/8"')
    return Fraction(place.text())


def _complex(place: Place) -> complex:
    parts = [entry.number() for entry in place.items()]
    if len(parts) != 2:
        raise place.refusal("two numbers")
    return complex(*parts)


def _map(place: Place) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for pair in place.items():
        entries = [from_json(entry) for entry in pair.items()]
        try:
            key, value = entries
            found[key] = value
        except (TypeError, ValueError):
            raise pair.refusal("a key and a value") from None
    return found


_READERS: dict[str, Callable[[Place], Any]] = {
    "$text": Place.text,
    "$tuple": lambda place: tuple(from_json(entry) for entry in place.items()),
    "$map": _map,
    "$bytes": _bytes,
    "$fraction": _fraction,
    "$complex": _complex,
    "$opaque": lambda place: Opaque(place.text()),
}


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise PreconditionError("", "every member of an object once", repeated)
    return found


def no_constant(name: str) -> NoReturn:
    """Refuse a bare NaN or Infinity, which are no JSON although Python reads them."""
    raise PreconditionError("", 'infinities and NaN written "infinity", "-infinity" and "nan"', name)
