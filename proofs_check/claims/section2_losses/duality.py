"""Section 2: the two views of a loss, for every Bayes risk: risks of trees, links, conjugates, margins.

| here | paper |
|---|---|
| `risk(q)` | L(q), any Bayes risk |
| `s` | a slope of L at q, which lies above L: an element of minus the subdifferential of -L |
| `h = -s` | canonical link at q |
| `c`, `d` | the conjugate (-L)* at z (or h) and at -z (or -h) |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import AT_HALF, AT_ONE, AT_ZERO, HALF, MATSUSHITA, ZERO
from privboost.proofs_check.entry import Severity
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, term
from privboost.proofs_check.language import (
    between,
    both,
    either,
    equal,
    implies,
    larger,
    reals,
    risk,
    smaller,
    sqrt,
)
from privboost.proofs_check.proofs import Counterexample, Derived, Identity, Smt, Sum, Witness, by_z3

from . import computations

a, b, c, d, e, g, h, k, q, s, t, u, w, x, y, z = reals("a b c d e g h k q s t u w x y z")

MISTAKES = (
    *(*between(0, q, 1), equal(h, 8 * q - 4)),
    *(implies(h < 0, equal(e, q)), implies(0 < h, equal(e, 1 - q))),
)
"""The share e of mistakes in a leaf that predicts the link 8 q - 4 of the square loss, if that is not 0."""


def below_tangent(point: Term) -> Formula:
    """State that L is at most the line of slope s through (q, L(q))."""
    return risk(point) <= risk(q) + s * (point - q)


def at_most_conjugate(point: Term, slope: Term, conjugate: Term) -> Formula:
    """State that slope * point + L(point) is at most the conjugate at that slope."""
    return slope * point + risk(point) <= conjugate


TREES = (
    paper.Equation(
        "defLOSSGENPROB",
        "The loss of a tree is the mean over the examples of the Bayes risk at the proportion of label 1 in "
        "the leaf that the example reaches; with weights w it is, times w(S), the sum over leaves of "
        "w(leaf) L(w^1(leaf) / w(leaf)). Shown on a leaf with weights a of label 1 and b of label -1.",
        also_lines=(193,),
        claim=Claim((0 < a, a <= 1, 0 < b, b <= 1), equal((a + b) * risk(HALF), (a + b) * risk(a / (a + b)))),
        refutation=Counterexample({"a": 1, "b": HALF}, {"a": HALF, "b": HALF}, MATSUSHITA),
        correction="defLOSSGENPROB.weighted",
        severity=Severity.SLIP,
        erratum="risk-unweighted",
        remark="3/2 L(1/2) = 1.5 against 3/2 L(2/3) = 1.414, for the Matsushita risk and a leaf with two "
        "examples. Section 3 multiplies the printed mean by w(S) and calls it the weighted sum; it is not.",
    ),
    meant.Equation(
        "defLOSSGENPROB.weighted",
        "With the weighted mean and q = w^1 / w the rewriting holds: the examples of a leaf, of weights a, b "
        "and value k, add up to (a + b) k; one more leaf adds its own; w(S) = a + b + w cancels.",
        line=193,
        also=("defMECH",),
        given=(0 < a, 0 < b, 0 < w),
        then=equal((a + b + w) * ((a * k + b * k + w * t) / (a + b + w)), (a + b) * k + w * t),
        proofs=(Identity(), Smt()),
        control=equal((a + b + w) * ((a * k + b * k + w * t) / (a + b + w)), (a + b) * k + t),
    ),
    ours.Equation(
        "defLOSSGENPROB.equal-weights",
        "With equal weights c, as for the first tree, both readings agree.",
        line=193,
        given=(0 < c, 0 < a, 0 < b),
        then=equal(c * (a + b) * risk(c * a / (c * a + c * b)), c * (a + b) * risk(a / (a + b))),
        proofs=(Identity(), Smt()),
        control=equal(c * (a + b) * risk(c * a / (a + c * b)), c * (a + b) * risk(a / (a + b))),
    ),
    paper.Definition(
        "defLOSSGENPROB.proportion",
        "Every leaf has a proportion of label 1.",
        line=167,
        refutation=Witness(computations.empty_leaf, (1,), (0,)),
        correction="defLOSSGENPROB.empty-leaf",
        severity=Severity.PEDANTRY,
        remark="Private trees are grown to full depth whatever the data, so empty leaves are common there.",
    ),
    meant.Definition(
        "defLOSSGENPROB.empty-leaf",
        "The risk w L(q) of a leaf is between 0 and its mass w. So it is 0 for an empty leaf, whatever q is "
        "taken to be, and goes to 0 with the mass.",
        line=167,
        given=(0 <= q, q <= 1, 0 <= w, 0 <= risk(q), risk(q) <= 1),
        then=both(0 <= w * risk(q), w * risk(q) <= w),
        control=both(0 <= w * risk(q), w * risk(q) < w),
    ),
)

LINKS = (
    paper.Equation(
        "predDT",
        "The prediction of a leaf, minus the slope of the Bayes risk L at the proportion of label 1 in it, "
        "is a real number.",
        refutation=Witness(computations.infinite_link, ("matsushita", Fraction(0)), ("matsushita", HALF)),
        correction="predDT.mixed-leaf",
        severity=Severity.PEDANTRY,
        erratum="link-infinite",
        remark="Infinite at a pure leaf for the log loss and for every Mα-loss with α > 0.",
    ),
    ours.Equation(
        "predDT.no-slope",
        "No number s > 0 is a slope of the Matsushita risk at 0: at x = 1 / (1 + s^2) it is above s x.",
        claim=Claim((0 < s, equal(x, 1 / (1 + s**2))), s * x < 2 * sqrt(x * (1 - x))),
        control=s * x < sqrt(x * (1 - x)),
        remark="Nor is any s ≤ 0: the risk is > 0 inside (0, 1).",
    ),
    meant.Equation(
        "predDT.mixed-leaf",
        "In a leaf with examples of both classes every slope of the risk, and so the prediction, is finite: "
        "at most L(q) / q, at least -L(q) / (1 - q).",
        given=(0 < q, q < 1, AT_ZERO, AT_ONE, below_tangent(ZERO), below_tangent(term(1))),
        then=both(s <= risk(q) / q, -risk(q) / (1 - q) <= s),
        control=both(s <= risk(q), -risk(q) / (1 - q) <= s),
    ),
    ours.Equation(
        "predDT.finite-examples",
        "For the square and the 0/1 loss the prediction is finite at pure leaves too.",
        proofs=(Derived("square.link-finite"), Derived("zero_one.link-finite")),
    ),
    ours.Text(
        "predDT.slope-exists",
        "Inside (0, 1) there is a slope: no chord to the right of q is steeper than one to its left, so some "
        "number lies between all of them.",
        line=171,
        given=(0 <= x, x < q, q < y, y <= 1),
        then=(risk(y) - risk(q)) / (y - q) <= (risk(q) - risk(x)) / (q - x),
        proofs=(Sum((Chord("L", x, q, y),)), by_z3(Chord("L", x, q, y))),
        control=(risk(y) - risk(q)) / (y - q) < (risk(q) - risk(x)) / (q - x),
    ),
    ours.Text(
        "predDT.between-chords",
        "Any number between the slopes of those chords is a slope at q: the line through the point at q is "
        "nowhere below the risk.",
        line=171,
        given=(x < q, q < y, (risk(y) - risk(q)) / (y - q) <= s, s <= (risk(q) - risk(x)) / (q - x)),
        then=both(below_tangent(x), below_tangent(y)),
        control=both(risk(x) < risk(q) + s * (x - q), below_tangent(y)),
    ),
    meant.Text(
        "predDT.subdifferential",
        "Where the loss is not differentiable the link may be any element of its subdifferential; of minus "
        "the risk, that is: the risk itself has no subgradient at 1/2.",
        line=171,
        given=(AT_ZERO, AT_ONE, AT_HALF),
        then=either(risk(0) < risk(HALF) + g * (0 - HALF), risk(1) < risk(HALF) + g * (1 - HALF)),
        control=either(risk(0) < risk(HALF) + g * (0 - HALF), risk(1) < -1 + g * (1 - HALF)),
        remark="A subgradient is the slope of a line through the point at 1/2 and nowhere above the risk.",
    ),
    ours.Text(
        "predDT.sign",
        "The prediction -s of a leaf with q > 1/2 is at least 0; so its sign is not the wrong one.",
        claim=Claim((HALF < q, q <= 1, below_tangent(1 - q)), 0 <= -s),
        proof=by_z3(Mirror("L", q)),
        control=0 < -s,
        remark="It may be 0 although one class prevails: a risk can be flat around 1/2. With q < 1/2 it is "
        "at most 0, by symmetry.",
    ),
)

CONJUGATES = (
    paper.Equation(
        "defLOSSGENR",
        "The loss of a linear combination is the mean over the examples of the conjugate of minus the Bayes "
        "risk, at minus the margin y h(x).",
    ),
    paper.Definition(
        "defLOSSGENR.conjugate",
        "The Legendre conjugate at z is the supremum of z z' - F(z') over the domain of F.",
        line=178,
        remark="F here is any function, although F(h; S) is the loss.",
    ),
    paper.Text(
        "defLOSSGENR.domain",
        "The conjugate of minus a Bayes risk is finite on all of R: z u + L(u) is at most 1 + max(0, z) for "
        "every u of [0, 1], and it is 0 at u = 0 and z at u = 1.",
        line=173,
        given=(*between(0, u, 1), AT_ZERO, AT_ONE, 0 <= risk(u), risk(u) <= 1),
        then=both(
            z * u + risk(u) <= 1 + larger(0, z), both(equal(z * 0 + risk(0), 0), equal(z * 1 + risk(1), z))
        ),
        control=both(
            z * u + risk(u) <= larger(0, z), both(equal(z * 0 + risk(0), 0), equal(z * 1 + risk(1), z))
        ),
        remark="That 0 ≤ L ≤ 1 is entry pbr.least.",
    ),
    paper.Text(
        "defLOSSGENR.convex",
        "The conjugate is convex, as a supremum of affine functions: between x and y no z u + L(u) exceeds "
        "the chord of the values a and b there.",
        line=173,
        given=(x <= z, z <= y, at_most_conjugate(u, x, a), at_most_conjugate(u, y, b)),
        then=(y - x) * (z * u + risk(u)) <= (y - z) * a + (z - x) * b,
        proofs=(Sum(), Smt()),
        control=(y - x) * (z * u + risk(u)) <= (y - z) * b + (z - x) * a,
    ),
    ours.Text(
        "defLOSSGENR.slope",
        "The conjugate does not decrease, and rises by at most the step: its slopes are in [0, 1].",
        given=(*between(0, u, 1), x <= y, at_most_conjugate(u, x, a), at_most_conjugate(u, y, b)),
        then=both(x * u + risk(u) <= b, y * u + risk(u) <= a + (y - x)),
        control=both(x * u + risk(u) <= b, y * u + risk(u) <= a + (y - x) / 2),
        remark="So no surrogate of a Bayes risk is a parabola, however scaled.",
    ),
    paper.Text(
        "defLOSSGENR.balanced",
        "The surrogates are balanced: (-L)*(z) - (-L)*(-z) = z. Indeed z u + L(u) is z plus the same at -z "
        "and 1 - u, so the two suprema differ by z.",
        line=179,
        claim=Claim(between(0, u, 1), equal(z * u + risk(u), z + ((-z) * (1 - u) + risk(1 - u)))),
        proof=by_z3(Mirror("L", u)),
        control=equal(z * u + risk(u), -z + ((-z) * (1 - u) + risk(1 - u))),
    ),
    ours.Text(
        "defLOSSGENR.at-zero",
        "The normalised surrogate bounds the mistakes: at margin -z ≤ 0 it is at least 1 (take u = 1/2), "
        "and it is at least 0 everywhere (take u = 0).",
        line=179,
        given=(0 <= z, AT_HALF, AT_ZERO, at_most_conjugate(term(HALF), z, c), at_most_conjugate(ZERO, -z, d)),
        then=both(1 <= c, 0 <= d),
        control=both(1 < c, 0 <= d),
    ),
    paper.Text(
        "defLOSSGENR.logistic",
        "The logistic loss log(1 + exp(-z)) of the margin is the surrogate of the log loss.",
        line=179,
        proof=Derived("log.margin-loss"),
        remark="Of the log loss as printed; with L(1/2) = 1 it is log2(1 + 2^-z).",
    ),
    paper.Text(
        "defLOSSGENR.square",
        "The square loss of the margin is a surrogate of the form of this equation, the conjugate of minus "
        "a Bayes risk, at every margin.",
        line=179,
        refutation=Witness(computations.straight_surrogate, ("square", (-4, -5, -6)), ("square", (0, 1, 2))),
        correction="defLOSSGENR.square-inside",
        severity=Severity.PEDANTRY,
        erratum="square-surrogate",
        remark="Below the margin -4 the surrogate of the square risk 4 u (1 - u) is minus the margin: a "
        "straight line, because the conjugate is taken over [0, 1] only.",
    ),
    meant.Text(
        "defLOSSGENR.square-inside",
        "The conjugate of minus the square risk 4 u (1 - u) is (z + 4)^2 / 16 for |z| ≤ 4: that exceeds z u "
        "+ 4 u (1 - u) by (8 u - z - 4)^2 / 16, which is 0 at u = (z + 4) / 8, and this u is in [0, 1].",
        line=179,
        given=(-4 <= z, z <= 4),
        then=both(
            equal((z + 4) ** 2 / 16 - (z * u + 4 * u * (1 - u)), (8 * u - z - 4) ** 2 / 16),
            both(0 <= (z + 4) / 8, (z + 4) / 8 <= 1),
        ),
        control=both(
            equal((z + 4) ** 2 / 16 - (z * u + 4 * u * (1 - u)), (8 * u - z - 4) ** 2 / 16),
            both(0 <= (z + 4) / 8, (z + 4) / 8 < 1),
        ),
    ),
    ours.Text(
        "defLOSSGENR.square-outside",
        "The conjugate of minus the square risk is 0 for z ≤ -4, attained at u = 0, and z for z ≥ 4, "
        "attained at u = 1.",
        line=179,
        given=between(0, u, 1),
        then=both(
            implies(z <= -4, z * u + 4 * u * (1 - u) <= 0), implies(4 <= z, z * u + 4 * u * (1 - u) <= z)
        ),
        control=both(
            implies(z <= -3, z * u + 4 * u * (1 - u) <= 0), implies(4 <= z, z * u + 4 * u * (1 - u) <= z)
        ),
    ),
)

BOTH_VIEWS = (
    ours.Step(
        "defLOSSGENR.link-attains",
        "At the canonical link h = -s of q the conjugate is h q + L(q): no h u + L(u) exceeds it.",
        line=179,
        claim=Claim((below_tangent(u),), -s * u + risk(u) <= -s * q + risk(q)),
        proofs=(Sum(), Smt()),
        control=-s * u + risk(u) < -s * q + risk(q),
    ),
    paper.Text(
        "defLOSSGENR.both-views",
        "Where a leaf predicts the canonical link h of its proportion q, the mean surrogate over its "
        "examples is L(q): so both losses of such a tree are equal, and minimising one minimises the other.",
        also=("defLOSSGENPROB", "predDT"),
        line=179,
        given=(*between(0, q, 1), equal(c, h * q + risk(q)), equal(d, c - h)),
        then=equal(q * d + (1 - q) * c, risk(q)),
        hypothesis="the link is finite at every leaf (each leaf mixed, or a loss with finite slopes at 0 "
        "and 1)",
        proofs=(
            Smt(),
            *(
                Derived(f"{name}.duality[{piece}]")
                for name, pieces in (
                    ("square", ("0 < u < 1",)),
                    ("log", ("0 < u < 1",)),
                    ("matsushita", ("0 < u < 1",)),
                    ("zero_one", ("0 < u < 1/2", "1/2 < u < 1", "u = 1/2")),
                    ("m_alpha", ("0 < u < 1/2", "1/2 < u < 1", "u = 1/2")),
                )
                for piece in pieces
            ),
        ),
        control=equal(q * c + (1 - q) * d, risk(q)),
        remark="For every Bayes risk; the values of c and d are the two entries before it. With the limits "
        "0 at margin infinity and 0 times infinity = 0 it extends to pure leaves.",
    ),
    ours.Text(
        "defLOSSGENR.link-optimal",
        "No prediction z of a leaf has a mean surrogate below L(q), which the canonical link attains: the "
        "link minimises the surrogate of the leaf.",
        line=179,
        given=(*between(0, q, 1), at_most_conjugate(q, z, c), equal(d, c - z)),
        then=risk(q) <= q * d + (1 - q) * c,
        proofs=(Sum(), Smt()),
        control=risk(q) < q * d + (1 - q) * c,
    ),
    paper.Definition(
        "defLOSSGENR.empirical-risk",
        "The empirical risk counts y h(x) < 0, and a leaf with link h contributes min(q, 1 - q), the 0/1 "
        "risk; e is the share counted in a leaf whose prediction is 8 q - 4, the link of the square loss.",
        line=179,
        given=(*MISTAKES, implies(equal(h, 0), equal(e, 0))),
        then=equal(e, smaller(q, 1 - q)),
        refutation=Counterexample(
            {"q": HALF, "h": 0, "e": 0}, {"q": Fraction(1, 4), "h": -2, "e": Fraction(1, 4)}
        ),
        correction="defLOSSGENR.minority",
        severity=Severity.GAP,
        erratum="empirical-risk-tie",
        remark="0 against 1/2. A balanced leaf makes no mistake by this count, so a tree of a single leaf "
        "can have risk 0.",
    ),
    meant.Definition(
        "defLOSSGENR.minority",
        "Counting half a mistake where h = 0, the share e of mistakes in a leaf that predicts h = 8 q - 4, "
        "the link of the square loss, is min(q, 1 - q): the share of the lesser class.",
        line=179,
        given=(*MISTAKES, implies(equal(h, 0), equal(e, (q + (1 - q)) / 2))),
        then=equal(e, smaller(q, 1 - q)),
        control=equal(e, larger(q, 1 - q)),
    ),
)

ENTRIES = (*TREES, *LINKS, *CONJUGATES, *BOTH_VIEWS)
