"""The claims of the paper and our own, by section of the paper.

Each section names its `MODULES`, whose `ENTRIES` are in the ledger, and declares its `SYMBOLS`.
"""

from __future__ import annotations

SECTIONS = (
    "section2_losses",
    "section3_privacy",
    "section3_sensitivity",
    "section3_perspectives",
    "section4_m_alpha",
    "section5_trees",
    "section5_ensembles",
    "section6_calibration",
    "section7_experiments",
)
"""The sections, in the order of the paper; the misprints are a module of their own."""
