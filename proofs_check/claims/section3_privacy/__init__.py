"""Sections 2, 3 and 6: privacy, and the releases and leaks of private splits and ensembles."""

from __future__ import annotations

from privboost.proofs_check.entry import Symbols
from privboost.proofs_check.language import reals

N1, N2, Z1, Z2 = reals("N1 N2 Z1 Z2")

MODULES = ("definitions", "splits", "releases", "gaussian")

SYMBOLS = Symbols(
    "B D M T a alpha b b2 c c1 c2 d e e1 e2 f f1 f2 g h h2 k k1 k2 m n p p1 p2 q q1 q2 r s t u v w w1 w2 "
    "x y z",
    positive="N1 N2 Z1 Z2 joint joint2",
    meaning=(0 < N1, 0 < N2, 0 < Z1, 0 < Z2),
    stands_for="""
        N1 = exp(r·a)
        N2 = exp(r·b)
        N1 = exp(r·b)
        N2 = exp(r·a)
        Z1: 0; total → total + N1
        Z2: 0; total2 → total2 + N2
        moved = abs(x + min(u, w)·y - (x + min(v, w)·z))
        moved: 0; moved → moved + abs(f1 - f2)
        near: 0; near → near + abs(x - f1)
        far: 0; far → far + abs(x - f2)
    """,
)
