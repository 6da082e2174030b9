"""Section 2 on privacy: the definition, sensitivity, the two mechanisms, composition.

| here | meaning |
|---|---|
| `p1`, `q1` | probability (or density) of one output under a sample and under a neighbour of it |
| `c`, `c1` | exp(epsilon), or any factor >= 0 |
| `D` | sensitivity |
| `e` | epsilon |
"""

from __future__ import annotations

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import HALF, add_up
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Cite, Severity
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import absolute, equal, exp, implies, reals
from privboost.proofs_check.proofs import Counterexample, Smt, Sum, Use, Witness, by_z3

from . import computations

a, b, c, c1, c2, D, e, e1, e2, f1, f2, k1, k2 = reals("a b c c1 c2 D e e1 e2 f1 f2 k1 k2")
p, p1, p2, q, q1, q2, r, s, t, x, N1, N2, Z1, Z2 = reals("p p1 p2 q q1 q2 r s t x N1 N2 Z1 Z2")
total, total2, joint, joint2, near, far, moved = reals("total total2 joint joint2 near far moved")

MONOTONE = "exp(x) <= exp(y) if x <= y"
ADDED = "exp(x + y) = exp(x) exp(y)"
SCORES_NEAR = (0 < D, equal(r, e / (2 * D)), absolute(a - b) <= D)
"""Scores a and b of one alternative under neighbours, with the sensitivity D and the rate r."""
SAME_SCORE = {"e": 1, "D": 1, "r": HALF, "a": 0, "b": 0}

DEFINITION = (
    paper.Definition(
        "defEDPRIV.neighbours",
        "Two samples are neighbours if they differ by at most one example: one example exchanged, m being "
        "public, or one added or removed. The paper does not say which.",
        line=181,
        remark="It matters: releasing m costs nothing under exchange, which keeps m, and has no finite loss "
        "under add/remove; the printed sensitivities depend on m.",
    ),
    ours.Definition(
        "defEDPRIV.exchange-from-add-remove",
        "An exchange is a removal and an addition: privacy with factor c under add/remove gives c^2 under "
        "exchange.",
        line=181,
        claim=Claim((0 <= c, p <= c * q, q <= c * r), p <= c**2 * r),
        proofs=(Sum(), Smt()),
        control=p <= c * r,
    ),
    paper.Definition(
        "defEDPRIV",
        "ε-privacy asks that no single output be more than exp(ε) times as probable under a sample S as "
        "under a neighbour S'. No mechanism that meets this can produce under S what is impossible under S'.",
        refutation=Witness(computations.uniform_noise, (HALF,), (HALF - HALF,)),
        correction="defEDPRIV.events",
        severity=Severity.PEDANTRY,
        erratum="pointwise-privacy",
        remark="f is the value that is protected. The usual shorthand for events or densities: read "
        "literally, the condition asks nothing of outputs that are real numbers, as the Laplace mechanism "
        "has.",
    ),
    meant.Definition(
        "defEDPRIV.events",
        "Asked of every event, or of densities, or of finitely many outputs, the condition protects every "
        "statement about the output: an event consists of outputs, and bounds p1 ≤ c q1 and p2 ≤ c q2 of "
        "two parts add up. Here for an event of two outputs.",
        claim=Claim((p1 <= c * q1, p2 <= c * q2), p1 + p2 <= c * (q1 + q2)),
        proofs=(Sum(), Smt()),
        control=p1 + p2 <= c * q1 + q2,
    ),
    paper.Text(
        "defEDPRIV.smaller",
        "The smaller ε, the more private: privacy for e1 ≤ e2 is privacy for e2.",
        line=185,
        claim=Claim((0 <= q, e1 <= e2), implies(p <= exp(e1) * q, p <= exp(e2) * q)),
        proof=by_z3(Fact(MONOTONE, (e1, e2))),
        control=implies(p <= exp(e2) * q, p <= exp(e1) * q),
    ),
    paper.Definition(
        "defEDPRIV.at-least-zero",
        "ε ≥ 0 is no restriction: the probabilities of an event and of its complement add up to 1 under both "
        "samples, so the factor c = exp(ε) is at least 1.",
        claim=Claim((p1 <= c * q1, p2 <= c * q2, equal(p1 + p2, 1), equal(q1 + q2, 1)), 1 <= c),
        control=1 < c,
    ),
    ours.Definition(
        "defEDPRIV.zero",
        "With ε = 0 every output is as probable under a sample as under a neighbour of it.",
        claim=Claim((equal(c, exp(0)), p <= c * q, q <= c * p), equal(p, q)),
        proof=by_z3(Fact("exp(0) = 1")),
        control=equal(p, q + 1),
        example={"c": 1, "p": 1, "q": 1},
    ),
    ours.Definition(
        "defEDPRIV.post-processing",
        "What is computed from outputs alone costs nothing: if outputs 1 and 2 lead to a result with "
        "chances k1 and k2, whatever the sample, the bound for the outputs is one for the result. Here for "
        "two outputs.",
        given=(0 <= k1, 0 <= k2, p1 <= c * q1, p2 <= c * q2),
        then=k1 * p1 + k2 * p2 <= c * (k1 * q1 + k2 * q2),
        proofs=(Sum(), Smt()),
        control=k1 * p1 + k2 * p2 <= c * (k1 * q1 + q2),
    ),
)

