"""Section 3: perspectives of Bayes risks, bounds on them, the curvature lemma, and the sharp sensitivity."""

from __future__ import annotations

from . import bounds, comparisons, curvature, leaf_risk, levels, perspective, sharp

MODULES = (perspective, curvature, bounds, comparisons, leaf_risk, sharp, levels)
