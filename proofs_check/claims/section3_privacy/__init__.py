"""Sections 2, 3 and 6: privacy, and the releases and leaks of private splits and ensembles."""

from __future__ import annotations

from . import definitions, releases, splits

MODULES = (definitions, splits, releases)
