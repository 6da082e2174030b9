"""Labels that carry no claim: sections, figures, tables."""

from __future__ import annotations

from ..entry import Entry

ENTRIES: tuple[Entry, ...] = ()
