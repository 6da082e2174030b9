"""All derivations, in the order of the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from privboost.symbolic.sections.appendix import appendix_claims
from privboost.symbolic.sections.section2_losses import section_two_claims
from privboost.symbolic.sections.section3_perspectives import perspective_claims
from privboost.symbolic.sections.section4_m_alpha import section_four_claims

from .comparison import Derivation

SECTIONS = (section_two_claims, perspective_claims, section_four_claims, appendix_claims)


@cache
def derive_section(section: Callable[[], Sequence[Derivation]]) -> tuple[Derivation, ...]:
    """Return the verdict on every statement of a section."""
    return tuple(section())


@cache
def derivations() -> tuple[Derivation, ...]:
    """Return the verdict on every statement about losses in Sections 2 to 4 and in their proofs."""
    return tuple(derivation for section in SECTIONS for derivation in derive_section(section))
