"""Sections 2, 3 and 6: privacy, and the releases and leaks of private splits and ensembles."""

from __future__ import annotations

from . import definitions, releases, splits

MODULES = (definitions, splits, releases)

INPUTS = (
    "B D M T a alpha b b2 c c1 c2 d e e1 e2 f f1 f2 g h h2 k k1 k2 m n p p1 p2 q q1 q2 r s t u v w w1 w2 "
    "x y z"
)
"""The symbols on which a claim may put conditions: data, parameters, an arbitrary point."""
