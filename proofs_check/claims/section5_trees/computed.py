"""The computations that `section5_trees.md` cites: function, arguments, and wrong ones."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.proofs import Computed

from .asymptotics import bound_stays_below
from .computations import (
    every_small_split_drops,
    full_levels,
    heaviest_leaf_fails,
    integral_of_reciprocal,
    printed_bound_at_root,
    printed_theorem_fails,
    splittable_theorem_fails,
)
from .greedy import greedy_theorem_fails

THBOOSTDT1 = Computed(
    printed_theorem_fails,
    ((9, 8, 83), Fraction(9, 10), Fraction(1), 74, Fraction(1, 22)),
    ((9, 8, 83), Fraction(9, 10), Fraction(1), 73, Fraction(1, 22)),
    engine="witness",
)
THBOOSTDT1_ALL_SPLITTABLE = Computed(
    splittable_theorem_fails,
    ((9, 8, 83), Fraction(9, 10), Fraction(1), 74, Fraction(1, 22)),
    ((9, 8, 83), Fraction(9, 10), Fraction(1), 73, Fraction(1, 22)),
    engine="witness",
)
THBOOSTDT1_GREEDY = Computed(
    greedy_theorem_fails, (60, 1561, Fraction(1, 1700)), (60, 1461, Fraction(1, 1700)), engine="witness"
)
THBOOSTDT1_SMALLER_ALPHA = Computed(
    printed_theorem_fails,
    ((18, 16, 166), Fraction(9, 10), Fraction(1, 2), 150, Fraction(1, 23)),
    ((18, 20, 166), Fraction(9, 10), Fraction(1, 2), 150, Fraction(1, 23)),
    engine="witness",
)
BOOSTCOND_INTEGRAL = Computed(integral_of_reciprocal, (0,), (1,), engine="derivation", trust=("sympy",))
BOOSTCOND = Computed(
    heaviest_leaf_fails,
    ((9, 8, 83), Fraction(1, 100), Fraction(9, 10), Fraction(9, 10)),
    ((9, 8, 83), Fraction(1, 100), Fraction(4, 5), Fraction(9, 10)),
    engine="witness",
)
BOOSTCOND_LEVEL_COUNT = Computed(full_levels, (6, 0), (6, 1), engine="exhaustion")
CONDR = Computed(
    bound_stays_below, (Fraction(3), Fraction(1, 10)), (Fraction(2), Fraction(1, 10)), trust=("z3",)
)
LEMBCONV = Computed(
    printed_theorem_fails,
    ((9, 8, 83), Fraction(9, 10), Fraction(1), 74, Fraction(1, 22)),
    ((9, 8, 83), Fraction(9, 10), Fraction(1), 70, Fraction(1, 22)),
    engine="witness",
)
EQCONV1C = Computed(
    printed_bound_at_root, (Fraction(1), Fraction(1)), (Fraction(0), Fraction(1)), engine="witness"
)
BOOST_LEAF_DROP_HALF = Computed(
    every_small_split_drops, (Fraction(1, 2),), (Fraction(3, 5),), engine="exhaustion"
)
