"""Choose the flags of a case that could explain a wrong answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from privboost.gate.checks.comparing import (
    LOGARITHMS,
    NEARLY,
    RATIOS,
    float_of,
    is_about,
    is_single_precision,
    read_end,
)
from privboost.gate.protocol.wire import read_number
from privboost.gate.vectors.files import is_number

SCALED_OPERATIONS = ("bayes_risk", "partial_loss", "link", "perspective")
"""Operations whose results are proportional to the unit of the logarithm and to the normalisation."""
BASES, SIGNS = ("log-base",), ("score-sign", "margin-sign", "symmetry")
FACTORS = ("factor-two", "exchange-two", "normalisation")
"""Flags of mistakes that change a whole number by a factor: of a logarithm, of -1, and others."""


def plausible_flags(
    flags: Sequence[str], op: str, args: Mapping[str, Any], expected: Any, result: Any
) -> list[str]:
    """Return the flags of the mistakes that could explain a wrong result, those that fit it best first."""
    if op == "sensitivity" and args["rule"] == "printed":
        # The printed rule has no w_bar.
        flags = ("printed-root", *(flag for flag in flags if flag != "weight-bound"))
    if not is_number(expected):
        return list(flags)
    exact, value = read_end(expected), read_number(result)
    is_finite = isinstance(value, Fraction) or math.isfinite(value)
    has_ratio = isinstance(exact, Fraction) and exact != 0 and is_finite
    ratio = float_of(Fraction(value) / Fraction(exact)) if has_ratio else math.nan
    is_scaled, is_factor = op in SCALED_OPERATIONS, any(is_about(ratio, factor) for _, factor in RATIOS)
    unfit: set[str] = set()
    if has_ratio and abs(ratio - 1) < NEARLY:
        # The complaint names single precision, or a small term; hints about the whole would mislead.
        if is_single_precision(Fraction(value)):
            return []
        unfit.update(BASES, SIGNS, FACTORS)
    if is_scaled and not any(is_about(ratio, base) for base in LOGARITHMS):
        unfit.add("log-base")
    if is_scaled and not is_factor:
        unfit.add("normalisation")
    # After an overflow or underflow, a number is not a simple multiple of the right one.
    if is_factor or (is_scaled and abs(ratio) > 0):
        unfit |= {"tiny", "huge", "ulp-near-zero"}
    telling = _telling_flags(ratio)
    return sorted((flag for flag in flags if flag not in unfit), key=lambda flag: flag not in telling)


def _telling_flags(ratio: float) -> tuple[str, ...]:
    """Return the flags of the mistakes that change a number by a factor."""
    if any(is_about(ratio, base) for base in LOGARITHMS):
        return BASES
    if is_about(ratio, -1.0):
        return SIGNS
    is_factor = any(is_about(ratio, factor) for _, factor in RATIOS)
    return FACTORS if is_factor else ()
