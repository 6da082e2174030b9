"""Appendix, the proof of theoremalpha from the plateau on: maxima left and right of 1/2, the conjugate.

| here | paper |
|---|---|
| `Z` | Z_- or Z_+, (z + 2 (1 - alpha)) / alpha or (z - 2 (1 - alpha)) / alpha |
| `S` | sqrt(4 + Z^2) |
| `h(-1, x)`, `h(1, x)` | h_-(x), h_+(x) |
| `top(-1)`, `top(1)` | h*_-(z), h*_+(z) |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check import ours, paper
from privboost.proofs_check.claims.common import HALF, at
from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, term
from privboost.proofs_check.language import absolute, between, both, either, equal, larger, reals, sqrt
from privboost.proofs_check.proofs import Counterexample, Derived, Identity, Smt, Sum, Use, by_z3

from .links import same, sign_of
from .terms import CURVED, beyond, conjugate, edge, inverse_link, objective, radius, root, surrogate

a, j, u, v, z, Z = reals("a j u v z Z")
S = sqrt(4 + Z**2)
STATIONARY = Z + (1 - 2 * u) / root(u)
INNER = (0 < u, u < 1)
QUADRATIC = equal(1 - (4 + Z**2) * u + (4 + Z**2) * u**2, 0)


def g(x: Term, slope: Term = Z) -> Term:
    """Return Z x + 2 sqrt(x (1 - x)), which the paper calls g."""
    return slope * x + 2 * root(x)


def shift(sign: int) -> Term:
    """Return z + 2 (1 - alpha) for the left half, z - 2 (1 - alpha) for the right one."""
    return z - sign * edge()


def h(sign: int, x: Term) -> Term:
    """Return h_-(x) or h_+(x)."""
    straight = shift(sign) * x + 2 * a * root(x)
    return straight if sign < 0 else edge() + straight


def argument(sign: int, slope: Term = Z) -> Term:
    """Return 1/2 -+ |Z| / (2 sqrt(4 + Z^2))."""
    return HALF + sign * (absolute(slope) / (2 * sqrt(4 + slope**2)))


def quotient(sign: int) -> Term:
    """Return (4 + Z^2 +- |Z| sqrt(4 + Z^2)) / (2 (4 + Z^2))."""
    return (4 + Z**2 + sign * (absolute(Z) * S)) / (2 * (4 + Z**2))


def top(sign: int) -> Term:
    """Return h*_-(z) or h*_+(z), as printed."""
    w = shift(sign)
    return 1 - a + z / 2 + (4 * a**2 + sign * (absolute(w) * w)) / (2 * sqrt(4 * a**2 + w**2))


def plain_top(sign: int) -> Term:
    """Return 1 - alpha + z / 2 + sqrt(4 alpha^2 + (z +- 2 (1 - alpha))^2) / 2."""
    return 1 - a + z / 2 + sqrt(4 * a**2 + shift(sign) ** 2) / 2


STATIONARITY = (
    paper.Equation(
        "firsteqZ1.derivative",
        "Z + (1 - 2u)/sqrt(u (1 - u)) is the slope of g(u) = Z u + 2 sqrt(u (1 - u)): g lies below that "
        "tangent.",
        claim=Claim((*INNER, *between(0, v, 1)), g(v) <= g(u) + STATIONARY * (v - u)),
        proofs=(
            Sum(
                degree=1,
                uses=(
                    Use("theoremalpha.link.radicand", {"x": u}),
                    Use("theoremalpha.link.radicand", {"x": v}),
                    Use("theoremalpha.link.root-positive"),
                    Use("theoremalpha.link.matsushita"),
                ),
            ),
            Smt(),
        ),
        control=g(v) <= g(u) + (Z + (1 - u) / root(u)) * (v - u),
    ),
    paper.Step(
        "firsteqZ1.quadratic",
        "For 0 < u < 1 the equation 1 - 2u = -Z sqrt(u (1 - u)) is the same as 1 - (4 + Z^2) u + (4 + Z^2) "
        "u^2 = 0.",
        line=1463,
        claim=Claim(INNER, same(equal(1 - 2 * u, -Z * root(u)), QUADRATIC)),
        refutation=Counterexample(
            at(Z=Fraction(3, 2), u=Fraction(1, 5)), at(Z=Fraction(3, 2), u=Fraction(4, 5))
        ),
        correction="firsteqZ1.quadratic-corrected",
        severity=Severity.GAP,
        erratum="spurious-root",
        remark="Squaring adds a root: of 1/5 and 4/5 only 4/5 solves the equation at Z = 3/2.",
    ),
    ours.Step(
        "firsteqZ1.quadratic-corrected",
        "For 0 < u < 1 the equation Z + (1 - 2u)/sqrt(u (1 - u)) = 0 is the same as 1 - 2u = -Z sqrt(u (1 - "
        "u)), and as the quadratic equation together with Z (1 - 2u) ≤ 0.",
        line=1463,
        given=INNER,
        then=both(
            same(equal(STATIONARY, 0), equal(1 - 2 * u, -Z * root(u))),
            same(equal(1 - 2 * u, -Z * root(u)), both(QUADRATIC, Z * (1 - 2 * u) <= 0)),
        ),
        control=same(equal(1 - 2 * u, -Z * root(u)), both(QUADRATIC, 0 <= Z * (1 - 2 * u))),
    ),
    paper.Equation(
        "firsteqZ1.quadratic-roots",
        "The roots of the quadratic are (4 + Z^2 ± |Z| sqrt(4 + Z^2)) / (2 (4 + Z^2)) = 1/2 ± |Z| / (2 "
        "sqrt(4 + Z^2)), and no others. The one with the minus sign is in (0, 1/2], the other one in "
        "[1/2, 1).",
        lines=(1465, 1467, 1478),
        also=("eqzz2",),
        then=both(
            same(QUADRATIC, either(*(equal(u, quotient(sign)) for sign in (-1, 1)))),
            *(equal(quotient(sign), argument(sign)) for sign in (-1, 1)),
            0 < argument(-1),
            argument(-1) <= HALF,
            HALF <= argument(1),
            argument(1) < 1,
        ),
        control=same(QUADRATIC, equal(u, quotient(1))),
    ),
    paper.Step(
        "firsteqZ1.selected",
        "For every Z the root in [0, 1/2] is where g is greatest on [0, 1/2].",
        lines=(1465, 1459, 1467),
        claim=Claim((*between(0, v, HALF), equal(u, argument(-1))), g(v) <= g(u)),
        refutation=Counterexample(
            at(Z=Fraction(3, 2), u=Fraction(1, 5), v=HALF), at(Z=Fraction(-3, 2), u=Fraction(1, 5), v=HALF)
        ),
        correction="firsteqZ1.selected-corrected",
        severity=Severity.GAP,
        erratum="spurious-root",
        remark="For Z > 0 the root is not stationary and g is greatest at 1/2. The greater of h*_- and h*_+ "
        "is right.",
    ),
    ours.Step(
        "firsteqZ1.selected-corrected",
        "For Z ≤ 0, g is greatest at the root 1/2 - |Z|/(2 sqrt(4 + Z^2)), on all of [0, 1].",
        line=1465,
        claim=Claim((*between(0, v, 1), Z <= 0, equal(u, argument(-1))), g(v) <= g(u)),
        control=Claim((*between(0, v, 1), equal(u, argument(-1))), g(v) <= g(u)),
    ),
    paper.Step(
        "firsteqZ1.selected-right",
        "For every Z the root in [1/2, 1] is where g is greatest on [1/2, 1].",
        label="eqzz2",
        lines=(1478, 1476),
        also=("firsteqZ1",),
        claim=Claim((*between(HALF, v, 1), equal(u, argument(1))), g(v) <= g(u)),
        refutation=Counterexample(
            at(Z=Fraction(-3, 2), u=Fraction(4, 5), v=HALF), at(Z=Fraction(3, 2), u=Fraction(4, 5), v=HALF)
        ),
        correction="firsteqZ1.selected-right-corrected",
        severity=Severity.GAP,
        erratum="spurious-root",
    ),
    ours.Step(
        "firsteqZ1.selected-right-corrected",
        "For Z ≥ 0, g is greatest at the root 1/2 + |Z|/(2 sqrt(4 + Z^2)), on all of [0, 1].",
        label="eqzz2",
        line=1478,
        claim=Claim((*between(0, v, 1), 0 <= Z, equal(u, argument(1))), g(v) <= g(u)),
        control=Claim((*between(0, v, 1), equal(u, argument(1))), g(v) <= g(u)),
    ),
    ours.Step(
        "firsteqZ1.beyond",
        "For Z ≥ 0 and v ≤ 1/2, as well as for Z ≤ 0 and v ≥ 1/2, g(v) ≤ g(1/2).",
        line=1465,
        given=(*between(0, v, 1), either(both(0 <= Z, v <= HALF), both(Z <= 0, HALF <= v))),
        then=g(v) <= g(term(HALF)),
        control=Claim((*between(0, v, 1),), g(v) <= g(term(HALF))),
    ),
)


def first_line(sign: int, last: Term) -> Term:
    """Return alpha Z / 2 -+ alpha |Z| Z / (2 S) + last, the first line of both chains."""
    return a * Z / 2 + sign * (a * absolute(Z) * Z / (2 * S)) + last


LAST = (2 * a * sqrt(Fraction(1, 4) - Z**2 / (4 * (4 + Z**2))), a * sqrt(1 - Z**2 / (4 + Z**2)), 2 * a / S)
"""The last summand, line by line."""
W = shift(-1)
MERGED = a * (Z / 2 + (4 - absolute(Z) * Z) / (2 * S))
IN_Z = W / 2 + (4 * a**2 - absolute(W) * W) / (2 * a * sqrt(4 + (W / a) ** 2))
RIGHT_IN_Z = (
    edge() + shift(1) / 2 + (4 * a**2 + absolute(shift(1)) * shift(1)) / (2 * sqrt(4 * a**2 + shift(1) ** 2))
)


def chain(
    key: str, line: int, words: str, before: Term, after: Term, *, given: tuple[Formula, ...] = CURVED
) -> Entry:
    """Return one line of a chain of equations; its control is the line with alpha added.

    Paper: eqzz1, eqzz2.
    """
    return paper.Equation(
        key, words, line=line, claim=Claim(given, equal(before, after)), control=equal(before, after + a)
    )


CHAINS = (
    chain(
        "eqzz1.line-1",
        1469,
        "h_- at u* = 1/2 - |Z|/(2S) is αZ/2 - α|Z|Z/(2S) + 2α sqrt(1/4 - Z^2/(4 (4 + Z^2))), with S = "
        "sqrt(4 + Z^2).",
        a * g(argument(-1)),
        first_line(-1, LAST[0]),
    ),
    chain(
        "eqzz1.line-2",
        1470,
        "The last summand is α sqrt(1 - Z^2/(4 + Z^2)).",
        first_line(-1, LAST[0]),
        first_line(-1, LAST[1]),
    ),
    chain("eqzz1.line-3", 1471, "The last summand: 2α/S.", first_line(-1, LAST[1]), first_line(-1, LAST[2])),
    chain("eqzz1.line-4", 1472, "The sum is α (Z/2 + (4 - |Z| Z)/(2S)).", first_line(-1, LAST[2]), MERGED),
    chain(
        "eqzz1.line-5",
        1473,
        "With Z = (z + 2 (1 - α))/α in it, the numerator gets α^2 and the denominator α.",
        MERGED,
        IN_Z,
        given=(*CURVED, equal(Z, W / a)),
    ),
    chain("eqzz1.line-6", 1474, "This is h*_-(z).", IN_Z, top(-1)),
    chain(
        "eqzz2.line-1",
        1482,
        "h_+ at u* = 1/2 + |Z|/(2S) is 2 (1 - α) + αZ/2 + α|Z|Z/(2S) + 2α sqrt(1/4 - Z^2/(4 (4 + Z^2))).",
        edge() + a * g(argument(1)),
        edge() + first_line(1, LAST[0]),
    ),
    chain(
        "eqzz2.line-2",
        1483,
        "With Z = (z - 2 (1 - α))/α the sum is in terms of z.",
        edge() + first_line(1, LAST[0]),
        RIGHT_IN_Z,
        given=(*CURVED, equal(Z, shift(1) / a)),
    ),
    chain("eqzz2.line-3", 1484, "This is h*_+(z).", RIGHT_IN_Z, top(1)),
)


def half(side: str, sign: int) -> tuple[Entry, ...]:
    """Return the claims on the maximum over one half of [0, 1].

    Paper: firsteqZ1, eqzz1, eqzz2.
    """
    label, name = ("eqzz1", "h_-") if sign < 0 else ("eqzz2", "h_+")
    where = "z < -2 (1 - α)" if sign < 0 else "z > 2 (1 - α)"
    inside = z < -edge() if sign < 0 else edge() < z
    other = edge() < z if sign < 0 else z < -edge()
    here = between(0, v, HALF) if sign < 0 else between(HALF, v, 1)
    slope = shift(sign) / a
    length = sqrt(4 * a**2 + shift(sign) ** 2)
    direction = {"x": shift(sign), "y": 2 * a, "r": length, "c": 2 * v - 1, "t": 2 * root(v)}
    lead = term(0) if sign < 0 else edge()
    return (
        paper.Equation(
            f"firsteqZ1.{side}.form",
            f"{name} is α times g, with Z ="
            f" {'(z + 2 (1 - α))/α' if sign < 0 else '(z - 2 (1 - α))/α, plus 2 (1 - α)'}.",
            lines=(1451 if sign < 0 else 1453, 1456),
            claim=Claim((*CURVED, *between(0, u, 1)), equal(h(sign, u), lead + a * g(u, slope))),
            proofs=(Identity(), Smt()),
            control=equal(h(sign, u), lead + g(u, slope)),
        ),
        paper.Step(
            f"firsteqZ1.{side}.piece",
            f"{name} is what the supremum is taken of on the {side} half, so the greater of both maxima"
            " is the conjugate.",
            label="negent",
            line=1457,
            also=("firsteqZ1",),
            claim=Claim((*CURVED, *here), equal(objective(z, v), h(sign, v))),
            control=Claim((*CURVED, *between(0, v, 1)), equal(objective(z, v), h(sign, v))),
        ),
        paper.Equation(
            f"firsteqZ1.{side}.stationary",
            f"For {where} the printed u* solves the stationary equation.",
            label="firsteqZ1" if sign < 0 else "eqzz2",
            lines=(1461, 1459, 1465) if sign < 0 else (1478, 1476),
            given=(*CURVED, inside, equal(u, argument(sign, slope))),
            then=equal(slope + (1 - 2 * u) / root(u), 0),
            proofs=(Smt(), Derived(f"m_alpha.argument-{side}")),
            control=equal(slope - (1 - 2 * u) / root(u), 0),
        ),
        paper.Equation(
            f"firsteqZ1.{side}.not-stationary",
            f"On the other side of the plateau too, the maximum of {name} over its half, which there is"
            " at u = 1/2, is a stationary point.",
            also_lines=(1459, 1476),
            claim=Claim((*CURVED, other, equal(u, HALF)), equal(slope + (1 - 2 * u) / root(u), 0)),
            refutation=Counterexample(at(a=1, z=-2 * sign, u=HALF), at(a=1, z=2 * sign, u=HALF)),
            correction=f"{label}.beyond",
            severity=Severity.GAP,
            erratum="spurious-root",
            remark="There the maximum over the half is at u = 1/2, an end of it, where the slope is not 0.",
        ),
        paper.Step(
            f"firsteqZ1.{side}.figure",
            f"For {where} the printed u* is the figure's inverse link.",
            label="theoremalpha",
            line=1465 if sign < 0 else 1478,
            also=("f-alphaM",),
            claim=Claim((*CURVED, inside), equal(argument(sign, slope), inverse_link(z, sign))),
            proofs=(Smt(), Derived("m_alpha.inverse-link")),
            control=equal(argument(-sign, slope), inverse_link(z, sign)),
        ),
        paper.Equation(
            f"{label}.maximum",
            f"For {where} no u in [0, 1] makes {name} greater than what the printed maximum is there,"
            f" 1 - α + z/2 + sqrt(4α^2 + (z {'+' if sign < 0 else '-'} 2 (1 - α))^2)/2.",
            lines=(1474, 1491) if sign < 0 else (1484, 1500),
            claim=Claim((*CURVED, inside, *between(0, v, 1)), h(sign, v) <= plain_top(sign)),
            proofs=(
                Smt(),
                Sum(
                    degree=1,
                    uses=(
                        Use("theoremalpha.link.radicand", {"x": v}),
                        Use("negent.square", {"x": shift(sign)}),
                        Use("negent.square", {"x": a}),
                        Use("negent.cauchy", direction),
                    ),
                ),
                Derived(f"m_alpha.maximum-{side}"),
            ),
            control=h(sign, v) <= plain_top(sign) - a,
        ),
        paper.Equation(
            f"{label}.not-maximum",
            f"The printed maximum is that of {name} over its half on the other side of the plateau too.",
            lines=(1474 if sign < 0 else 1484, 1486),
            claim=Claim((*CURVED, other, *here), h(sign, v) <= top(sign)),
            refutation=Counterexample(
                at(a=1, z=Fraction(-3 * sign, 2), v=HALF), at(a=1, z=Fraction(3 * sign, 2), v=HALF)
            ),
            correction=f"{label}.beyond",
            severity=Severity.GAP,
            erratum="spurious-root",
            remark="The maximum there is 1 + z/2, which the other half exceeds, so the conjugate is right "
            "all the same.",
        ),
        ours.Equation(
            f"{label}.beyond",
            f"On the other side of the plateau, and on it, {name} is greatest over its half at 1/2,"
            " where it is 1 + z/2.",
            line=1474 if sign < 0 else 1484,
            given=(*CURVED, -edge() <= z if sign < 0 else z <= edge(), *here),
            then=both(h(sign, v) <= 1 + z / 2, equal(h(sign, term(HALF)), 1 + z / 2)),
            control=Claim((*CURVED, *here), h(sign, v) <= 1 + z / 2),
        ),
    )


def case(side: str, sign: int) -> tuple[Entry, ...]:
    """Return the lines of one of the two cases off the plateau.

    Paper: theoremalpha.
    """
    where = "z < -2 (1 - α)" if sign < 0 else "z > 2 (1 - α)"
    inside = z < -edge() if sign < 0 else edge() < z
    great, small = ("h*_-", "h*_+") if sign < 0 else ("h*_+", "h*_-")
    w, other = shift(sign), shift(-sign)
    squared = 1 - a + z / 2 + (4 * a**2 + w**2) / (2 * sqrt(4 * a**2 + w**2))
    return (
        paper.Equation(
            f"theoremalpha.case-{side}.greater",
            f"For {where} the square in {great} is added.",
            line=1490 if sign < 0 else 1499,
            claim=Claim((*CURVED, inside), equal(top(sign), squared)),
            control=equal(top(-sign), squared),
        ),
        paper.Equation(
            f"theoremalpha.case-{side}.simplified",
            f"With the square added, {great} is 1 - α + z/2 + sqrt(4α^2 + (z {'+' if sign < 0 else '-'}"
            " 2 (1 - α))^2)/2.",
            line=1491 if sign < 0 else 1500,
            claim=Claim((*CURVED,), equal(squared, plain_top(sign))),
            proofs=(Smt(), Identity()),
            control=equal(squared, plain_top(-sign)),
        ),
        paper.Equation(
            f"theoremalpha.case-{side}.smaller",
            f"For {where} the square in {small} is subtracted.",
            line=1492 if sign < 0 else 1498,
            given=(*CURVED, inside),
            then=equal(top(-sign), 1 - a + z / 2 + (4 * a**2 - other**2) / (2 * sqrt(4 * a**2 + other**2))),
            control=equal(
                top(-sign), 1 - a + z / 2 + (4 * a**2 + other**2) / (2 * sqrt(4 * a**2 + other**2))
            ),
        ),
        paper.Step(
            f"theoremalpha.case-{side}.comparison",
            f"For {where}, {great} is greater than {small}; the value 1 + z/2 at u = 1/2 lies between them.",
            line=1494 if sign < 0 else 1502,
            given=(*CURVED, inside),
            then=both(top(-sign) < 1 + z / 2, 1 + z / 2 < top(sign), top(-sign) < top(sign)),
            proofs=(Smt(), Derived(f"m_alpha.comparison-{side}")),
            control=top(-sign) + a < top(sign),
        ),
        paper.Equation(
            f"theoremalpha.case-{side}.conjugate",
            f"For {where} the greater of h*_- and h*_+ is the conjugate of the cases, and of the"
            " one-line formula.",
            lines=(1508 if sign < 0 else 1510, 1486, 1516),
            given=(*CURVED, inside),
            then=both(equal(larger(top(-1), top(1)), plain_top(sign)), equal(plain_top(sign), conjugate(z))),
            proofs=(
                by_z3(Use(f"theoremalpha.case-{side}.comparison")),
                Derived("m_alpha.conjugate-cases"),
                Derived("m_alpha.conjugate"),
            ),
            control=equal(plain_top(-sign), conjugate(z)),
        ),
    )


END = (
    paper.Step(
        "theoremalpha.case-names",
        "The two cases off the plateau are both called Case 2.1; the second one is Case 2.2.",
        lines=(1496, 1488, 1504),
        severity=Severity.SLIP,
    ),
    paper.Equation(
        "propCSUR.formula",
        "The figure's surrogate at z is the one-line conjugate at -z, on and off the plateau.",
        lines=(1520, 246),
        also=("f-alphaM", "theoremalpha"),
        claim=Claim(CURVED, both(equal(surrogate(z), conjugate(-z)), equal(1 - z / 2, 1 + (-z) / 2))),
        proofs=(Smt(), Derived("m_alpha.surrogate-mirror")),
        control=equal(surrogate(z), conjugate(z)),
    ),
    paper.Equation(
        "theoremalpha.inverse.two-forms",
        "The inverse link of the appendix, with sign(z) (|z|/2 - (1 - α)), is that of the figure, with z/2 "
        "- sign(z) (1 - α).",
        lines=(1528, 245),
        also=("f-alphaM",),
        given=(*CURVED, sign_of(j, z)),
        then=equal(j * beyond(z) / radius(z), (z / 2 - j * (1 - a)) / radius(z)),
        proofs=(Smt(), Derived("m_alpha.inverse-link-appendix")),
        control=equal(beyond(z) / radius(z), (z / 2 - j * (1 - a)) / radius(z)),
    ),
)

HALVES = (*half("left", -1), *half("right", 1))
CASES = (*case("left", -1), *case("right", 1))
ENTRIES = (*STATIONARITY, *CHAINS, *HALVES, *CASES, *END)
"""The proof of theoremalpha from the plateau on."""
