"""The levels of the profile `trees`."""

from __future__ import annotations

from enum import StrEnum


class Level(StrEnum):
    """A part of the protocol; levels are run in this order."""

    WIRE = "wire"
    VALUES = "values"
    MECHANISMS = "mechanisms"
    LEARNER = "learner"
    PRIVACY = "privacy"
    REFUSAL = "refusal"
