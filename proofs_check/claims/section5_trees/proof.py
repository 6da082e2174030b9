"""Appendix, proof of Theorem thBoostDT1: from one split to the tree, step by step.

| here | paper |
|---|---|
| `alpha`, `beta` | α_l and α_(l-1) |
| `c` | γ² w_l / 16, with the normalised weight w_l of the leaf that is split |
| `M`, `E`, `M2`, `E2` | Matsushita and 0/1 risk of h_l and of h_(l+1), normalised |
| `R` | the Matsushita risk of the leaves of h_l that are not split |
| `x`, `y` | the fractions of the positives and of the negatives of the leaf that the split sends right |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, paper
from privboost.proofs_check.claims.common import HALF, at
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Severity
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import equal, exp, reals, smaller
from privboost.proofs_check.proofs import Cited, Counterexample, Use, Witness, by_z3

from .computations import printed_theorem_fails
from .terms import KEARNS_MANSOUR, MEANS, MIXED_NEW, MIXED_OLD, RISKS, WEAK, kept, matsushita, unit

q, x, y, gamma = reals("q x y gamma")
alpha, beta, c, w, rest, k = reals("alpha beta c w R k")
m_old, e_old, m_new, e_new = reals("M E M2 E2")

SPLIT = (*WEAK, 0 < q, q < 1, 0 < w, w <= 1, 0 <= rest, rest <= 1 - w)
BEFORE = w * matsushita(q) + rest
AFTER = w * matsushita(q) * kept(x, y) + rest
PURE_LEAF = at(x=1, y=0, gamma=1, q=Fraction(1, 4097), w=HALF, R=HALF)
"""Half of the weight in a leaf with q = 1/2, half in a nearly pure one, which is split perfectly."""
PURE_RISK = HALF + Fraction(64, 4097)
FAIR_LEAF = PURE_LEAF | {"q": HALF}

ENTRIES = (
    paper.Lemma(
        "lemBCONV",
        "With normalised weights, under the WLA and condKMOT1, the empirical risk of h_L is at most ξ once"
        " the sum of w_l α_l reaches (16/γ²) log(1/ξ).",
        also_lines=(1664, 1774),
        refutation=Witness(
            printed_theorem_fails,
            ((9, 8, 83), Fraction(9, 10), Fraction(1), 74, Fraction(1, 22)),
            ((9, 8, 83), Fraction(9, 10), Fraction(1), 70, Fraction(1, 22)),
        ),
        correction="boost.theorem",
        severity=Severity.THEOREM,
        remark="Follows from eqKM1; the witness is that of `thBoostDT1`. The lemma does not repeat the"
        " WLA, which is in force from line 1609 on.",
    ),
    paper.Remark(
        "condKMOT1.constant",
        "At α_l = α_(l-1) = 1 the condition holds for every γ and every weight.",
        also_lines=(1714,),
        given=(0 <= k, *unit(w), equal(alpha, 1), equal(beta, 1)),
        then=alpha <= beta * exp(k * w * (1 - beta)),
        proof=by_z3(Fact("exp(x) >= 1 + x", (k * w * (1 - beta),))),
        control=alpha < beta * exp(k * w * (1 - beta)),
    ),
    paper.Step(
        "condKMOT1.first",
        "With α_0 = 1 the condition leaves α_1 free in [0, 1].",
        line=1762,
        claim=Claim((*unit(alpha, beta, w), 0 <= k, equal(beta, 1)), alpha <= beta * exp(k * w * (1 - beta))),
        proof=by_z3(Fact("exp(x) >= 1 + x", (k * w * (1 - beta),))),
        control=2 * alpha <= beta * exp(k * w * (1 - beta)),
    ),
    paper.Step(
        "condKMOT1.start",
        "The Mα risk is at most the Matsushita risk at every q, so α_0 = 1 is a valid start.",
        line=1761,
        given=unit(q, alpha),
        then=alpha * matsushita(q) + (1 - alpha) * 2 * smaller(q, 1 - q) <= matsushita(q),
        control=matsushita(q) <= alpha * matsushita(q) + (1 - alpha) * 2 * smaller(q, 1 - q),
    ),
    paper.Lemma(
        "tekLEM",
        "If the split of the leaf of normalised weight w in h_l satisfies the γ-WLA and condKMOT1 holds,"
        " the Mα_l risk of h_(l+1) is at most 1 - γ² w α_l/16 times the Mα_(l-1) risk of h_l. Here x and"
        " y are the fractions of the leaf's positives and negatives that go right, q is its proportion of"
        " positives, R the risk of the other leaves, alpha is α_l and beta is α_(l-1).",
        also=("bONEITER",),
        also_lines=(1711, 1751),
        given=(*SPLIT, *unit(alpha, beta), alpha <= beta * exp(gamma**2 * w / 16 * (1 - beta)), q <= HALF),
        then=alpha * AFTER
        + (1 - alpha)
        * (2 * w * (smaller(q * x, (1 - q) * y) + smaller(q * (1 - x), (1 - q) * (1 - y))) + rest)
        <= (1 - gamma**2 * w * alpha / 16) * (beta * BEFORE + (1 - beta) * (2 * w * q + rest)),
        refutation=Counterexample(
            PURE_LEAF | at(alpha=HALF, beta=HALF, q=Fraction(1, 10001)),
            FAIR_LEAF | {"alpha": HALF, "beta": HALF},
        ),
        correction="boost.one-split",
        severity=Severity.THEOREM,
        example=FAIR_LEAF | {"alpha": HALF, "beta": HALF},
        remark="Follows from eqKM1, which is the case α = 1. A perfect split of a leaf with q = 1/10001"
        " and weight 1/2, the other leaf's risk being 1/2 (its q is 1/2, so that this is so for every α),"
        " leaves 0.5000/0.5050 = 0.990 of the risk, and 1 - 1/64 = 0.984 is claimed.",
    ),
    paper.Remark(
        "tekLEM.key-result",
        "The key result of Kearns and Mansour for the Matsushita risk is the case α = 1.",
        line=1714,
        proof=Cited(KEARNS_MANSOUR),
        remark="As printed the case α = 1 is eqKM1, which is false for an arbitrary leaf.",
    ),
    paper.Equation(
        "eqKM1",
        "A split with the γ-WLA of any leaf of normalised weight w multiplies the Matsushita risk of a"
        " tree by at most 1 - γ² w/16. Here x and y are the fractions of the leaf's positives and"
        " negatives that go right, q is its proportion of positives and R the risk of the other leaves.",
        claim=Claim(SPLIT, AFTER <= (1 - gamma**2 * w / 16) * BEFORE),
        refutation=Counterexample(PURE_LEAF, FAIR_LEAF),
        correction="boost.tree-drop",
        severity=Severity.THEOREM,
        remark="A perfect split of a leaf with q = 1/4097 and weight 1/2, the other leaf's risk being 1/2,"
        " leaves 0.5000/0.5156 = 0.9697 of the risk, and 1 - 1/32 = 0.9688 is claimed. The drop is in"
        " proportion to the risk of the leaf, w 2 sqrt(q(1 - q)), not to w times the risk of the tree: a"
        " nearly pure leaf has little to give, however heavy it is. Many other errors follow from this one.",
    ),
    meant.Equation(
        "eqKM1.if-impure",
        "The inequality holds if the leaf that is split is at least as impure as the tree is on average.",
        claim=Claim(SPLIT, AFTER <= (1 - gamma**2 * w / 16) * BEFORE),
        added=(BEFORE <= matsushita(q),),
        hypothesis="2 sqrt(q(1 - q)) of the leaf is at least the Matsushita risk of the tree",
        proof=by_z3(Use("boost.leaf-drop-half", {"x": x, "y": y, "gamma": gamma})),
        without=Counterexample(PURE_LEAF, FAIR_LEAF),
        control=AFTER <= (1 - gamma**2 * w) * BEFORE,
        remark="Even with γ² w/2 in place of γ² w/16.",
    ),
    meant.Step(
        "thBoostDT1.if-impure",
        "The step bONEITER of the printed theorem holds where the leaf that is split is at least as impure"
        " as the tree is on average: the Mα_l risk of h_(l+1) is at most 1 - γ² w α_l/16 times the Mα_(l-1)"
        " risk of h_l.",
        given=(
            *SPLIT,
            *MEANS,
            *RISKS,
            equal(m_old, BEFORE),
            e_new <= e_old,
            equal(m_new, AFTER),
            equal(c, gamma**2 * w / 16),
            alpha * (1 - c * (1 - beta)) <= beta,
        ),
        then=MIXED_NEW <= (1 - c * alpha) * MIXED_OLD,
        added=(m_old <= matsushita(q),),
        hypothesis="2 sqrt(q(1 - q)) of the leaf that is split is at least the Matsushita risk of h_l",
        proof=by_z3(
            Use("eqKM1.if-impure", {"x": x, "y": y, "gamma": gamma, "q": q, "w": w, "R": rest}),
            Use(
                "tekLEM.assembled",
                {"alpha": alpha, "beta": beta, "c": c, "M": m_old, "E": e_old, "M2": m_new, "E2": e_new},
            ),
        ),
        without=Counterexample(
            PURE_LEAF
            | {"alpha": Fraction(1), "beta": Fraction(1), "c": Fraction(1, 32), "M": PURE_RISK, "M2": HALF}
            | {"E": HALF, "E2": HALF},
            FAIR_LEAF | at(alpha=1, beta=1, c=Fraction(1, 32), M=1, M2=HALF) | {"E": HALF, "E2": HALF},
        ),
        control=MIXED_NEW <= (1 - 16 * c) * MIXED_OLD,
        remark="The rest of the proof of the theorem is `eqCONV1C.step` and `eqCONV1C.sufficient`.",
    ),
)
