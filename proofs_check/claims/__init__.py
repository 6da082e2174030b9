"""The claims of the paper, section by section, and ours."""

from __future__ import annotations

from . import (
    boosting_ensembles,
    boosting_trees,
    calibration,
    definitions,
    experiments,
    m_alpha,
    perspectives,
    privacy,
    sensitivity_cases,
    sensitivity_lemmas,
    sharp,
    structure,
)

MODULES = (
    definitions,
    privacy,
    sensitivity_lemmas,
    sensitivity_cases,
    perspectives,
    sharp,
    m_alpha,
    boosting_trees,
    boosting_ensembles,
    calibration,
    experiments,
    structure,
)
"""The modules whose `ENTRIES` make up the ledger, in the order of the paper."""
