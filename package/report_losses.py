"""The formulas of every loss, as the report prints them, each compared with the reference before that.

| symbol     | here                                             |
|------------|--------------------------------------------------|
| l_y(u)     | `partial`, the loss of the guess u when the label is y |
| L(u)       | `bayes_risk`, normalised so that L(1/2) = 1       |
| -L'(u)     | `link`, and its inverse `inverse_link` at z       |
| F(z)       | `surrogate`, the conjugate of -L at -z            |
| -L''(u)    | `weight`: a density, and atoms                    |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.reference import losses as ref
from privboost.reference.losses import Loss

from .errors import HarnessError
from .formulas import Formula, agree

SHOWN_ALPHA = Fraction(1, 2)
CHECKED_ALPHAS = (Fraction(1, 10), SHOWN_ALPHA, Fraction(9, 10))
PROBABILITIES = tuple(Fraction(text) for text in ("1/10", "1/5", "1/3", "1/2", "16/25", "9/10"))
MARGINS = tuple(Fraction(text) for text in ("-5", "-2", "-3/2", "0", "1/3", "1", "2", "5"))

Evaluate = Callable[[Loss, Fraction, int], Any]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One line of the table of a loss: what it is, its formula, and the reference's function for it."""

    title: str
    symbol: str
    variable: str
    formula: Formula
    evaluate: Evaluate
    sample: Fraction
    labels: tuple[int, ...] = (1,)
    as_printed: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One loss of the paper with its lines."""

    title: str
    reference: Callable[[Fraction], Loss]
    printed: Callable[[Fraction], Loss]
    has_alpha: bool
    quantities: tuple[Quantity, ...]
    atoms: tuple[tuple[Fraction, Formula], ...] = ()


def check_entry(entry: Entry) -> int:
    """Return at how many points the formulas of a loss were compared with the reference.

    Ensures: they agree at all of them to 30 decimals; a formula that does not is a HarnessError.
    """
    points = 0
    for alpha in CHECKED_ALPHAS if entry.has_alpha else (SHOWN_ALPHA,):
        found = ref.weight(entry.reference(alpha)).atoms
        expected = [(position, mass.evaluate({"alpha": alpha})) for position, mass in entry.atoms]
        if list(found) != expected:
            raise HarnessError(f"{entry.title}: the atoms of the weight are {found}, not {expected}")
        for quantity in entry.quantities:
            points += sum(1 for _ in _check_quantity(entry, quantity, alpha))
    return points


def shown_value(entry: Entry, quantity: Quantity) -> Any:
    """Return the reference's exact value at the sample point, for alpha = 1/2 where there is an alpha."""
    return quantity.evaluate(_loss(entry, quantity, SHOWN_ALPHA), quantity.sample, quantity.labels[0])


def _check_quantity(entry: Entry, quantity: Quantity, alpha: Fraction) -> Iterator[Fraction]:
    """Yield every point at which formula and reference were found to agree."""
    loss = _loss(entry, quantity, alpha)
    for x in MARGINS if quantity.variable == "z" else PROBABILITIES:
        for y in quantity.labels:
            printed = quantity.formula.evaluate({"u": x, "z": x, "y": Fraction(y), "alpha": alpha})
            if not agree(printed, quantity.evaluate(loss, x, y)):
                raise HarnessError(f"{entry.title}: {quantity.title} differs from the reference at {x}")
            yield x


def _loss(entry: Entry, quantity: Quantity, alpha: Fraction) -> Loss:
    """Return the reference's loss that a line speaks of."""
    return entry.printed(alpha) if quantity.as_printed else entry.reference(alpha)


def _partial(title: str, formula: str, *labels: int, as_printed: bool = False) -> Quantity:
    """Return the line of a partial loss, for one label or for both."""
    label = "<i>y</i>" if len(labels) > 1 else str(labels[0]).replace("-", "−")
    symbol = f"ℓ<sub>{label}</sub>(<i>u</i>)"

    def evaluate(loss: Loss, u: Fraction, y: int) -> Any:
        return ref.partial_loss(loss, y, u)

    return Quantity(title, symbol, "u", Formula(formula), evaluate, Fraction(1, 5), labels, as_printed)


