"""Section 3: perspectives of Bayes risks, bounds on them, the curvature lemma, and the sharp sensitivity."""

from __future__ import annotations

from privboost.proofs_check.entry import Symbols
from privboost.proofs_check.language import reals

N2, Z2 = reals("N2 Z2")

MODULES = ("perspective", "curvature", "bounds", "comparisons", "leaf_risk", "sharp", "levels")

SYMBOLS = Symbols(
    "A B D E G J L L0 R W a b c d epsilon k m n p p2 q q1 q2 q3 s s2 t theta u v v1 v2 v3 w w1 w2 w3 x y",
    positive="N N2 P P2 Q2 Z2",
    meaning=(0 < N2, 0 < Z2),
    stands_for="""
        k = exp(epsilon/2)
        N = exp(epsilon/(2·D)·s)
        N2 = exp(epsilon/(2·D)·s2)
        Z: 0; Z → Z + N
        Z2: 0; Z2 → Z2 + N2
        P = N/Z
        P2 = N2/Z2
        P2 = N/Z
        Q = N2/Z2
        Q2 = N/Z
    """,
)
