"""Regions of the paper's variables, each covered by positive parameters.

| here | paper | meaning |
|---|---|---|
| `ALPHA` | alpha | parameter of the M-alpha loss |
| `U`, `PI` | u, pi | estimate and true probability of class 1 |
| `Z` | z | real-valued prediction |
| `DELTA`, `M` | delta, m | distance of z from the end of the plateau (appendix), number of examples |
| `A`, `T`, `R`, `K`, `Q` | | positive parameters |

A region is the image of positive parameters under a rational map, chosen so that the
roots of Sections 2 and 4 become rational: u = t^2 / (1 + t^2) gives
sqrt(u (1 - u)) = t / (1 + t^2), and |z| - 2 (1 - alpha) = alpha (t - 1/t) gives
sqrt(4 alpha^2 + (|z| - 2 (1 - alpha))^2) = alpha (t + 1/t). Every map is onto its region,
so an identity on a region is an identity of polynomials, and a sign on a region is
certified when all coefficients of a polynomial in positive parameters agree in sign.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, Rational, S, Symbol, exp, log

ALPHA = Symbol("alpha", positive=True)
U = Symbol("u", nonnegative=True)
PI = Symbol("pi", nonnegative=True)
Z = Symbol("z", real=True)
DELTA = Symbol("delta", real=True)
M = Symbol("m", positive=True)
A, T, R, K, Q = (Symbol(name, positive=True) for name in ("a", "t", "r", "k", "q"))
ROOT = Symbol("rho", positive=True)

HALF = Rational(1, 2)
PLATEAU_END = 2 * (1 - ALPHA)


@dataclass(frozen=True, slots=True)
class Region:
    """A region with its map from positive parameters and the inverse map.

    The map is monotone in the region's own parameter. `inverse` writes each parameter in the
    paper's variables; there `ROOT` stands for the square root of `radicand`.
    """

    name: str
    substitution: tuple[tuple[Symbol, Expr], ...]
    inverse: tuple[tuple[Symbol, Expr], ...] = ()
    radicand: Expr = S.Zero

    @property
    def parameter(self) -> Symbol:
        """Return the parameter of the region's own variable."""
        return self.inverse[0][0]

    def apply(self, expression: Expr) -> Expr:
        """Return the expression in the region's parameters."""
        for symbol, value in self.substitution:
            expression = expression.subs(symbol, value)
        return expression

    def at_alpha(self, value: int) -> Region:
        """Return the region at one end of the range of alpha.

        Requires: the region does not shrink to a point there.
        """
        variable, image = self.substitution[0]
        inverse = tuple((symbol, original.subs(ALPHA, value)) for symbol, original in self.inverse[:1])
        fixed = ((variable, image.subs(ALPHA, value)), (ALPHA, Integer(value)))
        return Region(f"{self.name}, alpha = {value}", fixed, inverse, self.radicand.subs(ALPHA, value))

    def __and__(self, other: Region) -> Region:
        """Return the product of two regions of different variables."""
        return Region(f"{self.name}, {other.name}", self.substitution + other.substitution)


def _region(name: str, variable: Symbol, value: Expr, inverse: dict[Symbol, Expr], radicand: Expr) -> Region:
    """Return a region of one variable for every alpha in (0, 1)."""
    return Region(
        name,
        ((variable, value), (ALPHA, A / (1 + A))),
        (*inverse.items(), (A, ALPHA / (1 - ALPHA))),
        radicand,
    )


def _point(name: str, variable: Symbol, value: Expr) -> Region:
    """Return a region of one point, for every alpha in (0, 1)."""
    return _region(name, variable, value, {}, S.Zero)


ALPHA_INSIDE = Region("0 < alpha < 1", ((ALPHA, A / (1 + A)),), ((A, ALPHA / (1 - ALPHA)),))

