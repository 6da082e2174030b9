"""Implementations of the gate's protocol: `privboost.fast`, the reference, and faulty ones."""

from __future__ import annotations

from typing import Any

from privboost.errors import UsageError

FAULTY = "faulty:"


def load_implementation(name: str) -> Any:
    """Return the implementation named `fast`, `reference` or `faulty:NAME`, which has `answer(op, args)`."""
    if name == "fast":
        from .fast import FastImplementation

        return FastImplementation()
    if name == "reference":
        from .reference import ReferenceImplementation

        return ReferenceImplementation()
    if name.startswith(FAULTY):
        from privboost.gate.trees.faulty import load

        return load(name.removeprefix(FAULTY))
    raise UsageError(f"target: expected fast, reference or faulty:NAME, got '{name}'")
