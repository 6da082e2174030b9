"""A statement of the paper beside its derivation, and the verdict that follows from their difference."""

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
    """Name a known mistake of the paper and say by how much the printed form is too large."""

    key: str
    excess: Expr = S.Zero


@dataclass(frozen=True, slots=True)
class Derivation:
    """Hold one statement: what we derive, what is printed, whether they agree, and where that was decided."""

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
class Claim:
    """Name a statement of the paper: our key, its label there, our words."""

    key: str
    label: str
    statement: str

    def compare(
        self,
        derived: Expr,
        printed: Expr,
        regions: tuple[Region, ...],
        known: KnownErratum | None = None,
    ) -> Derivation:
        """Return the verdict on printed = derived, decided on each region.

        Ensures: ERRATUM only where the difference is the one that the known erratum states.
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
        """Return the verdict on a statement that holds or not."""
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
    """Return the verdict, and the key of the erratum where that is the verdict."""
    if agrees:
        return "AGREES", None
    return ("ERRATUM", known.key) if known else ("DISAGREES", None)


def _readable(expression: Expr, region: Region) -> Expr:
    """Return an expression in the paper's variables, in normal form where there is one."""
    try:
        return tidy(expression, region)
    except (HarnessError, PolynomialError):
        return resolve(expression, region)
