"""Ours: the sharp sensitivity of every Bayes risk, and the cost of a level of a tree."""

from __future__ import annotations

from ..entry import Entry

ENTRIES: tuple[Entry, ...] = ()
