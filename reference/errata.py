"""All errata of the paper that the reference knows, in the order of its sections."""

from __future__ import annotations

from .erratum import Erratum, Witness
from .learners.errata import LEARNER_ERRATA
from .losses.errata import ERRATA as LOSS_ERRATA

ERRATA: tuple[Erratum, ...] = (*LOSS_ERRATA, *LEARNER_ERRATA)

__all__ = ["ERRATA", "Erratum", "Witness"]
