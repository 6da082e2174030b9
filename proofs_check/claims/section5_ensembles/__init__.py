"""Section 5, linear combinations: weak learning, Theorem thBoostLC1, its proof and its correction."""

from __future__ import annotations

from . import ours, proof, rounds, surrogate, theorem, weak_learning

MODULES = (weak_learning, theorem, surrogate, proof, rounds, ours)
