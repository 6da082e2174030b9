"""Terms of the claims on the M-alpha loss: partial losses, risk, link, inverse link, surrogate.

| here | paper |
|---|---|
| `a` | alpha, in [0, 1] |
| `p` | pi, the probability of label 1 |
| `u`, `v` | a prediction in [0, 1] |
| `z` | a margin, any real number; `s` a slope |
| `edge(a)` | 2 (1 - alpha), where the plateau of the inverse link ends |
| `bracket(i, c)` | i is Iverson's bracket of c |
"""

from __future__ import annotations

from privboost.proofs_check.claims.common import HALF
from privboost.proofs_check.kernel.terms import Formula, Scalar, Term, term
from privboost.proofs_check.language import absolute, both, either, equal, negation, reals, smaller, sqrt

a, d, i, j, p, s, u, v, z = reals("a d i j p s u v z")
WEIGHTED = (0 <= a, a <= 1)
"""alpha in [0, 1]."""
CURVED = (0 < a, a <= 1)
"""alpha in (0, 1]."""


def bracket(i: Term, condition: Formula) -> Formula:
    """State that i is 1 where the condition holds, and 0 elsewhere."""
    return either(both(equal(i, 1), condition), both(equal(i, 0), negation(condition)))


def edge(alpha: Term | Scalar = a) -> Term:
    """Return 2 (1 - alpha)."""
    return 2 * (1 - term(alpha))


def root(x: Term) -> Term:
    """Return sqrt(x (1 - x))."""
    return sqrt(x * (1 - x))


def whole_risk(x: Term, alpha: Term | Scalar = a) -> Term:
    """Return 2 (alpha sqrt(x (1 - x)) + (1 - alpha) min(x, 1 - x)), as in the appendix."""
    return 2 * (alpha * root(x) + (1 - term(alpha)) * smaller(x, 1 - x))


def objective(margin: Term, x: Term, alpha: Term | Scalar = a) -> Term:
    """Return z x + L(x), whose supremum over x is the conjugate."""
    return margin * x + whole_risk(x, alpha)


def link_part(x: Term) -> Term:
    """Return alpha (2 x - 1) / sqrt(x (1 - x)), the smooth part of the link."""
    return a * ((2 * x - 1) / root(x))


def beyond(margin: Term) -> Term:
    """Return |z| / 2 - (1 - alpha)."""
    return absolute(margin) / 2 - (1 - a)


def radius(margin: Term) -> Term:
    """Return sqrt(alpha^2 + (|z| / 2 - (1 - alpha))^2)."""
    return sqrt(a**2 + beyond(margin) ** 2)


def inverse_link(margin: Term, sign: int) -> Term:
    """Return the printed inverse link off the plateau: (1 + (z / 2 - sign (1 - alpha)) / radius) / 2."""
    return (1 + (margin / 2 - sign * (1 - a)) / radius(margin)) / 2


def conjugate(margin: Term) -> Term:
    """Return the printed conjugate off the plateau: 1 + z / 2 + radius - alpha."""
    return 1 + margin / 2 + (radius(margin) - a)


def surrogate(margin: Term) -> Term:
    """Return the printed surrogate off the plateau: 1 - z / 2 + radius - alpha."""
    return 1 - margin / 2 + (radius(margin) - a)


def odds(x: Term) -> Term:
    """Return ((1 - x) / x)^(1/2), the Matsushita loss of label 1."""
    return sqrt((1 - x) / x)


def against(x: Term) -> Term:
    """Return ((1 - x) / x)^(-1/2), the Matsushita loss of label -1."""
    return sqrt(x / (1 - x))


def mistake(indicator: Term, x: Term) -> Formula:
    """State that an indicator is [x < 1/2] + [x = 1/2] / 2, the 0/1 loss of label 1 with ties at 1/2."""
    return either(
        both(equal(indicator, 1), x < HALF),
        both(equal(indicator, HALF), equal(x, HALF)),
        both(equal(indicator, 0), HALF < x),
    )


def matsushita_loss(x: Term) -> Term:
    """Return the expected Matsushita loss of x under p."""
    return p * odds(x) + (1 - p) * against(x)


def zero_one_loss(indicator: Term) -> Term:
    """Return twice the expected 0/1 loss under p of a prediction that misses label 1 by the indicator."""
    return 2 * (p * indicator + (1 - p) * (1 - indicator))


def corrected_loss(x: Term, indicator: Term) -> Term:
    """Return the expected M-alpha loss of x under p, with factor alpha and ties at half the cost."""
    for_one = a * odds(x) + 2 * (1 - a) * indicator
    return p * for_one + (1 - p) * (a * against(x) + 2 * (1 - a) * (1 - indicator))


def printed_loss(x: Term, first: Term, second: Term) -> Term:
    """Return the expected M-alpha loss of x under p, as printed, with the brackets of both labels."""
    for_one = 2 * a * odds(x) + 2 * (1 - a) * first
    return p * for_one + (1 - p) * (2 * a * against(x) + 2 * (1 - a) * second)


def printed_brackets(first: Term, second: Term, x: Term) -> tuple[Formula, Formula]:
    """State that the brackets are those printed: [x ≤ 1/2] for label 1, [-x ≤ -1/2] for label -1."""
    return bracket(first, x <= HALF), bracket(second, -x <= -HALF)
