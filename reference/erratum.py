"""The data of an erratum: its key, and a witness of the conflict of a printed formula with its properties.

The proof ledger says what is printed, and what holds instead.
"""

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
    witness: Callable[[], Witness]
