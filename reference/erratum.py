"""What an erratum of the paper is: a printed text, a stated property, and an exact witness that they part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Witness:
    """Exact values that part, in words, and whether they do."""

    facts: tuple[str, ...]
    shown: bool

    def __str__(self) -> str:
        return "; ".join(self.facts)


@dataclass(frozen=True, slots=True)
class Erratum:
    """A place of the paper where the printed text and a stated property disagree."""

    key: str
    label: str
    section: str
    printed: str
    stated: str
    correction: str
    witness: Callable[[], Witness]
