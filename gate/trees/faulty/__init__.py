"""Implementations with one mistake each, which the gate must reject under the label that they violate."""

from __future__ import annotations

from difflib import get_close_matches

from privboost.errors import UsageError

from . import (
    mistakes_answers,
    mistakes_draws,
    mistakes_laws,
    mistakes_learner,
    mistakes_leaves,
    mistakes_losses,
    mistakes_privacy,
    mistakes_seeded_leaves,
    mistakes_seeded_splits,
    mistakes_trees,
)
from .mistake import REGISTRY, Mistake
from .model import Port

__all__ = ["MISTAKES", "NONE", "Mistake", "Port", "load"]

MODULES = (
    mistakes_losses,
    mistakes_privacy,
    mistakes_laws,
    mistakes_leaves,
    mistakes_draws,
    mistakes_trees,
    mistakes_learner,
    mistakes_seeded_splits,
    mistakes_seeded_leaves,
    mistakes_answers,
)
"""The modules that define mistakes, in the order of the protocol."""

MISTAKES: dict[str, Mistake] = {
    name: mistake
    for module in MODULES
    for name, mistake in REGISTRY.items()
    if mistake.replacement.__module__ == module.__name__
}
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
