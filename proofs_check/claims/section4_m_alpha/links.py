"""Section 4, the links: link and inverse link of the M-alpha loss are as the figure prints them.

A slope s is in the link at u when L(v) ≤ L(u) - s (v - u) for every v in [0, 1]. The inverse link at z is
the u where z u + L(u) is greatest. Where a slope is not in the link, a v that breaks the inequality is named.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from privboost.proofs_check.claims.common import HALF
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.certificates import Rejected
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
    smaller,
    sqrt,
)
from privboost.proofs_check.proofs import Computed, Counterexample, Derived, Identity, Smt, Sum, Use
from privboost.reference.exact import INFINITY
from privboost.reference.losses import link, m_alpha

from .terms import (
    CURVED,
    WEIGHTED,
    a,
    bracket,
    conjugate,
    edge,
    i,
    inverse_link,
    j,
    link_part,
    objective,
    radius,
    root,
    s,
    u,
    v,
    whole_risk,
    z,
)

A, B, C, D, m, x, y = reals("A B C D m x y")
FIGURE = (Derived("m_alpha.inverse-link"), Derived("matsushita.inverse-link-figure"))
LINK = (Derived("m_alpha.link-least"), Derived("m_alpha.link-greatest"), Derived("matsushita.link-figure"))
ANY = between(0, v, 1)


def above(slope: Term, x: Term | Fraction) -> Formula:
    """State that the line of a slope (of the link) through (x, L(x)) is not below L at v."""
    return whole_risk(v) <= whole_risk(term(x)) - slope * (v - x)


def distance(margin: Term) -> Term:
    """Return the signed distance of z / 2 to (1 - alpha) [-1, 1]."""
    return larger(0, margin / 2 - (1 - a)) + smaller(0, margin / 2 + (1 - a))


def smooth_inverse(margin: Term) -> Term:
    """Return the inverse link without Iverson bracket and sign."""
    k = distance(margin)
    return (1 + k / sqrt(a**2 + k**2)) / 2


def smooth_conjugate(margin: Term) -> Term:
    """Return the conjugate without Iverson bracket."""
    return 1 + margin / 2 + sqrt(a**2 + distance(margin) ** 2) - a


def zero_one_inverse(x: Term) -> Formula:
    """State that x is the printed inverse link at z for alpha = 0."""
    cases = (both(-2 < z, z < 2, equal(x, HALF)), both(2 < z, equal(x, 1)), both(z < -2, equal(x, 0)))
    return either(*cases)


def same(first: Formula, second: Formula) -> Formula:
    """State that two formulas are equivalent."""
    return both(implies(first, second), implies(second, first))


def zero_one_link(slope: Term) -> Formula:
    """State that a slope is in the printed link at u for alpha = 0."""
    return either(
        both(u < HALF, equal(slope, -2)),
        both(equal(u, HALF), -2 <= slope, slope <= 2),
        both(HALF < u, equal(slope, 2)),
    )


def zero_one_above(x: Term) -> Formula:
    """State that the line with slope s through (u, L(u)) is not below L at x, for alpha = 0."""
    return whole_risk(x, 0) <= whole_risk(u, 0) - s * (x - u)


def infinite_link(alpha: Fraction, prediction: Fraction) -> str:
    """Show that the link at a prediction is infinite."""
    values = link(m_alpha(alpha), prediction)
    if not {values.lo, values.hi} & {INFINITY, -INFINITY}:
        raise Rejected(f"the link is {values}")
    return f"alpha = {alpha}: the link at u = {prediction} is {values}"


def sign_of(g: Term, x: Term) -> Formula:
    """State that g is the sign of x."""
    return either(both(equal(g, 1), 0 < x), both(equal(g, 0), equal(x, 0)), both(equal(g, -1), x < 0))


REGIONS = (
    ("left", "z < -2 (1 - α)", (*CURVED, z < -edge()), -1),
    ("right", "z > 2 (1 - α)", (*CURVED, edge() < z), 1),
)


def inverse_off_plateau(side: str, where: str, given: tuple[Formula, ...], sign: int) -> tuple[Entry, ...]:
    """Return the claims on the inverse link on one side of the plateau.

    Paper: theoremalpha, f-alphaM.
    """
    value = inverse_link(z, sign)
    about: dict[str, Any] = {
        "label": "theoremalpha",
        "line": 307,
        "also": ("f-alphaM",),
        "also_lines": (244, 1526),
    }
    direction: dict[str, Any] = {
        "x": z / 2 - sign * (1 - a),
        "y": a,
        "r": radius(z),
        "c": 2 * v - 1,
        "t": 2 * root(v),
    }
    return (
        Entry(
            f"theoremalpha.inverse.{side}.unique",
            f"For {where} and α > 0, no v in [0, 1] but the printed inverse link at z attains the conjugate.",
            "theorem",
            **about,
            claim=Claim((*given, *ANY, negation(equal(v, value))), objective(z, v) < conjugate(z)),
            proofs=(Smt(uses=(Use("negent.cauchy-strict", direction),)), *FIGURE),
            control=Claim((*given, *ANY), objective(z, v) < conjugate(z)),
        ),
        Entry(
            f"theoremalpha.inverse.{side}.range",
            f"For {where} and α > 0, the printed inverse link is {'below' if sign < 0 else 'above'} 1/2"
            " and in (0, 1).",
            "theorem",
            **about,
            claim=Claim(
                given, both(term(0 if sign < 0 else HALF) < value, value < (HALF if sign < 0 else 1))
            ),
            control=both(Fraction(1, 100) < value, value < Fraction(99, 100)),
        ),
        Entry(
            f"theoremalpha.inverse.{side}.of-link",
            f"The inverse link at the link of u is u, for 0 < u < 1 {'left' if sign < 0 else 'right'} of"
            " 1/2, α > 0.",
            "theorem",
            **about,
            claim=Claim(
                (
                    *CURVED,
                    *((0 < u, u < HALF) if sign < 0 else (HALF < u, u < 1)),
                    equal(z, link_part(u) + sign * edge()),
                ),
                equal(value, u),
            ),
            proofs=(Smt(), *FIGURE),
            control=equal(value, 1 - u),
        ),
        Entry(
            f"theoremalpha.inverse.{side}.link-of",
            f"For {where} and α > 0, the link at the printed inverse link of z is z.",
            "theorem",
            **about,
            claim=Claim((*given, equal(u, value)), equal(link_part(u) + sign * edge(), z)),
            proofs=(Smt(), *FIGURE),
            control=equal(link_part(u) - sign * edge(), z),
        ),
    )


INVERSE = (
    Entry(
        "theoremalpha.inverse.plateau.unique",
        "For z in 2 (1 - α) [-1, 1] and α > 0, no v in [0, 1] but 1/2 attains the conjugate 1 + z/2.",
        "theorem",
        line=307,
        also=("f-alphaM",),
        also_lines=(244, 1526),
        claim=Claim(
            (*CURVED, *between(-edge(), z, edge()), *ANY, negation(equal(v, HALF))),
            objective(z, v) < 1 + z / 2,
        ),
        proofs=(Smt(), *FIGURE, Derived("m_alpha.inverse-link-single")),
        control=Claim(
            (*WEIGHTED, *between(-edge(), z, edge()), *ANY, negation(equal(v, HALF))),
            objective(z, v) < 1 + z / 2,
        ),
    ),
    Entry(
        "theoremalpha.inverse.one-formula",
        "For α > 0 the printed inverse link, without bracket and sign, is (1 + k / sqrt(α^2 + k^2)) / 2, "
        "where k is the signed distance of z/2 to (1 - α) [-1, 1].",
        "remark",
        label="f-alphaM",
        line=244,
        reading="ours",
        claim=Claim(
            (*CURVED, bracket(i, either(z < -edge(), edge() < z)), sign_of(j, z)),
            equal((1 + i * ((z / 2 - j * (1 - a)) / radius(z))) / 2, smooth_inverse(z)),
        ),
        control=equal((1 + ((z / 2 - j * (1 - a)) / radius(z))) / 2, smooth_inverse(z)),
    ),
    Entry(
        "theoremalpha.inverse.rises",
        "For α > 0 the printed inverse link at -z is 1 minus that at z; it does not fall, and rises "
        "strictly off the plateau, at whose ends it is continuous.",
        "remark",
        label="f-alphaM",
        line=244,
        reading="ours",
        claim=Claim(
            CURVED,
            both(
                equal(smooth_inverse(-z), 1 - smooth_inverse(z)),
                implies(
                    z < y,
                    both(
                        smooth_inverse(z) <= smooth_inverse(y),
                        implies(either(edge() < y, z < -edge()), smooth_inverse(z) < smooth_inverse(y)),
                    ),
                ),
            ),
        ),
        proofs=(
            Smt(),
            Derived("m_alpha.inverse-link-continuous-left"),
            Derived("m_alpha.inverse-link-continuous-right"),
        ),
        control=equal(smooth_inverse(-z), smooth_inverse(z)),
    ),
    Entry(
        "theoremalpha.inverse.tangent",
        "sqrt(α^2 + k^2) lies above its tangents.",
        "lemma",
        reading="ours",
        claim=Claim((0 < a,), sqrt(a**2 + x**2) + x / sqrt(a**2 + x**2) * (y - x) <= sqrt(a**2 + y**2)),
        control=sqrt(a**2 + x**2) + y / sqrt(a**2 + y**2) * (y - x) <= sqrt(a**2 + y**2),
    ),
    Entry(
        "theoremalpha.inverse.distance-slope",
        "The signed distance k of z/2 to the plateau has k(z) (y - z)/2 ≤ k(z) (k(y) - k(z)).",
        "lemma",
        reading="ours",
        claim=Claim(WEIGHTED, distance(z) * ((y - z) / 2) <= distance(z) * (distance(y) - distance(z))),
        control=distance(z) * (y - z) <= distance(z) * (distance(y) - distance(z)),
    ),
    Entry(
        "theoremalpha.inverse.slope",
        "For α > 0 the printed inverse link u(z) is the slope of the conjugate: from z to y the conjugate "
        "changes by at least u(z) (y - z), and so by at most u(y) (y - z); as u is continuous, u is the "
        "derivative.",
        "step",
        line=1526,
        claim=Claim(
            CURVED,
            smooth_conjugate(z) + smooth_inverse(z) * (y - z) <= smooth_conjugate(y),
        ),
        proofs=(
            Smt(
                uses=(
                    Use("theoremalpha.inverse.distance-slope", {}),
                    Use("theoremalpha.inverse.tangent", {"x": distance(z), "y": distance(y)}),
                )
            ),
            Derived("m_alpha.inverse-link-appendix"),
        ),
        control=smooth_conjugate(z) + smooth_inverse(y) * (y - z) <= smooth_conjugate(y),
    ),
    Entry(
        "theoremalpha.inverse.zero-alpha",
        "For every α in [0, 1] the printed inverse undoes the link: where the bracket is 0 and the inverse "
        "is 1/2, z is in the link of no u > 1/2.",
        "theorem",
        line=307,
        also=("f-alphaM",),
        also_lines=(244, 1526),
        claim=Claim(
            (
                *WEIGHTED,
                HALF < u,
                u < 1,
                equal(z, link_part(u) + edge()),
                bracket(i, either(z < -edge(), edge() < z)),
            ),
            either(equal(i, 1), equal(u, HALF)),
        ),
        refutation=Counterexample(
            {"a": Fraction(0), "u": Fraction(3, 4), "z": Fraction(2), "i": Fraction(0)},
            {"a": HALF, "u": Fraction(4, 5), "z": Fraction(7, 4), "i": Fraction(1)},
        ),
        correction="theoremalpha.inverse.zero-alpha-ends",
        severity=Severity.PEDANTRY,
        erratum="inverse-at-zero-alpha",
    ),
    Entry(
        "theoremalpha.inverse.zero-alpha-ends",
        "At α = 0 and z = 2 exactly the u in [1/2, 1] maximise z u + L(u), and at z = -2 those in [0, 1/2].",
        "theorem",
        line=307,
        reading="ours",
        also=("f-alphaM",),
        claim=Claim(
            between(0, u, 1),
            both(
                same(HALF <= u, equal(objective(term(2), u, 0), 2)),
                objective(term(2), u, 0) <= 2,
                same(u <= HALF, equal(objective(term(-2), u, 0), 0)),
                objective(term(-2), u, 0) <= 0,
            ),
        ),
        control=implies(HALF <= u, equal(objective(term(2), u, 0), 1)),
    ),
    Entry(
        "theoremalpha.inverse.zero-alpha-inside",
        "At α = 0 and off z = 2 and z = -2 the printed inverse (1/2 for |z| < 2, 1 for z > 2, 0 for z < -2) "
        "is the only maximiser of z u + L(u).",
        "theorem",
        line=307,
        also=("f-alphaM",),
        claim=Claim(
            (*ANY, negation(equal(z, 2)), negation(equal(z, -2)), zero_one_inverse(u), negation(equal(u, v))),
            objective(z, v, 0) < objective(z, u, 0),
        ),
        proofs=(Smt(), Derived("zero_one.inverse-link-figure")),
        control=objective(z, v, 0) < objective(z, u, 0) - Fraction(1, 100),
    ),
)

TANGENT_SIDES = (2 * root(v), 2 * root(u) - (2 * u - 1) / root(u) * (v - u))
"""2 sqrt(v (1 - v)) and its tangent at u."""

TANGENTS = (
    Entry(
        "theoremalpha.mixture",
        "A mixture of two smaller numbers is at most the mixture of the greater ones.",
        "lemma",
        reading="ours",
        claim=Claim((*WEIGHTED, A <= B, C <= D), a * A + (1 - a) * C <= a * B + (1 - a) * D),
        proofs=(Sum(), Smt()),
        control=A + C <= a * B + (1 - a) * D,
    ),
    Entry(
        "theoremalpha.link.radicand",
        "x (1 - x) is not negative for 0 ≤ x ≤ 1.",
        "lemma",
        reading="ours",
        claim=Claim(between(0, x, 1), 0 <= x * (1 - x)),
        proofs=(Sum(), Smt()),
        control=0 < x * (1 - x),
    ),
    Entry(
        "theoremalpha.link.root-positive",
        "sqrt(u (1 - u)) is positive for 0 < u < 1.",
        "lemma",
        reading="ours",
        claim=Claim((0 < u, u < 1), 0 < root(u)),
        control=Fraction(1, 100) < root(u),
    ),
    Entry(
        "theoremalpha.link.matsushita",
        "For 0 < u < 1 the printed link at α = 1, (2u - 1) / sqrt(u (1 - u)), is minus the slope of 2 "
        "sqrt(u (1 - u)).",
        "theorem",
        line=307,
        also=("f-alphaM",),
        also_lines=(237, 1401),
        claim=Claim((0 < u, u < 1, *ANY), TANGENT_SIDES[0] <= TANGENT_SIDES[1]),
        proofs=(Smt(), Derived("matsushita.link-figure")),
        control=2 * root(v) <= 2 * root(u) - (u - HALF) / root(u) * (v - u),
    ),
    Entry(
        "theoremalpha.link.rises",
        "(2u - 1) / sqrt(u (1 - u)) rises strictly on (0, 1): the smaller value belongs to the smaller u, "
        "and the reverse.",
        "lemma",
        reading="ours",
        claim=Claim((0 < u, u < 1, 0 < v, v < 1), same((2 * u - 1) / root(u) < (2 * v - 1) / root(v), u < v)),
        control=same((2 * u - 1) / root(u) < (2 * v - 1) / root(v), u + Fraction(1, 100) < v),
    ),
)


def link_beside_half(side: str, sign: int, here: tuple[Formula, ...]) -> tuple[Entry, ...]:
    """Return the claims on the link on one side of 1/2.

    Paper: theoremalpha, f-alphaM.
    """
    slope, plain = link_part(u) + sign * edge(), u if sign < 0 else 1 - u
    other = v if sign < 0 else 1 - v
    mixed: dict[str, Any] = {"A": TANGENT_SIDES[0], "B": TANGENT_SIDES[1], "C": 2 * m, "D": 2 * other}
    about: dict[str, Any] = {
        "label": "theoremalpha",
        "line": 307,
        "also": ("f-alphaM",),
        "also_lines": (237, 1401),
    }
    outside = z < -edge() if sign < 0 else edge() < z
    where, beyond = ("0 < u < 1/2", "z < -2 (1 - α)") if sign < 0 else ("1/2 < u < 1", "z > 2 (1 - α)")
    uses = (
        Use(f"theoremalpha.inverse.{side}.range", {}),
        Use(f"theoremalpha.inverse.{side}.link-of", {"u": v}),
    )
    member, line = f"theoremalpha.link.{side}.member", f"theoremalpha.link.{side}.line"
    broken = whole_risk(u) - s * (v - u) < whole_risk(v)
    return (
        Entry(
            line,
            f"For 0 < u < 1 and the link s that is printed {side} of 1/2, L(v) ≤ L(u) - s (v - u) for all v,"
            f" if L(u) has {'u' if sign < 0 else '1 - u'} in place of min(u, 1 - u), and L(v) has any"
            f" m ≤ {'v' if sign < 0 else '1 - v'} in place of min(v, 1 - v).",
            "lemma",
            reading="ours",
            claim=Claim(
                (*WEIGHTED, 0 < u, u < 1, *ANY, m <= other),
                2 * (a * root(v) + (1 - a) * m) <= 2 * (a * root(u) + (1 - a) * plain) - slope * (v - u),
            ),
            proofs=(
                Sum(
                    degree=1,
                    uses=(
                        Use("theoremalpha.link.radicand", {"x": u}),
                        Use("theoremalpha.link.radicand", {"x": v}),
                        Use("theoremalpha.link.root-positive", {}),
                        Use("theoremalpha.link.matsushita", {}),
                        Use("theoremalpha.mixture", mixed),
                    ),
                ),
            ),
            control=2 * (a * root(v) + (1 - a) * m) <= 2 * a * root(u) + (1 - a) * plain - slope * (v - u),
        ),
        Entry(
            member,
            f"For {where}, the printed link s is a slope of -L at u: L(v) ≤ L(u) - s (v - u) for every v.",
            "theorem",
            **about,
            claim=Claim((*WEIGHTED, *here, *ANY), above(slope, u)),
            proofs=(Smt(uses=(Use(line, {"m": smaller(v, 1 - v)}),)), *LINK),
            control=above(slope - sign * edge(), u),
        ),
        Entry(
            f"theoremalpha.link.{side}.none-greater",
            f"For {where} and α > 0, no slope s above the printed link is one of -L: with z between them and"
            f" {beyond}, the inverse link v at z has L(v) > L(u) - s (v - u).",
            "theorem",
            **about,
            claim=Claim((*CURVED, *here, slope < z, z < s, outside, equal(v, inverse_link(z, sign))), broken),
            proofs=(
                Smt(uses=(*uses, Use("theoremalpha.link.rises", {}), Use(member, {"u": v, "v": u}))),
                *LINK,
            ),
            control=whole_risk(v) < whole_risk(u) - s * (v - u),
        ),
        Entry(
            f"theoremalpha.link.{side}.none-smaller",
            f"For {where} and α > 0, no slope s below the printed link is one of -L: with z between them and"
            f" {beyond}, the inverse link v at z has L(v) > L(u) - s (v - u).",
            "theorem",
            **about,
            claim=Claim((*CURVED, *here, s < z, z < slope, outside, equal(v, inverse_link(z, sign))), broken),
            proofs=(
                Smt(
                    uses=(
                        *uses,
                        Use("theoremalpha.link.rises", {"u": v, "v": u}),
                        Use(member, {"u": v, "v": u}),
                    )
                ),
                *LINK,
            ),
            control=whole_risk(v) < whole_risk(u) - s * (v - u),
        ),
    )


LINKS = (
    Entry(
        "theoremalpha.link.half.member",
        "At u = 1/2 every s in 2 (1 - α) [-1, 1] is a slope of -L.",
        "theorem",
        line=307,
        also=("f-alphaM",),
        also_lines=(237, 1401),
        claim=Claim((*WEIGHTED, *between(-edge(), s, edge()), *ANY), above(s, HALF)),
        proofs=(Smt(), *LINK),
        control=above(2 * s, HALF),
    ),
    Entry(
        "theoremalpha.link.half.none-greater",
        "At u = 1/2 and α > 0 no s > 2 (1 - α) is a slope of -L: with z between them, the inverse link v at "
        "z has L(v) > L(1/2) - s (v - 1/2).",
        "theorem",
        line=307,
        also=("f-alphaM",),
        also_lines=(237, 1401),
        claim=Claim(
            (*CURVED, edge() < z, z < s, equal(v, inverse_link(z, 1))), 1 - s * (v - HALF) < whole_risk(v)
        ),
        proofs=(
            Smt(
                uses=(
                    Use("theoremalpha.inverse.right.range", {}),
                    Use("theoremalpha.conjugate.right.attained", {"u": v}),
                    Use("theoremalpha.inverse.right.unique", {"v": term(HALF)}),
                )
            ),
            *LINK,
        ),
        control=1 - z * (v - HALF) < whole_risk(v) - a,
    ),
    Entry(
        "theoremalpha.link.half.none-smaller",
        "At u = 1/2 and α > 0 no s < -2 (1 - α) is a slope of -L: with z between them, the inverse link v at "
        "z has L(v) > L(1/2) - s (v - 1/2).",
        "theorem",
        line=307,
        also=("f-alphaM",),
        also_lines=(237, 1401),
        claim=Claim(
            (*CURVED, z < -edge(), s < z, equal(v, inverse_link(z, -1))), 1 - s * (v - HALF) < whole_risk(v)
        ),
        proofs=(
            Smt(
                uses=(
                    Use("theoremalpha.inverse.left.range", {}),
                    Use("theoremalpha.conjugate.left.attained", {"u": v}),
                    Use("theoremalpha.inverse.left.unique", {"v": term(HALF)}),
                )
            ),
            *LINK,
        ),
        control=1 - z * (v - HALF) < whole_risk(v) - a,
    ),
    Entry(
        "theoremalpha.link.zero-alpha",
        "At α = 0 the slopes of -L at u are exactly -2 for 0 < u < 1/2, [-2, 2] at 1/2 and 2 for 1/2 < u < "
        "1: any other slope is broken at v = 0, 1/2 or 1.",
        "theorem",
        line=307,
        also=("f-alphaM",),
        also_lines=(237, 1401),
        claim=Claim(
            (0 < u, u < 1, *ANY),
            either(
                both(zero_one_link(s), zero_one_above(v)),
                both(
                    negation(zero_one_link(s)),
                    negation(both(*map(zero_one_above, map(term, (Fraction(0), HALF, Fraction(1)))))),
                ),
            ),
        ),
        proofs=(Smt(), Derived("zero_one.link-figure")),
        control=zero_one_above(v),
    ),
    Entry(
        "theoremalpha.link.ends-literal",
        "The printed link is a real number, or a set of them, for every prediction u in [0, 1].",
        "theorem",
        line=307,
        also=("f-alphaM",),
        also_lines=(237, 1401),
        refutation=Computed(infinite_link, (HALF, 0), (HALF, HALF), engine="witness"),
        correction="theoremalpha.link.ends",
        severity=Severity.PEDANTRY,
        erratum="link-infinite",
    ),
    Entry(
        "theoremalpha.link.ends",
        "At u = 0 and α > 0 no real s is a slope of -L: v = α^2 / (α^2 + (|s| + 1)^2) has L(v) > L(0) - s "
        "v. By symmetry there is none at u = 1 either.",
        "theorem",
        line=307,
        reading="ours",
        also=("f-alphaM",),
        claim=Claim((*CURVED, equal(v, a**2 / (a**2 + (absolute(s) + 1) ** 2))), -s * v < whole_risk(v)),
        control=-3 * s * v < whole_risk(v),
    ),
    Entry(
        "theoremalpha.link.ends-zero-alpha",
        "At u = 0 and α = 0 every s ≤ -2 is a slope of -L, not only -2.",
        "remark",
        label="f-alphaM",
        line=237,
        reading="ours",
        also_lines=(1401,),
        claim=Claim((*ANY, s <= -2), whole_risk(v, 0) <= -s * v),
        control=Claim((*ANY, s <= -1), whole_risk(v, 0) <= -s * v),
    ),
    Entry(
        "theoremalpha.link.symmetric",
        "For 0 < u < 1/2 the link at 1 - u is minus the link at u.",
        "remark",
        label="f-alphaM",
        line=237,
        reading="ours",
        claim=Claim((0 < u, u < HALF), equal(link_part(1 - u) + edge(), -(link_part(u) - edge()))),
        proofs=(Smt(), Identity()),
        control=equal(link_part(1 - u) + edge(), link_part(u) - edge()),
    ),
)

ENTRIES = (
    *(entry for region in REGIONS for entry in inverse_off_plateau(*region)),
    *INVERSE,
    *TANGENTS,
    *link_beside_half("left", -1, (0 < u, u < HALF)),
    *link_beside_half("right", 1, (HALF < u, u < 1)),
    *LINKS,
)
"""The link and the inverse link as printed in the figure, and consequences."""
