"""Appendix, proof of Theorem thBoostDT1: the algebra of one split, and the sum over splits.

| here | paper |
|---|---|
| `alpha`, `beta` | α_l and α_(l-1) |
| `c` | γ² w_l / 16, with the normalised weight w_l of the leaf that is split |
| `M`, `E`, `M2`, `E2` | Matsushita and 0/1 risk of h_l and of h_(l+1), normalised |
| `S`, `t` | the sum so far of γ² w_l α_l / 16, and its next term |
| `W`, `k` | w(S), a common factor of all weights |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, paper
from privboost.proofs_check.claims.common import HALF, at
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Severity
from privboost.proofs_check.kernel.certificates import Chord
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import both, equal, exp, log, reals, risk, smaller
from privboost.proofs_check.proofs import Counterexample, Identity, Smt, Sum, Witness, by_z3

from .computations import printed_bound_at_root
from .terms import MEANS, MIXED_NEW, MIXED_OLD, RISKS, inverse_exp, matsushita, unit

q, p, r, tau, x, y, gamma, w = reals("q p r tau x y gamma w")
alpha, beta, c, s, t, xi, err, total, k = reals("alpha beta c S t xi err W k")
m_old, e_old, m_new, e_new = reals("M E M2 E2")

PRINTED_Q = beta - alpha + c * alpha * (1 - beta)
STEP = at(c=Fraction(1, 16), M=Fraction(4, 5), E=Fraction(2, 5), M2=Fraction(3, 4), E2=Fraction(2, 5))
"""A split that lowers the Matsushita risk by the fraction 1/16 and leaves the 0/1 risk as it is."""
DROPPED = (*MEANS, *RISKS, 0 <= c, c < 1, m_new <= (1 - c) * m_old)
"""A split lowers the Matsushita risk by the fraction c at least."""

ENTRIES = (
    paper.Definition(
        "llKM2.definitions",
        "The Mα_l risk of h_(l+1) and the Mα_(l-1) risk of h_l are convex combinations of Matsushita and 0/1"
        " risk.",
        line=1722,
    ),
    paper.Step(
        "llKM2.finer",
        "The risk of a leaf is at least that of its two children, for every Bayes risk, the 0/1 risk among"
        " them; so the risk of a tree does not grow by a split.",
        line=1725,
        given=(0 <= p, p < r, r <= 1, *unit(tau), equal(q, (1 - tau) * p + tau * r)),
        then=(1 - tau) * risk(p) + tau * risk(r) <= risk(q),
        proof=by_z3(Chord("L", p, q, r)),
        control=risk(q) <= (1 - tau) * risk(p) + tau * risk(r),
        remark="For p = r = q both sides are the same.",
    ),
    paper.Equation(
        "llKM2",
        "Third line: with c = γ² w_l/16, 1 - α_l = Q + (1 - α_(l-1)) (1 - c α_l), so the second line is as"
        " printed.",
        also_lines=(1729,),
        then=equal(
            alpha * (1 - c) * m_old + (1 - alpha) * e_old,
            alpha * (1 - c) * m_old + PRINTED_Q * e_old + (1 - beta) * (1 - c * alpha) * e_old,
        ),
        proofs=(Identity(), Smt()),
        control=equal(
            alpha * (1 - c) * m_old + (1 - alpha) * e_old,
            alpha * (1 - c) * m_old + PRINTED_Q * e_old + (1 - beta) * (1 - c * beta) * e_old,
        ),
    ),
    paper.Equation(
        "approxEQ1",
        "If α_l ≤ α_(l-1)/(1 - c (1 - α_(l-1))) with c = γ² w_l/16 < 1, then Q = α_(l-1) - α_l + c α_l (1 -"
        " α_(l-1)) ≥ 0.",
        also_lines=(1734,),
        claim=Claim((*MEANS, 0 <= c, c < 1, alpha <= beta / (1 - c * (1 - beta))), 0 <= PRINTED_Q),
        proofs=(Sum(), Smt()),
        control=c * alpha <= PRINTED_Q,
    ),
    meant.Step(
        "approxEQ1.denominator",
        "The denominator in approxEQ1 is positive.",
        claim=Claim((0 < gamma, *unit(w, beta)), 0 < 1 - gamma**2 * w / 16 * (1 - beta)),
        added=(gamma <= 1,),
        hypothesis="edges are taken with a normalised distribution, so that γ ≤ 1",
        without=Counterexample(at(gamma=5, w=1, beta=0), at(gamma=1, w=1, beta=0)),
        control=1 <= 1 - gamma**2 * w / 16 * (1 - beta),
    ),
    paper.Step(
        "approxEQ1.from-exponential",
        "By 1 - z ≤ exp(-z) in the denominator, condKMOT1 implies approxEQ1, if γ² w_l/16 < 1.",
        line=1755,
        also=("condKMOT1",),
        given=(*MEANS, 0 <= c, c < 1, alpha <= beta * exp(c * (1 - beta))),
        then=alpha <= beta / (1 - c * (1 - beta)),
        proof=by_z3(*inverse_exp(c * (1 - beta)), Fact("exp(x) >= 1 + x", (-(c * (1 - beta)),))),
        control=alpha <= beta / (1 + c * (1 - beta)),
        example={"alpha": HALF, "beta": HALF, "c": HALF},
    ),
    paper.Step(
        "tekLEM.zero-one-below",
        "The 0/1 risk is at most the Matsushita risk: 2 min(q, 1 - q) ≤ 2 sqrt(q (1 - q)).",
        line=1740,
        claim=Claim(unit(q), 2 * smaller(q, 1 - q) <= matsushita(q)),
        control=matsushita(q) <= 2 * smaller(q, 1 - q),
    ),
    paper.Step(
        "tekLEM.factor",
        "Line 1744 is line 1743 with Q written out. The terms with the Matsushita risk of h_l add up to"
        " α_(l-1) (1 - c α_l) times that risk, where c = γ² w_l/16, and the assembled bound is 1 - c α_l"
        " times the Mα_(l-1) risk of h_l.",
        lines=(1750, 1744, 1745, 1751),
        then=both(
            equal(
                alpha * (1 - c) * m_old + PRINTED_Q * m_old,
                (alpha - c * alpha + beta - alpha + c * alpha * (1 - beta)) * m_old,
            ),
            equal(
                (alpha - c * alpha + beta - alpha + c * alpha * (1 - beta)) * m_old,
                beta * (1 - c * alpha) * m_old,
            ),
            equal(
                beta * (1 - c * alpha) * m_old + (1 - beta) * (1 - c * alpha) * e_old,
                (1 - c * alpha) * MIXED_OLD,
            ),
        ),
        proofs=(Identity(), Smt()),
        control=equal(
            beta * (1 - c * alpha) * m_old + (1 - beta) * (1 - c * alpha) * e_old, (1 - c) * MIXED_OLD
        ),
    ),
    paper.Step(
        "tekLEM.assembled",
        "If the Matsushita risk falls at least by the fraction c < 1, the 0/1 risk does not rise and"
        " approxEQ1 holds, then the Mα_l risk of h_(l+1) is at most 1 - c α_l times the Mα_(l-1) risk of"
        " h_l.",
        lines=(1749, 1727, 1728, 1743),
        given=(*DROPPED, e_new <= e_old, alpha * (1 - c * (1 - beta)) <= beta),
        then=MIXED_NEW <= (1 - c * alpha) * MIXED_OLD,
        control=MIXED_NEW <= (1 - c) * MIXED_OLD,
        remark="The algebra of the paper is right; what fails is eqKM1, which it starts from.",
    ),
    paper.Step(
        "condKMOT1.main-text",
        "The one-step bound of tekLEM holds for every split under the monotonicity of the main text, which"
        " says nothing of α_2, where the Matsushita risk falls by the fraction c. M and E are the Matsushita"
        " and the 0/1 risk before the split, M2 and E2 those after it, alpha is α_l and beta is α_(l-1).",
        lines=(1758, 362),
        given=(*DROPPED, 0 <= e_new, e_new <= e_old, e_new <= m_new),
        then=MIXED_NEW <= (1 - c * alpha) * MIXED_OLD,
        refutation=Counterexample(STEP | at(alpha=1, beta=0), STEP | at(alpha=1, beta=1)),
        correction="boost.any-alpha",
        severity=Severity.SLIP,
        remark="This is l = 2 with α_1 = 0 and α_2 = 1, which the main text allows and the appendix does"
        " not: the risk afterwards is M2 = 3/4, the bound (1 - 1/16) E = 3/8. It does not matter for the"
        " theorem: no condition on α is needed there.",
    ),
    paper.Equation(
        "eqCONV1C",
        "The Mα risk of h_L is at most exp(-(γ²/16) times the sum of w_l α_l up to l = L).",
        refutation=Witness(printed_bound_at_root, (Fraction(1), Fraction(1)), (Fraction(0), Fraction(1))),
        correction="boost.printed-index",
        severity=Severity.SLIP,
        remark="Split L makes h_(L+1) of h_L, so the sum up to L belongs to h_(L+1). The factor 2 between"
        " 0/1 risk and empirical risk makes up for it (`boost.printed-index`).",
    ),
    meant.Step(
        "eqCONV1C.step",
        "If every split l multiplies the risk by at most 1 - c_l α_l, the risk of h_(L+1) is at most"
        " exp(-sum): the step of the induction, with 1 - z ≤ exp(-z).",
        line=1766,
        claim=Claim((0 <= m_old, m_old <= exp(-s), m_new <= (1 - t) * m_old), m_new <= exp(-(s + t))),
        proof=by_z3(Fact("exp(x + y) = exp(x) exp(y)", (-s, -t)), Fact("exp(x) >= 1 + x", (-t,))),
        control=m_new <= exp(-(s + 2 * t)),
        example=at(M=1, S=0, M2=HALF, t=HALF),
    ),
    paper.Step(
        "eqCONV1C.empirical",
        "The empirical risk of a tree equals the 0/1 risk that is combined in the Mα risk, for a leaf"
        " with the proportion q of positives.",
        line=1772,
        claim=Claim(unit(q), equal(smaller(q, 1 - q), 2 * smaller(q, 1 - q))),
        refutation=Counterexample({"q": HALF}, at(q=0)),
        correction="eqCONV1C.empirical-half",
        severity=Severity.SLIP,
        erratum="two-normalisations",
        remark="At q = 1/2 the share of errors is 1/2 and the risk in the combination is 1; the"
        " inequality that is needed holds.",
    ),
    meant.Step(
        "eqCONV1C.empirical-half",
        "The share of errors of a leaf is half of its 0/1 risk, and at most half of its Mα risk.",
        line=1772,
        given=unit(q, alpha),
        then=2 * smaller(q, 1 - q) <= alpha * matsushita(q) + (1 - alpha) * 2 * smaller(q, 1 - q),
        control=3 * smaller(q, 1 - q) <= alpha * matsushita(q) + (1 - alpha) * 2 * smaller(q, 1 - q),
    ),
    paper.Step(
        "eqCONV1C.sufficient",
        "If the risk is at most exp(-(γ²/16) S), then S ≥ (16/γ²) log(1/ξ) is sufficient for a risk of at"
        " most ξ.",
        line=1774,
        given=(
            0 < gamma,
            0 < xi,
            xi <= 1,
            err <= exp(-(gamma**2) / 16 * s),
            16 / gamma**2 * log(1 / xi) <= s,
        ),
        then=err <= xi,
        proof=by_z3(
            Fact("exp(x) <= exp(y) if x <= y", (-(gamma**2) / 16 * s, log(xi))),
            Fact("exp(log(x)) = x if x > 0", (xi,)),
            Fact("log(1/x) = -log(x) if x > 0", (xi,)),
        ),
        control=err <= xi / 2,
        example=at(gamma=1, xi=1, err=0, S=0),
        remark="S is here the sum of w_l α_l.",
    ),
    paper.Step(
        "lemBCONV.unnormalised",
        "With weights that are not normalised, if the right side of eqCONV1C is multiplied with w(S) and"
        " the empirical risk is at most the Mα risk over w(S), the bound on the empirical risk is the same.",
        lines=(1780, 1778),
        claim=Claim((0 < total, m_old <= total * exp(-s), err <= m_old / total), err <= exp(-s)),
        control=err <= exp(-s) / 2,
        example=at(W=2, M=2, S=0, err=1),
    ),
    meant.Step(
        "lemBCONV.wla-scale-normalised",
        "A common factor k of all weights does not affect the weak learning assumption where the balanced"
        " weights are divided by their sum.",
        line=1784,
        claim=Claim((0 < k, 0 < w), equal(k * w * (x - y) / (k * w), w * (x - y) / w)),
        proofs=(Identity(), Smt()),
        control=equal(k * w * (x - y) / (k * w), k * w * (x - y) / w),
    ),
)
