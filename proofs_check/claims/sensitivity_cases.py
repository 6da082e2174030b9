"""Appendix, the case analysis in the proof of Theorem th3P, case by case."""

from __future__ import annotations

from ..entry import Entry

ENTRIES: tuple[Entry, ...] = ()
