"""All errata that the reference demonstrates, in the order of the paper's sections."""

from __future__ import annotations

from privboost.reference.learners.errata import LEARNER_ERRATA
from privboost.reference.losses.errata import ERRATA as LOSS_ERRATA

from .erratum import Erratum, Witness

ERRATA: tuple[Erratum, ...] = (*LOSS_ERRATA, *LEARNER_ERRATA)

__all__ = ["ERRATA", "Erratum", "Witness"]
