"""Derivations of the steps in the proof of theoremalpha, and of the curvature of the surrogate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Expr, S, diff

from privboost.symbolic import printed
from privboost.symbolic.algebra.certify import is_zero, sign_on
from privboost.symbolic.algebra.normal_form import end_limit
from privboost.symbolic.algebra.regions import (
    ALPHA,
    ALPHA_INSIDE,
    DELTA,
    HALF,
    PLATEAU_END,
    U_LEFT,
    U_RIGHT,
    Z_ABOVE_LEFT_END,
    Z_BELOW_RIGHT_END,
    Z_LEFT,
    Z_LEFT_END,
    Z_ORIGIN,
    Z_PLATEAU_LEFT,
    Z_PLATEAU_RIGHT,
    Z_RIGHT,
    Z_RIGHT_END,
    Z_SPLIT,
    Region,
    U,
    Z,
    split_at,
)
from privboost.symbolic.closed_forms import (
    bayes_risk_expr,
    conjugate_expr,
    forms,
    inverse_link_expr,
    surrogate_curvature_expr,
    surrogate_expr,
    surrogate_slope_expr,
)
from privboost.symbolic.comparison import Derivation, KnownErratum, PaperStatement
from privboost.symbolic.derive import KINKED, maximise

_OPEN = (Z_LEFT, Z_PLATEAU_LEFT, Z_ORIGIN, Z_PLATEAU_RIGHT, Z_RIGHT)
_SPURIOUS = "spurious-root"
_KINK_VALUE = 1 + Z / 2


@dataclass(frozen=True, slots=True)
class _Half:
    """The printed forms of the maximum over one half of [0, 1].

    `inside` are the z for which the maximum is inside the half, `beyond` those for which it is at 1/2.
    """

    side: str
    label: str
    piece: Region
    inside: Region
    beyond: Region
    argument: Expr
    maximum: Expr


_HALVES = (
    _Half(
        "left",
        "eqzz1",
        U_LEFT,
        Z_LEFT,
        Z_ABOVE_LEFT_END,
        printed.ARGUMENT_LEFT_APPENDIX,
        printed.MAXIMUM_LEFT_APPENDIX,
    ),
    _Half(
        "right",
        "eqzz2",
        U_RIGHT,
        Z_RIGHT,
        Z_BELOW_RIGHT_END,
        printed.ARGUMENT_RIGHT_APPENDIX,
        printed.MAXIMUM_RIGHT_APPENDIX,
    ),
)


def appendix_claims() -> Iterator[Derivation]:
    """Yield every claim of the proof of theoremalpha, and those about the surrogate's curvature."""
    yield from _plateau_claims()
    yield from _half_claims()
    yield from _comparison_claims()
    yield from _conjugate_claims()
    yield from _slope_claims()
    yield from _curvature_claims()


def _plateau_claims() -> Iterator[Derivation]:
    """Yield the value at 0, the case alpha = 0, and the two conditions for u = 1/2 to be optimal.

    Paper: negent, csurzero, feq1.
    """
    at_zero = PaperStatement("m_alpha.conjugate-at-zero", "negent", "the conjugate at z = 0")
    value = conjugate_expr("m_alpha").subs(Z, 0)
    known = KnownErratum("conjugate-at-zero", -HALF)
    yield at_zero.compare(value, printed.CONJUGATE_AT_ZERO_APPENDIX, (Z_ORIGIN,), known)
    claim = PaperStatement("zero_one.conjugate", "csurzero", "the conjugate at alpha = 0")
    yield claim.compare(conjugate_expr("zero_one"), printed.CONJUGATE_OF_ZERO_ONE_APPENDIX, split_at(S(2)))
    half_way = KnownErratum("plateau-half", DELTA / (2 * ALPHA))
    conditions = (
        ("left", U_LEFT, DELTA - PLATEAU_END, printed.PLATEAU_LEFT_APPENDIX, half_way),
        ("right", U_RIGHT, DELTA + PLATEAU_END, printed.PLATEAU_RIGHT_APPENDIX, None),
    )
    for side, piece, z, bound, known_error in conditions:
        statement = f"{side} of 1/2, u = 1/2 is optimal where 2 sqrt(u (1 - u)) is at most this"
        claim = PaperStatement(f"m_alpha.plateau-{side}", "feq1", statement)
        yield claim.compare(_plateau_bound(piece, z), bound, (piece,), known_error)


