"""Section 2: trees, and facts that hold for the Bayes risk of every loss.

| here | paper |
|---|---|
| `risk(x)` | L(x), any Bayes risk |
| `function(u, "P")`, `function(u, "N")` | the partial losses of labels 1 and -1 at prediction u |
| `p` | pi, the probability of label 1 |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import AT_HALF, AT_ZERO, HALF, ONE, RISKS, ZERO
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim, Term, term
from privboost.proofs_check.language import (
    between,
    both,
    either,
    equal,
    function,
    implies,
    negation,
    reals,
    risk,
    smaller,
    substitute,
)
from privboost.proofs_check.proofs import Cited, Computed, Counterexample, Identity, Smt, Sum, Witness, by_z3

from . import computations

a, b, c, d, g, h, lx, ly, lz, p, s, t, u, w, x, y, z = reals("a b c d g h lx ly lz p s t u w x y z")
INSIDE = between(0, x, 1)
ORDERED = (0 <= x, x <= z, z <= y, y <= 1)


def chord(at_x: Term, at_z: Term, at_y: Term) -> Term:
    """Return the height of a function above its chord from x to y at z, times y - x."""
    return (y - x) * at_z - (y - z) * at_x - (z - x) * at_y


TREES = (
    paper.Definition(
        "sec:def.interval",
        "For z ≥ 0 the interval written z' + z [a, b] holds z' + z x for every x of [a, b].",
        line=133,
        claim=Claim((0 <= z, a <= x, x <= b), both(w + z * a <= w + z * x, w + z * x <= w + z * b)),
        control=both(w + z * a <= w + z * x, w + z * x <= w + z * a),
    ),
    ours.Definition(
        "sec:def.interval-onto",
        "For z > 0 every number of z' + z [a, b] is z' + z x for an x of [a, b], namely x = (y - z') / z.",
        line=133,
        claim=Claim((0 < z, w + z * a <= y, y <= w + z * b), both(a <= (y - w) / z, (y - w) / z <= b)),
        control=both(a < (y - w) / z, (y - w) / z <= b),
    ),
    meant.Definition(
        "sec:def.sample-family",
        "The sample is a family (i -> (x_i, y_i)): an example that occurs twice, with weights a and b, adds "
        "a + b to the mass of its leaf.",
        line=137,
        claim=Claim((), equal((w + a) + b, w + (a + b))),
        proof=Identity(),
        control=equal((w + a) + b, w + a),
    ),
    paper.Text(
        "sec:def.partition",
        "The leaves of a tree partition the domain: the indicators of the leaves add up to 1. That of the "
        "root is 1; a split replaces the indicator t of a leaf by t g and t (1 - g), which add up to t.",
        line=144,
        claim=Claim((), equal(t * g + t * (1 - g), t)),
        proof=Identity(),
        control=equal(t * g + (1 - g), t),
    ),
    paper.Definition(
        "sec:def.depth-root",
        "The root has depth 0: its path from the root is empty.",
        line=144,
        proof=Computed(computations.root_depth, ((),), ((0,),)),
    ),
    paper.Text(
        "sec:def.sign",
        "The class is the sign of the real number h in the leaf, and so -1 or 1 for every h: h < 0 or h > 0.",
        line=144,
        claim=Claim((), either(h < 0, 0 < h)),
        refutation=Counterexample({"h": 0}, {"h": 1}),
        correction="sec:def.sign-convention",
        severity=Severity.PEDANTRY,
        remark="h = 0 is neither. Not rare: a leaf with as much of both classes predicts 0 under every "
        "differentiable risk.",
    ),
    meant.Text(
        "sec:def.sign-convention",
        "With 1 for the sign of 0, exactly one of the two classes is taken for every real number.",
        line=144,
        claim=Claim((), both(either(h < 0, 0 <= h), negation(both(h < 0, 0 <= h)))),
        control=both(either(h < 0, 0 <= h), negation(both(h <= 0, 0 <= h))),
    ),
)

MIRRORED = (equal(function(u, "P"), function(1 - u, "N")), equal(function(u, "N"), function(1 - u, "P")))

BAYES = (
    paper.Definition(
        "eqpartialloss",
        "A loss for class probability estimation is one partial loss for each label: the loss of label y at "
        "prediction u is the partial loss of y at u.",
        line=150,
    ),
    paper.Definition(
        "eqpartialloss.symmetric",
        "A loss is symmetric if the partial loss of label 1 at u is that of label -1 at 1 - u.",
        line=154,
    ),
    paper.Text(
        "eqpartialloss.no-class-cost",
        "A symmetric loss charges a certain and wrong prediction alike for both classes: if it costs h to "
        "predict 0 under label 1, and g to predict 1 under label -1, then h = g.",
        line=155,
        given=(
            equal(function(0, "P"), function(1, "N")),
            equal(function(0, "P"), h),
            equal(function(1, "N"), g),
        ),
        then=equal(h, g),
        control=equal(h, 2 * g),
        example={"h": 0, "g": 0},
        functions={"P": ("x", x - x), "N": ("x", x - x)},
    ),
    paper.Definition(
        "pbr",
        "The Bayes risk at π is the infimum of the expected loss over all predictions, where label 1 has "
        "probability π.",
        remark="Where a partial loss is infinite, 0 times infinity must be read as 0.",
    ),
    paper.Definition(
        "pbr.proper",
        "A loss is proper if predicting the probability itself attains the Bayes risk.",
        also=("sec:int",),
        line=119,
    ),
    ours.Text(
        "pbr.symmetric",
        "The Bayes risk of a symmetric loss is symmetric: at π a prediction u costs what 1 - u costs at 1 - "
        "π, so both have the same infimum over all predictions.",
        line=162,
        given=MIRRORED,
        then=equal(
            p * function(u, "P") + (1 - p) * function(u, "N"),
            (1 - p) * function(1 - u, "P") + p * function(1 - u, "N"),
        ),
        control=equal(
            p * function(u, "P") + (1 - p) * function(u, "N"),
            p * function(1 - u, "P") + (1 - p) * function(1 - u, "N"),
        ),
    ),
    paper.Text(
        "pbr.concave",
        "Every Bayes risk is concave, whatever the loss. For any prediction the expected loss is an affine "
        "function of π, with values s and t at 1 and 0; if it is at least lx at x and ly at y, and at z at "
        "most d above lz, then lz + d is at least the chord at z. Let d go to 0.",
        line=163,
        given=(*ORDERED, lx <= x * s + (1 - x) * t, ly <= y * s + (1 - y) * t, z * s + (1 - z) * t <= lz + d),
        then=(y - z) * lx + (z - x) * ly <= (y - x) * (lz + d),
        proofs=(Sum(degree=2), Smt()),
        control=(y - z) * lx + (z - x) * ly <= (y - x) * (lz - d),
    ),
    ours.Step(
        "pbr.limit",
        "For c ≥ 0, if a ≤ b + c d for every d > 0 then a ≤ b: if b < a, then d = (a - b) / (2 c + 2) is > 0 "
        "and b + c d < a.",
        line=163,
        claim=Claim((0 <= c, b < a), both(0 < (a - b) / (2 * c + 2), b + c * ((a - b) / (2 * c + 2)) < a)),
        control=both(0 < (a - b) / (2 * c + 2), b + (2 * c + 2) * ((a - b) / (2 * c + 2)) < a),
    ),
    paper.Text(
        "pbr.maximum",
        "The Bayes risk of a symmetric loss is greatest at 1/2, proper or not: the chord from x to 1 - x.",
        line=163,
        claim=Claim((0 <= x, x <= HALF), both(risk(x) <= risk(HALF), risk(1 - x) <= risk(HALF))),
        proof=by_z3(Mirror("L", x), Chord("L", x, term(HALF), 1 - x)),
        control=both(risk(x) <= risk(HALF), risk(1 - x) < risk(HALF)),
        remark="It need not be greatest at 1/2 only: a risk can be 1 on a whole interval.",
    ),
    ours.Text(
        "pbr.least",
        "A normalised Bayes risk takes its values in [0, 1], and that of the 0/1 loss, 2 min(x, 1 - x), "
        "is the least of all at every x.",
        lines=(119, 163),
        also=("sec:int",),
        given=(0 <= x, x <= HALF, AT_ZERO, AT_HALF),
        then=both(
            both(0 <= risk(x), risk(x) <= 1),
            both(0 <= risk(1 - x), risk(1 - x) <= 1),
            2 * smaller(x, 1 - x) <= risk(x),
            2 * smaller(x, 1 - x) <= risk(1 - x),
        ),
        proof=by_z3(Mirror("L", x), Chord("L", x, term(HALF), 1 - x), Chord("L", ZERO, x, term(HALF))),
        control=both(3 * smaller(x, 1 - x) <= risk(x), 2 * smaller(x, 1 - x) <= risk(1 - x)),
        remark="For the introduction's 'sensitivity converges to the minimum' as α goes to 0: at x = 1/m, "
        "times m, it is the least perspective at (1, m).",
    ),
    paper.Text(
        "pbr.normalise",
        "Every Bayes risk L of a symmetric proper loss can be taken to be 1 at 1/2: some factor makes it so.",
        line=163,
        refutation=Witness(computations.vanishing_risk, (Fraction(0),), (Fraction(1),)),
        correction="pbr.normalised",
        severity=Severity.PEDANTRY,
        erratum="normalise-constant",
        remark="Among losses with L(0) = 0, only one whose risk is 0 everywhere cannot be scaled.",
    ),
    meant.Text(
        "pbr.normalised",
        "A symmetric Bayes risk that is greater at 1/2 than at 0 becomes 0 at 0 and 1, and 1 at 1/2, when "
        "L(0) is subtracted and the rest divided by L(1/2) - L(0).",
        line=163,
        given=(equal(w, risk(HALF) - risk(0)),),
        then=both(
            equal((risk(0) - risk(0)) / w, 0),
            both(equal((risk(1) - risk(0)) / w, 0), equal((risk(HALF) - risk(0)) / w, 1)),
        ),
        added=(risk(0) < risk(HALF),),
        hypothesis="the loss is not a constant in disguise: L(0) < L(1/2)",
        proof=by_z3(Mirror("L", ZERO)),
        control=both(
            equal((risk(0) - risk(0)) / w, 0),
            both(equal((risk(1) - risk(0)) / w, 1), equal((risk(HALF) - risk(0)) / w, 1)),
        ),
    ),
    ours.Step(
        "pbr.normalised-concave",
        "A Bayes risk stays concave when a constant c is subtracted and the rest is divided by a number w > "
        "0: both keep chords below the function.",
        line=163,
        claim=Claim((*ORDERED, 0 < w), 0 <= chord((risk(x) - c) / w, (risk(z) - c) / w, (risk(y) - c) / w)),
        proofs=(Sum((Chord("L", x, z, y),)), by_z3(Chord("L", x, z, y))),
        control=0 < chord((risk(x) - c) / w, (risk(z) - c) / w, (risk(y) - c) / w),
    ),
    ours.Text(
        "pbr.savage",
        "A concave function L with a slope s at every u is the Bayes risk of a proper loss: the partial "
        "losses L(u) + (1 - u) s and L(u) - u s cost at least L(π) on average, and L(π) at u = π.",
        line=163,
        given=(risk(p) <= risk(u) + s * (p - u),),
        then=both(
            risk(p) <= p * (risk(u) + (1 - u) * s) + (1 - p) * (risk(u) - u * s),
            equal(p * (risk(p) + (1 - p) * s) + (1 - p) * (risk(p) - p * s), risk(p)),
        ),
        control=both(
            risk(p) <= p * (risk(u) + (1 - u) * s) + (1 - p) * (risk(u) + u * s),
            equal(p * (risk(p) + (1 - p) * s) + (1 - p) * (risk(p) - p * s), risk(p)),
        ),
        remark="So no more is true of every Bayes risk than concave, symmetric, 0 at 0 and 1 at 1/2. At 0 "
        "and 1 the slope may be infinite, as for the Matsushita risk (predDT.no-slope).",
    ),
    paper.Text(
        "pbr.order",
        "A positive factor c plays no role when a criterion is minimised.",
        line=162,
        claim=Claim((0 < c,), both(implies(a <= b, c * a <= c * b), implies(c * a <= c * b, a <= b))),
        control=both(implies(a <= b, c * a <= b), implies(c * a <= c * b, a <= b)),
    ),
    paper.Text(
        "pbr.trees-minimise-risks",
        "Most algorithms that induce decision trees greedily minimise a Bayes risk.",
        line=162,
        proof=Cited("Kearns and Mansour; a statement about the literature"),
    ),
)


def at(name: str, point: Term) -> Term:
    """Return the value of a named risk at a point."""
    parameter, body = RISKS[name]["L"]
    return substitute(body, {parameter: point})


def named_risk(name: str) -> tuple[Entry, ...]:
    """Return the four facts that make a risk of `common.RISKS` a Bayes risk."""
    above = chord(at(name, x), at(name, z), at(name, y))
    ends = both(equal(at(name, ZERO), 0), both(equal(at(name, ONE), 0), equal(at(name, term(HALF)), 1)))
    wrong = both(equal(at(name, ZERO), 0), both(equal(at(name, ONE), 0), equal(at(name, term(HALF)), 2)))
    words = {
        "matsushita": "2 sqrt(x (1 - x))",
        "square": "4 x (1 - x)",
        "zero-one": "2 min(x, 1 - x)",
        "flat": "min(1, 4 x, 4 (1 - x))",
    }[name]
    return (
        ours.Step(
            f"pbr.{name}-concave",
            f"{words} is concave on [0, 1].",
            line=163,
            claim=Claim(ORDERED, 0 <= above),
            proofs=(Sum(degree=3), Smt()) if name == "square" else (Smt(),),
            control=0 < above,
        ),
        ours.Step(
            f"pbr.{name}-symmetric",
            f"{words} is the same at x and 1 - x.",
            line=163,
            claim=Claim(INSIDE, equal(at(name, x), at(name, 1 - x))),
            proofs=(Identity(), Smt()) if name in ("matsushita", "square") else (Smt(),),
            control=equal(at(name, x), at(name, 1 - x / 2)),
        ),
        ours.Step(
            f"pbr.{name}-ends",
            f"{words} is 0 at 0 and 1, and 1 at 1/2.",
            line=163,
            claim=Claim((), ends),
            proofs=(Identity(), Smt()) if name == "square" else (Smt(),),
            control=wrong,
        ),
    )


ENTRIES = (*TREES, *BAYES, *(entry for name in RISKS for entry in named_risk(name)))
