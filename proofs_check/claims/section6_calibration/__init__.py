"""Section 6: objective calibration, Theorem thBOOSTDP1, its proof and its correction."""

from __future__ import annotations

from . import bounds, corrected, gap, mechanism, probability, proof, sequence, split, theorem

MODULES = (mechanism, gap, theorem, corrected, proof, split, sequence, bounds, probability)
