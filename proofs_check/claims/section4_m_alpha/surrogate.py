"""Section 4, the surrogate: conjugate and surrogate of the M-alpha loss are as the figure prints them.

The conjugate at z is the supremum of z u + L(u) over u in [0, 1]; the surrogate at z is the conjugate at -z.
For each of the three regions of z there are two claims: the formula is an upper bound, and some u attains it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from privboost.proofs_check import ours, paper
from privboost.proofs_check.claims.common import HALF
from privboost.proofs_check.entry import Entry
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, term
from privboost.proofs_check.language import (
    absolute,
    between,
    both,
    either,
    equal,
    implies,
    larger,
    negation,
    reals,
    sqrt,
)
from privboost.proofs_check.proofs import Derived, Smt, Sum, Use, by_z3

from .terms import (
    CURVED,
    WEIGHTED,
    beyond,
    bracket,
    conjugate,
    edge,
    inverse_link,
    objective,
    radius,
    surrogate,
)

a, i, u, z, c, share, r, t, x, y = reals("a i u z c l r t x y")
INSIDE = between(0, u, 1)
HINGE = larger(0, larger(1 - z / 2, -z))
CIRCLE = (equal(c**2 + t**2, 1), equal(x**2 + y**2, r**2), 0 < r)
FIGURE = tuple(map(Derived, ("m_alpha.surrogate", "matsushita.surrogate-figure", "m_alpha.surrogate-mirror")))
CASES = (Derived("m_alpha.conjugate-cases"), Derived("m_alpha.conjugate"))


def cut(margin: Term) -> Term:
    """Return the distance to the plateau, halved: max(0, |z| / 2 - (1 - alpha))."""
    return larger(0, beyond(margin))


def smooth(margin: Term) -> Term:
    """Return the surrogate without Iverson's bracket."""
    return 1 - margin / 2 + sqrt(a**2 + cut(margin) ** 2) - a


LEMMAS = (
    ours.Lemma(
        "negent.square", "A real square is not negative.", claim=Claim((), 0 <= x**2), control=0 < x**2
    ),
    ours.Lemma(
        "negent.cauchy",
        "For a unit vector (c, t) and a vector (x, y) of length r, the product x c + y t is at most r.",
        claim=Claim(CIRCLE, x * c + y * t <= r),
        proofs=(
            Smt(),
            Sum(
                uses=(Use("negent.square", {"x": x - r * c}), Use("negent.square", {"x": y - r * t})),
                degree=3,
                scale=(0 < r,),
            ),
        ),
        control=x * c + y * t <= Fraction(99, 100) * r,
    ),
    ours.Lemma(
        "negent.cauchy-strict",
        "For a unit vector (c, t) and a vector (x, y) of length r with x ≠ r c, the product x c + y t is "
        "smaller than r.",
        claim=Claim((*CIRCLE, negation(equal(r * c, x))), x * c + y * t < r),
        control=Claim(CIRCLE, x * c + y * t < r),
    ),
)

REGIONS = (
    ("left", "z < -2 (1 - α)", (*CURVED, z < -edge()), -1),
    ("right", "z > 2 (1 - α)", (*CURVED, edge() < z), 1),
)


def off_plateau(side: str, where: str, given: tuple[Formula, ...], sign: int) -> tuple[Entry, ...]:
    """Return the claims on conjugate and surrogate on one side of the plateau.

    Paper: theoremalpha, negent, f-alphaM, propCSUR.
    """
    formula = "sqrt(α^2 + (|z|/2 - (1 - α))^2) - α"
    lines = (1516, 1413, 1508 if sign < 0 else 1510)
    conjugates = partial(paper.Theorem, lines=lines, also=("negent",), proofs=(Smt(), *CASES))
    figure = ("f-alphaM", "propCSUR")
    surrogates = partial(paper.Theorem, lines=(307, 246, 1520), also=figure, proofs=(Smt(), *FIGURE))
    return (
        conjugates(
            f"theoremalpha.conjugate.{side}.bound",
            f"For {where} and α > 0, z u + L(u) is at most 1 + z/2 + {formula} for every u in [0, 1].",
            claim=Claim((*given, *INSIDE), objective(z, u) <= conjugate(z)),
            control=objective(z, u) <= conjugate(z) - a / 100,
        ),
        conjugates(
            f"theoremalpha.conjugate.{side}.attained",
            f"For {where} and α > 0, the printed inverse link at z is a u with"
            f" z u + L(u) = 1 + z/2 + {formula}.",
            claim=Claim((*given, equal(u, inverse_link(z, sign))), equal(objective(z, u), conjugate(z))),
            control=equal(objective(z, u), conjugate(z) + a),
        ),
        surrogates(
            f"theoremalpha.surrogate.{side}.bound",
            f"For {where} and α > 0, -z u + L(u) is at most 1 - z/2 + {formula} for every u in [0, 1].",
            claim=Claim((*given, *INSIDE), objective(-z, u) <= surrogate(z)),
            control=objective(-z, u) <= surrogate(z) - a / 100,
        ),
        surrogates(
            f"theoremalpha.surrogate.{side}.attained",
            f"For {where} and α > 0, the printed inverse link at -z is a u with"
            f" -z u + L(u) = 1 - z/2 + {formula}.",
            claim=Claim((*given, equal(u, inverse_link(-z, -sign))), equal(objective(-z, u), surrogate(z))),
            control=equal(objective(-z, u), surrogate(z) + a),
        ),
    )


