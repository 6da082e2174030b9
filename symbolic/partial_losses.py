"""The partial losses of Sections 2 and 4, as printed and corrected.

| here | paper | meaning |
|---|---|---|
| `plus`, `minus` | l_1(u), l_-1(u) | loss of the estimate u when the label is 1 or -1 |
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Eq, Expr, Ge, Integer, Le, Lt, Piecewise, Rational, log
from sympy.logic.boolalg import Boolean

from privboost.symbolic.algebra.regions import ALPHA, HALF, PI, U


@dataclass(frozen=True, slots=True)
class PartialLosses:
    """The two partial losses of a loss, as expressions in u (and alpha)."""

    name: str
    label: str
    plus: Expr
    minus: Expr

    @property
    def expected_loss(self) -> Expr:
        """Return pi l_1(u) + (1 - pi) l_-1(u), the expected loss of u when the true probability is pi."""
        return PI * self.plus + (1 - PI) * self.minus

    def at_alpha(self, value: int) -> PartialLosses:
        """Return the losses at one end of the range of alpha."""
        name = f"{self.name}_at_{value}"
        return PartialLosses(name, self.label, self.plus.subs(ALPHA, value), self.minus.subs(ALPHA, value))


def iverson(condition: Boolean) -> Expr:
    """Return 1 if the condition holds, else 0."""
    return Piecewise((1, condition), (0, True))


def _m_alpha(name: str, factor: int, tie: Expr) -> PartialLosses:
    """Return factor alpha ((1-u)/u)^(y/2) + 2 (1-alpha) ([yu < y/2] + tie [u = 1/2]) for y = 1, -1."""

    def partial(y: int) -> Expr:
        errs = iverson(Lt(y * U, Rational(y, 2))) + tie * iverson(Eq(U, HALF))
        return factor * ALPHA * ((1 - U) / U) ** Rational(y, 2) + 2 * (1 - ALPHA) * errs

    return PartialLosses(name, "defMatsualpha", partial(1), partial(-1))


SQUARE = PartialLosses("square", "eqpartialloss", HALF * (1 - U) ** 2, HALF * U**2)
LOG = PartialLosses("log", "eqpartialloss", -log(U), -log(1 - U))
# Erratum zero-one-variable: the indicators are printed in pi instead of u.
ZERO_ONE_AS_PRINTED = PartialLosses(
    "zero_one_as_printed", "eqpartialloss", iverson(Le(PI, HALF)), iverson(Ge(PI, HALF))
)
# Erratum tie-at-half: both labels have loss 1 at u = 1/2, so that u = 1/2 is never optimal.
ZERO_ONE_IN_U = PartialLosses("zero_one_in_u", "eqpartialloss", iverson(Le(U, HALF)), iverson(Ge(U, HALF)))
ZERO_ONE = PartialLosses(
    "zero_one",
    "eqpartialloss",
    iverson(Lt(U, HALF)) + HALF * iverson(Eq(U, HALF)),
    iverson(Lt(-U, -HALF)) + HALF * iverson(Eq(U, HALF)),
)
# Errata malpha-factor and tie-at-half: 2 alpha instead of alpha, and the full loss of both labels at u = 1/2.
M_ALPHA_AS_PRINTED = _m_alpha("m_alpha_as_printed", 2, Integer(1))
M_ALPHA = _m_alpha("m_alpha", 1, HALF)
MATSUSHITA = PartialLosses(
    "matsushita", "defMatsualpha", M_ALPHA.plus.subs(ALPHA, 1), M_ALPHA.minus.subs(ALPHA, 1)
)
