"""Section 5, linear combinations: the surrogate's curvature, one round, the boosting theorem."""

from __future__ import annotations

from ..entry import Entry

ENTRIES: tuple[Entry, ...] = ()
