"""What an object holds: its attributes, the state of a compiled class, and its class."""

from __future__ import annotations

import dataclasses
import random
import sys
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

GENERATORS = (
    np.random.Generator,
    np.random.RandomState,
    np.random.BitGenerator,
    np.random.SeedSequence,
    random.Random,
)
"""Random generators hold the coins of a call."""

HEAP_TYPE = 1 << 9
"""The flag of classes that Python code defines (Py_TPFLAGS_HEAPTYPE)."""
_PICKLING = ("__reduce_ex__", "__reduce__", "__getstate__")


@dataclasses.dataclass(frozen=True, slots=True)
class Opaque:
    """A placeholder for an object whose content is not known: its type, or its repr in a file."""

    string: str

    def __repr__(self) -> str:
        return self.string


def attributes_of(value: Any) -> dict[str, Any]:
    """Return the attributes of an object, those in slots first; random generators are left out."""
    attributes = {}
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            mangled = name.startswith("__") and not name.endswith("__")
            full = f"_{base.__name__.lstrip('_')}{name}" if mangled else name
            if name not in ("__dict__", "__weakref__") and hasattr(value, full):
                attributes[full] = getattr(value, full)
    if dataclasses.is_dataclass(value):
        fields = (field.name for field in dataclasses.fields(value))
        attributes |= {name: getattr(value, name) for name in fields if hasattr(value, name)}
    attributes |= getattr(value, "__dict__", {})
    return {name: entry for name, entry in attributes.items() if not isinstance(entry, GENERATORS)}


def state_of(value: Any) -> dict[str, Any]:
    """Return the attributes of an object and, for a compiled class, what pickle keeps; empty if nothing."""
    state = attributes_of(value)
    if isinstance(value, BaseException):
        return state | {"args": value.args} | details_of(value)
    if not state or _is_compiled(type(value)):
        pickled = _pickled_state(value)
        if pickled or state:
            # A part that cannot be pickled cannot be read.
            state["state()"] = Opaque(type_name(type(value))) if pickled is None else pickled
    return {name: entry for name, entry in state.items() if name != "state()" or entry}


def details_of(error: BaseException) -> dict[str, Any]:
    """Return the content of an error beside its class and message: attributes, notes, cause, members."""
    details = attributes_of(error)
    if error.__cause__ is not None:
        details["__cause__"] = error.__cause__
    if isinstance(error, BaseExceptionGroup):
        details["exceptions"] = error.exceptions
    return details


def _is_compiled(kind: type) -> bool:
    """Return whether objects of a class may have a state that is not in their attributes."""
    return any(not base.__flags__ & HEAP_TYPE for base in kind.__mro__ if base is not object) or any(
        getattr(kind, name, None) is not getattr(object, name, None)
        and not isinstance(getattr(kind, name, None), FunctionType)
        for name in _PICKLING
    )


def _pickled_state(value: Any) -> Any:
    """Return the state of an object that pickle keeps, without its class; None if it cannot be pickled."""
    try:
        reduced = value.__reduce_ex__(4)
    except Exception:
        # An object that cannot be pickled may raise any exception.
        return None
    if isinstance(reduced, str):
        return reduced
    # The function that restores the object, and its class, say nothing about its content.
    parts = [part for part in reduced[1] if part is not type(value)] if len(reduced) > 1 else []
    parts += [part if isinstance(part, Mapping | Sequence) else list(part) for part in reduced[2:5] if part]
    return [part for part in parts if part is not None]


def class_of(kind: type) -> str | dict[str, Any]:
    """Return the name of a class; if no module has it, also its attributes that are not code."""
    owner: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        owner = getattr(owner, name, None)
    if owner is kind:
        return type_name(kind)
    attributes = {
        name: entry
        for name, entry in vars(kind).items()
        if not (name.startswith("__") or callable(entry) or hasattr(entry, "__get__"))
    }
    return {"name": type_name(kind), **attributes} if attributes else type_name(kind)


def type_name(kind: type) -> str:
    """Return the full name of a class."""
    return f"{kind.__module__}.{kind.__qualname__}"
