"""Section 4, Corollary sensALPHA: the sensitivity of the M-alpha risk, its bound and its sharp value."""

from __future__ import annotations

from privboost.proofs_check import meant, ours, paper
from privboost.proofs_check.claims.section3_perspectives.bounds import (
    CHANGE,
    LEFT,
    NEIGHBOURS,
    SHARP_USES,
    STARS,
    bound,
)
from privboost.proofs_check.claims.section3_perspectives.sharp import SHARP
from privboost.proofs_check.kernel.terms import Claim
from privboost.proofs_check.language import both, equal, reals, risk, smaller, sqrt
from privboost.proofs_check.proofs import Derived, Identity, Smt, Use, by_z3

alpha, alpha2, m = reals("alpha alpha2 m")

_SENSITIVITY = 3 + 2 * alpha * (sqrt(m) - 1)
_ALPHA = (0 <= alpha, alpha <= 1)
_SHARP_ALPHA = 2 * alpha * sqrt(m - 1) + 2 * (1 - alpha)
_SHARP_ALPHA2 = 2 * alpha2 * sqrt(m - 1) + 2 * (1 - alpha2)
_M_ALPHA_HERE = equal(
    risk(1 / m), alpha * (2 * sqrt(1 / m * (1 - 1 / m))) + (1 - alpha) * (2 * smaller(1 / m, 1 - 1 / m))
)

ENTRIES = (
    paper.Corollary(
        "sensALPHA",
        "Exchanging one of m ≥ 2 examples changes the M-alpha risk of a leaf, which it may leave or "
        "enter, by at most 3 + 2 alpha (sqrt(m) - 1).",
        lines=(299, 300),
        given=(2 <= m, *_ALPHA, *NEIGHBOURS, _M_ALPHA_HERE),
        then=both(CHANGE <= _SENSITIVITY, LEFT <= _SENSITIVITY),
        proof=by_z3(*SHARP_USES, Use("sensALPHA.value")),
        control=CHANGE <= 1 + 2 * alpha * (sqrt(m) - 1),
        remark="For m = 1 no risk changes at all (sharp.exchange.alone).",
    ),
    ours.Corollary(
        "sensALPHA.value",
        "The sharp value of the M-alpha risk is 2 alpha sqrt(m - 1) + 2 (1 - alpha), for m ≥ 2.",
        line=299,
        claim=Claim((2 <= m, *_ALPHA, _M_ALPHA_HERE), equal(SHARP, _SHARP_ALPHA)),
        proofs=(Smt(), Derived("m_alpha.sharp")),
        control=equal(SHARP, 2 * alpha * sqrt(m) + 2 * (1 - alpha)),
    ),
    paper.Corollary(
        "sensALPHA.interpolates",
        "The bound is what Theorem th3P gives, max{3, 1 + alpha 2 sqrt(m) + (1 - alpha) 2} for m ≥ 1. It "
        "interpolates between those of the 0/1 and of the Matsushita risk: it is their mean with weights "
        "1 - alpha and alpha.",
        lines=(295, 299),
        given=(1 <= m, *_ALPHA),
        then=both(
            equal(bound(alpha * STARS["matsushita"] + (1 - alpha) * STARS["zero-one"]), _SENSITIVITY),
            equal(_SENSITIVITY, alpha * bound(STARS["matsushita"]) + (1 - alpha) * bound(STARS["zero-one"])),
        ),
        proofs=(
            Smt(),
            Derived("m_alpha.bound"),
            Derived("m_alpha.bound-above-three"),
            Derived("zero_one.bound-at-end"),
            Derived("matsushita.bound-at-end"),
        ),
        control=equal(bound(alpha * STARS["matsushita"] + (1 - alpha) * STARS["zero-one"]), 1 + _SENSITIVITY),
    ),
    ours.Text(
        "sensALPHA.interpolates.sharp",
        "For m ≥ 2 the sharp value 2 alpha sqrt(m - 1) + 2 (1 - alpha) is the mean of those of the "
        "Matsushita and of the 0/1 risk, with weights alpha and 1 - alpha.",
        line=295,
        claim=Claim((2 <= m, *_ALPHA), equal(_SHARP_ALPHA, alpha * (2 * sqrt(m - 1)) + (1 - alpha) * 2)),
        proofs=(Identity(), Derived("zero_one.sharp-at-end"), Derived("matsushita.sharp-at-end")),
        control=equal(_SHARP_ALPHA, alpha * (2 * sqrt(m - 1)) + 2),
    ),
    meant.Text(
        "sensALPHA.continuous",
        "The bound on the sensitivity and its sharp value are linear in alpha, so continuous, and do not "
        "fall as alpha goes from 0 to 1.",
        line=314,
        given=(2 <= m, 0 <= alpha, alpha <= alpha2, alpha2 <= 1),
        then=both(
            equal((3 + 2 * alpha2 * (sqrt(m) - 1)) - _SENSITIVITY, 2 * (alpha2 - alpha) * (sqrt(m) - 1)),
            equal(_SHARP_ALPHA2 - _SHARP_ALPHA, 2 * (alpha2 - alpha) * (sqrt(m - 1) - 1)),
            0 <= 2 * (alpha2 - alpha) * (sqrt(m) - 1),
            0 <= 2 * (alpha2 - alpha) * (sqrt(m - 1) - 1),
        ),
        proofs=(Smt(), Derived("m_alpha.bound-rising")),
        control=2 * (alpha2 - alpha) * sqrt(m) <= (3 + 2 * alpha2 * (sqrt(m) - 1)) - _SENSITIVITY,
        remark="For m = 2 the sharp value is 2 for every alpha.",
    ),
    ours.Corollary(
        "sensALPHA.slack",
        "The bound exceeds the sharp value by 1 + 2 alpha (sqrt(m) - sqrt(m - 1)): between 1 and 1 + 2 "
        "alpha (sqrt(2) - 1) for m ≥ 2, and as m grows it tends to 1. The perspective of the M-alpha "
        "risk behaves as 2 alpha sqrt(m).",
        line=299,
        given=(2 <= m, *_ALPHA),
        then=both(
            1 <= _SENSITIVITY - _SHARP_ALPHA, _SENSITIVITY - _SHARP_ALPHA <= 1 + 2 * alpha * (sqrt(2) - 1)
        ),
        proofs=(
            Smt(),
            Derived("m_alpha.slack", own_words=True),
            Derived("m_alpha.slack-limit", own_words=True),
            Derived("m_alpha.growth", own_words=True),
            Derived("m_alpha.perspective", own_words=True),
        ),
        control=both(1 <= _SENSITIVITY - _SHARP_ALPHA, _SENSITIVITY - _SHARP_ALPHA <= 1 + alpha / 2),
    ),
)
