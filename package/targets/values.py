"""Convert Python values to plain JSON values that a program in any language can read, and back.

| Python                                | JSON                                     |
|---------------------------------------|------------------------------------------|
| None, bool, int, str, a finite float  | itself                                   |
| an infinity, NaN                      | "infinity", "-infinity", "nan"           |
| Fraction                              | a string such as "3/8"                   |
| list, tuple, NumPy array              | a list                                   |
| a mapping with string keys, dataclass | an object                                |
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.strict_json import NOT_FINITE

DEEPEST = 100
"""Maximum nesting depth; answers of the gate's protocol have at most 6 levels."""
SUPPORTED = "numbers, strings, lists, arrays, dictionaries with string keys, or dataclasses of these"


def to_json_values(value: Any, name: str = "result", depth: int = 0) -> Any:
    """Return a value as plain JSON values.

    Ensures: PreconditionError, labelled with `name`, for other types and for lists nested too deeply.
    """
    if depth > DEEPEST:
        raise PreconditionError(name, f"at most {DEEPEST} lists within each other", "more")
    if isinstance(value, str | bool | int | None):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value)).replace("inf", "infinity")
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, list | tuple):
        return [to_json_values(item, name, depth + 1) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: to_json_values(item, name, depth + 1) for key, item in value.items()}
    # NumPy scalars and arrays; NumPy itself may not be installed.
    convert = getattr(value, "tolist", None)
    if callable(convert) and type(value).__module__.partition(".")[0] == "numpy":
        return to_json_values(convert(), name, depth + 1)
    raise PreconditionError(name, SUPPORTED, _kind(value))


def from_json_values(value: Any) -> Any:
    """Return JSON values with the strings for infinities and NaN converted to floats."""
    if isinstance(value, str):
        return NOT_FINITE.get(value, value)
    if isinstance(value, list):
        return [from_json_values(item) for item in value]
    if isinstance(value, dict):
        return {name: from_json_values(item) for name, item in value.items()}
    return value


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a dictionary with other keys"
    return f"an object of type {type(value).__name__}"
