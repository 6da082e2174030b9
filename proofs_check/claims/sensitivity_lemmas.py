"""Appendix, the two lemmas before Theorem th3P: perspectives and Bayes risks, for every Bayes risk L.

A Bayes risk is known by four facts: it is concave on [0, 1], symmetric, 0 at 0 and 1 at 1/2.

| here | paper |
|---|---|
| `risk(x)` | L(x), any Bayes risk |
| `v * risk(u / v)` | the perspective of L at (u, v) |
"""

from __future__ import annotations

from ..entry import Entry
from ..kernel.certificates import Chord, Mirror
from ..kernel.terms import Claim
from ..language import reals, risk
from ..proofs import Smt, Sum
from .common import AT_ZERO, HALF, ZERO

u, v, v2, p, q, m, x = reals("u v v2 p q m x")

ENTRIES = (
    Entry(
        "lemI",
        "For fixed u > 0 the perspective v L(u/v) does not decrease as v grows from u.",
        "lemma",
        label="lemI",
        line=714,
        claim=Claim((0 < u, u <= v, v <= v2, AT_ZERO), v * risk(u / v) <= v2 * risk(u / v2)),
        proofs=(
            Sum((0 < v, 0 < v2, Chord("L", ZERO, u / v2, u / v)), degree=2),
            Smt((Chord("L", ZERO, u / v2, u / v),)),
        ),
        control=2 * v * risk(u / v) <= v2 * risk(u / v2),
    ),
    Entry(
        "lemI2.A",
        "A Bayes risk does not decrease on [0, 1/2].",
        "lemma",
        label="lemI2",
        line=734,
        claim=Claim((0 <= p, p <= q, q <= HALF), risk(p) <= risk(q)),
        proofs=(Smt((Mirror("L", p), Chord("L", p, q, 1 - p))),),
        control=risk(q) <= risk(p),
    ),
)
