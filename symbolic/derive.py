"""Derive risk, link, inverse link and conjugate of a loss from its definition.

| here | paper | meaning |
|---|---|---|
| `pieces` | | open intervals of u on which the risk is smooth |
| `risk` | L | pointwise Bayes risk, one expression per piece |
| `link` | -L' | canonical link, one expression per piece |
| `argmax`, `conjugate` | | where sup_u {z u + L(u)} is attained, and its value, per interval of z |
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sympy import Expr, S, cancel, diff, fraction, log, oo, solve, together

from privboost.errors import HarnessError
from privboost.symbolic.algebra.certify import is_zero, lowest_sign_on, resolve, sign_on
from privboost.symbolic.algebra.normal_form import end_limit, split_root, tidy
from privboost.symbolic.algebra.regions import (
    HALF,
    PI,
    PI_INSIDE,
    PI_LEFT,
    PI_RIGHT,
    U_HALF,
    U_INSIDE,
    U_LEFT,
    U_RIGHT,
    Region,
    U,
    Z,
)

from .partial_losses import PartialLosses

SMOOTH = (U_INSIDE,)
KINKED = (U_LEFT, U_RIGHT)


@dataclass(frozen=True, slots=True)
class Properness:
    """Whether a loss is proper, with the quantities that decide it.

    On each piece d/du of the expected loss is (u - pi) times `factor`. `tie` is the expected
    loss of u = 1/2 at pi = 1/2 minus its limit for u near 1/2. `proper_elsewhere` ignores pi = 1/2.
    """

    factor: tuple[Expr, ...]
    tie: Expr
    proper_elsewhere: bool
    proper: bool
    strict: bool


def check_properness(losses: PartialLosses, pieces: tuple[Region, ...]) -> Properness:
    """Decide whether u = pi minimises the expected loss for every pi in (0, 1), and uniquely.

    Paper: pbr.
    """
    factors, rising = [], []
    for piece in pieces:
        slope = diff(resolve(losses.expected_loss, piece), U)
        factors.append(tidy(slope / (U - PI), piece))
        rising.append(lowest_sign_on(factors[-1], piece & PI_INSIDE))
    tie = tie_excess(losses, pieces)
    proper_elsewhere = min(rising) >= 0 and _jumps_outwards(losses, pieces)
    proper = proper_elsewhere and sign_on(tie, U_HALF) <= 0
    return Properness(tuple(factors), tie, proper_elsewhere, proper, proper and 0 not in rising)


def tie_excess(losses: PartialLosses, pieces: tuple[Region, ...]) -> Expr:
    """Return the expected loss of u = 1/2 at pi = 1/2 minus its least limit for u near 1/2."""
    expected = losses.expected_loss.subs(PI, HALF)
    limits = [resolve(expected, piece).subs(U, HALF) for piece in pieces]
    excess = [cancel(resolve(expected, U_HALF).subs(U, HALF) - value) for value in limits]
    if any(value != excess[0] for value in excess):
        raise HarnessError(f"{losses.name}: the limits at the tie differ")
    return excess[0]


def _jumps_outwards(losses: PartialLosses, pieces: tuple[Region, ...]) -> bool:
    """Return whether crossing u = 1/2 away from pi never lowers the expected loss."""
    if len(pieces) == 1:
        return True
    left, right = (resolve(losses.expected_loss, piece).subs(U, HALF) for piece in pieces)
    middle = resolve(losses.expected_loss, U_HALF).subs(U, HALF)
    signs = [lowest_sign_on(there - left, PI_LEFT & U_HALF) for there in (middle, right)]
    signs += [lowest_sign_on(there - right, PI_RIGHT & U_HALF) for there in (middle, left)]
    return min(signs) >= 0


def _sign_or_none(expression: Expr, region: Region) -> int | None:
    """Return the sign of an expression on a region, or None if it is not certified to be constant."""
    try:
        return sign_on(expression, region)
    except HarnessError:
        return None


def derive_risk(losses: PartialLosses, pieces: tuple[Region, ...]) -> tuple[Expr, ...]:
    """Return the expected loss at the minimiser u = pi on each piece, as a function of u.

    Paper: pbr. Requires: `check_properness` off the tie.
    """
    diagonal = losses.expected_loss.subs(PI, U)
    return tuple(tidy(diagonal, piece) for piece in pieces)


def derive_risk_at_half(losses: PartialLosses, pieces: tuple[Region, ...]) -> Expr:
    """Return the infimum over u of the expected loss at pi = 1/2.

    Paper: pbr.
    """
    expected = losses.expected_loss.subs(PI, HALF)
    at_half = resolve(expected, U_HALF).subs(U, HALF)
    excess = tie_excess(losses, pieces)
    return cancel(at_half - excess) if sign_on(excess, U_HALF) > 0 else cancel(at_half)


@dataclass(frozen=True, slots=True)
class Forms:
    """The derived closed forms of a normalised loss.

    `bounds` are the finite ends of the intervals of z, in order; `lines` the intervals.
    """

    name: str
    normaliser: Expr
    pieces: tuple[Region, ...]
    risk: tuple[Expr, ...]
    link: tuple[Expr, ...]
    lines: tuple[Region, ...]
    bounds: tuple[Expr, ...]
    argmax: tuple[Expr, ...]
    conjugate: tuple[Expr, ...]


def derive_forms(
    losses: PartialLosses, pieces: tuple[Region, ...], lines: tuple[Region, ...], bounds: tuple[Expr, ...]
) -> Forms:
    """Return the closed forms of a proper loss, derived by differentiating, inverting and maximising.

    Paper: predDT, defLOSSGENR.
    """
    normaliser = cancel(1 / derive_risk_at_half(losses, pieces))
    risk = tuple(normaliser * value for value in derive_risk(losses, pieces))
    link = tuple(tidy(-diff(value, U), piece) for value, piece in zip(risk, pieces, strict=True))
    solved = [maximise(risk, link, pieces, line) for line in lines]
    argmax, conjugate = (tuple(column) for column in zip(*solved, strict=True))
    return Forms(losses.name, normaliser, pieces, risk, link, lines, bounds, argmax, conjugate)


def maximise(
    risk: tuple[Expr, ...], link: tuple[Expr, ...], pieces: tuple[Region, ...], line: Region
) -> tuple[Expr, Expr]:
    """Return the argument and the value of sup over u in [0, 1] of z u + L(u), for z in one interval.

    Paper: negent. Requires: z u + L(u) is concave, so that a stationary point is a maximum.
    """
    below: Expr = -oo
    for value, slope, piece in zip(risk, link, pieces, strict=True):
        lowest, highest = end_values(slope, piece)
        if _within(below, lowest, line):
            return _evaluate_end(end_values(U, piece)[0], risk, pieces, line)
        if _within(lowest, highest, line):
            root = invert(slope, piece, line)
            return root, _dominant(tidy(Z * root + value.subs(U, root), line), risk, pieces, line)
        below = highest
    if not _within(below, oo, line):
        raise HarnessError(f"no argument on {line.name}")
    return _evaluate_end(end_values(U, pieces[-1])[1], risk, pieces, line)


def end_values(expression: Expr, piece: Region) -> tuple[Expr, Expr]:
    """Return the limits of an expression at the lower and the upper end of a piece of u.

    Paper: predDT.
    """
    near, far = end_limit(expression, piece, S.Zero), end_limit(expression, piece, S.Infinity)
    return (far, near) if piece is U_LEFT else (near, far)


def outer_limits(values: tuple[Expr, ...], pieces: tuple[Region, ...]) -> tuple[Expr, Expr]:
    """Return the limits at u = 0 and u = 1 of an expression given by pieces.

    Paper: predDT.
    """
    return end_values(values[0], pieces[0])[0], end_values(values[-1], pieces[-1])[1]


def _evaluate_end(
    end: Expr, risk: tuple[Expr, ...], pieces: tuple[Region, ...], line: Region
) -> tuple[Expr, Expr]:
    """Return an end of a piece and the value of z u + L(u) at it."""
    return end, _dominant(tidy(_values(risk, pieces)[end], line), risk, pieces, line)


def _dominant(value: Expr, risk: tuple[Expr, ...], pieces: tuple[Region, ...], line: Region) -> Expr:
    """Return a supremum, after comparing it with z u + L(u) at every end of a piece.

    Differences of logarithms are not compared; concavity implies them.
    """
    rivals = () if value.has(log) else _values(risk, pieces).values()
    if any(sign_on(value - rival, line) < 0 for rival in rivals):
        raise HarnessError(f"not the supremum on {line.name}: {value}")
    return value


def _values(risk: tuple[Expr, ...], pieces: tuple[Region, ...]) -> dict[Expr, Expr]:
    """Return z u + L(u) at the ends of the pieces."""
    return {
        end: Z * end + height
        for value, piece in zip(risk, pieces, strict=True)
        for end, height in zip(end_values(U, piece), end_values(value, piece), strict=True)
    }


def _within(lowest: Expr, highest: Expr, line: Region) -> bool:
    """Return whether the whole interval of z lies between two slopes."""
    above = lowest == -oo or (lowest != oo and _sign_or_none(Z - lowest, line) == 1)
    return above and (highest == oo or (highest != -oo and _sign_or_none(highest - Z, line) == 1))


@cache
def invert(link: Expr, piece: Region, line: Region) -> Expr:
    """Return the u of one piece with link(u) = z, for z in one interval.

    Paper: theoremalpha. Ensures: the equation holds, and u lies in the piece; zeros of the squared
    equation that do not solve the equation are rejected.
    """
    lowest, highest = end_values(U, piece)
    for root in _candidates(link, piece):
        solves = is_zero(link.subs(U, root) - Z, line)
        if solves and sign_on(root - lowest, line) > 0 and sign_on(highest - root, line) > 0:
            return tidy(root, line)
    raise HarnessError(f"link not inverted on {piece.name}, {line.name}")


def _candidates(link: Expr, piece: Region) -> list[Expr]:
    """Return the solutions u of link(u) = z, and further zeros of the squared equation."""
    if link.has(log):
        return list(solve(link - Z, U))
    rational, irrational = split_root(link, piece)
    if irrational == 0:
        return list(solve(rational - Z, U))
    squared = (Z - rational) ** 2 - irrational**2 * piece.radicand
    return list(solve(fraction(together(squared))[0], U))
