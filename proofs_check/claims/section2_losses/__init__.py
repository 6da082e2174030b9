"""Section 2: proper losses, their Bayes risks, and the two views of a loss."""

from __future__ import annotations

from . import definitions, duality, examples

MODULES = (definitions, examples, duality)
