"""What is known of the groups of rows in a data set, and public about them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
