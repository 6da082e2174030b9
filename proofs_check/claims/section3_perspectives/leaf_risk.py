"""Ours: the risk of a leaf as a function of its two masses, for every Bayes risk.

| here | meaning |
|---|---|
| `leaf(a, b)` | f(a, b) = (a + b) L(a / (a + b)), the risk of a leaf with masses a and b of the two classes |
| `p`, `q` | the mass of one example: of class 1 (q = 0) or of the other class (p = 0), at most 1 |

Only four facts about a Bayes risk are used: it is concave on [0, 1], symmetric, 0 at 0 and 1
at 1/2.
"""

from __future__ import annotations

from privboost.proofs_check.claims.common import AT_ZERO, ONE, ZERO
from privboost.proofs_check.entry import Entry
from privboost.proofs_check.kernel.certificates import Chord, Mirror
from privboost.proofs_check.kernel.terms import Claim, Formula, Term
from privboost.proofs_check.language import equal, reals, risk
from privboost.proofs_check.proofs import Identity, Smt, Sum, Use

a, b, c, d, n, t, w = reals("a b c d n t w")


def leaf(first: Term, second: Term) -> Term:
    """Return (first + second) L(first / (first + second))."""
    return (first + second) * risk(first / (first + second))


def shared(first: Term, second: Term) -> tuple[Formula, ...]:
    """State that two masses are those of at least one example."""
    return (0 <= first, 0 <= second, 0 < first + second)


def example(first: Term, second: Term) -> tuple[Formula, ...]:
    """State that two masses are those of one example: one of them is 0, their sum is a weight in (0, 1]."""
    return (*shared(first, second), equal(first * second, 0), first + second <= 1)


def with_names(**values: Term) -> dict[str, Term]:
    """Return the terms to substitute for the variables of an entry."""
    return values


_AB = shared(a, b)
_AT_AB = a / (a + b)
_RAISED = (a + t) / (a + t + b)

ENTRIES = (
    Entry(
        "sharp.homogeneous",
        "Masses that are all multiplied by w multiply the risk of a leaf by w.",
        "lemma",
        reading="ours",
        claim=Claim((0 < w, *_AB), equal(leaf(w * a, w * b), w * leaf(a, b))),
        proofs=(Identity(), Smt()),
        control=equal(leaf(w * a, w * b), leaf(a, b)),
    ),
    Entry(
        "sharp.swap",
        "Exchanging the two classes does not change the risk of a leaf: f(a, b) ≤ f(b, a), for all masses.",
        "lemma",
        reading="ours",
        claim=Claim(_AB, leaf(a, b) <= leaf(b, a)),
        proofs=(Sum((Mirror("L", _AT_AB),)), Smt((Mirror("L", _AT_AB),))),
        control=2 * leaf(a, b) <= leaf(b, a),
    ),
    Entry(
        "sharp.pure",
        "A leaf with examples of class 1 alone has risk 0.",
        "lemma",
        reading="ours",
        claim=Claim((0 < a, AT_ZERO), equal(leaf(a, ZERO), 0)),
        proofs=(Smt((Mirror("L", ZERO),)),),
        control=equal(leaf(a, ZERO), 1),
    ),
    Entry(
        "sharp.nonnegative",
        "No leaf has a negative risk.",
        "lemma",
        reading="ours",
        claim=Claim((*_AB, AT_ZERO), 0 <= leaf(a, b)),
        proofs=(
            Sum((Mirror("L", ZERO), Chord("L", ZERO, _AT_AB, ONE))),
            Smt((Mirror("L", ZERO), Chord("L", ZERO, _AT_AB, ONE))),
        ),
        control=1 <= leaf(a, b),
    ),
    Entry(
        "sharp.superadditive",
        "Joining two leaves with different shares does not lower the risk: f(a, b) + f(c, d) ≤ "
        "f(a + c, b + d).",
        "lemma",
        reading="ours",
        claim=Claim((*_AB, *shared(c, d), a * d < b * c), leaf(a, b) + leaf(c, d) <= leaf(a + c, b + d)),
        proofs=(
            Sum((0 < a + c + (b + d), Chord("L", _AT_AB, (a + c) / (a + c + (b + d)), c / (c + d)))),
            Smt((Chord("L", _AT_AB, (a + c) / (a + c + (b + d)), c / (c + d)),)),
        ),
        control=leaf(a, b) + 2 * leaf(c, d) <= leaf(a + c, b + d),
        remark="The order of the two shares is no restriction: the leaves can be named the other way round.",
    ),
    Entry(
        "sharp.superadditive.equal-shares",
        "Joining two leaves with the same share of class 1 adds their risks up.",
        "lemma",
        reading="ours",
        claim=Claim(
            (*_AB, *shared(c, d), equal(a * d, b * c)), equal(leaf(a, b) + leaf(c, d), leaf(a + c, b + d))
        ),
        control=equal(leaf(a, b) + 2 * leaf(c, d), leaf(a + c, b + d)),
    ),
    Entry(
        "sharp.monotone",
        "More mass of class 1 does not lower the risk of a leaf, be it pure or not.",
        "lemma",
        reading="ours",
        claim=Claim((*_AB, 0 <= t, AT_ZERO), leaf(a, b) <= leaf(a + t, b)),
        proofs=(Smt((Mirror("L", ZERO), Chord("L", _AT_AB, _RAISED, ONE))),),
        control=2 * leaf(a, b) <= leaf(a + t, b),
    ),
    Entry(
        "sharp.monotone.other-class",
        "More mass of the other class does not lower the risk of a leaf either.",
        "lemma",
        reading="ours",
        claim=Claim((*_AB, 0 <= t, AT_ZERO), leaf(a, b) <= leaf(a, b + t)),
        proofs=(
            Sum(
                degree=1,
                uses=(
                    Use("sharp.monotone", with_names(a=b, b=a)),
                    Use("sharp.swap", {}),
                    Use("sharp.swap", with_names(a=b + t, b=a)),
                ),
            ),
        ),
        control=2 * leaf(a, b) <= leaf(a, b + t),
    ),
    Entry(
        "sharp.increment",
        "Mass t of class 1 adds at most what it would add to a leaf with the other class alone: "
        "f(a + t, b) - f(a, b) ≤ f(t, b).",
        "lemma",
        reading="ours",
        claim=Claim((*_AB, 0 < t, AT_ZERO), leaf(a + t, b) - leaf(a, b) <= leaf(t, b)),
        proofs=(
            Sum(
                (
                    0 < a + t,
                    0 < a + t + b,
                    0 < t + b,
                    Chord("L", ZERO, t / (t + b), _RAISED),
                    Chord("L", ZERO, _AT_AB, _RAISED),
                )
            ),
            Smt((Chord("L", ZERO, t / (t + b), _RAISED), Chord("L", ZERO, _AT_AB, _RAISED))),
        ),
        control=leaf(a + t, b) - leaf(a, b) <= leaf(t, b) / 2,
    ),
    Entry(
        "sharp.mass",
        "The risk of one example of weight t ≤ 1 among mass b ≤ n of the other class is at most f(1, n).",
        "lemma",
        reading="ours",
        claim=Claim((0 < t, t <= 1, 0 <= b, b <= n, AT_ZERO), leaf(t, b) <= leaf(ONE, n)),
        proofs=(
            Smt(
                (
                    Mirror("L", ZERO),
                    Chord("L", ZERO, t / (t + n), t / (t + b)),
                    Chord("L", t / (t + n), 1 / (1 + n), ONE),
                )
            ),
        ),
        control=2 * leaf(t, b) <= leaf(ONE, n),
    ),
)
