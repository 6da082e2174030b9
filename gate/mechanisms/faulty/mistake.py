"""The mistakes of this profile, which the modules `mistakes_*` register."""

from __future__ import annotations

from privboost.gate.mistakes import Mistakes

from .model import Plain

MISTAKES = Mistakes(Plain)
"""Every mistake by its name."""
MistakesIn = MISTAKES.of
