"""A statement of the paper beside its derivation, and the verdict that follows from their difference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sympy import Expr, S, false, true
from sympy.logic.boolalg import Boolean

from .certify import is_zero
from .normal_form import tidy
from .regions import Region

Verdict = Literal["AGREES", "ERRATUM", "DISAGREES"]


@dataclass(frozen=True, slots=True)
class KnownErratum:
    """Name a known mistake of the paper and say by how much the printed form is too large."""

    key: str
    excess: Expr = S.Zero


@dataclass(frozen=True, slots=True)
class Derivation:
    """Hold one statement: what we derive, what is printed, and whether they agree."""

    key: str
    label: str
    statement: str
    derived: Expr | Boolean
    printed: Expr | Boolean
    verdict: Verdict
    erratum: str | None
    detail: str


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
        regions: Iterable[Region],
        known: KnownErratum | None = None,
    ) -> Derivation:
        """Return the verdict on printed = derived, decided on each region.

        Ensures: ERRATUM only where the difference is the one that the known erratum states.
        """
        excess = printed - derived
        wrong = [region for region in regions if not is_zero(excess, region)]
        detail = "; ".join(f"{region.name}: printed - derived = {tidy(excess, region)}" for region in wrong)
        explained = known is not None and all(is_zero(excess - known.excess, region) for region in wrong)
        return self._conclude(derived, printed, not wrong, known if explained else None, detail)

    def assess(
        self, derived: bool, *, printed: bool = True, known: KnownErratum | None = None, detail: str = ""
    ) -> Derivation:
        """Return the verdict on a statement that holds or not."""
        outcome, claimed = (true if value else false for value in (derived, printed))
        return self._conclude(outcome, claimed, derived == printed, known, detail)

    def _conclude(
        self,
        derived: Expr | Boolean,
        printed: Expr | Boolean,
        agrees: object,
        known: KnownErratum | None,
        detail: str,
    ) -> Derivation:
        """Return the record of a comparison."""
        erratum = None if agrees or known is None else known.key
        verdict: Verdict = "AGREES" if agrees else "DISAGREES" if erratum is None else "ERRATUM"
        return Derivation(self.key, self.label, self.statement, derived, printed, verdict, erratum, detail)
