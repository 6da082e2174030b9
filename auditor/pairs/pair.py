"""Pairs of neighbouring inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring inputs."""

    name: str
    left: Any
    right: Any
    relation: str = "exchange"
    exact: float | None = None
    """The exact privacy loss between the two inputs, if known."""
    outside: bool = False
    """Whether an input may be one that the claim does not cover, such as a table with a missing value."""

    def side(self, index: int) -> Any:
        """Return the left input for 0 and the right one for 1."""
        return self.right if index else self.left