PLATEAU = (
    paper.Theorem(
        "theoremalpha.conjugate.plateau",
        "For z in 2 (1 - α) [-1, 1], z u + L(u) is at most 1 + z/2, its value at u = 1/2.",
        lines=(1509, 1444, 1516),
        also=("negent", "feq1"),
        given=(*WEIGHTED, *INSIDE, *between(-edge(), z, edge())),
        then=both(objective(z, u) <= 1 + z / 2, equal(objective(z, term(HALF)), 1 + z / 2)),
        proofs=(Smt(), *CASES),
        control=objective(z, u) <= 1 + z / 3,
    ),
    paper.Theorem(
        "theoremalpha.surrogate.plateau",
        "For z in 2 (1 - α) [-1, 1], -z u + L(u) is at most 1 - z/2, its value at u = 1/2.",
        lines=(307, 246, 1520),
        also=("f-alphaM", "propCSUR"),
        given=(*WEIGHTED, *INSIDE, *between(-edge(), z, edge())),
        then=both(objective(-z, u) <= 1 - z / 2, equal(objective(-z, term(HALF)), 1 - z / 2)),
        proofs=(Smt(), *FIGURE),
        control=objective(-z, u) <= 1 - z / 3,
    ),
    paper.Theorem(
        "theoremalpha.surrogate.zero-alpha",
        "At α = 0 the printed surrogate is that of the 0/1 loss: the greatest of 0, 1 - z/2 and -z, which "
        "is the supremum of -z u + 2 min(u, 1 - u), attained at 1, 1/2 or 0.",
        lines=(307, 246),
        also=("f-alphaM", "propCSUR", "csurzero"),
        given=(*INSIDE, bracket(i, either(z < -2, 2 < z))),
        then=both(
            equal(1 - z / 2 + i * sqrt((absolute(z) / 2 - 1) ** 2), HINGE),
            objective(-z, u, 0) <= HINGE,
            either(*(equal(objective(-z, term(e), 0), HINGE) for e in (0, HALF, 1))),
        ),
        proofs=(Smt(), Derived("zero_one.surrogate-figure")),
        control=objective(-z, u, 0) <= larger(0, larger(1 - z / 2, -z / 2)),
    ),
    ours.Remark(
        "theoremalpha.surrogate.one-formula",
        "Iverson's bracket in the printed surrogate can be left out when the distance to the plateau is cut "
        "at 0: F(z) = 1 - z/2 + sqrt(α^2 + max(0, |z|/2 - (1 - α))^2) - α.",
        label="f-alphaM",
        line=246,
        given=(*WEIGHTED, bracket(i, either(z < -edge(), edge() < z))),
        then=equal(1 - z / 2 + i * (radius(z) - a), smooth(z)),
        control=equal(1 - z / 2 + i * radius(z) - a, smooth(z)),
    ),
)

