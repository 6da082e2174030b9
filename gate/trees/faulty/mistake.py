"""The mistakes of this profile, which the modules `mistakes_*` register."""

from __future__ import annotations

from typing import Any

from privboost.gate.mistakes import Mistakes

from .model import Port

MISTAKES = Mistakes(Port, "docs/faulty.md")
"""Every mistake by its name."""
MistakesIn = MISTAKES.of


def remember(right: Port, key: str, value: Any) -> Any:
    """Return the first value that was given with a key."""
    return vars(right).setdefault("memory", {}).setdefault(key, value)
