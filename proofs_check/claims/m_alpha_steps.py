"""Appendix, proof of Theorem theoremalpha, display by display: the conjugate by halves of [0, 1].

| here | paper |
|---|---|
| `a`, `u`, `z` | alpha, the argument of the supremum, the margin |
| `k` | Z_- or Z_+, the margin seen from one end of the plateau, over alpha |
| `r` | sqrt(4 + Z^2), by its square |
"""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.entry import Entry, Severity
from privboost.proofs_check.kernel.terms import Claim, Term
from privboost.proofs_check.language import absolute, both, either, equal, implies, reals, sqrt
from privboost.proofs_check.proofs import Counterexample, Derived, Identity, Smt
from privboost.reference.exact import sqrt as exact_sqrt

from .common import HALF

a, d, k, r, u, v, z = reals("a d k r u v z")
QUARTER = Fraction(1, 4)
_ROOT_FIVE = exact_sqrt(5)
_LEFT_OF_ONE = HALF - 1 / (2 * _ROOT_FIVE)
CURVED = (0 < a, a <= 1)
IN_UNIT = (0 <= u, u <= 1)
LEFT_HALF = (0 <= u, u <= HALF)
RIGHT_HALF = (HALF <= u, u <= 1)


def root(x: Term) -> Term:
    """Return sqrt(x (1 - x))."""
    return sqrt(x * (1 - x))


def left_objective(x: Term) -> Term:
    """Return z x + L(x) for x <= 1/2."""
    return z * x + 2 * a * root(x) + 2 * (1 - a) * x


def right_objective(x: Term) -> Term:
    """Return z x + L(x) for x >= 1/2."""
    return z * x + 2 * a * root(x) + 2 * (1 - a) * (1 - x)


FROM_LEFT = z + 2 * (1 - a)
FROM_RIGHT = z - 2 * (1 - a)
LEFT_ROOT = sqrt(4 * a**2 + FROM_LEFT**2)
RIGHT_ROOT = sqrt(4 * a**2 + FROM_RIGHT**2)
LEFT_MAXIMUM = 1 - a + z / 2 + LEFT_ROOT / 2
RIGHT_MAXIMUM = 1 - a + z / 2 + RIGHT_ROOT / 2
LEFT_PRINTED = 1 - a + z / 2 + (4 * a**2 - absolute(FROM_LEFT) * FROM_LEFT) / (2 * LEFT_ROOT)
RIGHT_PRINTED = 1 - a + z / 2 + (4 * a**2 + absolute(FROM_RIGHT) * FROM_RIGHT) / (2 * RIGHT_ROOT)