SHAPE = (
    ours.Remark(
        "theoremalpha.surrogate.mirror",
        "The surrogate is 1 at 0, and F(z) - F(-z) = -z, for every z and α.",
        label="f-alphaM",
        line=246,
        claim=Claim(WEIGHTED, both(equal(smooth(term(0)), 1), equal(smooth(z) - smooth(-z), -z))),
        proofs=(Smt(), Derived("m_alpha.surrogate-at-zero")),
        control=equal(smooth(z) - smooth(-z), -z / 2),
    ),
    ours.Lemma(
        "theoremalpha.surrogate.root-convex",
        "sqrt(α^2 + k^2) is a convex function of k.",
        given=(0 <= a, *between(0, share, 1)),
        then=sqrt(a**2 + (share * x + (1 - share) * y) ** 2)
        <= share * sqrt(a**2 + x**2) + (1 - share) * sqrt(a**2 + y**2),
        control=sqrt(a**2 + (share * x + (1 - share) * y) ** 2) <= share * sqrt(a**2 + x**2),
    ),
    ours.Lemma(
        "theoremalpha.surrogate.root-rises",
        "sqrt(α^2 + k^2) does not fall as k ≥ 0 grows.",
        claim=Claim((0 <= x, x <= y), sqrt(a**2 + x**2) <= sqrt(a**2 + y**2)),
        control=Claim((x <= y,), sqrt(a**2 + x**2) <= sqrt(a**2 + y**2)),
    ),
    ours.Lemma(
        "theoremalpha.surrogate.distance-convex",
        "The distance of a margin to the plateau is a convex function of the margin.",
        given=(*WEIGHTED, *between(0, share, 1)),
        then=cut(share * x + (1 - share) * y) <= share * cut(x) + (1 - share) * cut(y),
        control=share * cut(x) + (1 - share) * cut(y) <= cut(share * x + (1 - share) * y),
    ),
    paper.Text(
        "theoremalpha.surrogate.convex",
        "The surrogate is convex: F(λ x + (1 - λ) y) ≤ λ F(x) + (1 - λ) F(y).",
        lines=(1411, 262, 303),
        also=("f-alphaM",),
        given=(*WEIGHTED, *between(0, share, 1)),
        then=smooth(share * x + (1 - share) * y) <= share * smooth(x) + (1 - share) * smooth(y),
        proof=by_z3(
            Use("theoremalpha.surrogate.distance-convex"),
            Use("theoremalpha.surrogate.root-convex", {"x": cut(x), "y": cut(y)}),
            Use(
                "theoremalpha.surrogate.root-rises",
                {"x": cut(share * x + (1 - share) * y), "y": share * cut(x) + (1 - share) * cut(y)},
            ),
        ),
        control=share * smooth(x) + (1 - share) * smooth(y) <= smooth(share * x + (1 - share) * y),
    ),
    ours.Remark(
        "theoremalpha.surrogate.decreasing",
        "For α > 0 the surrogate falls strictly.",
        label="f-alphaM",
        line=246,
        claim=Claim((*CURVED, z < y), smooth(y) < smooth(z)),
        proofs=(Smt(), Derived("m_alpha.decreasing")),
        control=Claim((*WEIGHTED, z < y), smooth(y) < smooth(z)),
    ),
    ours.Remark(
        "theoremalpha.surrogate.zero-alpha-falls",
        "At α = 0 the surrogate does not rise; it is 0 from z = 2 on.",
        label="f-alphaM",
        line=246,
        claim=Claim((equal(a, 0), z < y), both(smooth(y) <= smooth(z), implies(2 <= z, equal(smooth(z), 0)))),
        control=smooth(y) < smooth(z),
    ),
    ours.Remark(
        "theoremalpha.surrogate.above-zero-one",
        "The surrogate is at least Iverson's bracket of z ≤ 0: it bounds the 0/1 loss of the margin.",
        label="f-alphaM",
        line=246,
        claim=Claim((*WEIGHTED, bracket(i, z <= 0)), i <= smooth(z)),
        control=Claim((*WEIGHTED, bracket(i, z <= Fraction(1, 100))), i <= smooth(z)),
    ),
    ours.Remark(
        "theoremalpha.surrogate.limits",
        "For α > 0 and z > 2 (1 - α) the surrogate is between 0 and α^2 / (z - 2 (1 - α)), so it tends to 0; "
        "for z < -2 (1 - α) it exceeds -z by at most α^2 / (-z - 2 (1 - α)), which tends to 0 too.",
        label="f-alphaM",
        line=246,
        given=CURVED,
        then=both(
            implies(edge() < z, both(0 < smooth(z), smooth(z) * (z - edge()) <= a**2)),
            implies(z < -edge(), both(-z < smooth(z), (smooth(z) + z) * (-z - edge()) <= a**2)),
        ),
        control=implies(z < -edge(), 2 * (smooth(z) + z) * (-z - edge()) <= a**2),
    ),
)

ENTRIES = (*LEMMAS, *(entry for region in REGIONS for entry in off_plateau(*region)), *PLATEAU, *SHAPE)
"""The conjugate and the surrogate as printed in the figure, and consequences."""
