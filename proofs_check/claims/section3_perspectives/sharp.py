"""Ours: the sharp sensitivity m L(1/m) of every Bayes risk, for a leaf, for a partition, for both relations.

| here | meaning |
|---|---|
| `leaf(a, b)` | f(a, b) = (a + b) L(a / (a + b)), the risk of a leaf (`leaf_risk`) |
| `a`, `b`, `c`, `d` | masses of the examples that two neighbouring samples share |
| `p`, `q` | the mass of one example: of class 1 (q = 0) or of the other class (p = 0), at most 1 |
| `SHARP` | m L(1/m), the perspective of L at (1, m) |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import ours, paper
from privboost.proofs_check.claims.common import AT_HALF, AT_ZERO, HALF, ONE, ZERO
from privboost.proofs_check.entry import Severity
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim, term
from privboost.proofs_check.language import absolute, both, equal, larger, reals, risk
from privboost.proofs_check.proofs import Sum, Use, by_z3

from .leaf_risk import example, leaf, shared, with_names

a, b, c, d, m, n, p, p2, q, q2, t, w, x = reals("a b c d m n p p2 q q2 t w x")

SHARP = m * risk(1 / m)
NEXT = (m + 1) * risk(1 / (m + 1))
PRINTED = larger(3, 1 + NEXT)
HALF_WAY = term(HALF)
_AB = shared(a, b)
_BASE = (*_AB, a + b <= m - 1)
_EXCHANGED = absolute(leaf(a + p, b + q) - leaf(a + p2, b + q2))
_MOVED = leaf(a + p, b + q) + leaf(c, d) - leaf(a, b) - leaf(c + p2, d + q2)

SENSITIVITY = (
    ours.Lemma(
        "sharp.gain",
        "An example of class 1 and of weight at most 1 that enters a leaf with a mass > 0 and ≤ m - 1 adds "
        "at most m L(1/m) to its risk.",
        claim=Claim((*_BASE, 0 < t, t <= 1, AT_ZERO), leaf(a + t, b) - leaf(a, b) <= SHARP),
        proofs=(
            Sum(degree=1, uses=(Use("sharp.increment"), Use("sharp.mass", with_names(n=m - 1)))),
            by_z3(Use("sharp.increment"), Use("sharp.mass", with_names(n=m - 1))),
        ),
        control=leaf(a + t, b) - leaf(a, b) <= SHARP / 2,
    ),
    ours.Lemma(
        "sharp.gain.other-class",
        "An example of class -1 and of weight at most 1 that enters a leaf with a mass > 0 and ≤ m - 1 adds "
        "at most m L(1/m) to its risk.",
        claim=Claim((*_BASE, 0 < t, t <= 1, AT_ZERO), leaf(a, b + t) - leaf(a, b) <= SHARP),
        proof=Sum(
            degree=1,
            uses=(
                Use("sharp.gain", with_names(a=b, b=a)),
                Use("sharp.swap", with_names(b=b + t)),
                Use("sharp.swap", with_names(a=b, b=a)),
            ),
        ),
        control=leaf(a, b + t) - leaf(a, b) <= SHARP / 2,
    ),
    ours.Lemma(
        "sharp.example.at-most",
        "An example of either class and of weight at most 1 that enters a leaf with a mass > 0 and ≤ m - 1 "
        "adds at most m L(1/m) to its risk.",
        claim=Claim((*_BASE, *example(p, q), AT_ZERO), leaf(a + p, b + q) - leaf(a, b) <= SHARP),
        proof=by_z3(
            Use("sharp.gain", with_names(t=p + q)), Use("sharp.gain.other-class", with_names(t=p + q))
        ),
        control=leaf(a + p, b + q) - leaf(a, b) <= SHARP / 2,
    ),
    ours.Lemma(
        "sharp.example.raises",
        "An example of either class that enters a leaf with a mass > 0 does not lower its risk.",
        claim=Claim((*_AB, *example(p, q), AT_ZERO), leaf(a, b) <= leaf(a + p, b + q)),
        proof=by_z3(
            Use("sharp.monotone", with_names(t=p)), Use("sharp.monotone.other-class", with_names(t=q))
        ),
        control=2 * leaf(a, b) <= leaf(a + p, b + q),
    ),
    ours.Theorem(
        "sharp.exchange",
        "Exchanging one of m examples (its class, its weight in (0, 1], or both) changes the risk of its "
        "leaf by at most m L(1/m).",
        claim=Claim((*_BASE, *example(p, q), *example(p2, q2), AT_ZERO), _EXCHANGED <= SHARP),
        proof=by_z3(
            Use("sharp.example.at-most"),
            Use("sharp.example.at-most", with_names(p=p2, q=q2)),
            Use("sharp.example.raises"),
            Use("sharp.example.raises", with_names(p=p2, q=q2)),
        ),
        control=_EXCHANGED <= SHARP / 2,
        remark="Theorem th3P bounds the same change by max{3, 1 + (m + 1) L(1/(m + 1))}.",
    ),
    ours.Lemma(
        "sharp.exchange.alone",
        "Where the exchanged example is alone in its leaf the risk is 0 before and after.",
        claim=Claim((*example(p, q), *example(p2, q2), AT_ZERO), equal(leaf(p, q), leaf(p2, q2))),
        proof=by_z3(Mirror("L", ZERO)),
        control=equal(leaf(p, q), 1 + leaf(p2, q2)),
    ),
    ours.Theorem(
        "sharp.add-remove",
        "An example added to at most n others raises the risk of its leaf by 0 at least and by "
        "(n + 1) L(1/(n + 1)) at most.",
        given=(*_AB, a + b <= n, *example(p, q), AT_ZERO),
        then=both(
            leaf(a, b) <= leaf(a + p, b + q), leaf(a + p, b + q) - leaf(a, b) <= (n + 1) * risk(1 / (n + 1))
        ),
        proof=by_z3(Use("sharp.example.at-most", with_names(m=n + 1)), Use("sharp.example.raises")),
        control=leaf(a + p, b + q) - leaf(a, b) <= n * risk(1 / (n + 1)),
        remark="So it is under exchange, with n = m - 1, where one of the two examples reaches another leaf.",
    ),
    ours.Theorem(
        "sharp.partition",
        "Exchanging one of m examples for one in another leaf of a partition changes the sum of all risks by "
        "at most m L(1/m), if both leaves hold other examples: what the one leaf loses and the other gains "
        "are both between 0 and m L(1/m).",
        given=(*_AB, *shared(c, d), a + b + c + d <= m - 1, *example(p, q), *example(p2, q2), AT_ZERO),
        then=absolute(_MOVED) <= SHARP,
        proof=by_z3(
            Use("sharp.example.at-most"),
            Use("sharp.example.raises"),
            Use("sharp.example.at-most", with_names(a=c, b=d, p=p2, q=q2)),
            Use("sharp.example.raises", with_names(a=c, b=d, p=p2, q=q2)),
        ),
        control=absolute(_MOVED) <= SHARP / 2,
        remark="The two children of a split are a partition, and so are all leaves of a tree: the leaves "
        "that the example neither leaves nor enters cancel.",
    ),
    ours.Lemma(
        "sharp.partition.alone",
        "Exchanging one of m examples changes the sum of all risks of a partition by at most m L(1/m) also "
        "where the example was alone in the leaf that it leaves or, the samples exchanged, enters.",
        given=(*shared(c, d), c + d <= m - 1, *example(p, q), *example(p2, q2), AT_ZERO),
        then=absolute(leaf(p, q) + leaf(c, d) - leaf(c + p2, d + q2)) <= SHARP,
        proof=by_z3(
            Mirror("L", ZERO),
            Use("sharp.example.at-most", with_names(a=c, b=d, p=p2, q=q2)),
            Use("sharp.example.raises", with_names(a=c, b=d, p=p2, q=q2)),
        ),
        control=absolute(leaf(p, q) + leaf(c, d) - leaf(c + p2, d + q2)) <= SHARP / 2,
        remark="Where it is also alone in the leaf that it enters, no risk changes (sharp.exchange.alone).",
    ),
    ours.Theorem(
        "sharp.weight-bound",
        "Where no weight exceeds a public w, exchanging one of m examples changes the risk of its leaf, if "
        "it holds others, by at most w m L(1/m).",
        given=(0 < w, *_BASE, *example(p, q), *example(p2, q2), AT_ZERO),
        then=absolute(leaf(w * (a + p), w * (b + q)) - leaf(w * (a + p2), w * (b + q2))) <= w * SHARP,
        proof=by_z3(
            Use("sharp.exchange"),
            Use("sharp.homogeneous", with_names(a=a + p, b=b + q)),
            Use("sharp.homogeneous", with_names(a=a + p2, b=b + q2)),
        ),
        control=absolute(leaf(w * (a + p), w * (b + q)) - leaf(w * (a + p2), w * (b + q2))) <= w * SHARP / 2,
        remark="Masses are written as w times numbers to which the theorem for weights in (0, 1] applies. "
        "Alone in its leaf an example has no risk (sharp.exchange.alone).",
    ),
    ours.Theorem(
        "sharp.best",
        "No smaller constant serves: one of m unit weights is of class 1, and its class is flipped. Nor "
        "under add/remove: an example of class 1 is added to n unit weights of the other class.",
        given=(1 <= m, 1 <= n, AT_ZERO),
        then=both(
            equal(leaf(ONE, m - 1) - leaf(ZERO, m), SHARP),
            equal(leaf(ONE, n) - leaf(ZERO, n), (n + 1) * risk(1 / (n + 1))),
        ),
        control=equal(leaf(ONE, m - 1) - leaf(ZERO, m), SHARP + 1),
    ),
)

SIZE = (
    ours.Theorem(
        "sharp.least",
        "For m ≥ 2 the sharp sensitivity is at least 2.",
        claim=Claim((2 <= m, AT_ZERO, AT_HALF), 2 <= SHARP),
        proofs=(Sum((0 < m, Chord("L", ZERO, 1 / m, HALF_WAY))), by_z3(Chord("L", ZERO, 1 / m, HALF_WAY))),
        control=Fraction(21, 10) <= SHARP,
        remark="The 0/1 risk attains 2 (lemPhiProof.sharp-values).",
    ),
    ours.Lemma(
        "sharp.greatest-value",
        "A Bayes risk is at most 1 on [0, 1/2], and by symmetry on [0, 1].",
        claim=Claim((0 <= x, x <= HALF, AT_HALF), risk(x) <= 1),
        proof=by_z3(Mirror("L", x), Chord("L", x, HALF_WAY, 1 - x)),
        control=risk(x) <= Fraction(9, 10),
    ),
    ours.Theorem(
        "sharp.most",
        "For m ≥ 2 the sharp sensitivity is at most m, which a risk that is 1 from 1/m to 1 - 1/m attains.",
        claim=Claim((2 <= m, AT_HALF), SHARP <= m),
        proof=by_z3(Use("sharp.greatest-value", with_names(x=1 / m))),
        control=SHARP <= m - 1,
    ),
    ours.Lemma(
        "sharp.grows",
        "The sharp sensitivity does not fall as m grows.",
        claim=Claim((1 <= m, AT_ZERO), SHARP <= NEXT),
        proofs=(
            Sum((0 < m, 0 < m + 1, Chord("L", ZERO, 1 / (m + 1), 1 / m))),
            by_z3(Chord("L", ZERO, 1 / (m + 1), 1 / m)),
        ),
        control=SHARP + 1 <= NEXT,
    ),
    ours.Lemma(
        "sharp.grows-slowly",
        "From m ≥ 2 to m + 1 the sharp sensitivity grows by at most 1.",
        claim=Claim((2 <= m, AT_HALF), NEXT - SHARP <= 1),
        proof=by_z3(
            Chord("L", 1 / (m + 1), 1 / m, HALF_WAY), Use("sharp.greatest-value", with_names(x=1 / (m + 1)))
        ),
        control=NEXT - SHARP <= Fraction(9, 10),
    ),
    ours.Theorem(
        "sharp.below-printed",
        "The bound of Theorem th3P exceeds the sharp sensitivity by 1 at least, for every Bayes risk and m ≥ "
        "1.",
        label="th3P",
        line=215,
        claim=Claim((1 <= m, AT_ZERO), 1 <= PRINTED - SHARP),
        proof=by_z3(Use("sharp.grows")),
        control=Fraction(11, 10) <= PRINTED - SHARP,
    ),
    paper.Step(
        "expSPLIT.split-score",
        "The bound of Theorem th3P, which is on the risk of one leaf, also bounds the change of the score of "
        "a split, the sum over two leaves, where an example goes from one to the other and both hold others.",
        also=("gensen",),
        given=(*_AB, *shared(c, d), a + b + c + d <= m - 1, *example(p, q), *example(p2, q2), AT_ZERO),
        then=absolute(_MOVED) <= PRINTED,
        proof=by_z3(Use("sharp.partition"), Use("sharp.below-printed")),
        control=absolute(_MOVED) <= SHARP / 2,
        severity=Severity.GAP,
        remark="The paper does not argue this. It is true because the sharp bound m L(1/m) holds for whole "
        "partitions. If the example is alone, sharp.partition.alone bounds the change; if it stays in one "
        "leaf, the theorem itself.",
    ),
    ours.Theorem(
        "sharp.below-printed.at-most",
        "For m ≥ 2 the printed bound max{3, 1 + (m + 1) L(1/(m + 1))} exceeds the sharp sensitivity m "
        "L(1/m) by at most 2.",
        label="th3P",
        line=215,
        claim=Claim((2 <= m, AT_ZERO, AT_HALF), PRINTED - SHARP <= 2),
        proof=by_z3(Use("sharp.grows-slowly"), Use("sharp.least")),
        control=PRINTED - SHARP <= Fraction(19, 10),
        remark="A risk with L(1/3) = 1 attains 2 at m = 2, the 0/1 risk attains 1 at every m ≥ 2.",
    ),
    ours.Lemma(
        "sharp.below-printed.one-example",
        "For m = 1 the sharp sensitivity is 0, because a leaf with one example has no risk; the printed "
        "bound is 3.",
        label="th3P",
        line=215,
        claim=Claim((equal(m, 1), AT_ZERO, AT_HALF), both(equal(SHARP, 0), equal(PRINTED - SHARP, 3))),
        proof=by_z3(Mirror("L", ZERO)),
        control=equal(PRINTED - SHARP, 2),
    ),
)

ENTRIES = (*SENSITIVITY, *SIZE)
