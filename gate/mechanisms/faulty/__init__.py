"""Implementations with one mistake each, which the gate must reject under the label that they violate."""

from __future__ import annotations

from importlib import import_module

from .mistake import MISTAKES

__all__ = ["MISTAKES", "load"]

MODULES = ("noise", "aggregates", "steps", "accounting", "refusals", "requests")
"""The modules `mistakes_*`, in the order of the protocol. They register their mistakes when imported."""
for _name in MODULES:
    import_module(f"{__name__}.mistakes_{_name}")

load = MISTAKES.load
