"""The derived closed forms of the five losses, normalised so that L(1/2) = 1.

| here | paper | meaning |
|---|---|---|
| `bayes_risk_expr` | L(u) | pointwise Bayes risk |
| `link_expr`, `inverse_link_expr` | -L'(u), and its inverse at z | intervals, since both have corners |
| `conjugate_expr` | (-L)*(z) | sup over u in [0, 1] of z u + L(u) |
| `surrogate_expr` | F(z) | (-L)*(-z) |
| `weight_expr` | w(u) | -L'' as a measure: density and point masses |

Names: "square", "log", "zero_one", "matsushita", "m_alpha". The forms of "m_alpha" hold for
0 < alpha <= 1 in the symbol `ALPHA`; at alpha = 0 the loss is "zero_one".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sympy import Eq, Expr, Integer, Le, Lt, Piecewise, diff, oo

from privboost.errors import UsageError
from privboost.symbolic.algebra.certify import sign_on
from privboost.symbolic.algebra.normal_form import tidy
from privboost.symbolic.algebra.regions import (
    HALF,
    PLATEAU_END,
    Z_LEFT,
    Z_LINE,
    Z_LINE_LOG,
    Z_PLATEAU,
    Z_RIGHT,
    U,
    Z,
    split_at,
)

from . import partial_losses
from .derive import KINKED, SMOOTH, Forms, derive_forms, end_values, outer_limits

NAMES = ("square", "log", "zero_one", "matsushita", "m_alpha")
_FOUR, _TWO = Integer(4), Integer(2)
_DEFINITIONS = {
    "square": (partial_losses.SQUARE, SMOOTH, split_at(_FOUR), (-_FOUR, _FOUR)),
    "log": (partial_losses.LOG, SMOOTH, (Z_LINE_LOG,), ()),
    "zero_one": (partial_losses.ZERO_ONE, KINKED, split_at(_TWO), (-_TWO, _TWO)),
    "matsushita": (partial_losses.MATSUSHITA, SMOOTH, (Z_LINE,), ()),
    "m_alpha": (partial_losses.M_ALPHA, KINKED, (Z_LEFT, Z_PLATEAU, Z_RIGHT), (-PLATEAU_END, PLATEAU_END)),
}


@dataclass(frozen=True, slots=True)
class SymbolicInterval:
    """The value [lower, upper] of a set-valued closed form."""

    lower: Expr
    upper: Expr


@dataclass(frozen=True, slots=True)
class SymbolicWeight:
    """A weight function: its density, and its point masses as pairs (position, mass)."""

    density: Expr
    atoms: tuple[tuple[Expr, Expr], ...]


@cache
def forms(name: str) -> Forms:
    """Return the closed forms of a loss, derived from its partial losses.

    Requires: `name` is one of `NAMES`.
    """
    if name not in _DEFINITIONS:
        raise UsageError(f"loss: expected one of {', '.join(NAMES)}, got {name!r}")
    return derive_forms(*_DEFINITIONS[name])


def bayes_risk_expr(name: str) -> Expr:
    """Return L(u), for 0 <= u <= 1 (for the log loss 0 < u < 1).

    Paper: pbr.
    """
    return _by_u(forms(name).risk, Le)


def link_expr(name: str) -> SymbolicInterval:
    """Return the subdifferential of -L at u, for 0 <= u <= 1.

    Paper: predDT. Erratum link-infinite: it is infinite at u = 0 and u = 1.
    """
    derived = forms(name)
    first, last = outer_limits(derived.link, derived.pieces)
    lower = Piecewise((-oo, Eq(U, 0)), (last, Eq(U, 1)), (_by_u(derived.link, Le), True))
    upper = Piecewise((first, Eq(U, 0)), (oo, Eq(U, 1)), (_by_u(derived.link, Lt), True))
    return SymbolicInterval(lower, upper)


def inverse_link_expr(name: str) -> SymbolicInterval:
    """Return the subdifferential of the conjugate at z.

    Paper: theoremalpha. Erratum inverse-at-zero-alpha: there it is an interval at z = 2 and z = -2.
    """
    derived = forms(name)
    return SymbolicInterval(_by_z(derived, derived.argmax, Le), _by_z(derived, derived.argmax, Lt))


def conjugate_expr(name: str) -> Expr:
    """Return sup over u in [0, 1] of z u + L(u).

    Paper: defLOSSGENR.
    """
    return _by_z(forms(name), forms(name).conjugate, Lt)


def surrogate_expr(name: str) -> Expr:
    """Return F(z) = (-L)*(-z), the convex surrogate.

    Paper: propCSUR.
    """
    return conjugate_expr(name).subs(Z, -Z)


def surrogate_slope_expr(name: str) -> Expr:
    """Return F'(z), differentiated on each interval of z.

    Paper: fEQ1.
    """
    return diff(surrogate_expr(name), Z)


def surrogate_curvature_expr(name: str) -> Expr:
    """Return F''(z), differentiated on each open interval of z.

    Paper: f-der2.
    """
    derived = forms(name)
    curvatures = tuple(
        tidy(diff(value, Z, 2), line) for value, line in zip(derived.conjugate, derived.lines, strict=True)
    )
    return _by_z(derived, curvatures, Lt).subs(Z, -Z)


def weight_expr(name: str) -> SymbolicWeight:
    """Return -L'' as a measure: the derivative of the link, and the link's jump at u = 1/2.

    Paper: theoremalpha. The paper does not mention the point mass.
    """
    derived = forms(name)
    density = tuple(
        tidy(diff(link, U), piece) for link, piece in zip(derived.link, derived.pieces, strict=True)
    )
    if len(derived.pieces) == 1:
        return SymbolicWeight(density[0], ())
    _, below = end_values(derived.link[0], derived.pieces[0])
    above, _ = end_values(derived.link[1], derived.pieces[1])
    return SymbolicWeight(_by_u(density, Le), ((HALF, above - below),))


def is_concave(name: str) -> bool:
    """Return whether the weight is nowhere negative: its density and its point masses.

    Paper: pbr.
    """
    derived, weight = forms(name), weight_expr(name)
    masses = (weight.density, *(mass for _, mass in weight.atoms))
    return all(sign_on(mass, piece) >= 0 for mass in masses for piece in derived.pieces)


def _by_u(values: tuple[Expr, ...], relation: type[Le] | type[Lt]) -> Expr:
    """Return the expression that takes one value on each piece of u."""
    return values[0] if len(values) == 1 else Piecewise((values[0], relation(U, HALF)), (values[1], True))


def _by_z(derived: Forms, values: tuple[Expr, ...], relation: type[Le] | type[Lt]) -> Expr:
    """Return the expression that takes one value on each interval of z."""
    bounded = ((value, relation(Z, bound)) for value, bound in zip(values[:-1], derived.bounds, strict=True))
    return Piecewise(*bounded, (values[-1], True)) if derived.bounds else values[0]
