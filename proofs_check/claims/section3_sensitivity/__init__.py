"""Section 3, Theorem th3P: the sensitivity of every Bayes risk, and the cases of its proof."""

from __future__ import annotations

from . import (
    bounds,
    cases,
    cases_flip,
    cases_negative,
    cases_negative_first,
    cases_positive,
    cases_positive_low,
    lemmas,
    theorem,
)

MODULES = (
    theorem,
    lemmas,
    bounds,
    cases,
    cases_flip,
    cases_positive_low,
    cases_positive,
    cases_negative_first,
    cases_negative,
)
