"""Implementations with one mistake each, which the gate must reject under the label that they violate."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from privboost.errors import UsageError

from .mistake import REGISTRY, Mistake
from .model import Port

__all__ = ["MISTAKES", "NONE", "Mistake", "Port", "load"]

PARTS = ("losses", "privacy", "laws", "leaves", "draws", "trees", "learner")
MODULES = (*PARTS, "seeded_splits", "seeded_leaves", "answers", "table")
"""The modules `mistakes_*`, in the order of the protocol. They register their mistakes when imported."""
for _name in MODULES:
    import_module(f"{__name__}.mistakes_{_name}")

MISTAKES: dict[str, Mistake] = REGISTRY
"""Every mistake by its name."""

NONE = "none"
"""The name of the implementation without a mistake."""


def load(name: str) -> Port:
    """Return the implementation with a mistake, or without one for `none`."""
    if name == NONE:
        return Port()
    if name not in MISTAKES:
        near = get_close_matches(name, (NONE, *MISTAKES), n=5, cutoff=0.4) or [NONE]
        expected = f"a name of docs/faulty.md, such as {', '.join(near)}"
        raise UsageError(f"faulty: expected {expected}, got '{name}'")
    return MISTAKES[name].build()
