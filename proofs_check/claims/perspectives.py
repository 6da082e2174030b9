"""Section 3: perspectives, the curvature lemma, the four bounds and the interpolated one."""

from __future__ import annotations

from ..entry import Entry

ENTRIES: tuple[Entry, ...] = ()
