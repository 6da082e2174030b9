"""Section 5, linear combinations: weak learning, Theorem thBoostLC1, its proof and its correction."""

from __future__ import annotations

from . import ours, proof, rounds, surrogate, theorem, weak_learning

MODULES = (weak_learning, theorem, surrogate, proof, rounds, ours)

INPUTS = "C H H2 M S T W a alpha beta c d e edge gamma h k m n pi q r s t u w x xi y z"
"""The symbols on which a claim may put conditions: data, parameters, an arbitrary point."""
