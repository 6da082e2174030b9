"""The computations that `section6_calibration.md` cites: function, arguments, and wrong ones."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.claims.section7_experiments.computations import INDEXED, check_reference
from privboost.proofs_check.proofs import Computed

from .computations import (
    check_alpha_rises,
    check_alpha_undefined,
    check_efficiency,
    check_small_gain,
    check_theorem_fails,
)

FIXALPHA = Computed(
    check_alpha_undefined,
    ((((0,), 1), ((0,), 1), ((0,), -1), ((1,), -1)),),
    ((((0,), 1), ((0,), 1), ((0,), 1), ((1,), -1)),),
    engine="witness",
)
FIXALPHA_RISES = Computed(
    check_alpha_rises,
    ((((0, 0), 1), ((0, 0), 1), ((0, 0), -1), ((0, 1), -1), ((1, 0), 1)),),
    ((((0, 0), 1), ((0, 0), 1), ((0, 0), 1), ((0, 1), -1), ((1, 0), 1)),),
    engine="witness",
)
CONDGAP_AT_LEAST_ONE = Computed(check_small_gain, (Fraction(1, 10000),), (Fraction(1),), engine="witness")
CONDGAP_EFFICIENCY = Computed(check_efficiency, (2, 3), (1, 9), engine="witness")
THBOOSTDP1 = Computed(check_theorem_fails, (40000, 100), (400, 100), engine="witness")
LEMPRELIM = Computed(check_small_gain, (Fraction(1, 10000),), (Fraction(1),), engine="witness")
F_GAPMODEL = Computed(check_small_gain, (Fraction(1, 10000),), (Fraction(1),), engine="witness")
EXPSPLIT2_THEOREM = Computed(
    check_reference, ("another kind", "eqBOOST11", 2205), ("another kind", "thBoostDT1", 2186), trust=INDEXED
)