LAPLACE = (
    paper.Definition(
        "defEDPRIV.sensitivity",
        "The global sensitivity of f is the greatest L1 distance of its values on two neighbours.",
        line=185,
        remark="Printed as a maximum; a supremum is meant.",
    ),
    paper.Theorem(
        "sec:def.laplace",
        "The Laplace mechanism with scale Δ/ε is ε-private: densities of noise around f = a and f = b at x, "
        "with |a - b| ≤ Δ, differ by the factor exp(ε) at most.",
        line=186,
        given=(equal(r, e / D), absolute(a - b) <= D),
        then=exp(-r * absolute(x - a)) <= exp(e) * exp(-r * absolute(x - b)),
        added=(0 < e, 0 < D),
        hypothesis="ε > 0 and a positive finite sensitivity",
        proof=by_z3(
            Fact(ADDED, (e, -r * absolute(x - b))),
            Fact(MONOTONE, (-r * absolute(x - a), e + -r * absolute(x - b))),
        ),
        control=exp(-r * absolute(x - a)) <= exp(e / 2) * exp(-r * absolute(x - b)),
    ),
    paper.Step(
        "sec:def.laplace-vector",
        "With noise on every coordinate of a vector the exponents add up, and so do the distances: if near "
        "and far are sums of |x_j - f_j| and |x_j - f'_j|, and far ≤ near + moved, then one more coordinate "
        "keeps it so, with |f_j - f'_j| added to moved.",
        line=186,
        given=(far <= near + moved,),
        then=far + absolute(x - f2) <= (near + absolute(x - f1)) + (moved + absolute(f1 - f2)),
        control=far + absolute(x - f2) <= (near + absolute(x - f1)) + (moved + absolute(f1 - f2) / 2),
        remark="The noises must be independent; the base is no coordinate, 0 ≤ 0 + 0.",
    ),
)

EXPONENTIAL = (
    paper.Definition(
        "sec:def.exponential-type",
        "The score is a function on the alternatives, for every sample; its domain is printed as another "
        "set.",
        line=187,
        severity=Severity.SLIP,
        remark="A slip: script R stands for script G. The sensitivity is that of the score of one "
        "alternative; the L1 norm over all of them, as printed for vectors, is valid too, and wasteful.",
    ),
    paper.Step(
        "sec:def.exponential-term",
        "Scores a and b of one alternative under neighbours, at most Δ apart, have weights exp(ε a / (2 Δ)) "
        "and exp(ε b / (2 Δ)) that differ by the factor exp(ε / 2) at most.",
        line=187,
        claim=Claim((0 < e, *SCORES_NEAR), exp(r * a) <= exp(e / 2) * exp(r * b)),
        proof=by_z3(Fact(ADDED, (e / 2, r * b)), Fact(MONOTONE, (r * a, e / 2 + r * b))),
        control=exp(r * a) <= exp(e / 4) * exp(r * b),
    ),
    paper.Step(
        "sec:def.exponential-total",
        "The sums of the weights of all alternatives under neighbours differ by the same factor as the "
        "single weights: bounds of the sum so far and of one more weight add up.",
        line=187,
        given=(0 < e, total2 <= exp(e / 2) * total, N2 <= exp(e / 2) * N1),
        then=total2 + N2 <= exp(e / 2) * (total + N1),
        control=total2 + N2 <= exp(e / 2) * total + N1,
        example=SAME_SCORE | {"total": 0, "total2": 0, "N1": 1, "N2": 1},
        rests_on=(Cite("sec:def.exponential-term", {"N2": exp(r * a), "N1": exp(r * b)}, SCORES_NEAR),),
    ),
    paper.Step(
        "sec:def.exponential-ratio",
        "If a weight is at most c times that of the neighbour, and the neighbour's sum at most c times the "
        "sum, the probability is at most c^2 times that of the neighbour.",
        line=187,
        given=(0 < N1, 0 < N2, 0 < Z1, 0 < Z2, 0 < c, N1 <= c * N2, Z2 <= c * Z1),
        then=N1 / Z1 <= c**2 * (N2 / Z2),
        proofs=(Sum((0 <= c * N2,)), Smt()),
        control=N1 / Z1 <= c * (N2 / Z2),
    ),
    paper.Theorem(
        "sec:def.exponential",
        "The exponential mechanism is ε-private on a finite set of alternatives: the factor c^2 with c = "
        "exp(ε / 2) is exp(ε). N and Z are an alternative's weight and the sum of weights.",
        line=187,
        given=(0 < e, 0 < N1, 0 < N2, 0 < Z1, 0 < Z2, N1 <= exp(e / 2) * N2, Z2 <= exp(e / 2) * Z1),
        then=N1 / Z1 <= exp(e) * (N2 / Z2),
        hypothesis="finitely many alternatives, and a public positive sensitivity of every single score",
        proof=by_z3(
            Fact(ADDED, (e / 2, e / 2)),
            Use("sec:def.exponential-ratio", {"N1": N1, "N2": N2, "Z1": Z1, "Z2": Z2, "c": exp(e / 2)}),
        ),
        control=N1 / Z1 <= exp(e / 2) * (N2 / Z2),
        example=SAME_SCORE | {"N1": 1, "N2": 1, "Z1": 2, "Z2": 2},
        rests_on=(
            Cite("sec:def.exponential-term", {"N1": exp(r * a), "N2": exp(r * b)}, SCORES_NEAR),
            add_up(
                "sec:def.exponential-total",
                {"Z1": total + N1, "Z2": total2 + N2},
                SCORES_NEAR,
                before={"Z1": total, "Z2": total2},
            ),
        ),
    ),
    paper.Text(
        "sec:def.exponential-favours",
        "With ε > 0 the alternative with the greater of two scores is more probable.",
        line=187,
        claim=Claim((0 < r, 0 < Z1, f1 < f2), exp(r * f1) / Z1 < exp(r * f2) / Z1),
        proof=by_z3(Fact("exp(x) < exp(y) if x < y", (r * f1, r * f2))),
        control=2 * (exp(r * f1) / Z1) < exp(r * f2) / Z1,
    ),
)

