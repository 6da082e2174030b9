"""Appendix, proof of Theorem thBoostDT1: notation, weak learning in two forms, and the drop in one split.

| here | paper |
|---|---|
| `q`, `p`, `r` | proportion of positives in a leaf, in its left child and in its right child |
| `tau`, `delta` | share of the leaf that goes right, and r - p |
| `x`, `y` | the fractions of the positives and of the negatives of the leaf that go right |
| `w1`, `w0` | the weights of the positives and of the negatives of the leaf |
| `wrong`, `eta` | the balanced weight of the examples where split and label disagree, and the edge |
| `L` as a function | any Bayes risk |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.claims.common import HALF
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Chord
from privboost.proofs_check.kernel.terms import Claim, Term
from privboost.proofs_check.language import absolute, both, either, equal, implies, reals, risk
from privboost.proofs_check.proofs import Counterexample, Identity, Smt, Sum

from .terms import unit

q, p, r, tau, delta, delta2, gamma, x, y, u1, u2 = reals("q p r tau delta delta2 gamma x y u1 u2")
w, w0, w1, w_all, wrong, eta, label, g, total = reals("w w0 w1 W wrong eta label g S")

LEFT = q - tau * delta
RIGHT = q + (1 - tau) * delta
INSIDE = (0 < q, q < 1, 0 < tau, tau < 1)


def fall(name: str, centre: Term, right: Term, gap: Term) -> Term:
    """Return Delta: L(q) - (1 - tau) L(q - tau delta) - tau L(q + (1 - tau) delta)."""
    return (
        risk(centre, name)
        - (1 - right) * risk(centre - right * gap, name)
        - right * risk(centre + (1 - right) * gap, name)
    )


ENTRIES = (
    Entry(
        "eqENTR-SM",
        "The risk of a tree is the sum over its leaves of weight times Mα risk.",
        "definition",
        also=("proof_thBoostDT1",),
    ),
    Entry(
        "eqENTR-SM.total",
        "If the weights of the leaves add up to w(S), they still do after a split: the step of an induction"
        " from the root.",
        "text",
        line=1544,
        claim=Claim((equal(total + w, w_all),), equal(total + (1 - tau) * w + tau * w, w_all)),
        control=equal(total + (1 - tau) * w, w_all),
    ),
    Entry(
        "eqENTR-SM.proportion",
        "q(leaf) is in [0, 1] for a leaf that holds some weight.",
        "equation",
        line=1552,
        claim=Claim((0 <= w1, 0 <= w0, 0 < w1 + w0), both(0 <= w1 / (w1 + w0), w1 / (w1 + w0) <= 1)),
        control=both(0 < w1 / (w1 + w0), w1 / (w1 + w0) <= 1),
        remark="It is not defined for an empty leaf.",
    ),
    Entry(
        "eqENTR-SM.normalised",
        "Dividing all risks of trees by w(S) keeps their order.",
        "text",
        line=1545,
        claim=Claim((0 < w_all, u1 <= u2), u1 / w_all <= u2 / w_all),
        proofs=(Smt(), Sum()),
        control=u1 / w_all <= u2 / w_all - 1,
    ),
    Entry(
        "f-tree-not",
        "Names for one split: leaf, children, their weights w, 1 - τ, τ and proportions q, p, r.",
        "figure",
        remark="The test is said to be of real numbers here, of observations in the main text.",
    ),
    Entry(
        "f-tree-not.average",
        "The proportion of a leaf is the average of those of its children.",
        "figure",
        line=1566,
        claim=Claim(
            (0 < tau, tau < 1, 0 < w, equal(q * w, p * ((1 - tau) * w) + r * (tau * w))),
            equal(q, (1 - tau) * p + tau * r),
        ),
        control=equal(q, tau * p + (1 - tau) * r),
    ),
    Entry(
        "f-learn",
        "Names for the steps of the induction: split leaf_t of h_t with α_t, get h_(t+1).",
        "figure",
    ),
    Entry(
        "wlaKM.distribution",
        "The appendix's balanced weights, w_i/(2q) for the positives and w_i/(2(1 - q)) for the negatives"
        " of a leaf whose classes weigh w1 and w0, with q = w1/(w1 + w0), are a distribution: they sum to"
        " 1.",
        "text",
        line=1570,
        also_lines=(1595,),
        claim=Claim(
            (0 < w1, 0 < w0, w1 + w0 <= 1, equal(q, w1 / (w1 + w0))),
            equal(w1 / (2 * q) + w0 / (2 * (1 - q)), 1),
        ),
        refutation=Counterexample(
            {"w1": Fraction(1, 4), "w0": Fraction(1, 4), "q": HALF}, {"w1": HALF, "w0": HALF, "q": HALF}
        ),
        correction="wlaKM.distribution-normalised",
        severity=Severity.SLIP,
        erratum="balanced-unnormalised",
        remark="The root of it is wlaKMDT.distribution. With w1 = w0 = 1/4 they sum to 1/2, in place of"
        " 1; in general to the weight w1 + w0 of the leaf.",
    ),
    Entry(
        "wlaKM.distribution-normalised",
        "The weights w_i/(2q) of the positives and w_i/(2(1 - q)) of the negatives of a leaf give the "
        "same total to both classes; divided by the weight w1 + w0 of the leaf they sum to 1, half of it "
        "in each class.",
        "text",
        line=1570,
        also_lines=(1575,),
        reading="intended",
        claim=Claim(
            (0 < w1, 0 < w0, equal(q, w1 / (w1 + w0))),
            both(
                equal(w1 / (2 * q), w0 / (2 * (1 - q))),
                equal(w1 / (2 * q) / (w1 + w0), HALF),
                equal(w0 / (2 * (1 - q)) / (w1 + w0), HALF),
            ),
        ),
        control=both(equal(w1 / (2 * q) / (w1 + w0), HALF), equal(w0 / (1 - q) / (w1 + w0), HALF)),
    ),
    Entry(
        "wlaKM.edge-printed",
        "The edge of a split with the printed weights is w(leaf) times x - y, where x and y are the"
        " fractions of the positives and of the negatives of the leaf that go right.",
        "text",
        line=1593,
        reading="ours",
        claim=Claim(
            (0 < w1, 0 < w0, equal(q, w1 / (w1 + w0)), equal(w, w1 + w0)),
            equal(w1 / (2 * q) * (x - (1 - x)) - w0 / (2 * (1 - q)) * (y - (1 - y)), w * (x - y)),
        ),
        control=equal(w1 / (2 * q) * (x - (1 - x)) - w0 / (2 * (1 - q)) * (y - (1 - y)), x - y),
    ),
    Entry(
        "wlaKM",
        "The weak learning assumption of the appendix: the balanced weight of the disagreements is at least"
        " γ away from 1/2.",
        "definition",
        also=("wladef1",),
        also_lines=(1583,),
    ),
    Entry(
        "wladef1.correlation-normalised",
        "With balanced weights that sum to 1 a split that sends the same fraction of both classes right"
        " has disagreements of weight exactly 1/2, and the assumption fails.",
        "text",
        reading="intended",
        claim=Claim((*unit(x), equal(wrong, ((1 - x) + x) / 2), 0 < gamma), absolute(wrong - HALF) < gamma),
        control=absolute(wrong - HALF) < 0,
    ),
    Entry(
        "wlaKM.negation",
        "Where the balanced weights sum to 1 and the disagreements of a split weigh `wrong`, those of its"
        " negation weigh 1 - wrong. A split satisfies the assumption iff the disagreements of it or of its"
        " negation weigh at most 1/2 - γ.",
        "text",
        line=1586,
        claim=Claim(
            unit(wrong),
            both(
                implies(
                    gamma <= absolute(wrong - HALF), either(wrong <= HALF - gamma, 1 - wrong <= HALF - gamma)
                ),
                implies(
                    either(wrong <= HALF - gamma, 1 - wrong <= HALF - gamma), gamma <= absolute(wrong - HALF)
                ),
            ),
        ),
        control=implies(gamma <= absolute(wrong - HALF), wrong <= HALF - gamma),
        remark="Also without closure under negation it is a two-sided condition; only the one-sided one of"
        " Kearns and Mansour needs the closure.",
    ),
    Entry(
        "wlaKM.bracket",
        "Split and label disagree iff (1 - y g±)/2 is 1, and it is 0 otherwise.",
        "equation",
        line=1589,
        claim=Claim(
            (equal(label * label, 1), equal(g * g, g)),
            equal((1 + label) / 2 * (1 - g) + (1 - label) / 2 * g, (1 - label * (2 * g - 1)) / 2),
        ),
        proofs=(Identity(), Smt()),
        control=equal((1 + label) / 2 * (1 - g) + (1 - label) / 2 * g, (1 + label * (2 * g - 1)) / 2),
    ),
    Entry(
        "wlaKM.one-minus-edge",
        "The balanced weight of the disagreements is (1 - edge)/2.",
        "equation",
        line=1590,
        claim=Claim((equal(wrong, (w - eta) / 2),), equal(wrong, (1 - eta) / 2)),
        added=(equal(w, 1),),
        hypothesis="the balanced weights sum to 1",
        without=Counterexample(
            {"w": HALF, "eta": Fraction(0), "wrong": Fraction(1, 4)},
            {"w": Fraction(1), "eta": Fraction(0), "wrong": HALF},
        ),
        control=equal(wrong, 1 - eta),
        remark="w is the sum of the balanced weights; the line before is `wlaKM.bracket` added up.",
    ),
    Entry(
        "wlaKM.two-gamma",
        "Where the balanced weights sum to 1, the appendix's assumption, that the balanced weight of the"
        " disagreements is at least γ away from 1/2, is equivalent to |edge| ≥ 2γ.",
        "step",
        line=1592,
        also=("wlaKMDT",),
        claim=Claim(
            (equal(wrong, (1 - eta) / 2),),
            both(
                implies(gamma <= absolute(wrong - HALF), 2 * gamma <= absolute(eta)),
                implies(2 * gamma <= absolute(eta), gamma <= absolute(wrong - HALF)),
            ),
        ),
        control=implies(gamma <= absolute(eta), gamma <= absolute(wrong - HALF)),
    ),
    Entry(
        "defDELTA1",
        "A split changes the risk of a tree by the weight of the leaf times Δ(q, τ, δ).",
        "equation",
        also_lines=(1614,),
        claim=Claim(
            (),
            equal(
                (total + w * risk(q)) - (total + (1 - tau) * w * risk(LEFT) + tau * w * risk(RIGHT)),
                w * fall("L", q, tau, delta),
            ),
        ),
        proofs=(Identity(), Smt()),
        control=equal(
            (total + w * risk(q)) - (total + (1 - tau) * w * risk(LEFT) + tau * w * risk(RIGHT)),
            fall("L", q, tau, delta),
        ),
        remark="The weight of the leaf is called ω here and w elsewhere.",
    ),
    Entry(
        "defDELTA1.children",
        "With δ = r - p the children have the proportions q - τδ and q + (1 - τ)δ.",
        "step",
        claim=Claim(
            (equal(q, (1 - tau) * p + tau * r), equal(delta, r - p)), both(equal(p, LEFT), equal(r, RIGHT))
        ),
        control=both(equal(p, RIGHT), equal(r, LEFT)),
    ),
    Entry(
        "defDELTA1.delta",
        "The edge of a split is τ(1 - τ) δ/(q(1 - q)), so δ = γ q(1 - q)/(τ(1 - τ)) where the edge is γ.",
        "step",
        line=1621,
        claim=Claim(
            INSIDE,
            equal(tau * RIGHT / q - tau * (1 - RIGHT) / (1 - q), tau * (1 - tau) * delta / (q * (1 - q))),
        ),
        proofs=(Identity(), Smt()),
        control=equal(
            tau * RIGHT / q - tau * (1 - RIGHT) / (1 - q), 2 * tau * (1 - tau) * delta / (q * (1 - q))
        ),
        remark="That is the edge of the main text; with the γ of wladef1 there would be a factor 2.",
    ),
    Entry(
        "defDELTA1.at-least",
        "For every Bayes risk Δ does not decrease as δ ≥ 0 grows. As δ is in proportion to the edge"
        " (`defDELTA1.delta`), an edge of exactly γ is the worst case.",
        "step",
        line=1620,
        reading="intended",
        claim=Claim(
            (
                *unit(q, tau),
                0 <= delta,
                delta <= delta2,
                0 < delta2,
                0 <= q - tau * delta2,
                q + (1 - tau) * delta2 <= 1,
            ),
            fall("L", q, tau, delta) <= fall("L", q, tau, delta2),
        ),
        proofs=(
            Smt(
                (
                    Chord("L", q - tau * delta2, LEFT, q + (1 - tau) * delta2),
                    Chord("L", q - tau * delta2, RIGHT, q + (1 - tau) * delta2),
                )
            ),
        ),
        control=fall("L", q, tau, delta2) <= fall("L", q, tau, delta),
    ),
    Entry(
        "defDELTA1.tau",
        "The share τ that goes right is in [0, 1] and equals q x + (1 - q) y, where x and y are the"
        " fractions of the positives and of the negatives that go right.",
        "equation",
        line=1625,
        claim=Claim(
            (
                0 < w1,
                0 < w0,
                *unit(x, y),
                equal(q, w1 / (w1 + w0)),
                equal(tau, (w1 * x + w0 * y) / (w1 + w0)),
            ),
            both(equal(tau, q * x + (1 - q) * y), both(0 <= tau, tau <= 1)),
        ),
        control=equal(tau, q * y + (1 - q) * x),
    ),
    Entry(
        "defDELTA1.normalised-weights",
        "Weights divided by w(S) are written with a tilde, of examples and of leaves.",
        "definition",
        line=1629,
    ),
)
