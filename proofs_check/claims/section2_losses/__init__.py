"""Section 2: proper losses, their Bayes risks, and the two views of a loss."""

from __future__ import annotations

from . import definitions, duality, examples

MODULES = (definitions, examples, duality)

INPUTS = "a b c d e g h k lx ly lz p q s t u w x y z"
"""The symbols on which a claim may put conditions: data, parameters, an arbitrary point."""