COMPOSITION = (
    paper.Theorem(
        "sec:def.composition",
        "Two mechanisms, the second private whatever the first released, together cost the sum: chances p1 "
        "and p2 (given the first output) with factors exp(e1) and exp(e2) have a product with factor exp(e1 "
        "+ e2).",
        line=188,
        given=(0 <= p1, 0 <= p2, 0 <= q1, 0 <= q2, p1 <= exp(e1) * q1, p2 <= exp(e2) * q2),
        then=joint <= exp(e1 + e2) * joint2,
        added=(equal(joint, p1 * p2), equal(joint2, q1 * q2)),
        hypothesis="fresh coins in each mechanism, and each private given all earlier outputs",
        without=Counterexample(
            {"p1": HALF, "p2": HALF, "q1": HALF, "q2": HALF, "e1": 0, "e2": 0, "joint": HALF, "joint2": 0},
            {"p1": HALF, "p2": HALF, "q1": HALF, "q2": HALF, "e1": 0, "e2": 0, "joint": HALF, "joint2": HALF},
        ),
        proof=by_z3(
            Fact(ADDED, (e1, e2)),
            Use(
                "sec:def.composition-product",
                {"p1": p1, "p2": p2, "q1": q1, "q2": q2, "c1": exp(e1), "c2": exp(e2)},
            ),
        ),
        control=joint <= exp(e1) * joint2,
        example={
            "p1": HALF,
            "p2": HALF,
            "q1": HALF,
            "q2": HALF,
            "e1": 0,
            "e2": 0,
            "joint": HALF**2,
            "joint2": HALF**2,
        },
        remark="A bit of the sample plus a random key, and that key, are each released with perfect privacy; "
        "together they are the bit: outputs (0, 0) and (1, 1) for bit 0, (1, 0) and (0, 1) for bit 1.",
    ),
    ours.Step(
        "sec:def.composition-product",
        "Bounds of nonnegative numbers multiply.",
        line=188,
        given=(0 <= p1, 0 <= p2, 0 <= q1, p1 <= c1 * q1, p2 <= c2 * q2),
        then=p1 * p2 <= (c1 * c2) * (q1 * q2),
        control=p1 * p2 <= c1 * (q1 * q2),
    ),
    paper.Step(
        "sec:def.composition-many",
        "Any number of mechanisms, each private whatever was released before, together cost the sum of their"
        " prices: one more, with chances p1 and q1 and the price e, makes s + e of the sum s so far.",
        line=188,
        given=(0 <= joint, 0 <= joint2, 0 <= p1, 0 <= q1, joint <= exp(s) * joint2, p1 <= exp(e) * q1),
        then=joint * p1 <= exp(s + e) * (joint2 * q1),
        proof=by_z3(
            Fact(ADDED, (s, e)),
            Use(
                "sec:def.composition-product",
                {"p1": joint, "p2": p1, "q1": joint2, "q2": q1, "c1": exp(s), "c2": exp(e)},
            ),
        ),
        control=joint * p1 <= exp(s) * (joint2 * q1),
        example=dict.fromkeys(("joint", "joint2", "p1", "q1"), HALF) | {"s": 0, "e": 0},
        remark="The step of an induction over mechanisms; none costs nothing.",
    ),
)

ENTRIES = (*DEFINITION, *LAPLACE, *EXPONENTIAL, *COMPOSITION)
