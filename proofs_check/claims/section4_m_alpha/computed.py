"""The computations that `section4_m_alpha.md` cites: function, arguments, and wrong ones."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.proofs import Computed

from .computations import infinite_link, infinite_loss

DEFMATSUALPHA_RANGE = Computed(infinite_loss, (-1, Fraction(1)), (-1, Fraction(1, 2)), engine="witness")
THEOREMALPHA_LINK_ENDS_LITERAL = Computed(
    infinite_link, (Fraction(1, 2), 0), (Fraction(1, 2), Fraction(1, 2)), engine="witness"
)
