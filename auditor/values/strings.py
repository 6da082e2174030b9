"""Strings of outputs: the numbers in a string are read, and the rest is compared as a whole.

The frame of "sum 1.5 of x20" is "sum # of x20": a number is read unless letters touch it. A string is read if
its frame occurs again, so that calls can be compared; strings with frames that are nearly all different say
nothing about the sides.
"""

from __future__ import annotations

import re
from collections import Counter

_NUMBER_INSIDE = re.compile(r"(?<![\w.])[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?!\w)", re.ASCII)

MOST_UNREAD = 0.1
"""The greatest share of frames that occur once among the strings of a column that counts as read."""


def numbers_inside(string: str) -> list[float]:
    """Return the numbers in a string, in their order."""
    return [float(number) for number in _NUMBER_INSIDE.findall(string)]


class StringColumns:
    """The frames of the strings in every column, numbered by first appearance."""

    def __init__(self) -> None:
        self._frames: dict[str, int] = {}
        self._counts: dict[str, Counter[int]] = {}

    def index_of(self, path: str, string: str) -> int:
        """Return the index of the frame of a string, and count it in the column of the path."""
        frame = _NUMBER_INSIDE.sub("#", string)
        index = self._frames.setdefault(frame, len(self._frames))
        self._counts.setdefault(path, Counter())[index] += 1
        return index

    def unread(self) -> list[tuple[str, int, int]]:
        """Return columns whose frames are too different: path, strings with a frame of their own, strings."""
        columns = []
        for path, counts in self._counts.items():
            alone, total = sum(count == 1 for count in counts.values()), counts.total()
            if alone > max(1, MOST_UNREAD * total):
                columns.append((path, alone, total))
        return columns
