"""Section 5, trees: weak learning, one split, the boosting theorem, as printed and corrected."""

from __future__ import annotations

from ..entry import Entry

ENTRIES: tuple[Entry, ...] = ()
