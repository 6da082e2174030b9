"""Compare a statement of the paper with its derivation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sympy import Expr, S, false, true
from sympy.logic.boolalg import Boolean
from sympy.polys.polyerrors import PolynomialError

from privboost.errors import HarnessError
from privboost.symbolic.algebra.certify import is_zero, resolve
from privboost.symbolic.algebra.normal_form import tidy
from privboost.symbolic.algebra.regions import Region

Verdict = Literal["AGREES", "ERRATUM", "DISAGREES"]


@dataclass(frozen=True, slots=True)
class KnownErratum:
    """A known mistake of the paper, and the difference between the printed form and the correct one."""

    key: str
    excess: Expr = S.Zero


@dataclass(frozen=True, slots=True)
class Derivation:
    """A statement in its derived and its printed form, and the verdict on their agreement."""

    key: str
    label: str
    statement: str
    derived: Expr | Boolean
    printed: Expr | Boolean
    verdict: Verdict
    erratum: str | None
    detail: str
    regions: tuple[Region, ...] = ()


@dataclass(frozen=True, slots=True)
class PaperStatement:
    """A statement of the paper: its key, its LaTeX label, and a description."""

    key: str
    label: str
    statement: str

    def compare(
        self, derived: Expr, printed: Expr, regions: tuple[Region, ...], known: KnownErratum | None = None
    ) -> Derivation:
        """Return the verdict on printed = derived, decided on each region.

        Ensures: ERRATUM only if the difference is that of the known erratum.
        """
        excess = printed - derived
        wrong = [region for region in regions if not is_zero(excess, region)]
        if known and not all(is_zero(excess - known.excess, region) for region in wrong):
            known = None
        detail = "; ".join(
            f"{region.name}: printed - derived = {_readable(excess, region)}" for region in wrong
        )
        return Derivation(
            self.key,
            self.label,
            self.statement,
            derived,
            printed,
            *_conclude(not wrong, known),
            detail,
            regions,
        )

    def assess(
        self, derived: bool, *, printed: bool = True, known: KnownErratum | None = None, detail: str = ""
    ) -> Derivation:
        """Return the verdict on a statement that is true or false."""
        outcome, claimed = (true if value else false for value in (derived, printed))
        return Derivation(
            self.key,
            self.label,
            self.statement,
            outcome,
            claimed,
            *_conclude(derived == printed, known),
            detail,
        )


def _conclude(agrees: bool, known: KnownErratum | None) -> tuple[Verdict, str | None]:
    """Return the verdict, and the key of the erratum if the verdict is ERRATUM."""
    if agrees:
        return "AGREES", None
    return ("ERRATUM", known.key) if known else ("DISAGREES", None)


def _readable(expression: Expr, region: Region) -> Expr:
    """Return an expression in the variables of the paper, in normal form if possible."""
    try:
        return tidy(expression, region)
    except (HarnessError, PolynomialError):
        return resolve(expression, region)
