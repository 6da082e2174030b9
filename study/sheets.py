"""What all tables of the study share: rows of text for CSV and HTML, and how numbers are written."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .grid import CONTROL, EPSILONS, PRINTED, Learner

Array = NDArray[Any]

BOOSTED = (*PRINTED, Learner.SOUND, Learner.SOUND_NET)
SHOWN_EPSILONS = (CONTROL, *EPSILONS)
WINNERS = ("calibrated", "0.1", "1")
"""Alphas in the order of the paper's Table 1."""
TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: a file name, what it says, named columns, and rows of text."""

    name: str
    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def to_csv(self) -> bytes:
        """Return the table as CSV."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue().encode()


def shown_epsilon(epsilon: str) -> str:
    """Return an epsilon as it is shown."""
    return "→ 0" if epsilon == CONTROL else epsilon


def mean_and_error(means: Array) -> tuple[str, str]:
    """Return the mean of the errors of runs, and its standard error."""
    error = means.std(ddof=1) / np.sqrt(means.size) if means.size > 1 else np.nan
    return f"{means.mean():.2f}", f"{error:.2f}"
