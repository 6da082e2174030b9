"""Section 6: objective calibration, Theorem thBOOSTDP1, its proof and its correction."""

from __future__ import annotations

from . import bounds, corrected, gap, mechanism, probability, proof, sequence, split, theorem

MODULES = (mechanism, gap, theorem, corrected, proof, split, sequence, bounds, probability)

INPUTS = (
    "a alpha alpha2 b best beta bound c child count count0 count1 delta depth depth2 efficiency eps err "
    "err1 err2 eta exponent factor fat first gain gamma greater high k kappa l1 l2 leaf leaf_e leaf_m left "
    "lesser log_rho low m mean minority minus minus1 minus2 mu n number p p1 p2 parent plus plus1 plus2 "
    "polylog power power2 q r rate rest rest_m rho right root s same scale second sens share share2 size "
    "slim spend sum_y t tau tests tests2 trees u u2 unit unsure v w w2 weight weight0 weight1 whole worse "
    "x xi xi2 y z"
)
"""The symbols on which a claim may put conditions: data, parameters, an arbitrary point."""
