"""Section 6: which parts of a boosted ensemble must be protected, and what the printed ones leak.

| here | paper |
|---|---|
| `M` | bound on the predictions |
| `b`, `b2` | the coefficient beta_t under a sample and under a neighbour of it |
| `p1`, `q1` | probability of an output under a sample and under a neighbour of it |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import absolute, both, equal, reals, risk, sqrt
from privboost.proofs_check.proofs import Computed, Counterexample, Smt, Sum, Use
from . import privacy_exhibits as exhibits
from .common import HALF

a, alpha, alpha2, b, b2, B, c, c1, c2, d, D, e, f, f2, g, h, h2, k, k1, k2 = reals(
    "a alpha alpha2 b b2 B c c1 c2 d D e f f2 g h h2 k k1 k2"
)
m, M, n, p1, p2, q1, q2, r, s, t, T, u, v, w, w1, w2, x, y, y1, y2, y3, z = reals(
    "m M n p1 p2 q1 q2 r s t T u v w w1 w2 x y y1 y2 y3 z"
)

RELEASES = (
    Entry(
        "sec-solv.two-places",
        "Protecting (a) the choice of splits and (b) the predictions of leaves makes the whole classifier "
        "private: everything else it consists of may be as printed.",
        "text",
        label="sec-solv",
        line=466,
        refutation=Computed(
            exhibits.leak, ("raw-leverage", "leaking"), ("raw-leverage", "closed"), engine="witness"
        ),
        correction="sec-solv.released-only",
        severity=Severity.PRIVACY,
        remark="The classifier also has its coefficients, from raw labels and weights. One depth-1 tree, "
        "splits and leaves protected: the coefficient alone tells neighbours apart with certainty.",
    ),
    Entry(
        "sec-solv.released-only",
        "They suffice if all else follows from public and released quantities: with k the chance, the same "
        "under both samples, of what follows from a tree and its leaves, the whole costs c1 c2.",
        "text",
        label="sec-solv",
        line=466,
        reading="intended",
        claim=Claim(
            (0 <= p1, 0 <= p2, 0 <= q1, 0 <= k1, 0 <= k2, p1 <= c1 * q1, p2 <= c2 * q2),
            k1 * (p1 * p2) <= (c1 * c2) * (k2 * (q1 * q2)),
        ),
        added=(equal(k1, k2),),
        hypothesis="alpha, the coefficients and the weights are computed from released quantities only",
        without=Counterexample(
            {"p1": 1, "p2": 1, "q1": 1, "q2": 1, "k1": 1, "k2": 0, "c1": 2, "c2": 2},
            {"p1": 1, "p2": 1, "q1": 1, "q2": 1, "k1": 1, "k2": 1, "c1": 2, "c2": 2},
        ),
        proofs=(
            Smt(
                uses=(
                    Use(
                        "sec:def.composition-product",
                        {"p1": p1, "p2": p2, "q1": q1, "q2": q2, "c1": c1, "c2": c2},
                    ),
                )
            ),
        ),
        control=k1 * (p1 * p2) <= c1 * (k2 * (q1 * q2)),
    ),
    Entry(
        "sec-solv.sound-small",
        "One tree of depth 1 of the corrected learner is 1-private for epsilon = 1 on every pair of "
        "neighbours of 3 examples over one binary attribute.",
        "text",
        label="sec-solv",
        line=466,
        reading="ours",
        proofs=(Computed(exhibits.bounded_check, ("SOUND", 3), ("AS_PRINTED", 3), engine="exhaustion"),),
        remark="All pairs, all trees, all outputs, exactly; the printed learner fails the same check.",
    ),
    Entry(
        "sec-solv.beta-follows",
        "The protection of the coefficients follows from that of the leaves: given the same released "
        "predictions h, neighbours have the same coefficient. Two examples of weight 1/2 in one leaf, "
        "labels y1 and y2 under S, y3 and y2 under S'; (a / m) sum of w y h.",
        "text",
        label="sec-solv",
        line=466,
        also=("defwunMF",),
        claim=Claim(
            (0 < a, equal(y1**2, 1), equal(y2**2, 1), equal(y3**2, 1)),
            equal(a / 2 * (y1 * h / 2 + y2 * h / 2), a / 2 * (y3 * h / 2 + y2 * h / 2)),
        ),
        refutation=Counterexample(
            {"a": 1, "h": 1, "y1": 1, "y2": -1, "y3": -1}, {"a": 1, "h": 1, "y1": 1, "y2": -1, "y3": 1}
        ),
        correction="sec-solv.beta-post-processing",
        severity=Severity.PRIVACY,
        remark="0 and -1/2: whoever sees the classifier sees the coefficient next to the predictions, and "
        "learns the sum of the labels. The exact loss is infinite (entry sec-solv.two-places).",
    ),
    Entry(
        "sec-solv.beta-post-processing",
        "A coefficient computed from the released noisy masses of the leaves costs nothing: results reached "
        "with chances k1 and k2 from released outputs inherit their factor c.",
        "text",
        label="sec-solv",
        line=466,
        reading="intended",
        claim=Claim(
            (0 <= k1, 0 <= k2, p1 <= c * q1, p2 <= c * q2), k1 * p1 + k2 * p2 <= c * (k1 * q1 + k2 * q2)
        ),
        proofs=(
            Sum(),
            Smt(
                uses=(
                    Use(
                        "defEDPRIV.post-processing",
                        {"k1": k1, "k2": k2, "p1": p1, "p2": p2, "q1": q1, "q2": q2, "c": c},
                    ),
                )
            ),
        ),
        control=k1 * p1 + k2 * p2 <= c * (k1 * q1 + q2),
    ),
    Entry(
        "sec-solv.beta-in-leaves",
        "Multiplying the predictions by the coefficient, and then protecting them, works if the noise is for "
        "all leaves: |beta h| is at most a M^2, but every leaf moves when the coefficient does.",
        "text",
        label="sec-solv",
        line=466,
        claim=Claim(
            (0 <= a, 0 <= w, w <= 1, absolute(g) <= M, absolute(h) <= M, equal(b, a * w * g)),
            absolute(b * h) <= a * M**2,
        ),
        hypothesis="each leaf has noise for the range 2 a M^2 and its own part of the budget, and weights "
        "are updated with what is released",
        proofs=(Smt(uses=(Use("sec-solv.product", {"x": g, "y": h, "M": M}),)),),
        control=absolute(b * h) <= a * M,
    ),
    Entry(
        "sec-solv.product",
        "A product of two numbers of [-M, M] is in [-M^2, M^2].",
        "step",
        label="sec-solv",
        line=466,
        reading="ours",
        claim=Claim((absolute(x) <= M, absolute(y) <= M), both(-(M**2) <= x * y, x * y <= M**2)),
        proofs=(Smt(),),
        control=both(-(M**2) <= x * y, x * y <= M),
    ),
    Entry(
        "sec-solv.all-leaves-move",
        "With the coefficient b inside, an exchange still moves the predictions of the touched leaves only: "
        "a leaf whose examples stay keeps its value b h.",
        "text",
        label="sec-solv",
        line=466,
        reading="intended",
        claim=Claim((absolute(h) <= M,), equal(b * h, b2 * h)),
        refutation=Counterexample({"b": 0, "b2": -HALF, "h": 1, "M": 1}, {"b": 0, "b2": 0, "h": 1, "M": 1}),
        correction="sec-solv.beta-in-leaves",
        severity=Severity.THEOREM,
        remark="The coefficients 0 and -1/2 of entry sec-solv.beta-follows. Noise for the touched leaves "
        "only is too little.",
    ),
    Entry(
        "sec-solv.raw-weights",
        "Examples that stay keep their weights in the next tree, so that one example is all that changes: "
        "with coefficients b and b2 under neighbours the new weight, the inverse link at -b y h (alpha = "
        "1), agrees.",
        "text",
        label="sec-solv",
        also=("defwunMF",),
        line=466,
        reading="intended",
        claim=Claim(
            (equal(u, -b * h), equal(v, -b2 * h)),
            equal(HALF + u / (2 * sqrt(4 + u**2)), HALF + v / (2 * sqrt(4 + v**2))),
        ),
        refutation=Counterexample(
            {"b": 0, "b2": -HALF, "h": 1, "u": 0, "v": HALF}, {"b": 0, "b2": 0, "h": 1, "u": 0, "v": 0}
        ),
        correction="sec-solv.released-weights",
        severity=Severity.THEOREM,
        remark="With a raw coefficient all m weights move when one example does, and the sensitivity "
        "theorem, which lets one example change, says nothing of the second tree.",
    ),
    Entry(
        "sec-solv.released-weights",
        "With released coefficients and predictions the weight of an example is a function of that example "
        "alone: what was released, r, is the same, and so is the weight.",
        "text",
        label="sec-solv",
        line=466,
        reading="intended",
        claim=Claim((equal(u, -r * y * h), equal(v, -r * y * h)), equal(risk(u, "W"), risk(v, "W"))),
        proofs=(Smt(),),
        control=equal(risk(u, "W"), risk(v, "W") + 1),
    ),
    Entry(
        "sec-solv.pruning-free",
        "Pruning costs budget only if it reads the sample; by released predictions it is post-processing.",
        "text",
        label="sec-solv",
        line=466,
        reading="ours",
        claim=Claim((p1 <= c * q1, p2 <= c * q2), p1 + p2 <= c * (q1 + q2)),
        proofs=(Smt(uses=(Use("defEDPRIV.events", {"p1": p1, "p2": p2, "q1": q1, "q2": q2, "c": c}),)),),
        control=p1 + p2 <= c * q1,
        remark="Two released trees with one pruned form: their chances add up.",
    ),
)

LEAVES = (
    Entry(
        "sec-solv.leaf-sensitivity",
        "Predictions with |h| <= M have sensitivity M for the Laplace mechanism.",
        "text",
        label="sec-solv",
        line=527,
        claim=Claim((absolute(h) <= M, absolute(h2) <= M), absolute(h - h2) <= M),
        refutation=Counterexample({"h": 1, "h2": -1, "M": 1}, {"h": 1, "h2": 0, "M": 1}),
        correction="sec-solv.leaf-range",
        severity=Severity.PRIVACY,
        remark="If the scale is M / epsilon, the loss is 2 epsilon.",
    ),
    Entry(
        "sec-solv.leaf-range",
        "Their sensitivity is 2 M, and one flipped label attains it.",
        "text",
        label="sec-solv",
        line=527,
        reading="intended",
        claim=Claim((absolute(h) <= M, absolute(h2) <= M), absolute(h - h2) <= 2 * M),
        proofs=(Smt(), Computed(exhibits.opposite_leaves, (Fraction(10), 2), (Fraction(10), 1))),
        control=absolute(h - h2) < 2 * M,
    ),
    Entry(
        "sec-solv.leaf-pair",
        "So 2 M is the L1 sensitivity of all predictions of a tree together.",
        "text",
        label="sec-solv",
        line=527,
        reading="intended",
        refutation=Computed(exhibits.two_leaves, (Fraction(1, 8), 4), (Fraction(1), 4), engine="witness"),
        correction="sec-solv.leaf-two",
        severity=Severity.PRIVACY,
        remark="An exchanged example leaves one leaf and enters another. The paper does not say how the "
        "budget of a boosted tree is divided among its leaves.",
    ),
    Entry(
        "sec-solv.leaf-two",
        "It is at most 4 M: an exchange touches two leaves.",
        "text",
        label="sec-solv",
        line=527,
        reading="intended",
        claim=Claim(
            (absolute(h) <= M, absolute(h2) <= M, absolute(f) <= M, absolute(f2) <= M),
            absolute(h - h2) + absolute(f - f2) <= 4 * M,
        ),
        proofs=(Smt(), Computed(exhibits.two_leaves, (Fraction(1, 8), 4), (Fraction(1, 8), 2))),
        control=absolute(h - h2) + absolute(f - f2) < 4 * M,
    ),
    Entry(
        "sec-solv.masses",
        "The class masses of all leaves move by at most 2 w in L1 under exchange, and by w under "
        "add/remove, if weights are at most w: less noise, and predictions and coefficient follow for free.",
        "text",
        label="sec-solv",
        line=527,
        reading="ours",
        claim=Claim(
            (0 < a, a <= w, 0 < b, b <= w),
            both(absolute((x - a) - x) + absolute((y + b) - y) <= 2 * w, absolute((y + b) - y) <= w),
        ),
        proofs=(Smt(),),
        control=both(absolute((x - a) - x) + absolute((y + b) - y) < 2 * w, absolute((y + b) - y) <= w),
    ),
)

ENTRIES = (*RELEASES, *LEAVES)
