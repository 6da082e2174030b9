"""The class `Mistake`, and the registry of the classes in `mistakes_*`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .model import Implementation


@dataclass(frozen=True, slots=True)
class Mistake:
    """An implementation with one mistake, the label that it violates, and a description."""

    name: str
    label: str
    description: str
    implementation: type[Implementation]
    missed: str = ""
    """Why the gate does not catch the mistake; empty if it does."""


REGISTRY: dict[str, Mistake] = {}


def mistake(
    name: str, label: str, description: str, missed: str = ""
) -> Callable[[type[Implementation]], type[Implementation]]:
    """Register a class as a mistake."""

    def add(implementation: type[Implementation]) -> type[Implementation]:
        assert name not in REGISTRY, name
        implementation.__doc__ = description
        REGISTRY[name] = Mistake(name, label, description, implementation, missed)
        return implementation

    return add
