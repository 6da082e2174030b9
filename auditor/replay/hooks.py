"""Replace the methods that draw: of NumPy's generators, of `random`, and of the operating system.

The methods of a class of NumPy cannot be assigned, so that its dictionary is changed. All generators are then
covered, also those that exist already. Functions that a module has imported by name are replaced there, too.
Everything is put back at the end.
"""

from __future__ import annotations

import ctypes
import gc
import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial, wraps
from types import BuiltinFunctionType, MethodType
from typing import Any

import numpy as np

from .laws import name_parameters
from .libraries import install_libraries
from .recording import Drawing, current, inside
from .sites import find_site

NOT_DRAWS = frozenset({"bit_generator", "spawn", "get_state", "set_state", "seed", "getstate", "setstate"})
_PYTHON_METHODS = """
random uniform triangular randint choice randrange sample shuffle choices normalvariate lognormvariate
expovariate vonmisesvariate gammavariate gauss betavariate binomialvariate paretovariate weibullvariate
getrandbits randbytes
"""
PYTHON_DRAWS = tuple(_PYTHON_METHODS.split())
"""The methods of `random.Random` that draw, of all versions of Python."""


@contextmanager
def hooks() -> Iterator[None]:
    """Record draws and releases while this context is open and a recorder is current."""
    with ExitStack() as undo:
        replaced: dict[int, Any] = {}
        for kind in (np.random.Generator, np.random.RandomState):
            wrappers = {
                name: _numpy_method(kind, name, method)
                for name, method in vars(kind).items()
                if not name.startswith("_") and name not in NOT_DRAWS and callable(method)
            }
            for name, wrapper in wrappers.items():
                undo.callback(_set_in_type, kind, name, _set_in_type(kind, name, wrapper))
            if kind is np.random.RandomState:
                _replace_functions(np.random, wrappers, replaced)
        wrappers = {
            name: _python_method(name, getattr(random.Random, name))
            for name in PYTHON_DRAWS
            if hasattr(random.Random, name)
        }
        originals = {name: getattr(random.Random, name) for name in wrappers}
        _replace_functions(random, wrappers, replaced)
        for name, wrapper in wrappers.items():
            undo.enter_context(_attribute(random.Random, name, wrapper))
        for name in ("random", "getrandbits", "randbytes"):
            if name in vars(random.SystemRandom):
                system = _system_method(name, originals[name])
                undo.enter_context(_attribute(random.SystemRandom, name, system))
        replaced[id(os.urandom)] = (os.urandom, _urandom)
        _replace_in_modules(replaced, undo)
        install_libraries(undo)
        yield


def _set_in_type(kind: type, name: str, value: Any) -> Any:
    """Set an attribute of a class that does not allow it, and return the old value."""
    attributes = gc.get_referents(kind.__dict__)[0]
    old = attributes[name]
    attributes[name] = value
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
    return old


@contextmanager
def _attribute(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Set an attribute, and put back the old one or none."""
    had, old = name in vars(owner), vars(owner).get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if had:
            setattr(owner, name, old)
        else:
            delattr(owner, name)


def _replace_functions(
    module: Any, wrappers: dict[str, Callable[..., Any]], replaced: dict[int, Any]
) -> None:
    """Note what replaces the functions of a module that are methods of its own generator."""
    for value in list(vars(module).values()):
        owner = getattr(value, "__self__", None)
        name = getattr(value, "__name__", "")
        if isinstance(value, BuiltinFunctionType | MethodType) and name in wrappers and owner is not None:
            replaced[id(value)] = (value, partial(wrappers[name], owner))


def _replace_in_modules(replaced: dict[int, Any], undo: ExitStack) -> None:
    """Replace functions in all modules that have imported them."""
    for module in list(sys.modules.values()):
        attributes = getattr(module, "__dict__", None)
        if type(attributes) is not dict or getattr(module, "__name__", "").startswith("privboost.auditor"):
            continue
        for name, value in list(attributes.items()):
            old, new = replaced.get(id(value), (None, None))
            if old is value and new is not None:
                attributes[name] = new
                undo.callback(attributes.__setitem__, name, value)


# Draws ----------------------------------------------------------------------------------------------------


def _numpy_method(kind: Any, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of a generator of NumPy that is recorded."""
    is_legacy = kind is np.random.RandomState

    @wraps(method)
    def draw(self: Any, *arguments: Any, **named: Any) -> Any:
        recorder = current()
        site = None if recorder is None else find_site(sys._getframe(1))
        if recorder is None or site is None:
            return method(self, *arguments, **named)

        def sample(coins: Any) -> Any:
            with inside():
                generator = self if coins is None else _numpy_at(kind, coins)
                return method(generator, *arguments, **named)

        def coins_now() -> Any:
            return self.get_state(legacy=False) if is_legacy else self.bit_generator.state

        parameters = name_parameters(name, arguments, named)
        return recorder.draw(Drawing((site, name), parameters, self, coins_now, sample, name != "bytes"))

    return draw


def _numpy_at(kind: Any, coins: Any) -> Any:
    """Return a generator of NumPy in a state."""
    bits = getattr(np.random, coins["bit_generator"])()
    if kind is np.random.RandomState:
        generator = kind(bits)
        generator.set_state(coins)
        return generator
    bits.state = coins
    return kind(bits)


def _python_method(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of `random.Random` that is recorded."""

    @wraps(method)
    def draw(self: Any, *arguments: Any, **named: Any) -> Any:
        recorder = current()
        site = None if recorder is None else find_site(sys._getframe(1))
        if recorder is None or site is None:
            return method(self, *arguments, **named)
        is_system = isinstance(self, random.SystemRandom)

        def sample(coins: Any) -> Any:
            generator = self
            with inside():
                if is_system:
                    generator = random.Random(coins)
                elif coins is not None:
                    generator = random.Random()
                    generator.setstate(coins)
                return method(generator, *arguments, **named)

        parameters = name_parameters(name, arguments, named)
        coins_now = None if is_system else self.getstate
        generator = None if is_system else self
        return recorder.draw(Drawing((site, name), parameters, generator, coins_now, sample))

    return draw


def _system_method(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of `random.SystemRandom` that is recorded; `method` is that of `random.Random`."""
    original = vars(random.SystemRandom)[name]

    @wraps(original)
    def draw(self: Any, *arguments: Any) -> Any:
        recorder = current()
        site = None if recorder is None else find_site(sys._getframe(1))
        if recorder is None or site is None:
            return original(self, *arguments)

        def sample(coins: Any) -> Any:
            return method(random.Random(coins), *arguments)

        return recorder.draw(Drawing((site, name), {}, None, None, sample))

    return draw


_original_urandom = os.urandom


def _urandom(size: int, /) -> bytes:
    """Return random bytes; while a run is recorded, those of a seed of the recorder."""
    recorder = current()
    site = None if recorder is None else find_site(sys._getframe(1))
    if recorder is None or site is None:
        return _original_urandom(size)

    def sample(coins: Any) -> bytes:
        with inside():
            return random.Random(coins).getrandbits(8 * size).to_bytes(size, "little") if size else b""

    drawn: bytes = recorder.draw(Drawing((site, "urandom"), {}, None, None, sample, keep=False))
    return drawn
