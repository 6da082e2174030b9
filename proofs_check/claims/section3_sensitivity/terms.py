"""Terms and lemmas of the case analysis of Theorem th3P.

| here | paper |
|---|---|
| `w`, `w1` | w(leaf) and w^1(leaf) in S |
| `delta` | the weight that changes, in (0, 1] |
| `EXCESS` | u = w^1 - w/2 |
| `BEFORE` | w^1 / w, the share of class 1 in S |
| `FLIPPED` | (w^1 + delta) / w, the share in S' in case A1 and B1 |
| `RICHER` | (w^1 + delta) / (w + delta), the share in S' in case A2 and B1 |
| `POORER` | w^1 / (w + delta), the share in S' in case A2 and B2 |
| `RISE`, `FALL` | the differences of the last two from the share in S |
| `NOW`, `NEXT` | the perspective of L at (1, m) and at (1, m + 1) |
| `CHANGE...` | Delta, the change of f |

Where the exchanged example is singled out:

| here | meaning |
|---|---|
| `pos`, `neg` | the weights of class 1 and -1 in the leaf, without that example |
| `x1`, `x0` | its weights of the two classes in S: one of them is 0, and both are if it is not in the leaf |
| `y1`, `y0` | the same in S' |
| `q0`, `q`, `q2` | the shares of class 1 without it, in S and in S'; anything in [0, 1] in an empty leaf |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.claims.common import AT_HALF, AT_ZERO
from privboost.proofs_check.kernel.terms import Formula, Term
from privboost.proofs_check.language import absolute, both, either, equal, implies, reals, risk
from privboost.proofs_check.proofs import Use

w, w1, delta, m = reals("w w1 delta m")
pos, neg, x1, x0, y1, y0, q0, q, q2 = reals("pos neg x1 x0 y1 y0 q0 q q2")

EXCESS = w1 - w / 2
BEFORE = w1 / w
FLIPPED = (w1 + delta) / w
RICHER = (w1 + delta) / (w + delta)
POORER = w1 / (w + delta)
RISE = delta * (w - w1) / (w * (w + delta))
FALL = w1 * delta / (w * (w + delta))
TURN = delta / 2 * (w / (2 * w + delta))
"""At u = -TURN the shares before and after weight of class 1 enters are equally far from 1/2."""

NOW = m * risk(1 / m)
NEXT = (m + 1) * risk(1 / (m + 1))
NORMAL = (AT_ZERO, AT_HALF)

FLIP = (0 <= w1, 0 < delta, delta <= 1, w1 + delta <= w, *NORMAL)
"""Case A1 and B1: weight delta goes from class -1 to class 1 in the leaf."""

ENTER = (0 < w, 0 <= w1, w1 <= w, 0 < delta, delta <= 1, *NORMAL)
"""Case A2: weight delta enters a leaf that is not empty."""

SIZE = (2 <= m, w <= m)

_IN_FIRST = (0 <= x1, 0 <= x0, x1 + x0 <= 1, either(equal(x1, 0), equal(x0, 0)))
_IN_SECOND = (0 <= y1, 0 <= y0, y1 + y0 <= 1, either(equal(y1, 0), equal(y0, 0)))
EXCHANGED = (*_IN_FIRST, *_IN_SECOND)
"""The exchanged example has one class and a weight of at most 1, on each side."""

REST = (0 <= pos, 0 <= neg, 0 <= q0, q0 <= 1, equal(q0 * (pos + neg), pos))
FIRST = (*_IN_FIRST, 0 <= q, q <= 1, equal(q * (pos + neg + x1 + x0), pos + x1))
SECOND = (*_IN_SECOND, 0 <= q2, q2 <= 1, equal(q2 * (pos + neg + y1 + y0), pos + y1))
NEIGHBOURS = (1 <= m, *REST, pos + neg <= m - 1, *FIRST, *SECOND, *NORMAL)
"""Two samples of m examples that differ in one."""

CHANGE = absolute((pos + neg + y1 + y0) * risk(q2) - (pos + neg + x1 + x0) * risk(q))
CHANGE_FLIP = absolute(w * risk(FLIPPED) - w * risk(BEFORE))
CHANGE_RICHER = absolute((w + delta) * risk(RICHER) - w * risk(BEFORE))
CHANGE_POORER = absolute((w + delta) * risk(POORER) - w * risk(BEFORE))


def at(**values: int | Fraction) -> dict[str, Fraction]:
    """Return a point with exact coordinates."""
    return {name: Fraction(number) for name, number in values.items()}


def equivalent(first: Formula, second: Formula) -> Formula:
    """State that two formulas imply each other."""
    return both(implies(first, second), implies(second, first))


def greatest(x: Term) -> Use:
    """Use L(x) ≤ 1."""
    return Use("lemI2.A.greatest", {"p": x})


def nonnegative(x: Term) -> Use:
    """Use L(x) ≥ 0."""
    return Use("lemI2.nonnegative", {"p": x})


def rising(lower: Term, upper: Term) -> Use:
    """Use that L does not decrease on [0, 1/2]."""
    return Use("lemI2.A", {"p": lower, "q": upper})


def falling(lower: Term, upper: Term) -> Use:
    """Use that L does not increase on [1/2, 1]."""
    return Use("lemI2.A.upper", {"p": lower, "q": upper})


def close(lower: Term, upper: Term) -> Use:
    """Use |L(upper) - L(lower)| ≤ L(upper - lower)."""
    return Use("lemI2.B.everywhere", {"p": lower, "q": upper})


def steep(x: Term) -> Use:
    """Use L(x) ≥ 2x on [0, 1/2]."""
    return Use("eqbinf", {"x": x})


def small(part: Term, whole: Term) -> Use:
    """Use that the perspective at (part, whole) is at most that at (1, m + 1)."""
    return Use("lemI2.C.from-one", {"u": part, "v": whole, "m": m})
