"""All derivations of the paper's statements about losses, in the order of the paper."""

from __future__ import annotations

from functools import cache

from .claims_appendix import appendix_claims
from .claims_losses import section_two_claims
from .claims_m_alpha import section_four_claims
from .derivation import Derivation
from .perspectives import perspective_claims


@cache
def derivations() -> tuple[Derivation, ...]:
    """Return every statement of Sections 2 to 4 about losses, and of their proofs, with its verdict."""
    return (*section_two_claims(), *perspective_claims(), *section_four_claims(), *appendix_claims())
