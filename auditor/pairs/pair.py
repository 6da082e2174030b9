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
