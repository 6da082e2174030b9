"""The claims of the paper and our own, by section of the paper."""

from __future__ import annotations

from privboost.proofs_check.claims import (
    section2_losses,
    section3_perspectives,
    section3_privacy,
    section3_sensitivity,
    section4_m_alpha,
    section5_ensembles,
    section5_trees,
    section6_calibration,
    section7_experiments,
)

from . import misprints

SECTIONS = (
    section2_losses,
    section3_privacy,
    section3_sensitivity,
    section3_perspectives,
    section4_m_alpha,
    section5_trees,
    section5_ensembles,
    section6_calibration,
    section7_experiments,
)
MODULES = (*(module for section in SECTIONS for module in section.MODULES), misprints)
"""The modules whose `ENTRIES` make up the ledger, in the order of the paper."""
