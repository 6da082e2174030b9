"""Events: sets of outputs on which one side is guessed, as values; `auditor.files` puts them in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .columns import Column


class Feature(StrEnum):
    """A function of a scaled column that a score adds up."""

    NUMBER = "number"
    SIGN = "sign"
    DISTANCE = "distance"


@dataclass(frozen=True, slots=True)
class ScoreTerm:
    """One term of a weighted sum: a weight times a feature of a column, relative to its centre."""

    weight: float
    feature: Feature
    column: Column
    centre: float


@dataclass(frozen=True, slots=True)
class Score:
    """A score of outputs that was learned: a weighted sum, log odds by cells, or else by boosted trees.

    Log odds of cells are added up over `n_terms` numbers, or the greatest is the score if it is 0.
    """

    terms: tuple[ScoreTerm, ...] = ()
    """Those with the largest weights, largest first."""
    n_terms: int = 0
    cells: tuple[Event, ...] = ()
    """Cells of single numbers with the greatest log odds, each with its side."""


@dataclass(frozen=True, slots=True)
class ValueRange:
    """The outputs whose number in a column, or whose score, is in [low, high), or is missing.

    `low` equal to `high` means exactly this number.
    """

    column: Column | Score
    low: float | None = None
    high: float | None = None
    known: bool = True
    """Whether outputs that have the number belong to the range; if not, `low` and `high` are None."""
    missing: bool = False
    """Whether outputs without the number belong to the range."""
    strings: tuple[str, ...] | None = None
    """The strings so far that the numbers stand for, if the column is one of strings."""
    digits: int = 6
    """Significant digits that tell this range from other ranges of its partition."""


@dataclass(frozen=True, slots=True)
class Event:
    """The outputs that are in all of some ranges, and the side that is guessed on them."""

    ranges: tuple[ValueRange, ...]
    side: int = 0
    """-1: the left side is guessed here, 1: the right one, 0: neither."""
    other: bool = False
    """Whether the event is that no other cell of the partition has the output."""
    alike: tuple[int, int] | None = None
    """(k, n): the event is the k-th of n outputs that have the same numbers and differ in something else."""
