"""The computations that `section3_privacy.md` cites: function, arguments, and wrong ones."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.proofs import Computed

from .computations import (
    bounded_check,
    leak,
    opposite_leaves,
    spent_on_splits,
    two_leaves,
    uniform_noise,
)

DEFEDPRIV = Computed(uniform_noise, (Fraction(1, 2),), (Fraction(0),), engine="witness")
FIXALPHA_LEAK = Computed(leak, ("raw-alpha", "leaking"), ("raw-alpha", "closed"), engine="witness")
FIXEPSILON_TREE = Computed(spent_on_splits, (6, Fraction(1, 12)), (6, Fraction(1, 10)))
SEC_SOLV_TWO_PLACES = Computed(
    leak, ("raw-leverage", "leaking"), ("raw-leverage", "closed"), engine="witness"
)
SEC_SOLV_SOUND_SMALL = Computed(bounded_check, ("SOUND", 3), ("AS_PRINTED", 3), engine="exhaustion")
SEC_SOLV_LEAF_RANGE = Computed(opposite_leaves, (Fraction(10), 2), (Fraction(10), 1))
SEC_SOLV_LEAF_TWO = Computed(two_leaves, (Fraction(1, 8), 4), (Fraction(1, 8), 2))
