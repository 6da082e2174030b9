"""Privacy (Sections 2 and 6): what it is, mechanisms, composition, and what the printed algorithm leaks."""

from __future__ import annotations

from ..entry import Entry

ENTRIES: tuple[Entry, ...] = ()
