"""The data of an erratum: what is printed, the property stated of it, and a witness of the conflict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Witness:
    """Statements about exact values, and whether together they show the conflict."""

    facts: tuple[str, ...]
    shown: bool

    def __str__(self) -> str:
        return "; ".join(self.facts)


@dataclass(frozen=True, slots=True)
class Erratum:
    """A passage of the paper that contradicts a property stated of it."""

    key: str
    label: str
    section: str
    printed: str
    stated: str
    correction: str
    witness: Callable[[], Witness]