def _plateau_bound(piece: Region, z: Expr) -> Expr:
    """Return the b with: z u + L(u) <= z / 2 + 1 exactly where 2 sqrt(u (1 - u)) <= b, on one piece."""
    linear = forms("m_alpha").risk[KINKED.index(piece)] - ALPHA * bayes_risk_expr("matsushita")
    return (1 + z / 2 - z * U - linear) / ALPHA


def _half_claims() -> Iterator[Derivation]:
    """Yield argument and value of the maximum over each half of [0, 1], where printed and beyond.

    Paper: firsteqZ1, eqzz1, eqzz2. The stationary point lies in the half only for z in `inside`.
    """
    for half in _HALVES:
        yield from _half_line_claims(half, half.inside, "", None, None)
        at_kink = (
            KnownErratum(_SPURIOUS, half.argument - HALF),
            KnownErratum(_SPURIOUS, half.maximum - _KINK_VALUE),
        )
        yield from _half_line_claims(half, half.beyond, "-beyond", *at_kink)


def _half_line_claims(
    half: _Half,
    line: Region,
    suffix: str,
    known_argument: KnownErratum | None,
    known_maximum: KnownErratum | None,
) -> Iterator[Derivation]:
    """Yield argument and value of the maximum over one half of [0, 1], for z in one interval."""
    where = f"{line.name}: over the {half.side} half of [0, 1]"
    root, value = _maximise_half(half.piece, line)
    claim = PaperStatement(
        f"m_alpha.argument-{half.side}{suffix}", "firsteqZ1", f"{where}, where z u + L(u) is greatest"
    )
    yield claim.compare(root, half.argument, (line,), known_argument)
    claim = PaperStatement(
        f"m_alpha.maximum-{half.side}{suffix}", half.label, f"{where}, the maximum of z u + L(u)"
    )
    yield claim.compare(value, half.maximum, (line,), known_maximum)


def _maximise_half(piece: Region, line: Region) -> tuple[Expr, Expr]:
    """Return argument and value of the maximum of z u + L(u) over one half of [0, 1]."""
    derived, index = forms("m_alpha"), KINKED.index(piece)
    return maximise((derived.risk[index],), (derived.link[index],), (piece,), line)


def _comparison_claims() -> Iterator[Derivation]:
    """Yield that the printed maximum of the one half exceeds that of the other, via the value at u = 1/2.

    Paper: theoremalpha (its two cases 2.1).
    """
    for own, other in (_HALVES, _HALVES[::-1]):
        above = sign_on(own.maximum - _KINK_VALUE, own.inside) > 0
        below = sign_on(other.maximum - _KINK_VALUE, other.beyond) < 0
        statement = f"{own.inside.name}: the printed maximum of the {own.side} half is the greater one"
        claim = PaperStatement(f"m_alpha.comparison-{own.side}", "theoremalpha", statement)
        yield claim.assess(above and below, detail="the value at u = 1/2 lies strictly between them")


def _conjugate_claims() -> Iterator[Derivation]:
    """Yield the conjugate by cases and in one line, the surrogate, the inverse link, the limit alpha -> 0.

    Paper: theoremalpha, propCSUR.
    """
    conjugate = conjugate_expr("m_alpha")
    claim = PaperStatement("m_alpha.conjugate-cases", "theoremalpha", "the conjugate in three cases")
    yield claim.compare(conjugate, printed.CONJUGATE_CASES_APPENDIX, Z_SPLIT)
    claim = PaperStatement("m_alpha.conjugate", "theoremalpha", "the conjugate in one line")
    yield claim.compare(conjugate, printed.CONJUGATE_APPENDIX, Z_SPLIT)
    claim = PaperStatement(
        "m_alpha.surrogate-mirror", "propCSUR", "the surrogate of the figure is the conjugate at -z"
    )
    yield claim.compare(conjugate.subs(Z, -Z), printed.SURROGATE, Z_SPLIT)
    claim = PaperStatement(
        "m_alpha.inverse-link-appendix", "theoremalpha", "the inverse link is the conjugate's derivative"
    )
    yield claim.compare(diff(conjugate, Z), printed.INVERSE_LINK_APPENDIX, Z_SPLIT)
    claim = PaperStatement(
        "m_alpha.conjugate-limit", "csurzero", "as alpha tends to 0 the conjugate tends to that of alpha = 0"
    )
    yield claim.compare(conjugate_expr("zero_one"), conjugate.subs(ALPHA, 0), split_at(S(2)))
    yield from _continuity_claims()
    away = all(
        sign_on(argument - HALF, line) != 0 for argument, line in _arguments() if line in (Z_LEFT, Z_RIGHT)
    )
    claim = PaperStatement("m_alpha.plateau", "theoremalpha", "u = 1/2 is optimal on the plateau only")
    yield claim.assess(away)


