"""Section 5, trees: weak learning, the boosting theorem thBoostDT1, its proof and its correction."""

from __future__ import annotations

from . import algebra, corrected, drop, guarantees, proof, size, theorem, weak_learning

MODULES = (theorem, size, weak_learning, drop, proof, algebra, corrected, guarantees)
