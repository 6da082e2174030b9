"""Appendix, proof of Theorem thBoostLC1: the algorithm, and the two quantities X and Y of one round.

| here | paper |
|---|---|
| `z`, `d` | margin y_i H(x_i) before a round, and its change in the round, beta y_i h(x_i) |
| `W`, `C` | sums of w_i and of w_i y_i h(x_i) over examples |
| `e` | C / m, the mean of w_i y_i h(x_i): the mean weight times the edge of the normalised weights |
| `f`, `g` | mean of F(y_i H(x_i)) before and after a round |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import HALF, ZERO
from privboost.proofs_check.entry import Severity
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import between, both, equal, reals
from privboost.proofs_check.proofs import Counterexample, Identity, Smt, Sum, Use, by_z3

from .weak_learning import ALPHA, PI, M, a, alpha, beta, h, m, pi, root, surrogate, w, weight, y, z

d, e, f, g, k = reals("d e f g k")
C, H, H2, W, Y, edge = reals("C H H2 W Y edge")

ALGORITHM = (
    paper.Definition(
        "cboost",
        "The algorithm starts from weights 1/2; each round asks for a weak hypothesis, gives it the "
        "coefficient (a/m) sum of w_i y_i h(x_i), and updates every weight by (defwun).",
        line=1800,
        remark="Step 1 leaves out the index of the round.",
    ),
    paper.Definition(
        "cboost.parameters",
        "For α in (0, 1], π in [0, 1) and M > 0 the interval for the constant a is not empty, and all of it "
        "is positive.",
        lines=(1798, 435, 1901),
        given=(*ALPHA, *PI, 0 < M),
        then=both(0 < alpha / M**2 * (1 - pi), alpha / M**2 * (1 - pi) <= alpha / M**2 * (1 + pi)),
        control=0 < alpha / M**2 * (HALF - pi),
        remark="Line 1903 lets π be 1: one round is fine then, but the theorem divides by 1 - π². "
        "Section 5 does not exclude α = 0, the algorithm does: the theorem divides by α.",
    ),
    paper.Equation(
        "defwun",
        "For α in (0, 1] every weight, a value of the inverse link, is strictly between 0 and 1.",
        also_lines=(2500,),
        claim=Claim(ALPHA, both(0 < weight(z), weight(z) < 1)),
        control=both(0 < weight(z), weight(z) < Fraction(99, 100)),
    ),
    paper.Figure(
        "f-der2",
        "The figure shows the second derivative of the surrogate for several α.",
        remark="The source has no picture, so which formula was drawn cannot be told.",
    ),
)

FIRST_ORDER = (
    meant.Equation(
        "fEQ1",
        "Times the slope -w at the old margin, the difference of old and new margin is beta times (-y "
        "h)(-w), for each example and so in the mean.",
        line=1842,
        claim=Claim((), equal((y * H - y * (H + beta * h)) * -w, beta * (-(y * h) * -w))),
        proofs=(Identity(), Smt()),
        control=equal((y * H - y * (H + y * h)) * -w, beta * (-(y * h) * -w)),
        remark="That the slope is -w is entry fEQ1.slope.",
    ),
    paper.Text(
        "fEQ1.increment",
        "A round adds y_i h_t(x_i) to H(x_i), and (fEQ1) follows: the change of the margin y H times -w"
        " is beta (-y h)(-w). H and H2 are before and after the round, w is the weight, beta = a w y h"
        " the coefficient.",
        line=1853,
        given=(equal(y**2, 1), equal(H2, H + y * h), 0 < w, w < 1, 0 < a, equal(beta, a * w * y * h)),
        then=equal((y * H - y * H2) * -w, beta * (-(y * h) * -w)),
        refutation=Counterexample(
            {"y": 1, "h": 1, "H": 0, "H2": 1, "w": HALF, "a": 1, "beta": HALF},
            {"y": 1, "h": 1, "H": 0, "H2": 1, "w": HALF, "a": 2, "beta": 1},
        ),
        correction="fEQ1",
        severity=Severity.SLIP,
        remark="A slip: beta_t h_t is added, which the definition of H_T says. With y = h = 1, w = 1/2"
        " and a = 1 the left side is 1/2, the right side 1/4.",
    ),
    meant.Equation(
        "fEQ2",
        "With w_i = link^-1(-y_i H(x_i)) at the margin before the round, (-y h)(-w) is w y h.",
        claim=Claim((), equal(-(y * h) * -w, w * y * h)),
        proofs=(Identity(), Smt()),
        control=equal(-(y * h) * -w, w * h),
        remark="The printed update does not keep w_i so (entry defwunMF.accumulates).",
    ),
    paper.Text(
        "fEQ2.index",
        "The weights of round t are the inverse link at minus the margin of H_t, which contains h_t. Here"
        " for one example and round 1, where the weight is 1/2; beta = α y h/(2 M²) is the coefficient.",
        line=1854,
        given=(*ALPHA, equal(y**2, 1), 0 < M, *between(-M, h, M), equal(beta, alpha / M**2 * HALF * y * h)),
        then=equal(weight(y * beta * h), HALF),
        refutation=Counterexample(
            {"alpha": 1, "y": 1, "M": 1, "h": 1, "beta": HALF},
            {"alpha": HALF, "y": 1, "M": 1, "h": 1, "beta": HALF / 2},
        ),
        correction="fEQ2",
        severity=Severity.SLIP,
        remark="With α = y = M = h = 1 the inverse link at -1/2 is 0.379, and the weight is 1/2. In the"
        " proof H_t is the sum before round t, in Section 5 the sum after it. With the former, (eqSEQ)"
        " and what follows should speak of H_(T+1).",
    ),
    paper.Equation("fEQ3", "The expectation over the sample is the mean over its m examples."),
    paper.Equation(
        "bX",
        "The coefficient, a times mean weight times edge of the normalised weights, is (a/m) times the "
        "sum of w_i y_i h(x_i). Times the mean of w_i y_i h(x_i) it is a times the squared mean weight "
        "times the squared edge.",
        also=("cboost",),
        also_lines=(433, 1805, 1835),
        given=(0 < m, 0 < W),
        then=both(
            equal(a * (W / m) * (C / (m * (W / m))), a / m * C),
            equal(a * (W / m) * (C / W) * (C / m), a * (W / m) ** 2 * (C / W) ** 2),
        ),
        proofs=(Identity(), Smt()),
        control=equal(a * (W / m) * (C / W) * (C / m), a * (W / m) * (C / W) ** 2),
        remark="Not all weights may be 0, which is so for α > 0 (entry defwun).",
    ),
)

SECOND_ORDER = (
    paper.Definition(
        "defYY",
        "Y(Z) is the mean of squared changes of the margins times second derivatives at points z_i.",
        line=1860,
        remark="The set of the z_i is a subset of the reals, not of R^m; Y is not defined where a z_i is an "
        "end of the plateau.",
    ),
    paper.Equation(
        "bY.squares",
        "The squared change of a margin, (beta y h)², is at most beta² M².",
        line=1885,
        claim=Claim((equal(y**2, 1), *between(-M, h, M)), (beta * y * h) ** 2 <= beta**2 * M**2),
        control=(beta * y * h) ** 2 <= beta**2 * M,
    ),
    paper.Equation(
        "bY",
        "Y(Z) is at most a² M²/(2α) times the squared mean weight times the squared edge: each of its terms "
        "is.",
        given=(*ALPHA, 0 <= k, k <= 1 / (4 * alpha), d**2 <= (a * e) ** 2 * M**2),
        then=d**2 * k <= a**2 * e**2 * M**2 / (2 * alpha),
        hypothesis="no z_i is an end of the plateau, where for α < 1 there is no second derivative",
        control=d**2 * k <= a**2 * e**2 * M**2 / (8 * alpha),
        remark="With the right supremum the bound is half as large.",
    ),
    paper.Equation(
        "bY.edge-notation",
        "With the edge for η_t, which is not defined, the squared change d² of a margin is (a η_t h)², as"
        " printed: the mean weight is left out. Here for one example with the label y and the weight w.",
        line=1886,
        given=(0 < a, equal(y**2, 1), 0 < w, w < 1, equal(d, a * w * edge * h * y)),
        then=equal(d**2, (a * edge * h) ** 2),
        refutation=Counterexample(
            {"a": 1, "y": 1, "w": HALF, "edge": 1, "h": 1, "d": HALF},
            {"a": 1, "y": 1, "w": HALF, "edge": 0, "h": 1, "d": 0},
        ),
        correction="bY",
        severity=Severity.SLIP,
        remark="With w = 1/2 and a = y = h = edge = 1 the change is d = 1/2: 1/4 on the left, 1 on the right."
        " η_t is never defined; it must stand for mean weight times edge, here and in the next two displays.",
    ),
    ours.Step(
        "bY.curvature-witness",
        "At thresholded margin α/2 the second derivative is at least 1/(8α).",
        line=1891,
        claim=Claim(ALPHA, 1 / (8 * alpha) <= alpha**2 / (4 * root(alpha / 2) ** 3)),
        control=1 / (5 * alpha) <= alpha**2 / (4 * root(alpha / 2) ** 3),
    ),
    ours.Step(
        "bY.more-curvature",
        "A bound with d²/(8α) is one with d² k for every k ≥ 1/(8α).",
        line=1891,
        given=(0 < alpha, g <= f - d * w + d**2 / (8 * alpha), 1 / (8 * alpha) <= k),
        then=d * w - d**2 * k <= f - g,
        control=d * w - d**2 * k / 2 <= f - g,
    ),
    paper.Step(
        "bY.taylor",
        "There are points z_i with which the mean surrogate falls by at least X - Y(Z): all z_i may be at "
        "the thresholded margin α/2.",
        line=1894,
        given=ALPHA,
        then=d * weight(z) - d**2 * (alpha**2 / (4 * root(alpha / 2) ** 3))
        <= surrogate(z) - surrogate(z + d),
        proof=by_z3(
            Use("fEQ1.descent"),
            Use("bY.curvature-witness"),
            Use(
                "bY.more-curvature",
                {
                    "f": surrogate(z),
                    "g": surrogate(z + d),
                    "w": weight(z),
                    "k": alpha**2 / (4 * root(alpha / 2) ** 3),
                },
            ),
        ),
        control=Claim(
            (equal(alpha, 1), equal(z, 0), equal(d, 1)), d * weight(z) <= surrogate(z) - surrogate(z + d)
        ),
        remark="Taylor's formula, behind the cited proof, has Y(Z)/2 in place of Y(Z), and asks for a second "
        "derivative between the margins, which the ends of the plateau do not have. Neither does harm.",
    ),
    meant.Step(
        "bY.difference",
        "X - Y(Z) is at least a e² - a² e² M²/(2α), which is (1 - a M²/(2α)) a e², for e the mean weight "
        "times the edge.",
        line=1895,
        given=(0 < alpha, equal(C, a * e**2), Y <= a**2 * e**2 * M**2 / (2 * alpha)),
        then=(1 - a * M**2 / (2 * alpha)) * (a * e**2) <= C - Y,
        proofs=(Sum(), Smt()),
        control=a * e**2 <= C - Y,
        remark="C is X and Y is Y(Z); the relation sign before the last line is missing.",
    ),
    paper.Equation(
        "bY.difference-literal",
        "With the edge for η_t, the mean surrogate falls in a round by at least (1 - a M²/(2α)) a η_t²."
        " Here for one example, round 1 and M = 1; d is the change of the margin.",
        lines=(1897, 1907),
        given=(*ALPHA, 0 < a, a <= 2 * alpha, 0 < edge, edge <= 1, equal(d, a * HALF * edge**2)),
        then=(1 - a / (2 * alpha)) * a * edge**2 <= surrogate(ZERO) - surrogate(d),
        refutation=Counterexample(
            {"alpha": 1, "a": 1, "edge": 1, "d": HALF}, {"alpha": 1, "a": 2, "edge": 1, "d": 1}
        ),
        correction="eqSEQ.fall",
        severity=Severity.SLIP,
        remark="With α = a = edge = 1 the surrogate falls from 1 to 0.781, by 0.219, and 1/2 is claimed."
        " The displays after it have the mean weight again.",
    ),
    paper.Step(
        "eqSEQ.pi-range",
        "The factor 1 - π² by which the condition divides is positive for every π in [0, 1], the range that"
        " this line gives.",
        line=1903,
        claim=Claim((0 <= pi, pi <= 1), 0 < 1 - pi**2),
        refutation=Counterexample({"pi": 1}, {"pi": HALF}),
        correction="eqSEQ.printed-constant",
        severity=Severity.PEDANTRY,
        remark="π = 1 gives 0. The theorem and the algorithm have [0, 1).",
    ),
)

ENTRIES = (*ALGORITHM, *FIRST_ORDER, *SECOND_ORDER)