def _continuity_claims() -> Iterator[Derivation]:
    """Yield that conjugate and inverse link tend to their values on the plateau at its ends.

    Paper: theoremalpha.
    """
    derived = forms("m_alpha")
    for index, end, side in ((0, Z_LEFT_END, "left"), (2, Z_RIGHT_END, "right")):
        tail = derived.lines[index]
        claim = PaperStatement(
            f"m_alpha.conjugate-continuous-{side}", "theoremalpha", f"{end.name}: the conjugate has no jump"
        )
        yield claim.compare(end_limit(derived.conjugate[index], tail, S.Zero), _KINK_VALUE, (end,))
        claim = PaperStatement(
            f"m_alpha.inverse-link-continuous-{side}", "theoremalpha", f"{end.name}: nor the inverse link"
        )
        yield claim.compare(end_limit(derived.argmax[index], tail, S.Zero), HALF, (end,))


def _arguments() -> Iterator[tuple[Expr, Region]]:
    """Yield where z u + L(u) is greatest, with the interval of z."""
    derived = forms("m_alpha")
    return zip(derived.argmax, derived.lines, strict=True)


def _slope_claims() -> Iterator[Derivation]:
    """Yield slope, monotonicity, sign and value at 0 of the surrogate.

    Paper: fEQ1, thBoostLC1, eqSEQ.
    """
    surrogate, slope = surrogate_expr("m_alpha"), surrogate_slope_expr("m_alpha")
    claim = PaperStatement("m_alpha.slope", "fEQ1", "the surrogate's slope is minus the inverse link at -z")
    yield claim.compare(-inverse_link_expr("m_alpha").lower.subs(Z, -Z), slope, Z_SPLIT)
    falls = all(sign_on(slope, line) < 0 for line in Z_SPLIT)
    yield PaperStatement(
        "m_alpha.decreasing", "thBoostLC1", "for alpha > 0 the surrogate falls strictly"
    ).assess(falls)
    positive = all(sign_on(surrogate, line) > 0 for line in Z_SPLIT)
    yield PaperStatement("m_alpha.non-negative", "thBoostLC1", "the surrogate is not negative").assess(
        positive
    )
    claim = PaperStatement("m_alpha.surrogate-at-zero", "eqSEQ", "the surrogate at 0 is 1")
    yield claim.compare(surrogate.subs(Z, 0), S.One, (Z_ORIGIN,))


def _curvature_claims() -> Iterator[Derivation]:
    """Yield the surrogate's second derivative, its supremum, and where it does not exist.

    Paper: f-der2, bY.
    """
    curvature = surrogate_curvature_expr("m_alpha")
    known = "surrogate-curvature-factor"
    claim = PaperStatement("m_alpha.curvature", "f-der2", "the surrogate's second derivative")
    yield claim.compare(curvature, printed.CURVATURE, _OPEN, KnownErratum(known, printed.CURVATURE / 2))
    steepens = sign_on(diff(curvature, Z), Z_LEFT) > 0 > sign_on(diff(curvature, Z), Z_RIGHT)
    claim = PaperStatement(
        "m_alpha.curvature-monotone", "f-der2", "beyond the plateau the curvature falls away from it"
    )
    yield claim.assess(steepens)
    supremum = end_limit(curvature, Z_RIGHT, S.Zero)
    claim = PaperStatement(
        "m_alpha.curvature-supremum", "bY", "the supremum of the surrogate's second derivative"
    )
    yield claim.compare(
        supremum, printed.CURVATURE_SUPREMUM, (ALPHA_INSIDE,), KnownErratum(known, 1 / (4 * ALPHA))
    )
    claim = PaperStatement(
        "m_alpha.curvature-ends", "f-der2", "there is a second derivative at the plateau's ends"
    )
    yield claim.assess(
        is_zero(supremum, ALPHA_INSIDE), printed=False, detail=f"one-sided limits 0 and {supremum}"
    )
    at_one = surrogate_curvature_expr("matsushita").subs(Z, 0)
    claim = PaperStatement(
        "matsushita.curvature-ends", "f-der2", "there is one at z = 0 for alpha = 1, where the ends meet"
    )
    known_end = KnownErratum("curvature-at-one")
    yield claim.assess(
        bool(at_one.is_finite), printed=False, known=known_end, detail=f"its value is {at_one}"
    )
