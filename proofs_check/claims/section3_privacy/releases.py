"""Section 6: the parts of a boosted ensemble that need protection, and the leaks of the printed ones.

| here | paper |
|---|---|
| `M` | bound on the predictions |
| `b`, `b2` | the coefficient beta_t under a sample and under a neighbour of it |
| `p1`, `q1` | probability of an output under a sample and under a neighbour of it |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.common import HALF, add_up
from privboost.proofs_check.engines.elementary import Fact
from privboost.proofs_check.entry import Cite, Severity
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import absolute, both, either, equal, exp, function, reals, smaller, sqrt
from privboost.proofs_check.proofs import Computed, Counterexample, Smt, Sum, Use, Witness, by_z3

from . import computations
from .definitions import ADDED, MONOTONE

a, b, b2, c, c1, c2, e, f, f2, g, h, h2, k1, k2 = reals("a b b2 c c1 c2 e f f2 g h h2 k1 k2")
f1, near, far, moved = reals("f1 near far moved")
M, p1, p2, q1, q2, r, t, u, v, w, x, y, z = reals("M p1 p2 q1 q2 r t u v w x y z")

RELEASES = (
    paper.Text(
        "sec-solv.two-places",
        "The second way of line 466: protecting the splits and the leaf predictions of a tree, and no more, "
        "protects its coefficient β_t too, which is computed from raw labels and weights and released.",
        line=466,
        refutation=Witness(computations.leak, ("raw-leverage", "leaking"), ("raw-leverage", "closed")),
        correction="sec-solv.released-only",
        severity=Severity.PRIVACY,
        remark="One leaf holds both examples, of weight 1/2; with the released prediction h = 1 and a = 1 "
        "the coefficient (a/m) Σ w y h is 0 under S and -1/2 under S': anyone who sees h and β_t learns the "
        "sum of the labels. In the first way β_t is multiplied into the leaves and never released "
        "(sec-solv.beta-in-leaves).",
        also=("defwunMF",),
    ),
    meant.Text(
        "sec-solv.released-only",
        "Protecting splits and leaves suffices if all else follows from public and released quantities. p1, "
        "q1: chances of the splits under a sample and a neighbour, p1 ≤ c1 q1; p2, q2: of the leaves, given "
        "the splits; k1 = k2: of all else, given both. The whole costs the factor c1 c2.",
        line=466,
        given=(0 <= p1, 0 <= p2, 0 <= q1, 0 <= k1, 0 <= k2, p1 <= c1 * q1, p2 <= c2 * q2),
        then=k1 * (p1 * p2) <= (c1 * c2) * (k2 * (q1 * q2)),
        added=(equal(k1, k2),),
        hypothesis="α, the coefficients and the weights are computed from released quantities only",
        without=Counterexample(
            {"p1": 1, "p2": 1, "q1": 1, "q2": 1, "k1": 1, "k2": 0, "c1": 2, "c2": 2},
            {"p1": 1, "p2": 1, "q1": 1, "q2": 1, "k1": 1, "k2": 1, "c1": 2, "c2": 2},
        ),
        proof=by_z3(
            Use("sec:def.composition-product", {"p1": p1, "p2": p2, "q1": q1, "q2": q2, "c1": c1, "c2": c2})
        ),
        control=k1 * (p1 * p2) <= c1 * (k2 * (q1 * q2)),
    ),
    ours.Text(
        "sec-solv.sound-small",
        "One tree of depth 1 of the corrected learner is 1-private for ε = 1 on every pair of neighbours of "
        "3 examples over one binary attribute.",
        line=466,
        proof=Computed(computations.bounded_check, ("SOUND", 3), ("AS_PRINTED", 3), engine="exhaustion"),
        remark="All pairs, all trees, all outputs, exactly; the printed learner fails the same check.",
    ),
    meant.Text(
        "sec-solv.beta-post-processing",
        "A coefficient computed from the released noisy masses of the leaves costs nothing: a result reached "
        "with chances k1 and k2 from released outputs 1 and 2 has their factor c. Here for two outputs.",
        line=466,
        given=(0 <= k1, 0 <= k2, p1 <= c * q1, p2 <= c * q2),
        then=k1 * p1 + k2 * p2 <= c * (k1 * q1 + k2 * q2),
        proofs=(
            Sum(),
            by_z3(
                Use(
                    "defEDPRIV.post-processing",
                    {"k1": k1, "k2": k2, "p1": p1, "p2": p2, "q1": q1, "q2": q2, "c": c},
                )
            ),
        ),
        control=k1 * p1 + k2 * p2 <= c * (k1 * q1 + q2),
    ),
    paper.Text(
        "sec-solv.beta-in-leaves",
        "The first way of line 466 multiplies the predictions by the coefficient β = a w g (w the mean "
        "weight, g the weighted mean of y h) and then protects them. Each |β h| is at most a M^2, and no "
        "change of the sample, to β = a t v and h2, moves a leaf by more than 2 a M^2.",
        line=466,
        given=(
            *(0 <= a, 0 <= w, w <= 1, absolute(g) <= M, absolute(h) <= M, equal(b, a * w * g)),
            *(0 <= t, t <= 1, absolute(v) <= M, absolute(h2) <= M, equal(b2, a * t * v)),
        ),
        then=both(absolute(b * h) <= a * M**2, absolute(b * h - b2 * h2) <= 2 * a * M**2),
        proof=by_z3(*tuple(Use("sec-solv.product", {"x": x, "y": y, "M": M}) for x, y in ((g, h), (v, h2)))),
        control=both(absolute(b * h) <= a * M, absolute(b * h - b2 * h2) <= 2 * a * M**2),
        remark="So the first way is sound if every leaf has noise for that range and its own part of the "
        "budget, and weights are updated with what is released.",
    ),
    ours.Step(
        "sec-solv.product",
        "A product of two numbers of [-M, M] is in [-M^2, M^2].",
        line=466,
        claim=Claim((absolute(x) <= M, absolute(y) <= M), both(-(M**2) <= x * y, x * y <= M**2)),
        control=both(-(M**2) <= x * y, x * y <= M),
    ),
    meant.Text(
        "sec-solv.all-leaves-move",
        "In the first way of line 466 an exchange moves the predictions of the touched leaves only: a leaf "
        "whose examples stay the same keeps its value, b h under S and b2 h under S', with b and b2 the "
        "coefficients.",
        line=466,
        claim=Claim((absolute(h) <= M,), equal(b * h, b2 * h)),
        refutation=Counterexample({"b": 0, "b2": -HALF, "h": 1, "M": 1}, {"b": 0, "b2": 0, "h": 1, "M": 1}),
        correction="sec-solv.beta-in-leaves",
        severity=Severity.GAP,
        remark="0 against -1/2, with the coefficients of sec-solv.two-places: the coefficient moves with "
        "every label. A gap: the paper does not say that all leaves need noise; noise for the touched ones "
        "only is too little.",
    ),
    meant.Text(
        "sec-solv.raw-weights",
        "Under the printed rules (AS_PRINTED) one example is all that changes for the second tree too: an "
        "example that stays keeps its weight, which is the inverse link (at α = 1) of u = -b y h under S "
        "and v = -b2 y h under S', with label y = 1, prediction h and coefficients b and b2.",
        also=("defwunMF",),
        line=466,
        given=(equal(u, -b * h), equal(v, -b2 * h)),
        then=equal(HALF + u / (2 * sqrt(4 + u**2)), HALF + v / (2 * sqrt(4 + v**2))),
        refutation=Counterexample(
            {"b": 0, "b2": -HALF, "h": 1, "u": 0, "v": HALF}, {"b": 0, "b2": 0, "h": 1, "u": 0, "v": 0}
        ),
        correction="sec-solv.released-weights",
        severity=Severity.PRIVACY,
        remark="1/2 against 0.621, with the coefficients 0 and -1/2 of sec-solv.two-places. Theorem th3P "
        "lets one example change; it covers the second tree only if weights come from released coefficients "
        "and predictions (sec-solv.released-weights).",
    ),
    meant.Text(
        "sec-solv.released-weights",
        "Let the weight of every example be a function W of its label, its released predictions and the "
        "released coefficients. Then an example that two samples share adds as much to the net of its leaf "
        "(label 1 minus label -1) in both: with x and t the nets of the others, adding W(-r y h) y to both "
        "leaves x - t.",
        line=466,
        given=(equal(u, -r * y * h), equal(v, -r * y * h)),
        then=equal((x + function(u, "W") * y) - (t + function(v, "W") * y), x - t),
        control=equal((x + function(u, "W") * y) - (t + function(u + 1, "W") * y), x - t),
        remark="u and v are the margins of the example in the two samples, which released quantities alone"
        " determine. If the weight also depends on the rest of the sample, as printed, they may differ.",
    ),
)

LEAVES = (
    meant.Text(
        "sec-solv.leaf-range",
        "A prediction with |h| ≤ M moves by at most 2 M. One flipped label attains that, here for M = 10.",
        line=527,
        claim=Claim((absolute(h) <= M, absolute(h2) <= M), absolute(h - h2) <= 2 * M),
        proofs=(Smt(), Computed(computations.opposite_leaves, (Fraction(10), 2), (Fraction(10), 1))),
        control=absolute(h - h2) < 2 * M,
    ),
    meant.Text(
        "sec-solv.leaf-two",
        "The predictions of all leaves of a tree, each clamped to [-M, M], move by at most 4 M in L1 under "
        "exchange, which touches two leaves: one goes from h to h2, the other from f to f2.",
        line=527,
        given=(absolute(h) <= M, absolute(h2) <= M, absolute(f) <= M, absolute(f2) <= M),
        then=absolute(h - h2) + absolute(f - f2) <= 4 * M,
        severity=Severity.GAP,
        proofs=(Smt(), Computed(computations.two_leaves, (Fraction(1, 8), 4), (Fraction(1, 8), 2))),
        control=absolute(h - h2) + absolute(f - f2) < 4 * M,
        remark="The paper does not say how the budget is divided among the leaves; an exchanged example "
        "leaves one leaf and enters another.",
    ),
    ours.Text(
        "sec-solv.masses",
        "The class masses of all leaves move by at most 2 w in L1 under exchange, and by at most w under "
        "add/remove, if weights are at most w.",
        line=527,
        given=(0 < a, a <= w, 0 < b, b <= w),
        then=both(absolute((x - a) - x) + absolute((y + b) - y) <= 2 * w, absolute((y + b) - y) <= w),
        control=both(absolute((x - a) - x) + absolute((y + b) - y) < 2 * w, absolute((y + b) - y) <= w),
        remark="Predictions and coefficient computed from noisy masses cost nothing more.",
    ),
)

LABELS = (either(equal(y, 1), equal(y, -1)), either(equal(z, 1), equal(z, -1)))

NETS = (
    ours.Text(
        "sec-solv.nets",
        "The net of a leaf is its mass of label 1 minus that of label -1. With weights capped at w the nets "
        "of all leaves move by at most 2 w in L1 under exchange, and by w under add/remove. An example "
        "(weight u before the cap, label y) becomes another (v, z), in a leaf whose other examples have the "
        "net x, or goes from there to a leaf with the net t. One flipped label of weight w attains 2 w.",
        line=527,
        given=(0 <= u, 0 <= v, 0 <= w, *LABELS),
        then=both(
            absolute((x + smaller(u, w) * y) - (x + smaller(v, w) * z)) <= 2 * w,
            absolute((x + smaller(u, w) * y) - x) + absolute(t - (t + smaller(v, w) * z)) <= 2 * w,
            absolute((x + smaller(u, w) * y) - x) <= w,
            equal(absolute((x + w) - (x - w)), 2 * w),
        ),
        control=both(
            absolute((x + u * y) - (x + v * z)) <= 2 * w,
            absolute((x + u * y) - x) + absolute(t - (t + v * z)) <= 2 * w,
            absolute((x + u * y) - x) <= w,
            equal(absolute((x + w) - (x - w)), 2 * w),
        ),
        remark="The wrong twin has no cap. Masses of both labels (sec-solv.masses) cost as much, and have "
        "two noises.",
    ),
    ours.Text(
        "sec-solv.nets-private",
        "Independent Laplace noise of scale 2 w / ε on every net of sec-solv.nets makes the nets of a tree "
        "ε-private under exchange: if the nets move by at most 2 w in L1, and an output has the L1 distances "
        "near and far from them before and after, the densities exp(-r near) and exp(-r far), with "
        "r = ε / (2 w), differ by the factor exp(ε) at most.",
        line=527,
        given=(0 < e, 0 < w, equal(r, e / (2 * w)), far <= near + moved, moved <= 2 * w),
        then=exp(-r * near) <= exp(e) * exp(-r * far),
        proof=by_z3(Fact(ADDED, (e, -r * far)), Fact(MONOTONE, (-r * near, e + -r * far))),
        control=exp(-r * near) <= exp(e / 2) * exp(-r * far),
        rests_on=(
            Cite(
                "sec-solv.nets",
                {"moved": absolute((x + smaller(u, w) * y) - (x + smaller(v, w) * z))},
                (0 <= u, 0 <= v, *LABELS),
            ),
            add_up(
                "sec:def.laplace-vector",
                {
                    "near": near + absolute(x - f1),
                    "far": far + absolute(x - f2),
                    "moved": moved + absolute(f1 - f2),
                },
            ),
        ),
        remark="The same holds for noise on a grid, whose probabilities have one normalising constant. "
        "Under add/remove half of the scale suffices.",
    ),
)

ENTRIES = (*RELEASES, *LEAVES, *NETS)
