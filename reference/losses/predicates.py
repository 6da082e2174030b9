"""Decide at given points whether a loss is symmetric, fair, normalised, proper or strictly proper.

A negative verdict has a witness. Properness at pi is decided exactly, without a tolerance. On each side of
1/2 one of two conditions is shown. Either the certified infimum of the expected loss is above its value at
u = pi. Or the slope at pi is exactly 0 (for pi inside the side), the formula is convex around pi, and it is
above the value everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from privboost.errors import PreconditionError, Undecided
from privboost.reference.exact import Exact, Extended, Infinity, sign
from privboost.reference.exact.infimum import infimum
from privboost.reference.exact.jets import variable
from privboost.reference.exact.ranges import box

from .definition import SIDES, Expectation, expectation, least_expectation, pieces_outside
from .forms import bayes_risk, expected_loss, partial_loss
from .loss import HALF, Loss

BITS = 64
"""Enclosures have width 2^-BITS; closer comparisons are decided by algebra or raise Undecided."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a property holds at all given points; if not, where and how it fails."""

    holds: bool
    extent: str
    witness: str | None = None

    def __bool__(self) -> bool:
        return self.holds


def check_symmetric(loss: Loss, points: Iterable[Exact]) -> Verdict:
    """Decide partial(1, u) = partial(-1, 1 - u) at the given points.

    Paper: sec:def (symmetric losses).
    """
    tried = list(points)
    for u in tried:
        for_one, for_other = partial_loss(loss, 1, u), partial_loss(loss, -1, 1 - u)
        if for_one != for_other:
            return Verdict(
                False, f"u = {u}", f"partial(1, {u}) = {for_one}, partial(-1, 1 - {u}) = {for_other}"
            )
    return Verdict(True, f"{len(tried)} points")


def check_fair(loss: Loss) -> Verdict:
    """Decide partial(1, 1) = partial(-1, 0) = 0, so that L(0) = L(1) = 0.

    Paper: sec:def (fair).
    """
    ends = partial_loss(loss, 1, 1), partial_loss(loss, -1, 0)
    holds = ends == (0, 0)
    return Verdict(
        holds, "both ends", None if holds else f"partial(1, 1) = {ends[0]}, partial(-1, 0) = {ends[1]}"
    )


def check_normalised(loss: Loss) -> Verdict:
    """Decide that the closed form has L(1/2) = 1 and L(0) = L(1) = 0.

    Paper: sec:def (normalisation).
    """
    values = tuple(bayes_risk(loss, u) for u in (Fraction(0), HALF, Fraction(1)))
    holds = all(value == expected for value, expected in zip(values, (0, 1, 0), strict=True))
    return Verdict(holds, "0, 1/2, 1", None if holds else f"L(0), L(1/2), L(1) = {values}")


def check_proper(loss: Loss, points: Iterable[Fraction]) -> Verdict:
    """Decide that u = pi minimises the expected loss, for each given pi.

    Paper: sec:def (proper), defMatsualpha.
    """
    return _check_least(loss, points, strictly=False)


def check_strictly_proper(loss: Loss, points: Iterable[Fraction]) -> Verdict:
    """Decide that u = pi is the only minimiser of the expected loss, for each given pi.

    Paper: sec:def (proper), defMatsualpha.
    Requires: 0 < pi < 1.
    """
    return _check_least(loss, points, strictly=True)


def _check_least(loss: Loss, points: Iterable[Fraction], *, strictly: bool) -> Verdict:
    """Decide that u = pi is a minimiser of the expected loss, or the only one, for each given pi."""
    tried = list(points)
    for pi in tried:
        if strictly and not 0 < pi < 1:
            raise PreconditionError("defMatsualpha", "0 < pi < 1", pi)
        witness = _better_prediction(loss, pi) or (_equal_prediction(loss, pi) if strictly else None)
        if witness is not None:
            return Verdict(False, f"pi = {pi}", witness)
        if not _is_least(loss, pi, strictly=strictly):
            raise Undecided(f"whether {loss} is {'strictly ' * strictly}proper at pi = {pi}", BITS)
    return Verdict(True, f"{len(tried)} points")


def _better_prediction(loss: Loss, pi: Fraction) -> str | None:
    """Describe a prediction with a smaller expected loss than u = pi, searched near the certified infimum."""
    value = expected_loss(loss, pi, pi)
    least = least_expectation(loss, pi, BITS)
    if value <= least.enclosure.hi:
        return None
    for towards in (Fraction(0), Fraction(1)):
        for power in range(BITS):
            u = least.argument + (towards - least.argument) / 2**power
            if expected_loss(loss, pi, u) < value:
                return _comparison(loss, pi, u, value)
    return None


def _equal_prediction(loss: Loss, pi: Fraction) -> str | None:
    """Describe another prediction with the same expected loss as u = pi, half way to an end."""
    value = expected_loss(loss, pi, pi)
    for u in (pi / 2, (1 + pi) / 2):
        if expected_loss(loss, pi, u) == value:
            return _comparison(loss, pi, u, value)
    return None


def _comparison(loss: Loss, pi: Fraction, u: Fraction, value: Extended) -> str:
    """Describe the two expected losses."""
    return (
        f"at pi = {pi} the prediction {u} costs {expected_loss(loss, pi, u)}, the prediction pi costs {value}"
    )


def _is_least(loss: Loss, pi: Fraction, *, strictly: bool) -> bool:
    """Return whether u = pi is proven to be a (strict) minimiser."""
    value = expected_loss(loss, pi, pi)
    if isinstance(value, Infinity):
        return False
    middle = expected_loss(loss, pi, HALF)
    if middle < value or (strictly and middle == value and pi != HALF):
        return False
    for side, lo, hi in SIDES:
        formula = expectation(loss, pi, side)
        if infimum(formula, lo, hi, BITS).enclosure.lo > value:
            continue
        over = formula(variable(box(lo, hi, 2 * BITS)))
        if over.slope.is_zero:
            if strictly or formula((lo + hi) / 2) < value:
                return False
        elif over.value.at_least(0) and value == 0:
            if strictly:
                return False
        elif not (lo <= pi <= hi and _is_least_around(formula, pi, lo, hi, value)):
            return False
    return True


def _is_least_around(formula: Expectation, pi: Fraction, lo: Fraction, hi: Fraction, value: Extended) -> bool:
    """Return whether every other u on one side is proven to cost more than `value`, the cost of pi."""
    at_pi = formula(variable(pi))
    slope = sign(at_pi.slope)
    outward = (slope > 0 and pi == lo) or (slope < 0 and pi == hi)
    if at_pi.value < value or not (slope == 0 or outward):
        return False
    reach = _convex_reach(formula, pi, lo, hi)
    return all(
        infimum(formula, left, right, BITS).enclosure.lo > value
        for left, right in pieces_outside(pi, reach, lo, hi)
    )


def _convex_reach(formula: Expectation, pi: Fraction, lo: Fraction, hi: Fraction) -> Fraction:
    """Return a distance from pi within which the formula is strictly convex."""
    reach = Fraction(1, 4)
    for _ in range(BITS):
        left, right = max(lo, pi - reach), min(hi, pi + reach)
        if formula(variable(box(left, right, 8 * BITS))).curvature.at_least(1):
            return reach
        reach /= 2
    raise Undecided(f"strict convexity around {pi}", BITS)
