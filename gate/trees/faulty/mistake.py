"""The class `Mistake`, and the decorators of the functions in `mistakes_*`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from .model import Port

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Mistake:
    """A function that replaces one method of the implementation, and the label that it violates."""

    name: str
    label: str
    description: str
    method: Callable[..., Any]
    """The right method."""
    replacement: Callable[..., Any]
    missed: str = ""
    """Why the gate does not catch the mistake; empty if it does."""

    def build(self) -> Port:
        """Return a new implementation with this mistake."""
        implementation = Port()
        setattr(implementation, self.method.__name__, partial(self.replacement, Port()))
        return implementation


REGISTRY: dict[str, Mistake] = {}


@dataclass(frozen=True, slots=True)
class MistakesIn(Generic[P, R]):
    """A decorator of functions that replace one method of the implementation.

    Such a function takes the right implementation, and the arguments of the method. Its name is that of the
    mistake.
    """

    method: Callable[Concatenate[Port, P], R]
    label: str

    def __call__(
        self, description: str, label: str = "", missed: str = ""
    ) -> Callable[[Callable[Concatenate[Port, P], R]], Callable[Concatenate[Port, P], R]]:
        """Register a function as a mistake."""

        def add(function: Callable[Concatenate[Port, P], R]) -> Callable[Concatenate[Port, P], R]:
            name = function.__name__.replace("_", "-")
            assert name not in REGISTRY, name
            REGISTRY[name] = Mistake(name, label or self.label, description, self.method, function, missed)
            return function

        return add


def remember(right: Port, key: str, value: Any) -> Any:
    """Return the first value that was given with a key."""
    return vars(right).setdefault("memory", {}).setdefault(key, value)
