"""Theorem th3P: its statement, our proof, and the maximum in it.

The notation is that of `terms`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from privboost.proofs_check.claims.common import HALF, ONE, ZERO
from privboost.proofs_check.entry import Entry
from privboost.proofs_check.kernel.certificates import Chord, Mirror, Rejected
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import both, equal, larger, reals, risk, smaller
from privboost.proofs_check.proofs import Computed, Smt, Use
from privboost.reference import losses
from privboost.reference.data import Relation
from privboost.reference.privacy.sensitivity import bound_th3p, exact_sensitivity

from .terms import (
    CHANGE,
    FIRST,
    NEIGHBOURS,
    NEXT,
    NORMAL,
    NOW,
    REST,
    m,
    neg,
    nonnegative,
    pos,
    q,
    q0,
    q2,
    small,
    steep,
    x0,
    x1,
    y0,
    y1,
)

(p,) = reals("p")

_GAIN = (pos + neg + x1 + x0) * risk(q) - (pos + neg) * risk(q0)
_STEP = 1 / (m + 1)


def exhaust(sizes: tuple[int, ...], less: int) -> str:
    """Compare the exact sensitivity of a leaf, over all neighbours on a grid of weights, with the bound."""
    changes = []
    for size, loss in product(sizes, (losses.SQUARE, losses.MATSUSHITA)):
        change = exact_sensitivity(loss, size, [HALF, Fraction(1)], Relation.EXCHANGE).value
        if not change <= bound_th3p(loss, size) - less:
            raise Rejected(f"{change} is too large for {size} examples")
        changes.append(f"{change} of {bound_th3p(loss, size)}")
    return "exact sensitivity " + ", ".join(changes)


_STATEMENT = (
    Entry(
        "th3P",
        "One exchanged example changes the score f of a leaf by at most max{3, 1 + (m + 1) L(1/(m + 1))}, "
        "for every Bayes risk L, whatever its weight (at most 1) and class are before and after.",
        "theorem",
        line=215,
        claim=Claim(NEIGHBOURS, CHANGE <= larger(3, 1 + NEXT)),
        proofs=(Smt(uses=(Use("th3P.one-more", {}), Use("th3P.one-more", {"x1": y1, "x0": y0, "q": q2}))),),
        control=CHANGE <= larger(2, NEXT - 1),
        remark="By another route than the paper's, whose cases do not cover all exchanges (th3P.cases). Even "
        "(m + 1) L(1/(m + 1)) suffices.",
    ),
    Entry(
        "th3P.one-more",
        "Adding one example of weight at most 1 to a leaf never lowers f, and raises it by at most "
        "(m + 1) L(1/(m + 1)) if the leaf then weighs at most m + 1.",
        "lemma",
        line=215,
        reading="ours",
        claim=Claim(
            (1 <= m, *REST, *FIRST, pos + neg + x1 + x0 <= m + 1, *NORMAL),
            both(0 <= _GAIN, _GAIN <= NEXT),
        ),
        proofs=(
            Smt(
                (Mirror("L", q),),
                uses=(
                    Use("th3P.rays", {"p": smaller(q0, q), "q": larger(q0, q)}),
                    Use("th3P.rays", {"p": smaller(q, _STEP), "q": larger(q, _STEP)}),
                    Use("th3P.rays", {"p": smaller(1 - q, _STEP), "q": larger(1 - q, _STEP)}),
                    Use("lemI2.A", {"p": smaller(q, _STEP), "q": _STEP}),
                    Use("lemI2.A", {"p": smaller(1 - q, _STEP), "q": _STEP}),
                    nonnegative(q),
                    nonnegative(q0),
                ),
            ),
        ),
        control=both(0 <= _GAIN, 2 * _GAIN <= NEXT),
        remark="So the bound also holds where neighbours differ by an added example, m being the smaller "
        "size.",
    ),
    Entry(
        "th3P.rays",
        "L(p)/p does not increase and L(p)/(1 - p) does not decrease in p.",
        "lemma",
        line=215,
        reading="ours",
        claim=Claim(
            (0 <= p, p <= q, q <= 1, *NORMAL),
            both(p * risk(q) <= q * risk(p), (1 - q) * risk(p) <= (1 - p) * risk(q)),
        ),
        proofs=(Smt((Mirror("L", ZERO), Chord("L", ZERO, p, q), Chord("L", p, q, ONE))),),
        control=both(p * risk(q) <= q * risk(p), (1 - p) * risk(q) <= (1 - q) * risk(p)),
    ),
    Entry(
        "th3P.small",
        "For 1, 2 and 3 examples with weights 1/2 and 1, the square and the Matsushita risk, the exact "
        "sensitivity of a leaf is at most the bound.",
        "theorem",
        line=215,
        reading="ours",
        proofs=(Computed(exhaust, ((1, 2, 3), 0), ((1, 2, 3), 2), "exhaustion"),),
    ),
)

_AFTER = (
    Entry(
        "th3P.maximum",
        "max{m L(1/m), 2, 3, 1 + (m + 1) L(1/(m + 1))} = max{3, 1 + (m + 1) L(1/(m + 1))} for m ≥ 2, by (C).",
        "step",
        line=1328,
        claim=Claim(
            (2 <= m, *NORMAL), equal(larger(larger(NOW, 2), larger(3, 1 + NEXT)), larger(3, 1 + NEXT))
        ),
        proofs=(Smt(uses=(small(ONE, m),)),),
        control=equal(larger(larger(NOW, 2), larger(3, 1 + NEXT)), larger(3, NEXT)),
    ),
    Entry(
        "th3P.maximum.redundant",
        "The maximum is always its second part: 3 ≤ 1 + (m + 1) L(1/(m + 1)) for every Bayes risk and m ≥ 1.",
        "remark",
        line=1328,
        reading="ours",
        claim=Claim((1 <= m, *NORMAL), equal(larger(3, 1 + NEXT), 1 + NEXT)),
        proofs=(Smt(uses=(steep(_STEP),)),),
        control=equal(larger(4, 1 + NEXT), 1 + NEXT),
    ),
)

ENTRIES: tuple[Entry, ...] = (*_STATEMENT, *_AFTER)
