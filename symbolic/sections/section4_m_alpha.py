"""Section 4: derivations of the statements about the M-alpha loss, for 0 < alpha < 1 and at both ends."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import S, diff, sqrt

from privboost.symbolic import printed
from privboost.symbolic.algebra.certify import resolve
from privboost.symbolic.algebra.regions import (
    ALPHA,
    ALPHA_INSIDE,
    U_SPLIT,
    Z_LEFT,
    Z_LEFT_END,
    Z_ORIGIN,
    Z_PLATEAU_LEFT,
    Z_PLATEAU_RIGHT,
    Z_RIGHT,
    Z_RIGHT_END,
    Z_SPLIT,
    U,
    Z,
    split_at,
)
from privboost.symbolic.closed_forms import (
    bayes_risk_expr,
    inverse_link_expr,
    link_expr,
    surrogate_expr,
    weight_expr,
)
from privboost.symbolic.comparison import Derivation, KnownErratum, PaperStatement
from privboost.symbolic.derive import KINKED
from privboost.symbolic.partial_losses import M_ALPHA, M_ALPHA_AS_PRINTED

from .shared import finiteness_claim, properness_claims, risk_claim, risk_of, symmetry_claim, tie_claim

_FACTOR = "malpha-factor"
_ROOT = sqrt(U * (1 - U))
_AT_ONE = (Z_LEFT.at_alpha(1), Z_ORIGIN, Z_RIGHT.at_alpha(1))
_BELOW, _, _ABOVE = split_at(S(2))
_AT_ZERO = (_BELOW, Z_PLATEAU_LEFT.at_alpha(0), Z_ORIGIN, Z_PLATEAU_RIGHT.at_alpha(0), _ABOVE)


def section_four_claims() -> Iterator[Derivation]:
    """Yield every claim of Section 4 about the M-alpha loss, with its verdict."""
    yield from _definition_claims()
    yield from _risk_claims()
    yield from _figure_claims()
    yield from _end_claims()
    yield from _weight_claims()


def _definition_claims() -> Iterator[Derivation]:
    """Yield symmetry, finiteness and properness of the loss, as printed and corrected.

    Paper: defMatsualpha.
    """
    tie = "tie-at-half"
    yield symmetry_claim(M_ALPHA_AS_PRINTED, U_SPLIT)
    yield finiteness_claim(M_ALPHA_AS_PRINTED, KINKED, KnownErratum("range-extended"))
    yield from properness_claims(M_ALPHA_AS_PRINTED, KINKED, strict=True, known=KnownErratum(tie))
    yield tie_claim(M_ALPHA_AS_PRINTED, KINKED, KnownErratum(tie, ALPHA - 1))
    yield symmetry_claim(M_ALPHA, U_SPLIT)
    yield from properness_claims(M_ALPHA, KINKED, strict=True)
    yield tie_claim(M_ALPHA, KINKED)
    for value, known in ((0, KnownErratum(tie)), (1, None)):
        yield from properness_claims(
            M_ALPHA_AS_PRINTED.at_alpha(value), KINKED, strict=value > 0, known=known
        )
        yield from properness_claims(M_ALPHA.at_alpha(value), KINKED, strict=value > 0)


def _risk_claims() -> Iterator[Derivation]:
    """Yield the Bayes risk as printed and corrected, normalised or not, and at both ends of alpha."""
    risk = printed.M_ALPHA_RISK
    yield risk_claim(M_ALPHA_AS_PRINTED, KINKED, risk, U_SPLIT, KnownErratum(_FACTOR, -2 * ALPHA * _ROOT))
    yield risk_claim(M_ALPHA, KINKED, risk, U_SPLIT)
    for value, known in ((0, None), (1, KnownErratum(_FACTOR, -2 * _ROOT))):
        losses = M_ALPHA_AS_PRINTED.at_alpha(value)
        yield risk_claim(losses, KINKED, risk.subs(ALPHA, value), U_SPLIT, known)
    scaled = risk_of(M_ALPHA_AS_PRINTED, KINKED) / (1 + ALPHA)
    share = 2 * ALPHA * (1 - ALPHA) / (1 + ALPHA)
    claim = PaperStatement(
        "m_alpha_as_printed.normalised-risk", "defMatsualpha", "the risk is as printed once it is normalised"
    )
    excess = share * (printed.ZERO_ONE_RISK - _ROOT)
    yield claim.compare(scaled, risk, U_SPLIT, KnownErratum(_FACTOR, excess))
    mixture = ALPHA * bayes_risk_expr("matsushita") + (1 - ALPHA) * bayes_risk_expr("zero_one")
    claim = PaperStatement(
        "m_alpha.combination", "defMatsualpha", "the risk mixes the normalised Matsushita and 0/1 risks"
    )
    yield claim.compare(mixture, risk, U_SPLIT)
    claim = PaperStatement(
        "m_alpha.combination-section-two", "defMatsualpha", "so it does with the 0/1 risk of Section 2"
    )
    smaller = ALPHA * printed.MATSUSHITA_RISK + (1 - ALPHA) * printed.ZERO_ONE_RISK
    excess = (ALPHA - 1) * printed.ZERO_ONE_RISK
    yield claim.compare(mixture, smaller, U_SPLIT, KnownErratum("two-normalisations", excess))
    claim = PaperStatement(
        "m_alpha.risk-appendix", "theoremalpha", "the risk of the appendix is that of the body"
    )
    yield claim.compare(bayes_risk_expr("m_alpha"), printed.M_ALPHA_RISK_APPENDIX, U_SPLIT)


def _figure_claims() -> Iterator[Derivation]:
    """Yield link, inverse link and surrogate of the figure, for 0 < alpha < 1.

    Paper: f-alphaM, theoremalpha.
    """
    link, inverse = link_expr("m_alpha"), inverse_link_expr("m_alpha")
    least = PaperStatement(
        "m_alpha.link-least", "f-alphaM", "the least element of the link, on both sides and at the kink"
    )
    yield least.compare(link.lower, printed.LINK_LOWER, U_SPLIT)
    most = PaperStatement("m_alpha.link-greatest", "f-alphaM", "the greatest element of the link, likewise")
    yield most.compare(link.upper, printed.LINK_UPPER, U_SPLIT)
    single = PaperStatement(
        "m_alpha.inverse-link-single", "f-alphaM", "the inverse link is single-valued at the plateau's ends"
    )
    yield single.compare(inverse.lower, inverse.upper, (Z_LEFT_END, Z_RIGHT_END))
    solved = PaperStatement(
        "m_alpha.inverse-link", "f-alphaM", "the solution of link(u) = z, with the plateau"
    )
    yield solved.compare(inverse.lower, printed.INVERSE_LINK, Z_SPLIT)
    surrogate = PaperStatement(
        "m_alpha.surrogate", "f-alphaM", "the conjugate at -z, continuous at the plateau's ends"
    )
    yield surrogate.compare(surrogate_expr("m_alpha"), printed.SURROGATE, Z_SPLIT)


def _end_claims() -> Iterator[Derivation]:
    """Yield the figure at alpha = 1 and alpha = 0, against separate derivations of those losses.

    Paper: f-alphaM.
    """
    for name, value, lines in (("matsushita", 1, _AT_ONE), ("zero_one", 0, _AT_ZERO)):
        link, inverse = link_expr(name), inverse_link_expr(name)
        at = f"at alpha = {value}"
        claim = PaperStatement(f"{name}.link-figure", "f-alphaM", f"the figure's link {at}")
        yield claim.compare(link.lower, printed.LINK_LOWER.subs(ALPHA, value), U_SPLIT)
        claim = PaperStatement(f"{name}.inverse-link-figure", "f-alphaM", f"the figure's inverse link {at}")
        yield claim.compare(inverse.lower, printed.INVERSE_LINK.subs(ALPHA, value), lines)
        claim = PaperStatement(f"{name}.surrogate-figure", "f-alphaM", f"the figure's surrogate {at}")
        yield claim.compare(surrogate_expr(name), printed.SURROGATE.subs(ALPHA, value), lines)
    inverse = inverse_link_expr("zero_one")
    single = all((inverse.lower - inverse.upper).subs(Z, corner) == 0 for corner in (-2, 2))
    claim = PaperStatement(
        "zero_one.inverse-link-single",
        "f-alphaM",
        "at alpha = 0 the inverse link is single-valued at z = 2, -2",
    )
    detail = "at z = 2 every u in [1/2, 1] has 2 in its link, at z = -2 every u in [0, 1/2]"
    yield claim.assess(single, known=KnownErratum("inverse-at-zero-alpha"), detail=detail)


def _weight_claims() -> Iterator[Derivation]:
    """Yield density and point mass of the weight function.

    Paper: theoremalpha.
    """
    weight = weight_expr("m_alpha")
    for piece in KINKED:
        claim = PaperStatement(
            f"m_alpha.weight-density[{piece.name}]", "theoremalpha", "off 1/2 the weight is -L''"
        )
        curvature = -diff(resolve(printed.M_ALPHA_RISK_APPENDIX, piece), U, 2)
        yield claim.compare(weight.density, curvature, (piece,))
    ((position, mass),) = weight.atoms
    claim = PaperStatement(
        "m_alpha.weight-atom", "theoremalpha", f"the weight has no point mass at u = {position}"
    )
    yield claim.compare(mass, S.Zero, (ALPHA_INSIDE,), KnownErratum("weight-atom", 4 * (ALPHA - 1)))
