"""Implementations of this project behind the gate's protocol: the reference, and `privboost.fast`."""

from __future__ import annotations

from typing import Any

from privboost.errors import UsageError

FAULTY = "faulty:"


def body_of(text: str) -> Any:
    """Return the object that `fast`, `reference` or `faulty:NAME` stands for; it has `answer(op, args)`."""
    if text == "fast":
        from .fast_body import FastBody

        return FastBody()
    if text == "reference":
        from .reference_body import ReferenceBody

        return ReferenceBody()
    if text.startswith(FAULTY):
        from privboost.oracle_tests.faulty import load

        return load(text.removeprefix(FAULTY))
    raise UsageError(f"target: expected fast, reference or faulty:NAME, found '{text}'")
