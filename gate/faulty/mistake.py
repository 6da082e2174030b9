"""The class of mistakes, and the registry that the modules `mistakes_*` fill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .model import Plain


@dataclass(frozen=True, slots=True)
class Mistake:
    """An implementation with one mistake, the label that must reject it, and a sentence about it."""

    name: str
    label: str
    sentence: str
    implementation: type[Plain]


KNOWN: dict[str, Mistake] = {}


def mistake(name: str, label: str, sentence: str) -> Callable[[type[Plain]], type[Plain]]:
    """Add a class to the list of mistakes."""

    def add(implementation: type[Plain]) -> type[Plain]:
        assert name not in KNOWN, name
        implementation.__doc__ = sentence
        KNOWN[name] = Mistake(name, label, sentence, implementation)
        return implementation

    return add
