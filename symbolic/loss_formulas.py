"""The formulas of the losses that the report shows, and their comparison with the reference.

| symbol     | here                                                    |
|------------|---------------------------------------------------------|
| l_y(u)     | `partial_loss`, the loss of the estimate u for label y  |
| L(u)       | `bayes_risk`, normalised so that L(1/2) = 1             |
| -L'(u)     | `link`, and its inverse `inverse_link` at z             |
| F(z)       | `surrogate`, the conjugate of -L at -z                  |
| -L''(u)    | `weight`: a density, and atoms                          |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sympy import Abs, Basic, Eq, Interval, Max, Min, Piecewise, Rational, log, sign, sqrt, sympify

from privboost.errors import HarnessError
from privboost.reference import losses as ref
from privboost.reference.losses import Loss

from .formulas import ALPHA, Iverson, U, Y, Z, agree, value_of

HALF = Rational(1, 2)
SHOWN_ALPHA = Fraction(1, 2)
CHECKED_ALPHAS = (Fraction(1, 10), SHOWN_ALPHA, Fraction(9, 10))
PROBABILITIES = tuple(Fraction(u) for u in ("1/10", "1/5", "1/3", "1/2", "16/25", "9/10"))
MARGINS = tuple(Fraction(z) for z in ("-5", "-2", "-3/2", "0", "1/3", "1", "2", "5"))

Evaluate = Callable[[Loss, Fraction, int], Any]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A row in the table of a loss: a quantity, its formula, and the function in the reference.

    `symbol` is HTML. `sample` is the point at which the report shows a value.
    """

    title: str
    symbol: str
    variable: str
    formula: Basic
    evaluate: Evaluate
    sample: Fraction
    labels: tuple[int, ...] = (1,)
    as_printed: bool = False


@dataclass(frozen=True, slots=True)
class LossFormulas:
    """The formulas of a loss: its quantities, and the positions and masses of the atoms of its weight."""

    title: str
    reference: Callable[[Fraction], Loss]
    printed: Callable[[Fraction], Loss]
    has_alpha: bool
    quantities: tuple[Quantity, ...]
    atoms: tuple[tuple[Fraction, Basic], ...] = ()

    def loss(self, quantity: Quantity, alpha: Fraction) -> Loss:
        """Return the reference's loss that a quantity belongs to."""
        return self.printed(alpha) if quantity.as_printed else self.reference(alpha)

    def shown_value(self, quantity: Quantity) -> Any:
        """Return the exact value of the reference at the sample point, for alpha = 1/2."""
        return quantity.evaluate(self.loss(quantity, SHOWN_ALPHA), quantity.sample, quantity.labels[0])


def check_formulas(entry: LossFormulas) -> int:
    """Compare the formulas of a loss with the reference and return the number of points compared.

    Ensures: HarnessError if a formula differs from the reference in the first 30 decimals.
    """
    points = 0
    for alpha in CHECKED_ALPHAS if entry.has_alpha else (SHOWN_ALPHA,):
        atoms = ref.weight(entry.reference(alpha)).atoms
        expected = [(position, value_of(mass, {ALPHA: alpha})) for position, mass in entry.atoms]
        if [(position, Rational(mass)) for position, mass in atoms] != expected:
            raise HarnessError(f"{entry.title}: the atoms of the weight are {atoms}, not {expected}")
        points += sum(_check_quantity(entry, quantity, alpha) for quantity in entry.quantities)
    return points


def _check_quantity(entry: LossFormulas, quantity: Quantity, alpha: Fraction) -> int:
    """Compare one formula with the reference and return the number of points compared."""
    loss = entry.loss(quantity, alpha)
    points = MARGINS if quantity.variable == "z" else PROBABILITIES
    for x in points:
        for y in quantity.labels:
            value = value_of(quantity.formula, {U: x, Z: x, Y: Fraction(y), ALPHA: alpha})
            if not agree(value, quantity.evaluate(loss, x, y)):
                raise HarnessError(f"{entry.title}: {quantity.title} differs from the reference at {x}")
    return len(points) * len(quantity.labels)


def _partial(title: str, formula: Basic, *labels: int, as_printed: bool = False) -> Quantity:
    """Return the row of a partial loss, for one label or for both."""
    label = "<i>y</i>" if len(labels) > 1 else str(labels[0]).replace("-", "−")

    def evaluate(loss: Loss, u: Fraction, y: int) -> Any:
        return ref.partial_loss(loss, y, u)

    symbol = f"ℓ<sub>{label}</sub>(<i>u</i>)"
    return Quantity(title, symbol, "u", formula, evaluate, Fraction(1, 5), labels, as_printed)


RISK_ROWS: tuple[tuple[str, str, str, Evaluate], ...] = (
    ("Bayes risk, normalised", "<i>L</i>(<i>u</i>)", "u", lambda loss, u, _: ref.bayes_risk(loss, u)),
    ("Canonical link", "−<i>L</i>′(<i>u</i>)", "u", lambda loss, u, _: ref.link(loss, u)),
    (
        "Inverse link",
        "(−<i>L</i>′)<sup>−1</sup>(<i>z</i>)",
        "z",
        lambda loss, z, _: ref.inverse_link(loss, z),
    ),
    ("Convex surrogate", "<i>F</i>(<i>z</i>)", "z", lambda loss, z, _: ref.surrogate(loss, z)),
    ("Weight, density", "−<i>L</i>″(<i>u</i>)", "u", lambda loss, u, _: ref.weight(loss).density(u)),
)


