"""The definitions of losses in Sections 2 and 4 of the paper, in exact arithmetic."""

from __future__ import annotations

from .definition import enclose_bayes_risk, enclose_conjugate
from .errata import ERRATA
from .forms import (
    Selection,
    bayes_risk,
    conjugate,
    expected_loss,
    inverse_link,
    link,
    partial_loss,
    perspective,
    select,
    surrogate,
    surrogate_curvature,
    surrogate_slope,
    weight,
)
from .logarithmic import LOG
from .loss import Loss
from .m_alpha import MATSUSHITA, ZERO_ONE, ZERO_ONE_AS_PRINTED, m_alpha, m_alpha_as_printed
from .predicates import check_fair, check_normalised, check_proper, check_strictly_proper, check_symmetric
from .square import SQUARE

__all__ = [
    "ERRATA",
    "LOG",
    "MATSUSHITA",
    "SQUARE",
    "ZERO_ONE",
    "ZERO_ONE_AS_PRINTED",
    "Loss",
    "Selection",
    "bayes_risk",
    "check_fair",
    "check_normalised",
    "check_proper",
    "check_strictly_proper",
    "check_symmetric",
    "conjugate",
    "enclose_bayes_risk",
    "enclose_conjugate",
    "expected_loss",
    "inverse_link",
    "link",
    "m_alpha",
    "m_alpha_as_printed",
    "partial_loss",
    "perspective",
    "select",
    "surrogate",
    "surrogate_curvature",
    "surrogate_slope",
    "weight",
]
