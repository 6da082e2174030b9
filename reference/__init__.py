"""A literal implementation of the paper in exact arithmetic, with the standard library only."""

from __future__ import annotations

from privboost.reference.exact import (
    INFINITY,
    ClosedInterval,
    Enclosure,
    Surd,
    decimal,
    enclose,
    exp,
    log,
    sqrt,
)
from privboost.reference.losses import (
    LOG,
    MATSUSHITA,
    SQUARE,
    ZERO_ONE,
    bayes_risk,
    conjugate,
    enclose_bayes_risk,
    inverse_link,
    link,
    m_alpha,
    partial_loss,
    perspective,
    surrogate,
)

__all__ = [
    "INFINITY",
    "LOG",
    "MATSUSHITA",
    "SQUARE",
    "ZERO_ONE",
    "ClosedInterval",
    "Enclosure",
    "Surd",
    "bayes_risk",
    "conjugate",
    "decimal",
    "enclose",
    "enclose_bayes_risk",
    "exp",
    "inverse_link",
    "link",
    "log",
    "m_alpha",
    "partial_loss",
    "perspective",
    "sqrt",
    "surrogate",
]
