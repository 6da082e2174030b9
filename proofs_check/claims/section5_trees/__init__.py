"""Section 5, trees: weak learning, the boosting theorem thBoostDT1, its proof and its correction."""

from __future__ import annotations

from privboost.proofs_check.entry import Symbols

MODULES = ("theorem", "size", "weak_learning", "drop", "proof", "algebra", "corrected", "guarantees")

SYMBOLS = Symbols(
    "D K L P Q R2 S W alpha beta c d delta delta2 eta g gamma k label lambda m n n0 n1 omega "
    "p q r slope t tau tau2 theta u1 u2 v v1 v2 w w0 w1 wrong x xi y y2",
    positive="E E2 M R",
    stands_for="""
        D: 0; D → D + 1
        L: 0; L → L + 1
        mass: 0; mass → mass + v
        E: 0; E → E + w·2·min(q, 1 - q)
        E = 2·w·min(q, 1 - q) + R
        E2 = 2·w·(min(q·x, (1 - q)·y) + min(q·(1 - x), (1 - q)·(1 - y))) + R
        M: 0; M → M + w·2·sqrt(q·(1 - q))
        M: 2·sqrt(q·(1 - q)); M → M2
        M = w·2·sqrt(q·(1 - q)) + R
        M2: 0; M2 → M2 + w·2·sqrt(q·(1 - q))·(sqrt(x·y) + sqrt((1 - x)·(1 - y)))
        M2 = w·2·sqrt(q·(1 - q))·(sqrt(x·y) + sqrt((1 - x)·(1 - y))) + R
        t = w·2·sqrt(q·(1 - q))/(w·2·sqrt(q·(1 - q)) + R)
        S: 0; S → S + omega·alpha
        S: 0; Omega → Omega + t
        Omega: 0; Omega → Omega + omega
        Omega: 0; Omega → Omega + t
    """,
)
