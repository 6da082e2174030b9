"""Claims of privacy: what each kind promises, as points (epsilon, delta) of its curve.

| claim                | parameter | promise                                                           |
|----------------------|-----------|-------------------------------------------------------------------|
| eps:1                | epsilon   | epsilon-differential privacy                                      |
| eps:1,delta:1e-6     | epsilon   | (epsilon, delta)-differential privacy, delta fixed                |
| delta:1e-6,eps:1     | delta     | the same, with epsilon fixed: the bound is on delta               |
| gdp:1                | mu        | Gaussian privacy (Dong, Roth and Su 2022)                         |
| zcdp:0.1             | rho       | zero-concentrated privacy (Bun and Steinke 2016)                  |
| rdp:2=0.5,8=1.2      | scale     | Renyi privacy of 0.5 at order 2 and 1.2 at order 8 (Mironov 2017) |
| curve:0.5=0.1,1=0.01 | scale     | (0.5, 0.1)- and (1, 0.01)-privacy at once; or a JSON file         |

`group:2` after a comma says that the inputs of a pair differ in two rows; the claim is still one about
neighbours. The scale of the last two kinds multiplies every epsilon; the claim is that of scale 1.

Every delta is rounded up, and every conversion is a proved consequence of the claim. So a mechanism that
keeps the claim keeps all points, and refuting a point refutes the claim. A greater parameter promises less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx

from privboost.auditor.betting.wealth import Points, grid_of_nulls
from privboost.errors import PreconditionError
from privboost.limits import GREATEST_NULL, MOST_IN_A_GROUP
from privboost.strict_json import read

from .numbers import format_exactly, format_number

Floats = NDArray[np.float64]
Pairs = tuple[tuple[float, float], ...]

KINDS = ("eps", "delta", "gdp", "zcdp", "rdp", "curve")
SYMBOLS = {"eps": "ε", "delta": "δ", "gdp": "μ", "zcdp": "ρ", "rdp": "s", "curve": "s"}
NAMES = {"eps": "epsilon", "delta": "delta", "gdp": "mu", "zcdp": "rho"}
GREATEST = {"eps": GREATEST_NULL, "delta": 1.0, "gdp": 16.0, "zcdp": 100.0}
EXAMPLES = "eps:1, eps:1,delta:1e-6, delta:1e-6,eps:1, gdp:1, zcdp:0.1, rdp:2=0.5,8=1.2 or curve.json"

MOST_POINTS = 64
GREATEST_EPSILON = 50.0
"""No point of a curve has a greater epsilon."""

LEAST_DELTA = 1e-5
"""The points of a curve reach up to the epsilon at which its delta is this."""

FRACTIONS: Floats = np.array([0.0, 0.06, 0.12, 0.2, 0.3, 0.42, 0.56, 0.75, 1.0])
"""The points of a curve, as fractions of its greatest epsilon."""

NULLS: Floats = np.concatenate([np.arange(51) / 25, 2 + np.arange(1, 21) / 5])
"""Nulls of a curve, in units of the claim: up to 2 in steps of 1/25, up to 6 in steps of 1/5."""

DELTAS: Floats = np.concatenate([[0.0], np.geomspace(1e-6, 1, 121)[:-1]])
"""Nulls of delta: 20 in each power of ten."""

ORDERS: Floats = 1 + np.geomspace(1e-3, 1e4, 400)
"""Orders tried in the conversion of zero-concentrated privacy; each gives a valid delta."""

SMALLEST = 1e-300
"""A computed delta is at least this, since smaller numbers lose digits or become 0."""

HALVINGS = 40
"""Steps of a bisection between multiples of a claim."""

ROUNDING = 1e-12
"""Relative error that is added to every computed delta; the functions used are exact to about 1e-15."""


@dataclass(frozen=True, slots=True)
class PrivacyClaim:
    """A claim: its kind, its parameter and what is fixed with it."""

    kind: str
    value: float
    """The claimed parameter; 1, the scale, for rdp and curve."""
    fixed: float = 0.0
    """The delta of eps, the epsilon of delta."""
    points: Pairs = ()
    """Order and epsilon of rdp; epsilon and delta of curve."""
    group: int = 1
    """The number of rows in which the inputs of a pair differ."""

    def __post_init__(self) -> None:
        _check(self)

    @property
    def symbol(self) -> str:
        """Return the symbol of the parameter."""
        return SYMBOLS[self.kind]

    @property
    def delta(self) -> float:
        """Return the delta of a claim of (epsilon, delta); 0 for other kinds."""
        return self.fixed if self.kind == "eps" else self.value if self.kind == "delta" else 0.0

    @property
    def spelling(self) -> str:
        """Return the claim as a string that `parse_claim` reads."""
        if self.kind in {"rdp", "curve"}:
            parts = [f"{self.kind}:" + ",".join(f"{first!r}={second!r}" for first, second in self.points)]
        else:
            parts = [f"{self.kind}:{self.value!r}"]
        if self.kind == "eps" and self.fixed:
            parts.append(f"delta:{self.fixed!r}")
        if self.kind == "delta":
            parts.append(f"eps:{self.fixed!r}")
        return ",".join([*parts, f"group:{self.group}"] if self.group > 1 else parts)

    def __str__(self) -> str:
        return self.format_with("≤")

    def format_with(self, sign: str) -> str:
        """Return the claim for a sentence, with a sign between the parameter and its value."""
        note = {
            "eps": f" with δ = {format_number(self.fixed)}" if self.fixed else "",
            "delta": f" at ε = {format_exactly(self.fixed)}",
            "gdp": " (Gaussian DP)",
            "zcdp": " (zCDP)",
            "rdp": f" (s times the Rényi ε at {len(self.points)} orders)",
            "curve": f" (s times the ε of {len(self.points)} points)",
        }[self.kind]
        group = f", groups of {self.group}" if self.group > 1 else ""
        return f"{self.symbol} {sign} {format_exactly(self.value)}{note}{group}"

    @property
    def condition(self) -> str:
        """Return the epsilon or delta at which a bound on the parameter holds."""
        if self.kind == "delta":
            return f" at ε = {format_exactly(self.fixed)}"
        return f" at δ = {format_number(self.fixed)}" if self.fixed else ""

    def representative(self) -> tuple[float, float]:
        """Return the point (epsilon, delta) of the claim whose delta is nearest to 0.1."""
        epsilon, delta = (part[0] for part in self.points_of(np.array([self.value])))
        nearest = int(np.abs(delta - 0.1).argmin())
        return float(epsilon[nearest]), float(delta[nearest])

    @property
    def widened(self) -> PrivacyClaim:
        """Return the claim of which violations are multiples: of the epsilon, for a delta at an epsilon.

        Twice a small delta cannot be told from it by any feasible number of calls.
        """
        if self.kind == "delta" and self.fixed:
            return PrivacyClaim("eps", self.fixed, self.value, group=self.group)
        return self

    def log_odds(self, factor: float, share: float) -> float:
        """Return the greatest log odds of the sides on an event, if only `factor` times the claim is true.

        The event is seen on a share of the calls. If it has the probabilities p and q on the two sides, then
        p + q is the share and p <= e^epsilon q + delta at every point. With delta 0 the result is epsilon.
        """
        epsilon, delta = self.widened.points_of(np.array([factor * self.widened.value]))
        right = np.minimum((np.exp(epsilon) * share + delta) / (1 + np.exp(epsilon)), share).min()
        return float(np.log(right / (share - right))) if right < share else math.inf

    def parameter_at(self, log_odds: float, share: float) -> float:
        """Return the parameter of the least multiple of `widened` that allows these log odds on an event.

        The log odds themselves, an epsilon, take the place of multiples of 0.
        """
        if not self.widened.value or (self.kind == "eps" and self.group == 1 and not self.fixed):
            return log_odds
        low, high = 0.0, 1.0
        while self.log_odds(high, share) < log_odds:
            low, high = high, 2 * high
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.log_odds(middle, share) >= log_odds else (middle, high)
        return high * self.widened.value

    def nulls(self) -> Floats:
        """Return the parameters to test, the claim among them."""
        if self.kind == "eps":
            nulls = grid_of_nulls(self.value)
            most = GREATEST_NULL / self.group
        elif self.kind == "delta":
            nulls, most = np.unique(np.append(DELTAS, self.value)), 1.0
        else:
            nulls = np.unique(np.append(self.value * NULLS, self.value))
            most = GREATEST.get(self.kind, math.inf)
        tested: Floats = nulls[(nulls <= most) | (nulls == self.value)]
        return tested

    def points_of(self, nulls: Floats) -> Points:
        """Return the points that every null promises for the pairs of the audit."""
        nulls = np.asarray(nulls, dtype=np.float64)[:, None]
        if self.kind in {"eps", "delta"}:
            other = np.full_like(nulls, self.fixed)
            points = Points(nulls, other) if self.kind == "eps" else Points(other, nulls)
            return _for_group(points, self.group)
        if self.kind == "curve":
            epsilon, delta = np.array(self.points).T
            return _for_group(
                Points(_round_up(nulls * epsilon), np.broadcast_to(delta, (nulls.size, delta.size))),
                self.group,
            )
        ends = np.zeros_like(nulls), np.full_like(nulls, GREATEST_EPSILON)
        for _ in range(40):
            middle = (ends[0] + ends[1]) / 2
            low = self._delta(nulls, middle) < LEAST_DELTA
            ends = np.where(low, ends[0], middle), np.where(low, middle, ends[1])
        epsilon = ends[1] * FRACTIONS
        return Points(epsilon, self._delta(nulls, epsilon))

    def _delta(self, nulls: Floats, epsilon: Floats) -> Floats:
        """Return the delta at epsilon of Gaussian, zero-concentrated or Renyi privacy, rounded up."""
        if self.kind == "gdp":
            return gaussian_delta(nulls * self.group, epsilon)
        if self.kind == "zcdp":
            # Proposition 1.9 of Bun and Steinke: k rows cost k^2 rho.
            return renyi_delta(ORDERS, nulls[..., None] * self.group**2 * ORDERS, epsilon)
        orders, losses = np.array(self.points).T
        # Proposition 2 of Mironov: 2^c rows cost order / 2^c and 3^c epsilon, from order 2^(c + 1) on.
        halvings = round(math.log2(self.group))
        usable = orders >= 2 * self.group if halvings else orders > 1
        return renyi_delta(
            orders[usable] / self.group, nulls[..., None] * losses[usable] * 3**halvings, epsilon
        )


def gaussian_delta(mu: Floats, epsilon: Floats) -> Floats:
    """Return delta(epsilon) of mu-Gaussian privacy, rounded up.

    It is P(Z > a) - e^epsilon P(Z > b), a = epsilon / mu - mu / 2, b = a + mu (Balle and Wang 2018), and
    e^epsilon times the normal density at b is that at a. So delta is the density at a times the difference of
    Mills ratios, which keeps its digits where the difference of probabilities does not.
    """
    mu, epsilon = np.broadcast_arrays(np.asarray(mu, dtype=float), np.asarray(epsilon, dtype=float))
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(mu > 0, epsilon / mu - mu / 2, 0.0)
    mills = [math.sqrt(math.pi / 2) * erfcx(at / math.sqrt(2)) for at in (low, low + mu)]
    density = np.exp(-(low**2) / 2) / math.sqrt(2 * math.pi)
    # Rounding of `low` changes the density by a factor of about 1 + low^2 2^-52.
    above = density * (1 + ROUNDING + low**2 * 1e-15)
    with np.errstate(invalid="ignore"):
        delta = above * (mills[0] * (1 + ROUNDING) - mills[1] * (1 - ROUNDING))
    # Where the ratios overflow, delta is nearly 1.
    return np.where(mu > 0, np.clip(np.where(np.isfinite(delta), delta, 1.0), SMALLEST, 1.0), 0.0)


def renyi_delta(orders: Floats, losses: Floats, epsilon: Floats) -> Floats:
    """Return the least delta(epsilon) over orders of Renyi privacy, rounded up; orders take the last axis.

    Proposition 12 of Canonne, Kamath and Steinke 2020: the order a with loss r gives
    e^((a - 1) (r - epsilon)) / (a - 1) (1 - 1 / a)^a.
    """
    above = orders - 1
    exponent = above * (losses - np.asarray(epsilon)[..., None])
    logs = exponent + above * np.log(above) - orders * np.log(orders)
    error = ROUNDING * (1 + np.abs(exponent) + orders * np.log(orders) + above * np.abs(np.log(above)))
    deltas: Floats = np.clip(np.exp(np.minimum((logs + error).min(axis=-1), 0.0)), SMALLEST, 1.0)
    return deltas


def _for_group(points: Points, rows: int) -> Points:
    """Convert points of (epsilon, delta)-privacy of neighbours to inputs that differ in several rows.

    P(A) <= e^epsilon P'(A) + delta, one row after the other, gives k epsilon and
    delta (1 + e^epsilon + ... + e^((k - 1) epsilon)).
    """
    if rows == 1:
        return points
    epsilon, delta = points
    with np.errstate(over="ignore", invalid="ignore"):
        # A sum that overflows is infinite, so that a delta above 0 becomes 1: the weaker promise.
        total = delta * np.exp(epsilon[..., None] * np.arange(rows)).sum(axis=-1) * (1 + ROUNDING)
    return Points(_round_up(epsilon * rows), np.where(delta > 0, np.minimum(total, 1.0), 0.0))


def _round_up(products: Floats) -> Floats:
    """Return floats that are not below the exact products: the weaker promises."""
    return np.where(products > 0, np.nextafter(products, np.inf), products)


def parse_claim(spelling: str) -> PrivacyClaim:
    """Return the claim that a string names; see the table above.

    Ensures: PreconditionError with examples for any other string.
    """
    if spelling.endswith(".json"):
        return PrivacyClaim("curve", 1.0, points=_points_from_file(Path(spelling)))
    kind, _, rest = spelling.partition(":")
    first, *others = rest.split(",")
    if kind not in KINDS:
        raise _refusal(spelling)
    points: list[tuple[float, float]] = []
    named: dict[str, float] = {}
    for entry in (first, *others) if kind in {"rdp", "curve"} else others:
        key, mark, value = entry.partition("=" if "=" in entry else ":")
        if mark == "=" and kind in {"rdp", "curve"}:
            points.append((_number(key, spelling), _number(value, spelling)))
        elif mark == ":" and key not in named:
            named[key] = _number(value, spelling)
        else:
            raise _refusal(spelling)
    group = named.pop("group", 1.0)
    companion = {"eps": "delta", "delta": "eps"}.get(kind)
    fixed = named.pop(companion, 0.0) if companion else 0.0
    if named or group % 1 != 0:
        raise _refusal(spelling)
    claimed = 1.0 if kind in {"rdp", "curve"} else _number(first, spelling)
    return PrivacyClaim(kind, claimed, fixed, tuple(points), int(group))


def epsilon_claim(epsilon: object, delta: object = 0.0) -> PrivacyClaim:
    """Return the claim of (epsilon, delta)-privacy.

    Ensures: PreconditionError for values that are not numbers or out of range.
    """
    return PrivacyClaim("eps", _real("epsilon", epsilon), _real("delta", delta))


def _real(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise PreconditionError(name, "a number", value) from None


def _points_from_file(path: Path) -> Pairs:
    expected = "a JSON list of points [epsilon, delta] such as [[0.5, 0.1], [1, 0.01]]"
    document = read(path, "claim")
    try:
        points = [entry.items(2) for entry in document.items()]
        return tuple((epsilon.number(), delta.number()) for epsilon, delta in points)
    except PreconditionError as error:
        raise PreconditionError("claim", expected, f"'{path}' ({error})") from None


def _number(string: str, spelling: str) -> float:
    try:
        return float(string)
    except ValueError:
        raise _refusal(spelling) from None


def _refusal(spelling: str) -> PreconditionError:
    return PreconditionError("claim", f"a claim such as {EXAMPLES}", spelling)


def _check(claim: PrivacyClaim) -> None:
    """Raise PreconditionError for a parameter, a point or a group that cannot be tested."""
    most = GREATEST.get(claim.kind, 1.0)
    least_open = claim.kind in {"gdp", "zcdp"}
    if not (claim.value > 0 if least_open else claim.value >= 0) or not claim.value <= most:
        wanted = f"a number {'above' if least_open else 'from'} 0 to {most:g}"
        raise PreconditionError(NAMES.get(claim.kind, "scale"), wanted, claim.value)
    if claim.kind == "eps" and not 0 <= claim.fixed < 1:
        raise PreconditionError("delta", "a number in [0, 1)", claim.fixed)
    if claim.kind == "delta" and not (0 <= claim.fixed <= GREATEST_NULL and claim.value < 1):
        wanted = f"delta in [0, 1) and epsilon from 0 to {GREATEST_NULL:g}"
        raise PreconditionError("claim", wanted, (claim.value, claim.fixed))
    whole = claim.group in range(1, MOST_IN_A_GROUP + 1)
    if not whole or (claim.kind == "rdp" and claim.group & (claim.group - 1)):
        wanted = f"from 1 to {MOST_IN_A_GROUP} rows" + (", a power of 2" if claim.kind == "rdp" else "")
        raise PreconditionError("group", wanted, claim.group)
    if claim.kind in {"rdp", "curve"}:
        _check_points(claim)


def _check_points(claim: PrivacyClaim) -> None:
    rdp = claim.kind == "rdp"
    wanted = (
        "orders above 1 with epsilon >= 0" if rdp else f"epsilon from 0 to {GREATEST_NULL:g}, delta in [0, 1)"
    )
    for first, second in claim.points:
        if not (
            1 < first < math.inf and 0 <= second < math.inf
            if rdp
            else 0 <= first <= GREATEST_NULL and 0 <= second < 1
        ):
            raise PreconditionError("claim", wanted, f"{first:g}={second:g}")
    if not 1 <= len(claim.points) <= MOST_POINTS:
        raise PreconditionError("claim", f"1 to {MOST_POINTS} points", len(claim.points))
    if rdp and claim.group > 1 and max(order for order, _ in claim.points) < 2 * claim.group:
        raise PreconditionError("group", f"an order of at least {2 * claim.group}", claim.spelling)
