"""Section 6: objective calibration and boosting through the exponential mechanism."""

from __future__ import annotations

from ..entry import Entry

ENTRIES: tuple[Entry, ...] = ()
