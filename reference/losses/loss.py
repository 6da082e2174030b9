"""The type of a loss: formulas of its partial losses, and closed forms of its Bayes risk.

Notation:
    y       label, -1 or 1                      u, pi   probabilities of label 1
    L       Bayes risk, normalised: L(1/2) = 1  z       real prediction, or margin
    side    sign of u - 1/2, on which the indicators of the partial losses depend

Formulas are polymorphic: the same code accepts exact numbers, ranges and jets (`reference.exact`), so that a
definition is written once and can be evaluated, differentiated and bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.reference.exact import ClosedInterval, Extended, Infinity, Number, exact, sign

HALF = Fraction(1, 2)

PartialFormula = Callable[[int, Any, int], Any]
"""(y, u, side) -> partial loss of label y at prediction u."""

RiskFormula = Callable[[Any, int], Any]
"""(u, side) -> normalised Bayes risk at u."""


@dataclass(frozen=True, slots=True)
class Weight:
    """The measure -L'': a density, and point masses at the kinks of L.

    Paper: theoremalpha (proof), lemcurv.
    """

    density: Callable[[Number], Extended]
    atoms: tuple[tuple[Fraction, Number], ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss for class probability estimation and the closed forms of its normalised Bayes risk.

    Paper: eqpartialloss.
    """

    name: str
    label: str
    partial: PartialFormula
    normaliser: Number
    risk: RiskFormula
    link: Callable[[Number], ClosedInterval]
    inverse_link: Callable[[Number], ClosedInterval]
    conjugate: Callable[[Number], Number]
    curvature: Callable[[Number], ClosedInterval]
    weight: Weight

    def __str__(self) -> str:
        return self.name


def probability(value: object, name: str, label: str) -> Number:
    """Return an exact number in [0, 1]."""
    number = exact(value, name)
    if not 0 <= number <= 1:
        raise PreconditionError(label, f"0 <= {name} <= 1", number)
    return number


def prediction(value: object, name: str = "z") -> Number | Infinity:
    """Return a prediction of any loss: an exact number or an infinity."""
    return value if isinstance(value, Infinity) else exact(value, name)


def check_label(y: object) -> int:
    """Return a label, which is -1 or 1."""
    if isinstance(y, bool) or not isinstance(y, int) or y not in (-1, 1):
        raise PreconditionError("eqpartialloss", "a label y of -1 or 1", repr(y))
    return y


def side_of(u: Number) -> int:
    """Return the sign of u - 1/2."""
    return sign(u - HALF)


def iverson(predicate: bool) -> int:
    """Return Iverson's bracket: 1 if the predicate holds, else 0.

    Paper: eqpartialloss.
    """
    return 1 if predicate else 0


def weigh(factor: Number, value: Any) -> Any:
    """Return factor * value with 0 * infinity = 0, the convention of expectations."""
    return factor * value if factor or not isinstance(value, Infinity) else Fraction(0)
