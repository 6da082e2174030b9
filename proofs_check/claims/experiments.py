"""Section 7 and the appendix on experiments: counts, tables, orderings."""

from __future__ import annotations

from ..entry import Entry

ENTRIES: tuple[Entry, ...] = ()
