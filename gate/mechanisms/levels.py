"""The levels of the profile `mechanisms`."""

from __future__ import annotations

from enum import StrEnum


class Level(StrEnum):
    """A part of the protocol; levels are run in this order."""

    WIRE = "wire"
    NUMBERS = "numbers"
    """Accounting: numbers that may not be too small."""
    MAPS = "maps"
    """Steps without noise: how far one row moves their result."""
    LAWS = "laws"
    """Draws: their law, given what a caller gives."""
    REFUSAL = "refusal"