ENTRIES = (
    Entry(
        "theoremalpha.weight",
        "The weight function of the loss is -L'', that is, the link grows by its slopes alone: at u = 1/2"
        " it has one"
        " value and no jump.",
        "step",
        label="theoremalpha",
        line=1410,
        claim=Claim(
            (0 <= a, a <= 1, -2 * (1 - a) <= u, u <= 2 * (1 - a), -2 * (1 - a) <= v, v <= 2 * (1 - a)),
            equal(u, v),
        ),
        refutation=Counterexample({"a": 0, "u": -2, "v": 2}, {"a": 0, "u": 2, "v": 2}),
        correction="theoremalpha.weight-atom",
        severity=Severity.HARMLESS,
        erratum="weight-atom",
    ),
    Entry(
        "theoremalpha.weight-atom",
        "Off 1/2 the weight is -L''; at 1/2 the link jumps from -2(1 - α) to 2(1 - α), so the weight has"
        " a point mass"
        " 4(1 - α) there.",
        "step",
        label="theoremalpha",
        line=1410,
        reading="intended",
        claim=Claim((), equal(2 * (1 - a) - (-2 * (1 - a)), 4 * (1 - a))),
        proofs=(Identity(), Derived("m_alpha.weight-density[0 < u < 1/2]")),
        control=equal(2 * (1 - a) - (-2 * (1 - a)), 2 * (1 - a)),
        remark="That the set of slopes at 1/2 is the whole interval is theoremalpha.link.half.member and"
        " the two"
        " entries after it.",
    ),
    Entry(
        "negent",
        "The convex conjugate of minus the risk is the supremum over u in [0, 1] of z u + L(u).",
        "equation",
        label="negent",
        line=1413,
    ),
    Entry(
        "negent.side",
        "For z ≤ 0 a point u of the right half does no better than its mirror image 1 - u, and strictly"
        " worse for"
        " z < 0 and u > 1/2; so the supremum is found in [0, 1/2], and for z ≥ 0 in [1/2, 1].",
        "step",
        label="negent",
        line=1416,
        claim=Claim(
            (*RIGHT_HALF, 0 <= a, a <= 1),
            both(
                implies(
                    both(z < 0, HALF < u),
                    right_objective(u) < z * (1 - u) + 2 * a * root(u) + 2 * (1 - a) * (1 - u),
                ),
                implies(z >= 0, right_objective(u) >= z * (1 - u) + 2 * a * root(u) + 2 * (1 - a) * (1 - u)),
            ),
        ),
        proofs=(Smt(),),
        control=right_objective(u) < z * (1 - u) + 2 * a * root(u) + 2 * (1 - a) * (1 - u),
    ),
    Entry(
        "negent.at-zero",
        "At z = 0 the supremum is attained at u = 1/2, so that the conjugate is 1/2 there.",
        "step",
        label="negent",
        line=1416,
        claim=Claim((equal(z, 0), equal(u, HALF), *CURVED), equal(left_objective(u), HALF)),
        refutation=Counterexample({"z": 0, "u": HALF, "a": 1}, {"z": 1, "u": HALF, "a": 1}),
        correction="negent.at-zero-corrected",
        severity=Severity.HARMLESS,
        erratum="conjugate-at-zero",
        remark="The later displays of the same proof have 1 + z/2, which is 1 at z = 0.",
    ),
    Entry(
        "negent.at-zero-corrected",
        "At z = 0 the supremum is 1, attained at u = 1/2.",
        "step",
        label="negent",
        line=1416,
        reading="intended",
        claim=Claim(
            (equal(z, 0), *LEFT_HALF, 0 <= a, a <= 1, equal(v, HALF)),
            both(left_objective(u) <= 1, equal(left_objective(v), 1)),
        ),
        proofs=(Smt(),),
        control=both(left_objective(u) <= 1, equal(left_objective(v), HALF)),
    ),
    Entry(
        "csurzero",
        "At α = 0 the conjugate is 0 for z < -2, attained at u = 0, 1 + z/2 for |z| ≤ 2, attained at 1/2,"
        " and z for"
        " z > 2, attained at u = 1.",
        "equation",
        label="csurzero",
        line=1420,
        claim=Claim(
            IN_UNIT,
            both(
                implies(both(z < -2, u <= HALF), z * u + 2 * u <= 0),
                implies(both(z < -2, u > HALF), z * u + 2 * (1 - u) <= 0),
                implies(both(-2 <= z, z <= 2, u <= HALF), z * u + 2 * u <= 1 + z / 2),
                implies(both(-2 <= z, z <= 2, u > HALF), z * u + 2 * (1 - u) <= 1 + z / 2),
                implies(both(z > 2, u <= HALF), z * u + 2 * u <= z),
                implies(both(z > 2, u > HALF), z * u + 2 * (1 - u) <= z),
            ),
        ),
        proofs=(Smt(), Derived("zero_one.conjugate")),
        control=implies(both(-2 <= z, z <= 2, u <= HALF), z * u + 2 * u <= HALF + z / 2),
    ),
    Entry(
        "feq1",
        "u = 1/2 attains the supremum exactly if z u + L(u) ≤ 1 + z/2 on both halves of [0, 1]: its value"
        " there is"
        " 1 + z/2.",
        "equation",
        label="feq1",
        line=1430,
        claim=Claim(
            (equal(u, HALF), *CURVED),
            both(equal(left_objective(u), 1 + z / 2), equal(right_objective(u), 1 + z / 2)),
        ),
        proofs=(Smt(),),
        control=both(equal(left_objective(u), 1 + z), equal(right_objective(u), 1 + z / 2)),
    ),
    Entry(
        "feq1.left",
        "With z = -2(1 - α) + δ, the condition on the left half is 2 sqrt(u(1 - u)) ≤ 1 + (δ/α)(1 - u).",
        "step",
        label="feq1",
        line=1436,
        claim=Claim(
            (*LEFT_HALF, *CURVED, equal(z, d - 2 * (1 - a)), left_objective(u) <= 1 + z / 2),
            2 * root(u) <= 1 + (d / a) * (1 - u),
        ),
        refutation=Counterexample(
            {"u": Fraction(1, 10), "a": 1, "d": -1, "z": -1},
            {"u": HALF, "a": 1, "d": 1, "z": 1},
        ),
        correction="feq1.left-corrected",
        severity=Severity.HARMLESS,
        erratum="plateau-half",
        remark="1 - u should be 1/2 - u. The witness satisfies the first condition and breaks the second.",
    ),
    Entry(
        "feq1.left-corrected",
        "With z = -2(1 - α) + δ, the condition on the left half is 2 sqrt(u(1 - u)) ≤ 1 + (δ/α)(1/2 - u).",
        "step",
        label="feq1",
        line=1436,
        reading="intended",
        claim=Claim(
            (*LEFT_HALF, *CURVED, equal(z, d - 2 * (1 - a))),
            both(
                implies(left_objective(u) <= 1 + z / 2, 2 * root(u) <= 1 + (d / a) * (HALF - u)),
                implies(2 * root(u) <= 1 + (d / a) * (HALF - u), left_objective(u) <= 1 + z / 2),
            ),
        ),
        proofs=(Smt(),),
        control=implies(left_objective(u) <= 1 + z / 2, 2 * root(u) <= 1 + (d / a) * (QUARTER - u)),
    ),
    Entry(
        "feq1.right",
        "With z = 2(1 - α) + δ, the condition on the right half is 2 sqrt(u(1 - u)) ≤ 1 - (δ/α)(u - 1/2).",
        "step",
        label="feq1",
        line=1440,
        claim=Claim(
            (*RIGHT_HALF, *CURVED, equal(z, d + 2 * (1 - a))),
            both(
                implies(right_objective(u) <= 1 + z / 2, 2 * root(u) <= 1 - (d / a) * (u - HALF)),
                implies(2 * root(u) <= 1 - (d / a) * (u - HALF), right_objective(u) <= 1 + z / 2),
            ),
        ),
        proofs=(Smt(), Derived("m_alpha.plateau-right")),
        control=implies(right_objective(u) <= 1 + z / 2, 2 * root(u) <= 1 - (d / a) * (u - QUARTER)),
    ),
    Entry(
        "feq1.holds",
        "On the right half the condition holds for δ ≤ 0, and by symmetry the left one for δ ≥ 0.",
        "step",
        label="feq1",
        line=1438,
        also_lines=(1442,),
        claim=Claim((*RIGHT_HALF, *CURVED, d <= 0), 2 * root(u) <= 1 - (d / a) * (u - HALF)),
        proofs=(Smt(),),
        control=2 * root(u) <= 1 - (d / a) * (u - HALF) - Fraction(1, 10),
    ),
    Entry(
        "feq1.near-one",
        "The condition is violated for δ > 0 because 2 sqrt(u(1 - u)) comes as close to 1 as one likes:"
        " at every u at"
        " which it is below 1 by less than some amount, the right-hand side is smaller.",
        "step",
        label="feq1",
        line=1442,
        claim=Claim(
            (*RIGHT_HALF, *CURVED, 0 < d, d <= 1, 1 - 2 * root(u) <= Fraction(1, 10)),
            1 - (d / a) * (u - HALF) < 2 * root(u),
        ),
        refutation=Counterexample(
            {"u": HALF, "a": 1, "d": 1},
            {"u": Fraction(3, 5), "a": 1, "d": 1},
        ),
        correction="feq1.violated",
        severity=Severity.HARMLESS,
        remark="Both sides tend to 1 at u = 1/2; what decides is that the left one leaves it with slope 0.",
    ),
    Entry(
        "feq1.violated",
        "The condition on the right half is violated for every δ > 0, for instance at u = 1/2 + δα/(2(δ²"
        " + α²)): there"
        " the straight line is below the circle.",
        "step",
        label="feq1",
        line=1442,
        reading="intended",
        claim=Claim(
            (*CURVED, 0 < d, equal(k, d / a), equal(v, k / (2 * (1 + k**2))), equal(u, HALF + v)),
            1 - (d / a) * (u - HALF) < 2 * root(u),
        ),
        proofs=(Smt(),),
        control=1 - (d / a) * (u - HALF) < root(u),
    ),
    Entry(
        "theoremalpha.plateau-step",
        "On the plateau, |z| ≤ 2(1 - α), no u does better than 1/2, so the conjugate is 1 + z/2.",
        "step",
        label="theoremalpha",
        line=1444,
        claim=Claim(
            (*CURVED, -2 * (1 - a) <= z, z <= 2 * (1 - a), *IN_UNIT),
            both(
                implies(u <= HALF, left_objective(u) <= 1 + z / 2),
                implies(u >= HALF, right_objective(u) <= 1 + z / 2),
            ),
        ),
        proofs=(Smt(), Derived("m_alpha.plateau")),
        control=implies(u <= HALF, left_objective(u) <= Fraction(9, 10) + z / 2),
    ),
    Entry(
        "theoremalpha.halves",
        "The two objectives are h_-(u) = α (Z_- u + 2 sqrt(u(1 - u))) and h_+(u) = 2(1 - α) + α (Z_+ u +"
        " 2 sqrt(u(1 - u)))"
        " with Z_∓ = (z ± 2(1 - α))/α.",
        "step",
        label="theoremalpha",
        line=1451,
        claim=Claim(
            (*CURVED, *IN_UNIT),
            both(
                equal(left_objective(u), a * ((FROM_LEFT / a) * u + 2 * root(u))),
                equal(right_objective(u), 2 * (1 - a) + a * ((FROM_RIGHT / a) * u + 2 * root(u))),
            ),
        ),
        proofs=(Smt(),),
        control=equal(left_objective(u), a * ((FROM_LEFT / a) * u + root(u))),
    ),
    Entry(
        "firsteqZ1",
        "Where the slope Z + (1 - 2u)/sqrt(u(1 - u)) of Z u + 2 sqrt(u(1 - u)) is 0, the objective is at"
        " its maximum over"
        " [0, 1].",
        "equation",
        label="firsteqZ1",
        line=1461,
        claim=Claim(
            (0 < u, u < 1, 0 <= v, v <= 1, equal(k + (1 - 2 * u) / root(u), 0)),
            k * v + 2 * root(v) <= k * u + 2 * root(u),
        ),
        proofs=(Smt(), Derived("m_alpha.argument-left")),
        control=k * v + 2 * root(v) < k * u + 2 * root(u),
    ),
    Entry(
        "firsteqZ1.squared",
        "Squaring the equation gives 1 - (4 + Z²) u + (4 + Z²) u² = 0.",
        "step",
        label="firsteqZ1",
        line=1463,
        claim=Claim(
            (0 < u, u < 1, equal(1 - 2 * u, -k * root(u))), equal(1 - (4 + k**2) * u + (4 + k**2) * u**2, 0)
        ),
        proofs=(Smt(),),
        control=equal(1 - (4 + k**2) * u + (2 + k**2) * u**2, 0),
    ),
    Entry(
        "firsteqZ1.roots",
        "Both numbers 1/2 ± |Z|/(2 sqrt(4 + Z²)) solve the squared equation.",
        "step",
        label="firsteqZ1",
        line=1465,
        claim=Claim(
            (
                0 < r,
                equal(r**2, 4 + k**2),
                either(equal(u, HALF - k / (2 * r)), equal(u, HALF + k / (2 * r))),
            ),
            equal(1 - (4 + k**2) * u + (4 + k**2) * u**2, 0),
        ),
        proofs=(Smt(),),
        control=equal(1 - (4 + k**2) * u + (4 + k**2) * u**2, 1),
    ),
    Entry(
        "firsteqZ1.left-root",
        "The root 1/2 - |Z_-|/(2 sqrt(4 + Z_-²)) solves the equation before squaring, whatever the sign"
        " of Z_-.",
        "step",
        label="firsteqZ1",
        line=1465,
        claim=Claim(
            (0 < r, equal(r**2, 4 + k**2), equal(u, HALF - absolute(k) / (2 * r))),
            equal(1 - 2 * u, -k * root(u)),
        ),
        refutation=Counterexample(
            {"k": 1, "r": _ROOT_FIVE, "u": _LEFT_OF_ONE}, {"k": -1, "r": _ROOT_FIVE, "u": _LEFT_OF_ONE}
        ),
        correction="firsteqZ1.left-root-corrected",
        severity=Severity.HARMLESS,
        erratum="spurious-root",
        remark="For Z_- > 0 it is the other root that solves it, and the maximum over [0, 1/2] is at 1/2.",
    ),
    Entry(
        "firsteqZ1.left-root-corrected",
        "For Z_- ≤ 0, which is z ≤ -2(1 - α), the root 1/2 - |Z_-|/(2 sqrt(4 + Z_-²)) solves the equation"
        " and lies in"
        " (0, 1/2]; for Z_+ ≥ 0 the root 1/2 + |Z_+|/(2 sqrt(4 + Z_+²)) solves its equation and lies in"
        " [1/2, 1).",
        "step",
        label="firsteqZ1",
        line=1465,
        also_lines=(1478,),
        reading="intended",
        claim=Claim(
            (0 < r, equal(r**2, 4 + k**2), equal(u, HALF + k / (2 * r))),
            both(
                equal(1 - 2 * u, -k * root(u)),
                implies(k <= 0, both(0 < u, u <= HALF)),
                implies(k >= 0, both(HALF <= u, u < 1)),
            ),
        ),
        proofs=(Smt(),),
        control=both(equal(1 - 2 * u, -k * root(u)), implies(k <= 0, u < HALF)),
    ),
    Entry(
        "eqzz1.root-of-product",
        "At the root, 2 sqrt(1/4 - Z²/(4(4 + Z²))) = sqrt(1 - Z²/(4 + Z²)) = 2/sqrt(4 + Z²).",
        "step",
        label="eqzz1",
        line=1469,
        claim=Claim(
            (0 < r, equal(r**2, 4 + k**2)),
            both(
                equal(2 * sqrt(QUARTER - k**2 / (4 * (4 + k**2))), sqrt(1 - k**2 / (4 + k**2))),
                equal(sqrt(1 - k**2 / (4 + k**2)), 2 / r),
            ),
        ),
        proofs=(Smt(),),
        control=equal(sqrt(1 - k**2 / (4 + k**2)), 4 / r),
    ),
    Entry(
        "eqzz1.collected",
        "α Z/2 - α |Z| Z/(2 sqrt(4 + Z²)) + 2α/sqrt(4 + Z²) = α (Z/2 + (4 - |Z| Z)/(2 sqrt(4 + Z²))).",
        "step",
        label="eqzz1",
        line=1472,
        claim=Claim(
            (0 < r,),
            equal(
                a * k / 2 - a * v * k / (2 * r) + 2 * a / r,
                a * (k / 2 + (4 - v * k) / (2 * r)),
            ),
        ),
        proofs=(Identity(), Smt()),
        control=equal(a * k / 2 - a * v * k / (2 * r) + 2 * a / r, a * (k / 2 + (2 - v * k) / (2 * r))),
    ),
    Entry(
        "eqzz1.unscaled",
        "With Z = (z + 2(1 - α))/α the value at the root is 1 - α + z/2 + (4α² - |Y| Y)/(2 sqrt(4α² + Y²)),"
        " Y = z + 2(1 - α).",
        "step",
        label="eqzz1",
        line=1474,
        also_lines=(1483,),
        claim=Claim(
            (*CURVED, 0 < r, equal(r**2, 4 + (FROM_LEFT / a) ** 2)),
            equal(
                a * ((FROM_LEFT / a) / 2 + (4 - absolute(FROM_LEFT / a) * (FROM_LEFT / a)) / (2 * r)),
                LEFT_PRINTED,
            ),
        ),
        proofs=(Smt(),),
        control=equal(
            a * ((FROM_LEFT / a) / 2 + (2 - absolute(FROM_LEFT / a) * (FROM_LEFT / a)) / (2 * r)),
            LEFT_PRINTED,
        ),
    ),
    Entry(
        "eqzz1",
        "The printed h*_-(z) is the maximum of the left half for every z.",
        "equation",
        label="eqzz1",
        line=1474,
        claim=Claim((*CURVED, equal(u, HALF)), left_objective(u) <= LEFT_PRINTED),
        refutation=Counterexample({"a": 1, "z": 2, "u": HALF}, {"a": 1, "z": -2, "u": HALF}),
        correction="eqzz1.corrected",
        severity=Severity.HARMLESS,
        erratum="spurious-root",
        remark="Right of -2(1 - α) the maximum of the left half is at u = 1/2 and greater than what is"
        " printed; the"
        " proof compares the wrong number there, and the comparison still comes out right.",
    ),
    Entry(
        "eqzz1.corrected",
        "For z ≤ -2(1 - α) the maximum of z u + L(u) over u ≤ 1/2 is 1 - α + z/2 + sqrt(4α² + (z + 2(1 -"
        " α))²)/2.",
        "equation",
        label="eqzz1",
        line=1474,
        reading="intended",
        claim=Claim((*CURVED, z <= -2 * (1 - a), *LEFT_HALF), left_objective(u) <= LEFT_MAXIMUM),
        proofs=(Smt(), Derived("m_alpha.maximum-left")),
        control=left_objective(u) <= LEFT_MAXIMUM - Fraction(1, 100),
    ),
    Entry(
        "eqzz2",
        "For z ≥ 2(1 - α) the maximum of z u + L(u) over u ≥ 1/2 is 1 - α + z/2 + sqrt(4α² + (z - 2(1 -"
        " α))²)/2.",
        "equation",
        label="eqzz2",
        line=1484,
        claim=Claim((*CURVED, z >= 2 * (1 - a), *RIGHT_HALF), right_objective(u) <= RIGHT_MAXIMUM),
        proofs=(Smt(), Derived("m_alpha.maximum-right")),
        control=right_objective(u) <= RIGHT_MAXIMUM - Fraction(1, 100),
    ),
    Entry(
        "eqzz1.left-form",
        "For z < -2(1 - α) the printed h*_- is 1 - α + z/2 + sqrt(4α² + (z + 2(1 - α))²)/2.",
        "step",
        label="eqzz1",
        line=1491,
        claim=Claim((*CURVED, z < -2 * (1 - a)), equal(LEFT_PRINTED, LEFT_MAXIMUM)),
        proofs=(Smt(),),
        control=equal(LEFT_PRINTED, LEFT_MAXIMUM + 1),
    ),
    Entry(
        "eqzz1.left-wins",
        "For z < -2(1 - α) the printed h*_- is greater than the printed h*_+.",
        "step",
        label="eqzz1",
        line=1492,
        also_lines=(1494,),
        claim=Claim((*CURVED, z < -2 * (1 - a)), RIGHT_PRINTED < LEFT_PRINTED),
        proofs=(Derived("m_alpha.comparison-left"), Smt()),
        control=LEFT_PRINTED < RIGHT_PRINTED,
    ),
    Entry(
        "eqzz2.right-form",
        "For z > 2(1 - α) the printed h*_+ is 1 - α + z/2 + sqrt(4α² + (z - 2(1 - α))²)/2.",
        "step",
        label="eqzz2",
        line=1500,
        claim=Claim((*CURVED, z > 2 * (1 - a)), equal(RIGHT_PRINTED, RIGHT_MAXIMUM)),
        proofs=(Smt(),),
        control=equal(RIGHT_PRINTED, RIGHT_MAXIMUM + 1),
    ),
    Entry(
        "eqzz2.right-wins",
        "For z > 2(1 - α) the printed h*_+ is greater than the printed h*_-.",
        "step",
        label="eqzz2",
        line=1499,
        also_lines=(1502,),
        claim=Claim((*CURVED, z > 2 * (1 - a)), LEFT_PRINTED < RIGHT_PRINTED),
        proofs=(Derived("m_alpha.comparison-right"), Smt()),
        control=RIGHT_PRINTED < LEFT_PRINTED,
    ),
    Entry(
        "theoremalpha.case-number",
        "Two cases of the proof, z < -2(1 - α) and z > 2(1 - α), carry the same number 2.1.",
        "step",
        label="theoremalpha",
        line=1488,
        also_lines=(1496,),
    ),
)
