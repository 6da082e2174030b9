"""Implementations with one mistake each, which the gate must reject under the label that they violate."""

from __future__ import annotations

from importlib import import_module

from .mistake import MISTAKES
from .model import Port

__all__ = ["MISTAKES", "Port", "load"]

PARTS = ("losses", "privacy", "laws", "leaves", "draws", "trees", "learner")
MODULES = (*PARTS, "seeded_splits", "seeded_leaves", "answers", "table")
"""The modules `mistakes_*`, in the order of the protocol. They register their mistakes when imported."""
for _name in MODULES:
    import_module(f"{__name__}.mistakes_{_name}")

load = MISTAKES.load
