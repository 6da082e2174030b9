"""Implementations of the gate's protocol: `privboost.fast`, the reference, and faulty ones."""

from __future__ import annotations

from typing import Any

from privboost.errors import UsageError

FAULTY = "faulty:"


def body_of(text: str) -> Any:
    """Return the implementation named `fast`, `reference` or `faulty:NAME`, which has `answer(op, args)`."""
    if text == "fast":
        from .fast import FastBody

        return FastBody()
    if text == "reference":
        from .reference import ReferenceBody

        return ReferenceBody()
    if text.startswith(FAULTY):
        from privboost.gate.faulty import load

        return load(text.removeprefix(FAULTY))
    raise UsageError(f"target: expected fast, reference or faulty:NAME, got '{text}'")
