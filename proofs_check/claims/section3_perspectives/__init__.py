"""Section 3: perspectives of Bayes risks, bounds on them, the curvature lemma, and the sharp sensitivity."""

from __future__ import annotations

from . import bounds, comparisons, curvature, leaf_risk, levels, perspective, sharp

MODULES = (perspective, curvature, bounds, comparisons, leaf_risk, sharp, levels)

INPUTS = "A B D E J L0 R a b c d epsilon k m n p p2 q q1 q2 q3 s s2 t theta u v v1 v2 v3 w w1 w2 w3 x y"
"""The symbols on which a claim may put conditions: data, parameters, an arbitrary point."""