def _risk_rows(*formulas: Basic | int) -> tuple[Quantity, ...]:
    """Return the rows of every loss: risk, link, inverse link, surrogate and density of the weight."""
    samples = {"u": Fraction(1, 5), "z": Fraction(3)}
    return tuple(
        Quantity(title, symbol, variable, sympify(formula), evaluate, samples[variable])
        for (title, symbol, variable, evaluate), formula in zip(RISK_ROWS, formulas, strict=True)
    )


_ROOT = sqrt(U * (1 - U))
_ODDS = ((1 - U) / U) ** (Y / 2)
_STEP = Iverson(Y * U < Y / 2) + Iverson(Eq(U, HALF)) / 2
_JUMP = 2 * (1 - ALPHA)
_BEND = sqrt(ALPHA**2 + (Abs(Z) / 2 - (1 - ALPHA)) ** 2)

ENTRIES = (
    LossFormulas(
        "Square loss",
        lambda _: ref.SQUARE,
        lambda _: ref.SQUARE,
        False,
        (
            _partial("Loss of class 1, as printed", (1 - U) ** 2 / 2, 1, as_printed=True),
            _partial("Loss of class −1, as printed", U**2 / 2, -1, as_printed=True),
            *_risk_rows(
                4 * U * (1 - U),
                8 * U - 4,
                Piecewise((0, Z < -4), ((Z + 4) / 8, Z <= 4), (1, True)),
                Piecewise((-Z, Z < -4), ((4 - Z) ** 2 / 16, Z <= 4), (0, True)),
                8,
            ),
        ),
    ),
    LossFormulas(
        "Log loss",
        lambda _: ref.LOG,
        lambda _: ref.LOG,
        False,
        (
            _partial("Loss of class 1, as printed", -log(U), 1, as_printed=True),
            _partial("Loss of class −1, as printed", -log(1 - U), -1, as_printed=True),
            *_risk_rows(
                (-U * log(U) - (1 - U) * log(1 - U)) / log(2),
                log(U / (1 - U)) / log(2),
                1 / (1 + 2**-Z),
                log(1 + 2**-Z) / log(2),
                1 / (U * (1 - U) * log(2)),
            ),
        ),
    ),
    LossFormulas(
        "0/1 loss",
        lambda _: ref.ZERO_ONE,
        lambda _: ref.ZERO_ONE_AS_PRINTED,
        False,
        (
            _partial("Loss of class 1, as printed", Iverson(U <= HALF), 1, as_printed=True),
            _partial("Loss of class −1, as printed", Iverson(U >= HALF), -1, as_printed=True),
            _partial("Partial losses, corrected", _STEP, 1, -1),
            *_risk_rows(
                2 * Min(U, 1 - U),
                Piecewise((-2, U < HALF), (Interval(-2, 2), Eq(U, HALF)), (2, True)),
                Piecewise(
                    (0, Z < -2),
                    (Interval(0, HALF), Eq(Z, -2)),
                    (HALF, Z < 2),
                    (Interval(HALF, 1), Eq(Z, 2)),
                    (1, True),
                ),
                Max(0, 1 - Z / 2, -Z),
                0,
            ),
        ),
        ((Fraction(1, 2), sympify(4)),),
    ),
    LossFormulas(
        "Matsushita loss",
        lambda _: ref.MATSUSHITA,
        lambda _: ref.m_alpha_as_printed(1),
        False,
        (
            _partial("Partial losses, as printed (α = 1)", 2 * _ODDS, 1, -1, as_printed=True),
            _partial("Partial losses, corrected", _ODDS, 1, -1),
            *_risk_rows(
                2 * _ROOT,
                (2 * U - 1) / _ROOT,
                (1 + Z / sqrt(4 + Z**2)) / 2,
                (sqrt(4 + Z**2) - Z) / 2,
                1 / (2 * _ROOT**3),
            ),
        ),
    ),
    LossFormulas(
        "Mα-loss",
        ref.m_alpha,
        ref.m_alpha_as_printed,
        True,
        (
            _partial(
                "Partial losses, as printed",
                2 * ALPHA * _ODDS + _JUMP * Iverson(Y * U <= Y / 2),
                1,
                -1,
                as_printed=True,
            ),
            _partial("Partial losses, corrected", ALPHA * _ODDS + _JUMP * _STEP, 1, -1),
            *_risk_rows(
                2 * ALPHA * _ROOT + _JUMP * Min(U, 1 - U),
                Piecewise(
                    (ALPHA * (2 * U - 1) / _ROOT - _JUMP, U < HALF),
                    (Interval(-_JUMP, _JUMP), Eq(U, HALF)),
                    (ALPHA * (2 * U - 1) / _ROOT + _JUMP, True),
                ),
                Piecewise((HALF, Abs(Z) <= _JUMP), ((1 + (Z / 2 - sign(Z) * (1 - ALPHA)) / _BEND) / 2, True)),
                Piecewise((1 - Z / 2, Abs(Z) <= _JUMP), (1 - Z / 2 + _BEND - ALPHA, True)),
                ALPHA / (2 * _ROOT**3),
            ),
        ),
        ((Fraction(1, 2), 2 * _JUMP),),
    ),
)
