"""Sections 2, 3 and 6: privacy, what a private split and a private ensemble release, and what they leak."""

from __future__ import annotations

from . import definitions, releases, splits

MODULES = (definitions, splits, releases)
