"""Section 2: derivations of the statements about the square, log, 0/1 and Matsushita losses."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Eq, Expr, Gt, Lt, Piecewise, S, diff

from privboost.symbolic import partial_losses, printed
from privboost.symbolic.algebra.certify import sign_on
from privboost.symbolic.algebra.regions import (
    HALF,
    PI,
    PI_HALF,
    PI_LEFT,
    PI_RIGHT,
    SIZES,
    U_HALF,
    U_LEFT,
    U_RIGHT,
    U_SPLIT,
    Z_LINE_LOG_RAW,
    M,
    Region,
    U,
    Z,
    split_at,
)
from privboost.symbolic.closed_forms import NAMES, bayes_risk_expr, forms, is_concave, surrogate_expr
from privboost.symbolic.comparison import Derivation, KnownErratum, PaperStatement
from privboost.symbolic.derive import KINKED, SMOOTH, derive_risk, maximise, outer_limits
from privboost.symbolic.partial_losses import PartialLosses, iverson

from .shared import finiteness_claim, properness_claims, risk_claim, symmetry_claim, tie_claim

_VARIABLE = "zero-one-variable"
_INFINITE_LINKS = ("log", "matsushita", "m_alpha")


def section_two_claims() -> Iterator[Derivation]:
    """Yield every claim of Section 2 about losses, with its verdict."""
    yield from _partial_loss_claims()
    for name in NAMES:
        yield from _risk_shape_claims(name)
        yield from _duality_claims(name)
    yield from _margin_loss_claims()
    yield from _perspective_claims()


def _partial_loss_claims() -> Iterator[Derivation]:
    """Yield symmetry, finiteness, properness and risk of the partial losses of Section 2."""
    smooth = (
        (partial_losses.SQUARE, printed.SQUARE_RISK, None),
        (partial_losses.LOG, printed.LOG_RISK, KnownErratum("range-extended")),
    )
    for losses, risk, known in smooth:
        yield symmetry_claim(losses, SMOOTH)
        yield finiteness_claim(losses, SMOOTH, known)
        yield from properness_claims(losses, SMOOTH)
        yield risk_claim(losses, SMOOTH, risk, SMOOTH)
    literal = partial_losses.ZERO_ONE_AS_PRINTED
    sides = iverson(Gt(PI, HALF)) - iverson(Lt(PI, HALF))
    yield symmetry_claim(literal, (PI_LEFT, PI_HALF, PI_RIGHT), KnownErratum(_VARIABLE, sides))
    at_half = KnownErratum(_VARIABLE, -HALF * iverson(Eq(U, HALF)))
    yield risk_claim(literal, KINKED, printed.ZERO_ONE_RISK, U_SPLIT, at_half)
    yield from _zero_one_claims(partial_losses.ZERO_ONE_IN_U, KnownErratum("tie-at-half", -HALF))
    yield from _zero_one_claims(partial_losses.ZERO_ONE, None)


def _zero_one_claims(losses: PartialLosses, known: KnownErratum | None) -> Iterator[Derivation]:
    """Yield the claims about a reading of the 0/1 loss in which the indicators depend on u."""
    yield symmetry_claim(losses, U_SPLIT)
    yield finiteness_claim(losses, KINKED)
    yield from properness_claims(losses, KINKED, known=known)
    yield tie_claim(losses, KINKED, known)
    yield risk_claim(losses, KINKED, printed.ZERO_ONE_RISK, U_SPLIT)


def _risk_shape_claims(name: str) -> Iterator[Derivation]:
    """Yield that the normalised risk is fair, concave, greatest at 1/2, and that its link is finite."""
    derived = forms(name)
    ends = outer_limits(derived.risk, derived.pieces)
    risk = bayes_risk_expr(name)
    symmetric = PaperStatement(f"{name}.risk-symmetric", "pbr", f"{name}: L(u) = L(1 - u)")
    yield symmetric.compare(risk, risk.subs(U, 1 - U), derived.pieces)
    one = PaperStatement(
        f"{name}.normalised", "pbr", f"{name}: L(1/2) = 1 after multiplication by {derived.normaliser}"
    )
    yield one.compare(risk.subs(U, HALF), S.One, (U_HALF,))
    fair = PaperStatement(f"{name}.fair", "pbr", f"{name}: L(0) = L(1) = 0")
    yield fair.assess(ends == (0, 0), detail=f"limits at 0 and 1: {ends}")
    concave = PaperStatement(f"{name}.concave", "pbr", f"{name}: the Bayes risk is concave")
    yield concave.assess(is_concave(name))
    rises = sign_on(derived.link[0], U_LEFT) < 0 < sign_on(derived.link[-1], U_RIGHT)
    greatest = PaperStatement(f"{name}.greatest", "pbr", f"{name}: the Bayes risk is greatest at 1/2")
    yield greatest.assess(rises)
    slopes = outer_limits(derived.link, derived.pieces)
    known = KnownErratum("link-infinite") if name in _INFINITE_LINKS else None
    finite = PaperStatement(f"{name}.link-finite", "predDT", f"{name}: a pure leaf has a finite prediction")
    bounded = all(bool(slope.is_finite) for slope in slopes)
    yield finite.assess(bounded, known=known, detail=f"limits at 0 and 1: {slopes}")


def _duality_claims(name: str) -> Iterator[Derivation]:
    """Yield that the expected surrogate at the canonical link is the Bayes risk.

    Paper: defLOSSGENR, defLOSSGENPROB.
    """
    derived, surrogate = forms(name), surrogate_expr(name)
    for link, risk, piece in zip(derived.link, derived.risk, derived.pieces, strict=True):
        expected = U * surrogate.subs(Z, link) + (1 - U) * surrogate.subs(Z, -link)
        claim = PaperStatement(
            f"{name}.duality[{piece.name}]",
            "defLOSSGENR",
            f"{name}: both views of the loss agree at the canonical link",
        )
        yield claim.compare(expected, risk, (piece,))
    if len(derived.pieces) > 1:
        plateau: Region = derived.lines[1]
        claim = PaperStatement(
            f"{name}.duality[u = 1/2]", "defLOSSGENR", f"{name}: so they do for every selection at u = 1/2"
        )
        yield claim.compare(
            HALF * (surrogate + surrogate.subs(Z, -Z)), bayes_risk_expr(name).subs(U, HALF), (plateau,)
        )


def _margin_loss_claims() -> Iterator[Derivation]:
    """Yield which named margin losses are conjugates of the un-normalised risks.

    Paper: defLOSSGENR.
    """
    too_much = Piecewise((HALF * (Z + HALF) ** 2, Z < -HALF), (HALF * (HALF - Z) ** 2, True))
    claim = PaperStatement(
        "square.margin-loss",
        "defLOSSGENR",
        "the square loss of the margin is the surrogate of the square loss",
    )
    lines = split_at(HALF)
    left, middle, right = (_surrogate_of(partial_losses.SQUARE, line) for line in lines)
    derived = Piecewise((right, Z < -HALF), (middle, Z <= HALF), (left, True))
    yield claim.compare(
        derived, printed.SQUARE_MARGIN_LOSS, lines, KnownErratum("square-surrogate", too_much)
    )
    logistic = PaperStatement(
        "log.margin-loss", "defLOSSGENR", "the logistic loss is the surrogate of the log loss"
    )
    derived = _surrogate_of(partial_losses.LOG, Z_LINE_LOG_RAW)
    yield logistic.compare(derived, printed.LOGISTIC_LOSS, (Z_LINE_LOG_RAW,))


def _surrogate_of(losses: PartialLosses, line: Region) -> Expr:
    """Return (-L)*(-z) of an un-normalised smooth risk, where -z lies in one interval."""
    risk = derive_risk(losses, SMOOTH)
    link = tuple(-diff(value, U) for value in risk)
    return maximise(risk, link, SMOOTH, line)[1].subs(Z, -Z)


def _perspective_claims() -> Iterator[Derivation]:
    """Yield (m + 1) L(1 / (m + 1)) of the normalised risks, which pins their normalisation.

    Paper: lemPhiProof.
    """
    for name, value in printed.PERSPECTIVES.items():
        claim = PaperStatement(
            f"{name}.perspective", "lemPhiProof", f"{name}: the perspective of the risk at (1, m + 1)"
        )
        yield claim.compare((M + 1) * bayes_risk_expr(name).subs(U, 1 / (M + 1)), value, (SIZES,))
