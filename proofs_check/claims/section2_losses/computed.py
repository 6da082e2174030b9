"""The computations that `section2_losses.md` cites: function, arguments, and wrong ones."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.proofs import Computed

from .computations import (
    empty_leaf,
    improper,
    infinite_link,
    infinite_partial,
    root_depth,
    straight_surrogate,
    vanishing_risk,
)

SEC_DEF_DEPTH_ROOT = Computed(root_depth, ((),), ((0,),))
PBR_NORMALISE = Computed(vanishing_risk, (Fraction(0),), (Fraction(1),), engine="witness")
EQPARTIALLOSS_REAL = Computed(
    infinite_partial, ("log", 1, Fraction(0)), ("square", 1, Fraction(0)), engine="witness"
)
PBR_ZERO_ONE_PROPER = Computed(
    improper, ("zero_one_in_u", Fraction(1, 2)), ("zero_one", Fraction(1, 2)), engine="witness"
)
DEFLOSSGENPROB_PROPORTION = Computed(empty_leaf, (1,), (0,), engine="witness")
PREDDT = Computed(
    infinite_link, ("matsushita", Fraction(0)), ("matsushita", Fraction(1, 2)), engine="witness"
)
DEFLOSSGENR_SQUARE = Computed(
    straight_surrogate, ("square", (-4, -5, -6)), ("square", (0, 1, 2)), engine="witness"
)