RISK_LINES: tuple[tuple[str, str, str, Evaluate], ...] = (
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


def _risk_lines(*formulas: str) -> tuple[Quantity, ...]:
    """Return the lines that every loss has: risk, link, inverse link, surrogate, density of the weight."""
    samples = {"u": Fraction(1, 5), "z": Fraction(3)}
    return tuple(
        Quantity(title, symbol, variable, Formula(formula), evaluate, samples[variable])
        for (title, symbol, variable, evaluate), formula in zip(RISK_LINES, formulas, strict=True)
    )


HALF_STEP = "([y*u < y/2] + (1/2)*[u == 1/2])"
SMOOTH_LINK = "alpha*(2*u - 1)/sqrt(u*(1 - u))"
BEND = "sqrt(alpha**2 + (abs(z)/2 - (1 - alpha))**2)"

ENTRIES = (
    Entry(
        "Square loss",
        lambda _: ref.SQUARE,
        lambda _: ref.SQUARE,
        False,
        (
            _partial("Loss of class 1, as printed", "(1 - u)**2/2", 1, as_printed=True),
            _partial("Loss of class −1, as printed", "u**2/2", -1, as_printed=True),
            *_risk_lines(
                "4*u*(1 - u)",
                "8*u - 4",
                "0 if z < -4 else (z + 4)/8 if z <= 4 else 1",
                "-z if z < -4 else (4 - z)**2/16 if z <= 4 else 0",
                "8",
            ),
        ),
    ),
    Entry(
        "Log loss",
        lambda _: ref.LOG,
        lambda _: ref.LOG,
        False,
        (
            _partial("Loss of class 1, as printed", "-log(u)", 1, as_printed=True),
            _partial("Loss of class −1, as printed", "-log(1 - u)", -1, as_printed=True),
            *_risk_lines(
                "-(u*log2(u)) - (1 - u)*log2(1 - u)",
                "log2(u/(1 - u))",
                "1/(1 + 2**(-z))",
                "log2(1 + 2**(-z))",
                "1/(u*(1 - u)*log(2))",
            ),
        ),
    ),
    Entry(
        "0/1 loss",
        lambda _: ref.ZERO_ONE,
        lambda _: ref.ZERO_ONE_AS_PRINTED,
        False,
        (
            _partial("Loss of class 1, as printed", "[u <= 1/2]", 1, as_printed=True),
            _partial("Loss of class −1, as printed", "[u >= 1/2]", -1, as_printed=True),
            _partial("Partial losses, corrected", HALF_STEP.removeprefix("(").removesuffix(")"), 1, -1),
            *_risk_lines(
                "2*min(u, 1 - u)",
                "-2 if u < 1/2 else interval(-2, 2) if u == 1/2 else 2",
                "0 if z < -2 else interval(0, 1/2) if z == -2 else 1/2 if z < 2"
                " else interval(1/2, 1) if z == 2 else 1",
                "max(0, 1 - z/2, -z)",
                "0",
            ),
        ),
        ((Fraction(1, 2), Formula("4")),),
    ),
    Entry(
        "Matsushita loss",
        lambda _: ref.MATSUSHITA,
        lambda _: ref.m_alpha_as_printed(1),
        False,
        (
            _partial("Partial losses, as printed (α = 1)", "2*((1 - u)/u)**(y/2)", 1, -1, as_printed=True),
            _partial("Partial losses, corrected", "((1 - u)/u)**(y/2)", 1, -1),
            *_risk_lines(
                "2*sqrt(u*(1 - u))",
                "(2*u - 1)/sqrt(u*(1 - u))",
                "(1/2)*(1 + z/sqrt(4 + z**2))",
                "(sqrt(4 + z**2) - z)/2",
                "1/(2*(u*(1 - u))**(3/2))",
            ),
        ),
    ),
    Entry(
        "Mα-loss",
        ref.m_alpha,
        ref.m_alpha_as_printed,
        True,
        (
            _partial(
                "Partial losses, as printed",
                "2*alpha*((1 - u)/u)**(y/2) + 2*(1 - alpha)*[y*u <= y/2]",
                1,
                -1,
                as_printed=True,
            ),
            _partial(
                "Partial losses, corrected", f"alpha*((1 - u)/u)**(y/2) + 2*(1 - alpha)*{HALF_STEP}", 1, -1
            ),
            *_risk_lines(
                "2*alpha*sqrt(u*(1 - u)) + 2*(1 - alpha)*min(u, 1 - u)",
                f"{SMOOTH_LINK} - 2*(1 - alpha) if u < 1/2"
                " else interval(-(2*(1 - alpha)), 2*(1 - alpha)) if u == 1/2"
                f" else {SMOOTH_LINK} + 2*(1 - alpha)",
                f"1/2 if abs(z) <= 2*(1 - alpha) else (1/2)*(1 + (z/2 - sign(z)*(1 - alpha))/{BEND})",
                f"1 - z/2 if abs(z) <= 2*(1 - alpha) else 1 - z/2 + {BEND} - alpha",
                "alpha/(2*(u*(1 - u))**(3/2))",
            ),
        ),
        ((Fraction(1, 2), Formula("4*(1 - alpha)")),),
    ),
)
