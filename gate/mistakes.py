"""Implementations with one mistake each: a function replaces one method of the implementation without any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from privboost.errors import UsageError

from .profile import FaultyImplementation

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")

NONE = "none"
"""The name of the implementation without a mistake."""


@dataclass(frozen=True, slots=True)
class Mistake(Generic[T]):
    """A function that replaces one method of the implementation, and the label that it violates."""

    name: str
    label: str
    description: str
    method: Callable[..., Any]
    """The right method."""
    replacement: Callable[..., Any]
    make: Callable[[], T]
    """Return a new implementation without a mistake."""
    missed: str = ""
    """Why the gate does not catch the mistake; empty if it does."""

    def build(self) -> T:
        """Return a new implementation with this mistake."""
        implementation = self.make()
        setattr(implementation, self.method.__name__, partial(self.replacement, self.make()))
        return implementation

    def describe(self, first_checks: str = "") -> FaultyImplementation:
        """Return what a profile says of the mistake."""
        return FaultyImplementation(self.label, self.description, self.missed, first_checks)


class Mistakes(dict[str, Mistake[T]]):
    """The mistakes of one profile by name."""

    def __init__(self, make: Callable[[], T], page: str) -> None:
        super().__init__()
        self.make, self.page = make, page

    def of(self, method: Callable[Concatenate[T, P], R], label: str) -> MistakesIn[T, P, R]:
        """Return a decorator of functions that replace a method."""
        return MistakesIn(self, method, label)

    def load(self, name: str) -> T:
        """Return the implementation with a mistake, or without one for `none`."""
        if name == NONE:
            return self.make()
        if name not in self:
            near = get_close_matches(name, (NONE, *self), n=5, cutoff=0.4) or [NONE]
            expected = f"a name of {self.page}, such as {', '.join(near)}"
            raise UsageError(f"faulty: expected {expected}, got '{name}'")
        return self[name].build()


@dataclass(frozen=True, slots=True)
class MistakesIn(Generic[T, P, R]):
    """A decorator of functions that replace one method of the implementation.

    Such a function takes the right implementation, and the arguments of the method. Its name is that of the
    mistake.
    """

    mistakes: Mistakes[T]
    method: Callable[Concatenate[T, P], R]
    label: str

    def __call__(
        self, description: str, label: str = "", missed: str = ""
    ) -> Callable[[Callable[Concatenate[T, P], R]], Callable[Concatenate[T, P], R]]:
        """Register a function as a mistake."""

        def add(function: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
            name = function.__name__.replace("_", "-")
            assert name not in self.mistakes, name
            self.mistakes[name] = Mistake(
                name, label or self.label, description, self.method, function, self.mistakes.make, missed
            )
            return function

        return add
