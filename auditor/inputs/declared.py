"""What an object says of its inputs and its results, such as a transformation of another library."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .description import Description

KEYS, LENGTHS = "keys", "lengths"


@dataclass(frozen=True, slots=True)
class Grouping:
    """What is known of the groups of rows that have equal cells in some columns."""

    columns: tuple[int, ...]
    most_rows: int | None = None
    """The greatest number of rows in a group."""
    most_groups: int | None = None
    public: str | None = None
    """KEYS if neighbours have the same groups, LENGTHS if also as many rows in each."""

    def agree(self, left: Sequence[Any], right: Sequence[Any]) -> bool:
        """Return whether two data sets have such groups, and do not differ in what is public."""
        counts = [Counter(repr([row[at] for at in self.columns]) for row in side) for side in (left, right)]
        most = math.inf if self.most_rows is None else self.most_rows
        groups = math.inf if self.most_groups is None else self.most_groups
        if any(len(count) > groups or max(count.values(), default=0) > most for count in counts):
            return False
        if self.public == LENGTHS:
            return counts[0] == counts[1]
        # Without columns all rows are one group, whose key is public in any case.
        return self.public != KEYS or not self.columns or counts[0].keys() == counts[1].keys()


@dataclass(frozen=True, slots=True)
class Declared:
    """The inputs of a function, their relation, and what is claimed of the results."""

    inputs: Description | None
    """None for inputs that the object does not describe."""
    relation: str
    distance: str = ""
    """The metric of the results; empty for a function with noise."""
    bounds: tuple[Fraction, ...] = ()
    """The greatest distances of results for one step of the relation, two steps, and so on."""
    claim: str = ""
    """The claim of privacy of a function with noise, as `parse_claim` reads it."""
    groupings: tuple[Grouping, ...] = ()

    def agree(self, left: Sequence[Any], right: Sequence[Any]) -> bool:
        """Return whether two inputs are covered by the claim, as far as groups of rows say it."""
        return all(grouping.agree(left, right) for grouping in self.groupings)
