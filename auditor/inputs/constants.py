"""Constants at which a function may branch: in its source, its defaults, its closures and what it calls."""

from __future__ import annotations

import dis
import functools
import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

MOST_CONSTANTS = 200
LONGEST = 200
"""Greatest length of a string that is a constant and no documentation."""
DEEPEST = 4
"""Greatest number of calls that are followed."""


def constants_of(function: Callable[..., Any] | ModuleType) -> tuple[Any, ...]:
    """Return the numbers and strings of a function and of what it calls in its module, each once.

    They are read from its code, its defaults, the arguments of a partial, closures, the attributes of an
    object, and global names of its module. A function without Python code has none; those of a module are
    of all its code.
    """
    values = list(_values_of(function, DEEPEST, set()))
    return tuple({f"{type(value).__name__} {value!r}": value for value in values}.values())[:MOST_CONSTANTS]


def _values_of(value: Any, depth: int, seen: set[int]) -> Iterator[Any]:
    """Yield the constants of a value: itself, its entries, or those of a function."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, str):
        yield from [value] if 0 < len(value) <= LONGEST else []
    elif depth > 0 and id(value) not in seen:
        seen.add(id(value))
        for part in _parts_of(value):
            yield from _values_of(part, depth - 1, seen)


def _parts_of(value: Any) -> list[Any]:
    """Return what a value consists of, as far as constants can be in it."""
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, FunctionType):
        return _parts_of_function(value)
    if isinstance(value, ModuleType):
        return _parts_of_module(value)
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)[:MOST_CONSTANTS]
    if isinstance(value, dict):
        return [*value.keys(), *value.values()][:MOST_CONSTANTS]
    if isinstance(value, type) or not hasattr(value, "__dict__"):
        return []
    call = inspect.getattr_static(type(value), "__call__", None)
    return [*vars(value).values(), *([call] if isinstance(call, FunctionType) else [])]


def _parts_of_function(function: FunctionType) -> list[Any]:
    """Return the constants and defaults of a function, and what it refers to in closures and its module."""
    closed = [cell.cell_contents for cell in function.__closure__ or () if _is_full(cell)]
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    own = [function.__globals__[name] for name in sorted(names & function.__globals__.keys())]
    near = [part for part in own if not inspect.ismodule(part) and _is_of_module(part, function.__module__)]
    return [
        *(constant for constant in _constants_in(function.__code__) if constant != function.__doc__),
        *(function.__defaults__ or ()),
        *(function.__kwdefaults__ or {}).values(),
        *closed,
        *near,
    ]


def _parts_of_module(module: ModuleType) -> list[Any]:
    """Return the constants of a module and of its functions, as far as its code is known."""
    get_code = getattr(getattr(module.__spec__, "loader", None), "get_code", None)
    code = get_code(module.__name__) if callable(get_code) else None
    return [] if code is None else [each for each in _constants_in(code) if each != module.__doc__]


def _constants_in(code: CodeType) -> list[Any]:
    """Return the constants of code and of the functions inside of it."""
    return [
        constant
        for inner in _codes(code)
        for constant in (*inner.co_consts, *_small_integers(inner))
        if not isinstance(constant, CodeType)
    ]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of the functions inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _small_integers(code: CodeType) -> list[int]:
    """Return the integers that are in the instructions themselves, as from Python 3.14 on."""
    return [step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_SMALL_INT"]


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _is_of_module(value: Any, module: str) -> bool:
    """Return whether a global value is data, or a function that the same module defines."""
    return not (callable(value) and getattr(value, "__module__", module) != module)