_PRODUCT = U * (1 - U)
U_INSIDE = _region("0 < u < 1", U, T**2 / (1 + T**2), {T: ROOT / (1 - U)}, _PRODUCT)
U_LEFT = _region("0 < u < 1/2", U, 1 / (1 + (1 + R) ** 2), {R: ROOT / U - 1}, _PRODUCT)
U_RIGHT = _region("1/2 < u < 1", U, (1 + R) ** 2 / (1 + (1 + R) ** 2), {R: ROOT / (1 - U) - 1}, _PRODUCT)
U_HALF = _point("u = 1/2", U, HALF)
U_SPLIT = (U_LEFT, U_HALF, U_RIGHT)

PI_INSIDE = Region("0 < pi < 1", ((PI, Q**2 / (1 + Q**2)),))
PI_LEFT = Region("0 < pi < 1/2", ((PI, 1 / (1 + (1 + Q) ** 2)),))
PI_RIGHT = Region("1/2 < pi < 1", ((PI, (1 + Q) ** 2 / (1 + (1 + Q) ** 2)),))
PI_HALF = Region("pi = 1/2", ((PI, HALF),))


def _tail(name: str, start: Expr, orientation: int) -> Region:
    """Return the half line of z above (1) or below (-1) an end of the plateau."""
    return _region(
        name,
        Z,
        start + orientation * ALPHA * (1 + R - 1 / (1 + R)),
        {R: (orientation * (Z - start) + ROOT) / (2 * ALPHA) - 1},
        4 * ALPHA**2 + (Z - start) ** 2,
    )


def _middle(name: str, end: Expr) -> Region:
    """Return the open interval (-end, end) of z."""
    return _region(name, Z, end * (K - 1) / (K + 1), {K: (end + Z) / (end - Z)}, S.Zero)


def _outside(name: str, end: Rational, orientation: int) -> Region:
    """Return the half line z > end (1) or z < -end (-1)."""
    return _region(name, Z, orientation * (end + K), {K: orientation * Z - end}, S.Zero)


Z_LEFT = _tail("z < -2(1-alpha)", -PLATEAU_END, -1)
Z_PLATEAU = _middle("|z| < 2(1-alpha)", PLATEAU_END)
Z_RIGHT = _tail("z > 2(1-alpha)", PLATEAU_END, 1)
Z_LEFT_END = _point("z = -2(1-alpha)", Z, -PLATEAU_END)
Z_BELOW_RIGHT_END = _tail("z < 2(1-alpha)", PLATEAU_END, -1)
Z_ABOVE_LEFT_END = _tail("z > -2(1-alpha)", -PLATEAU_END, 1)
Z_RIGHT_END = _point("z = 2(1-alpha)", Z, PLATEAU_END)
Z_ORIGIN = _point("z = 0", Z, S.Zero)
Z_PLATEAU_LEFT = _region(
    "-2(1-alpha) < z < 0", Z, -PLATEAU_END * K / (1 + K), {K: -Z / (PLATEAU_END + Z)}, S.Zero
)
Z_PLATEAU_RIGHT = _region(
    "0 < z < 2(1-alpha)", Z, PLATEAU_END * K / (1 + K), {K: Z / (PLATEAU_END - Z)}, S.Zero
)
Z_SPLIT = (Z_LEFT, Z_LEFT_END, Z_PLATEAU_LEFT, Z_ORIGIN, Z_PLATEAU_RIGHT, Z_RIGHT_END, Z_RIGHT)

Z_LINE = _region("z real", Z, T - 1 / T, {T: (Z + ROOT) / 2}, 4 + Z**2)
Z_LINE_LOG = _region("z real", Z, 2 * log(T) / log(2), {T: exp(Z * log(2) / 2)}, S.Zero)
Z_LINE_LOG_RAW = _region("z real", Z, 2 * log(T), {T: exp(Z / 2)}, S.Zero)


SIZES = Region("m > 1", ((M, (1 + K) ** 2),))


def split_at(end: Rational) -> tuple[Region, Region, Region]:
    """Return the regions z < -end, |z| < end and z > end, in this order."""
    return (_outside(f"z < -{end}", end, -1), _middle(f"|z| < {end}", end), _outside(f"z > {end}", end, 1))
