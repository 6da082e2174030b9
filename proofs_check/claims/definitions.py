"""Sections 1 and 2: losses, Bayes risks, links, surrogates."""

from __future__ import annotations

from ..entry import Entry

ENTRIES: tuple[Entry, ...] = ()
