"""The mistakes of this profile, which the modules `mistakes_*` register."""

from __future__ import annotations

from privboost.gate.mistakes import Mistakes

from .model import PlainLibrary

MISTAKES = Mistakes(PlainLibrary, "docs/mechanisms_faulty.md")
"""Every mistake by its name."""
MistakesIn = MISTAKES.of
