"""Predictions at which the M-alpha loss and its link are infinite."""

from __future__ import annotations

from fractions import Fraction

from privboost.proofs_check.kernel.certificates import Rejected
from privboost.reference.exact import INFINITY
from privboost.reference.losses import link, m_alpha, m_alpha_as_printed, partial_loss


def infinite_loss(label: int, prediction: Fraction) -> str:
    """Show that a printed partial loss is infinite at alpha = 1/2."""
    value = partial_loss(m_alpha_as_printed(Fraction(1, 2)), label, prediction)
    if value != INFINITY:
        raise Rejected(f"the loss is {value}")
    return f"alpha = 1/2: the partial loss of label {label} at u = {prediction} is infinite"


def infinite_link(alpha: Fraction, prediction: Fraction) -> str:
    """Show that the link at a prediction is infinite."""
    values = link(m_alpha(alpha), prediction)
    if not {values.lo, values.hi} & {INFINITY, -INFINITY}:
        raise Rejected(f"the link is {values}")
    return f"alpha = {alpha}: the link at u = {prediction} is {values}"
