"""Section 2: proper losses, their Bayes risks, and the two views of a loss."""

from __future__ import annotations

from privboost.proofs_check.entry import Symbols

MODULES = ("definitions", "examples", "duality")

SYMBOLS = Symbols("L N P a b c d e g h k lx ly lz p q s t u w x y z")
