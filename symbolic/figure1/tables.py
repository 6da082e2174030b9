"""The tables behind the four plots of Figure 1, computed exactly.

| symbol                | here                                                        |
|-----------------------|-------------------------------------------------------------|
| L^(alpha)(q)          | `bayes_risk`, the normalised Bayes risk                     |
| Delta^(alpha)(m)      | `sensitivity`: the paper's bound, and the sharp m L(1/m)    |
| inverse link at z     | `inverse_link`, an interval [lower, upper]                  |
| F^(alpha)(z)          | `surrogate`                                                 |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from privboost.errors import HarnessError
from privboost.reference.exact import Exact, Extended, Infinity, decimal, sqrt
from privboost.reference.losses import Loss, bayes_risk, inverse_link, m_alpha, perspective, surrogate

ALPHAS = tuple(Fraction(alpha) for alpha in ("0", "1/10", "1/4", "1/2", "3/4", "1"))
DIGITS = 20
LARGEST_M = 100

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlotData:
    """The data of a plot: alpha and the abscissa are exact, the values have 20 decimals."""

    key: str
    columns: Row
    rows: tuple[Row, ...]

    @property
    def name(self) -> str:
        """The common stem of the plot's files."""
        return f"figure1_{self.key}"

    def to_csv(self) -> bytes:
        """Return the table as comma-separated values with one header line."""
        return "".join(f"{','.join(row)}\n" for row in (self.columns, *self.rows)).encode("ascii")


def bayes_risk_table() -> PlotData:
    """Tabulate L(q) = 2 alpha sqrt(q (1 - q)) + 2 (1 - alpha) min(q, 1 - q) over q in [0, 1].

    Paper: f-alphaM.
    """
    return _table(
        "bayes_risk",
        ("alpha", "q", "value"),
        lambda _: _probabilities(),
        lambda loss, q: (bayes_risk(loss, q),),
    )


def sensitivity_table() -> PlotData:
    """Tabulate the bound 3 + 2 alpha (sqrt(m) - 1) and the sharp value m L(1/m) over the sizes m.

    Paper: f-alphaM, sensALPHA.
    """
    rows = tuple(
        (str(alpha), str(m), _digits(exact_bound(alpha, m)), _digits(perspective(m_alpha(alpha), 1, m)))
        for alpha in ALPHAS
        for m in range(1, LARGEST_M + 1)
    )
    return PlotData("sensitivity", ("alpha", "m", "bound", "sharp"), rows)


def exact_bound(alpha: Fraction, m: int) -> Exact:
    """Return the paper's bound 3 + 2 alpha (sqrt(m) - 1) on the sensitivity.

    Paper: sensALPHA.
    """
    return 3 + 2 * alpha * (sqrt(m) - 1)


def inverse_link_table() -> PlotData:
    """Tabulate the interval of the inverse link over z in [-8, 8].

    Paper: f-alphaM, theoremalpha.
    Ensures: the abscissae include both ends of the flat part, which correspond to the jump of the link.
    """

    def ends(loss: Loss, z: Fraction) -> tuple[Extended, ...]:
        interval = inverse_link(loss, z)
        return interval.lo, interval.hi

    columns = ("alpha", "z", "lower", "upper")
    return _table("inverse_link", columns, lambda alpha: _margins(alpha, 8), ends)


def surrogate_table() -> PlotData:
    """Tabulate the convex surrogate over z in [-4, 4].

    Paper: f-alphaM, theoremalpha.
    """
    columns = ("alpha", "z", "value")
    return _table(
        "surrogate", columns, lambda alpha: _margins(alpha, 4), lambda loss, z: (surrogate(loss, z),)
    )


TABLES = (bayes_risk_table, sensitivity_table, inverse_link_table, surrogate_table)


def _table(
    key: str,
    columns: Row,
    abscissae: Callable[[Fraction], Iterable[Fraction]],
    values: Callable[[Loss, Fraction], tuple[Extended, ...]],
) -> PlotData:
    """Evaluate one function of the M-alpha loss over its abscissae for every alpha."""
    rows = []
    for alpha in ALPHAS:
        loss = m_alpha(alpha)
        rows += [(str(alpha), str(x), *map(_digits, values(loss, x))) for x in abscissae(alpha)]
    return PlotData(key, columns, tuple(rows))


def _digits(value: Extended) -> str:
    """Return a finite exact number with 20 decimals."""
    if isinstance(value, Infinity):
        raise HarnessError("Figure 1: expected finite values, got an infinite one")
    return decimal(value, DIGITS)


def _probabilities() -> list[Fraction]:
    """Return multiples of 1/100, and more points near the ends, where the square root is steep."""
    half = {Fraction(k, 100) for k in range(51)} | {Fraction(k, 100) ** 2 for k in range(71)}
    return sorted(half | {1 - q for q in half})


def _margins(alpha: Fraction, end: int) -> list[Fraction]:
    """Return multiples of 1/10 in [-end, end], and points at a distance of order alpha beyond each kink."""
    kink = 2 * (1 - alpha)
    bend = {kink + alpha * Fraction(k, 20) for k in range(101)}
    right = {Fraction(k, 10) for k in range(10 * end + 1)} | bend
    return sorted(z for x in right for z in {x, -x} if abs(z) <= end)
