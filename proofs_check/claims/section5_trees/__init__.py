"""Section 5, trees: weak learning, the boosting theorem thBoostDT1, its proof and its correction."""

from __future__ import annotations

from . import algebra, corrected, drop, guarantees, proof, size, theorem, weak_learning

MODULES = (theorem, size, weak_learning, drop, proof, algebra, corrected, guarantees)

INPUTS = (
    "D K L P Q R R2 S W alpha beta c d delta delta2 eta g gamma inner k label lambda leaves m n n0 n1 omega "
    "p q r slope t tau tau2 theta u1 u2 v v1 v2 w w0 w1 wrong x xi y y2"
)
"""The symbols on which a claim may put conditions: data, parameters, an arbitrary point."""
