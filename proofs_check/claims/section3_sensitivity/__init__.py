"""Section 3, Theorem th3P: the sensitivity of every Bayes risk, and the cases of its proof."""

from __future__ import annotations

from privboost.proofs_check.entry import Symbols

MODULES = (
    "theorem",
    "lemmas",
    "bounds",
    "cases",
    "cases_flip",
    "cases_positive_low",
    "cases_positive",
    "cases_negative_first",
    "cases_negative",
)

SYMBOLS = Symbols("F F2 L a b delta i j m neg p pos q q0 q2 r s t u v v2 w w1 w12 w2 x x0 x1 y y0 y1")
