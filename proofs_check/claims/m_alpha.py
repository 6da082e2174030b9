"""Section 4 and its proof: risk, link, inverse link, conjugate and surrogate of the M-alpha loss."""

from __future__ import annotations

from ..entry import Entry

ENTRIES: tuple[Entry, ...] = ()
