"""The book of claims: a text file for each section of the paper, and folders with what is computed for it.

`book.sections` says how a file is written.
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
    "misprints",
)
"""The files, in the order of the paper; the last has the misprints of all of it."""
