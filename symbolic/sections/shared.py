"""Claims that the paper makes about several losses: symmetry, finiteness, properness, risk."""

from __future__ import annotations

from sympy import Eq, Expr, Piecewise, S

from privboost.symbolic.algebra.regions import ALPHA_INSIDE, HALF, Region, U
from privboost.symbolic.comparison import Derivation, KnownErratum, PaperStatement
from privboost.symbolic.derive import (
    check_properness,
    derive_risk,
    derive_risk_at_half,
    end_values,
    tie_excess,
)
from privboost.symbolic.partial_losses import PartialLosses

Pieces = tuple[Region, ...]


def symmetry_claim(losses: PartialLosses, regions: Pieces, known: KnownErratum | None = None) -> Derivation:
    """Compare l_1(u) with l_-1(1 - u).

    Paper: eqpartialloss, defMatsualpha.
    """
    claim = PaperStatement(f"{losses.name}.symmetric", losses.label, f"{losses.name}: l_1(u) = l_-1(1 - u)")
    return claim.compare(losses.plus, losses.minus.subs(U, 1 - U), regions, known)


def finiteness_claim(losses: PartialLosses, pieces: Pieces, known: KnownErratum | None = None) -> Derivation:
    """Decide whether the partial losses are real-valued on the closed interval [0, 1].

    Paper: eqpartialloss.
    """
    ends = [end_values(partial, piece) for partial in (losses.plus, losses.minus) for piece in pieces]
    claim = PaperStatement(
        f"{losses.name}.finite", "eqpartialloss", f"{losses.name}: partial losses are finite on [0, 1]"
    )
    finite = all(value.is_finite is not False for pair in ends for value in pair)
    return claim.assess(finite, known=known, detail=f"limits at the ends of its pieces: {ends}")


def properness_claims(
    losses: PartialLosses, pieces: Pieces, strict: bool | None = None, known: KnownErratum | None = None
) -> tuple[Derivation, ...]:
    """Decide whether u = pi minimises the expected loss, and whether it is the only minimiser.

    Paper: pbr, defMatsualpha. A known erratum can only explain a failure at pi = 1/2.
    """
    properness = check_properness(losses, pieces)
    known = known if properness.proper_elsewhere else None
    label = "pbr" if losses.label == "eqpartialloss" else losses.label
    factor = " and ".join(dict.fromkeys(map(str, properness.factor)))
    detail = f"d/du of the expected loss is (u - pi) times {factor}; excess at the tie: {properness.tie}"
    proper = PaperStatement(
        f"{losses.name}.proper", label, f"{losses.name}: the expected loss is least at u = pi"
    )
    claims = [proper.assess(properness.proper, known=known, detail=detail)]
    if strict is not None:
        alone = PaperStatement(
            f"{losses.name}.strict", label, f"{losses.name}: only u = pi is optimal, for every pi"
        )
        claims.append(alone.assess(properness.strict, printed=strict, known=known, detail=detail))
    return tuple(claims)


def tie_claim(losses: PartialLosses, pieces: Pieces, known: KnownErratum | None = None) -> Derivation:
    """Compare the expected loss of u = 1/2 at pi = 1/2 with its limit nearby; a proper loss has no excess.

    Paper: pbr, defMatsualpha.
    """
    statement = f"{losses.name}: at pi = 1/2, u = 1/2 costs no more than u near it"
    label = "pbr" if losses.label == "eqpartialloss" else losses.label
    claim = PaperStatement(f"{losses.name}.tie", label, statement)
    return claim.compare(tie_excess(losses, pieces), S.Zero, (ALPHA_INSIDE,), known)


def risk_of(losses: PartialLosses, pieces: Pieces) -> Expr:
    """Return the pointwise Bayes risk of partial losses, un-normalised, with its value at u = 1/2.

    Paper: pbr.
    """
    values = derive_risk(losses, pieces)
    if len(pieces) == 1:
        return values[0]
    middle = derive_risk_at_half(losses, pieces)
    return Piecewise((values[0], U < HALF), (middle, Eq(U, HALF)), (values[1], True))


def risk_claim(
    losses: PartialLosses, pieces: Pieces, printed: Expr, regions: Pieces, known: KnownErratum | None = None
) -> Derivation:
    """Compare the infimum of the expected loss with the printed Bayes risk.

    Paper: pbr, defMatsualpha.
    """
    label = "pbr" if losses.label == "eqpartialloss" else losses.label
    claim = PaperStatement(
        f"{losses.name}.risk", label, f"{losses.name}: the least expected loss is the printed Bayes risk"
    )
    return claim.compare(risk_of(losses, pieces), printed, regions, known)
