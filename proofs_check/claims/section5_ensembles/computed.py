"""The computations that `section5_ensembles.md` cites: function, arguments, and wrong ones."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.proofs import Computed

from .computations import (
    curvature_at_end,
    curvature_differs,
    curvature_is_printed_times,
    printed_run,
    supremum_is_not,
    weights_vanish,
)

WLAKMLC_NORMALISED = Computed(
    weights_vanish,
    (Fraction(0), (Fraction(3), Fraction(3))),
    (Fraction(1, 2), (Fraction(3), Fraction(3))),
    engine="witness",
)
THBOOSTLC1 = Computed(
    printed_run,
    (
        Fraction(4, 5),
        (Fraction(1), Fraction(1), Fraction(1), Fraction(-1)),
        32,
        Fraction(1, 5),
        Fraction(1, 2),
    ),
    (
        Fraction(4, 5),
        (Fraction(1), Fraction(1), Fraction(1), Fraction(-1)),
        31,
        Fraction(1, 5),
        Fraction(1, 2),
    ),
    engine="witness",
)
F_DER2_CURVATURE = Computed(
    curvature_differs,
    (Fraction(1, 2), Fraction(2)),
    (Fraction(1, 2), Fraction(0)),
    engine="witness",
    trust=("sympy",),
)
F_DER2_CURVATURE_CORRECTED = Computed(
    curvature_is_printed_times, (Fraction(1, 2),), (Fraction(1),), engine="derivation", trust=("sympy",)
)
F_DER2_ENDS_AT_ONE = Computed(
    curvature_at_end, (Fraction(1),), (Fraction(1, 2),), engine="witness", trust=("sympy",)
)
F_DER2_SUPREMUM = Computed(
    supremum_is_not, (Fraction(1, 2),), (Fraction(1, 4),), engine="witness", trust=("sympy",)
)
