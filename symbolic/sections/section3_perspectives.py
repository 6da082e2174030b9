"""Section 3: perspectives of the Bayes risks, their growth, slope and curvature, with m and alpha symbolic.

| here | paper | meaning |
|---|---|---|
| `perspective_at(name, v)` | L(1, v) with a check above | v L(1 / v) |
| `slope_at(name)` | the derivative in v at v = m + 1 | growth of the bound with m |
| sharp value | | m L(1 / m), the exact sensitivity of a leaf |

Where roots of m and of m - 1 meet, m is the square of (k + 1 / k) / 2 with k > 1, which makes both rational.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from sympy import Expr, Function, Rational, S, Symbol, diff, log, oo, powsimp, simplify, sqrt

from privboost.symbolic import printed
from privboost.symbolic.algebra.certify import resolve, sign_on
from privboost.symbolic.algebra.normal_form import end_limit
from privboost.symbolic.algebra.regions import ALPHA, ALPHA_INSIDE, HALF, SIZES, U_LEFT, K, M, Region, U
from privboost.symbolic.closed_forms import NAMES, bayes_risk_expr
from privboost.symbolic.comparison import Derivation, PaperStatement

V = Symbol("v", positive=True)
X = Symbol("x", positive=True)
_GROWING = 1 + K
GROWING_SIZES = Region("m > 1", ((M, _GROWING**2),), ((K, sqrt(M) - 1),))
MORE_SIZES = Region("m > 2", ((M, 1 + _GROWING**2),), ((K, sqrt(M - 1) - 1),))
ROOTED_SIZES = Region("m > 1", ((M, (_GROWING + 1 / _GROWING) ** 2 / 4),), ((K, sqrt(M) + sqrt(M - 1) - 1),))

_MATSUSHITA_AT_NEXT = 2 * sqrt(M)
PERSPECTIVES = {**printed.PERSPECTIVES, "m_alpha": ALPHA * _MATSUSHITA_AT_NEXT + (1 - ALPHA) * 2}
SHARP_VALUES = {
    "matsushita": 2 * sqrt(M - 1),
    "log": (log(M) + (M - 1) * log(M / (M - 1))) / log(2),
    "square": 4 * (M - 1) / M,
    "zero_one": S(2),
    "m_alpha": 2 * ALPHA * sqrt(M - 1) + 2 * (1 - ALPHA),
}
STARS = {
    "matsushita": _MATSUSHITA_AT_NEXT,
    "log": (1 + log(M + 1)) / log(2),
    "square": 4 * M / (M + 1),
    "zero_one": S(2),
    "m_alpha": 2 + 2 * ALPHA * (sqrt(M) - 1),
}
SLOPES = {
    "matsushita": 1 / sqrt(M),
    "log": log((M + 1) / M) / log(2),
    "square": 4 / (M + 1) ** 2,
    "zero_one": S.Zero,
    "m_alpha": ALPHA / sqrt(M),
}
GROWTHS = {
    "matsushita": (_MATSUSHITA_AT_NEXT, S.One),
    "log": (log(M) / log(2), S.One),
    "square": (S.One, S(4)),
    "zero_one": (S.One, S(2)),
    "m_alpha": (ALPHA * _MATSUSHITA_AT_NEXT, S.One),
}
"""A function of m for each loss, and the limit of the perspective divided by it."""

PRINTED_SENSITIVITY = 3 + 2 * ALPHA * (sqrt(M) - 1)


@cache
def lower_risk(name: str) -> Expr:
    """Return L(u) for 0 < u < 1/2, where risks with a corner have one form."""
    return resolve(bayes_risk_expr(name), U_LEFT)


def perspective_at(name: str, v: Expr) -> Expr:
    """Return v L(1 / v), for v > 2.

    Paper: defpt.
    """
    return v * lower_risk(name).subs(U, 1 / v)


def slope_at(name: str) -> Expr:
    """Return the derivative of v L(1 / v) at v = m + 1, by differentiation in v.

    Paper: lemcurv.
    """
    return diff(perspective_at(name, V), V).subs(V, M + 1)


def tangent_at(name: str) -> Expr:
    """Return J = L(u) - u L'(u) at u = 1 / (m + 1).

    Paper: lemcurv (its proof).
    """
    risk = lower_risk(name)
    return (risk - U * diff(risk, U)).subs(U, 1 / (M + 1))


def perspective_claims() -> Iterator[Derivation]:
    """Yield every claim of Section 3 about perspectives, with its verdict."""
    yield from _value_claims()
    yield from _limit_claims()
    yield from _slope_claims()
    yield from _curvature_claims()
    yield from _interpolation_claims()


def _sizes(name: str, region: Region) -> Region:
    """Return a region of m, with alpha inside (0, 1) where the loss has one."""
    if name != "m_alpha":
        return region
    return Region(
        f"{region.name}, {ALPHA_INSIDE.name}",
        region.substitution + ALPHA_INSIDE.substitution,
        region.inverse + ALPHA_INSIDE.inverse,
    )


def _value_claims() -> Iterator[Derivation]:
    """Yield the perspective of the M-alpha risk at (1, m + 1), and of all risks at (1, m).

    Paper: lemPhiProof, sensALPHA, th3P (the remark after its proof).
    """
    claim = PaperStatement(
        "m_alpha.perspective", "sensALPHA", "m_alpha: the perspective of the risk at (1, m + 1)"
    )
    yield claim.compare(
        perspective_at("m_alpha", M + 1), PERSPECTIVES["m_alpha"], (_sizes("m_alpha", SIZES),)
    )
    for name in NAMES:
        claim = PaperStatement(f"{name}.sharp", "th3P", f"{name}: m L(1 / m), which some neighbours attain")
        yield claim.compare(perspective_at(name, M), SHARP_VALUES[name], (_sizes(name, MORE_SIZES),))


def _limit_claims() -> Iterator[Derivation]:
    """Yield how perspectives grow with m, and how far the printed bounds end up above the sharp values.

    Paper: lemPhiProof, sensALPHA.
    """
    for name in NAMES:
        label = "sensALPHA" if name == "m_alpha" else "lemPhiProof"
        growth, rate = GROWTHS[name]
        region = _sizes(name, GROWING_SIZES if name != "log" else Region("m > 0", ((M, K),), ((K, M),)))
        claim = PaperStatement(f"{name}.growth", label, f"{name}: the perspective over {growth} as m grows")
        yield claim.compare(_at_infinity(perspective_at(name, M + 1) / growth, region), rate, (region,))
        region = _sizes(
            name, ROOTED_SIZES if name != "log" else Region("m > 1", ((M, 1 + K),), ((K, M - 1),))
        )
        claim = PaperStatement(
            f"{name}.slack-limit", label, f"{name}: the printed bound minus m L(1 / m) as m grows"
        )
        slack = 1 + STARS[name] - perspective_at(name, M)
        yield claim.compare(_at_infinity(slack, region), S.One, (region,))


def _at_infinity(expression: Expr, region: Region) -> Expr:
    """Return the limit as the parameter of m tends to infinity."""
    return end_limit(expression, region, oo)


def _slope_claims() -> Iterator[Derivation]:
    """Yield the derivative of the perspective: in general, and at (1, m + 1) in two ways for each risk.

    Paper: lemcurv.
    """
    risk = Function("L")
    general = diff(V * risk(X / V), V) - (risk(U) - U * diff(risk(U), U)).subs(U, X / V).doit()
    claim = PaperStatement(
        "perspective.slope", "lemcurv", "d/dv of v L(x / v) is L(u) - u L'(u) at u = x / v"
    )
    yield claim.assess(simplify(general) == 0)
    for name in NAMES:
        region = _sizes(name, SIZES)
        claim = PaperStatement(
            f"{name}.slope-at-next", "lemcurv", f"{name}: the slope of the perspective at (1, m + 1)"
        )
        yield claim.compare(slope_at(name), SLOPES[name], (region,))
        claim = PaperStatement(f"{name}.tangent", "lemcurv", f"{name}: J of the proof is that slope")
        yield claim.compare(tangent_at(name), slope_at(name), (region,))


def _curvature_claims() -> Iterator[Derivation]:
    """Yield an a at which half of -L''(a) / (m + 1)^2 is the slope, and that it is at most 1 / (m + 1).

    Paper: lemcurv. The weight of each risk is a function of a (1 - a), so a (1 - a) is given. All bases of
    powers are positive, so `powsimp` may join their exponents.
    """
    weight = -diff(lower_risk("square"), U, 2)
    claim = PaperStatement(
        "square.curvature-half", "lemcurv", "square: the slope is half of -L''(a) / (m + 1)^2, for every a"
    )
    yield claim.compare(weight / (2 * (M + 1) ** 2), slope_at("square"), (SIZES,))
    claim = PaperStatement(
        "square.curvature-excess", "lemcurv", "square: what is printed exceeds the slope by this"
    )
    yield claim.compare(weight / (M + 1) ** 2 - slope_at("square"), 4 / (M + 1) ** 2, (SIZES,))
    claim = PaperStatement("zero_one.curvature-half", "lemcurv", "zero_one: slope and -L'' are 0 below 1/2")
    yield claim.compare(-diff(lower_risk("zero_one"), U, 2), slope_at("zero_one"), (SIZES,))
    products = {
        "matsushita": (M / (16 * (M + 1) ** 4)) ** Rational(1, 3),
        "log": 1 / (2 * (M + 1) ** 2 * log((M + 1) / M)),
    }
    products["m_alpha"] = products["matsushita"]
    for name, product in products.items():
        statement = f"{name}: the slope is half of -L''(a) / (m + 1)^2 where a (1 - a) is {product}"
        claim = PaperStatement(f"{name}.curvature-half", "lemcurv", statement)
        half = _weight_by_product(name).subs(V, product) / (2 * (M + 1) ** 2)
        yield claim.assess(simplify(powsimp(half - SLOPES[name], force=True)) == 0)
    inside = (M / (M + 1) ** 2) ** 3 - products["matsushita"] ** 3
    claim = PaperStatement("matsushita.curvature-place", "lemcurv", "matsushita: that a is below 1 / (m + 1)")
    yield claim.assess(sign_on(inside, SIZES) > 0)


def _weight_by_product(name: str) -> Expr:
    """Return -L''(u) for u < 1/2 as a function of v = u (1 - u)."""
    weight = -diff(lower_risk(name), U, 2)
    lower = HALF - sqrt(1 - 4 * V) / 2
    return simplify(weight.subs(U, lower))


def _interpolation_claims() -> Iterator[Derivation]:
    """Yield the bound of the M-alpha risk, that it is above 3, and its values at both ends of alpha.

    Paper: sensALPHA.
    """
    region, star = _sizes("m_alpha", SIZES), PRINTED_SENSITIVITY
    claim = PaperStatement(
        "m_alpha.bound", "sensALPHA", "1 and the perspective at (1, m + 1) add up to the printed bound"
    )
    yield claim.compare(1 + perspective_at("m_alpha", M + 1), star, (region,))
    claim = PaperStatement("m_alpha.bound-above-three", "sensALPHA", "for m > 1 the printed bound exceeds 3")
    yield claim.assess(sign_on(star - 3, region) > 0)
    for name, value in (("zero_one", 0), ("matsushita", 1)):
        at = f"at alpha = {value} the M-alpha risk has"
        claim = PaperStatement(f"{name}.bound-at-end", "sensALPHA", f"{at} the bound of the {name} risk")
        yield claim.compare(1 + perspective_at(name, M + 1), star.subs(ALPHA, value), (SIZES,))
        claim = PaperStatement(
            f"{name}.sharp-at-end", "sensALPHA", f"{at} the sharp value of the {name} risk"
        )
        yield claim.compare(
            perspective_at(name, M), SHARP_VALUES["m_alpha"].subs(ALPHA, value), (MORE_SIZES,)
        )
    region = _sizes("m_alpha", ROOTED_SIZES)
    claim = PaperStatement("m_alpha.slack", "sensALPHA", "what the printed bound exceeds the sharp value by")
    yield claim.compare(
        star - perspective_at("m_alpha", M), 1 + 2 * ALPHA * (sqrt(M) - sqrt(M - 1)), (region,)
    )
    rising = sign_on(diff(star, ALPHA), region) > 0
    claim = PaperStatement(
        "m_alpha.bound-rising", "sensALPHA", "the printed bound rises with alpha, for m > 1"
    )
    yield claim.assess(rising)
