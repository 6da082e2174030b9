"""Section 5, linear combinations: weak learning, Theorem thBoostLC1, its proof and its correction."""

from __future__ import annotations

from privboost.proofs_check.claims.common import ZERO
from privboost.proofs_check.entry import Symbols
from privboost.proofs_check.language import infix

from . import weak_learning
from .weak_learning import beta, f, h, n, weight, y, z

MODULES = ("weak_learning", "theorem", "surrogate", "proof", "rounds", "ours")

SYMBOLS = Symbols(
    "C H H2 M S T W a alpha beta c d e edge gamma h k m n pi q r s t u w x xi y z",
    positive="f total",
    meaning=(0 < f,),
    stands_for=f"""
        n: 0; n → n + 1
        total: 0; total → total + w
        aligned: 0; aligned → aligned + w·y·h
        T: 0; T → T + 1
        S: 0; S → S + w^2
        C: 0; C → C + x
        E: 0; E → E + (C/n)^2
        E: 0; E → E + w^2·edge^2
        w: 0; W → W + w/n
        x = {infix(y * h * weight(z))}
        f = {infix(weak_learning.surrogate(z))}
        g = {infix(weak_learning.surrogate(z + beta * y * h))}
        old: 0; old → old + f
        new: 0; new → new + g
        f: {infix(weak_learning.surrogate(ZERO))}; old/n → new/n
        f: 0; f → {infix(f + weak_learning.surrogate(z) / n)}
        err: 0; err → err + x/n
        best: 1; best → min(best, err)
    """,
)
