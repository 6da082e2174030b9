"""Pairs of neighbouring inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .relations import relation_of


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring inputs."""

    name: str
    left: Any
    right: Any
    relation: str = ""
    """One of `limits.PAIR_RELATIONS`; if it is empty, that of `relation_of`."""
    exact: float | None = None
    """The exact privacy loss between the two inputs, if known."""
    outside: bool = False
    """Whether an input may be one that the claim does not cover, such as a table with a missing value."""

    def __post_init__(self) -> None:
        if not self.relation:
            object.__setattr__(self, "relation", relation_of(self.left, self.right))
