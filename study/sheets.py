"""What all tables of the study share: rows of text for CSV and HTML, and how numbers are written."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .grid import CONTROL, EPSILONS, FREE, PRINTED, Learner
from .results import Results

Array = NDArray[Any]

BOOSTED = (*PRINTED, Learner.SOUND, Learner.SOUND_NET)
SHOWN_EPSILONS = (CONTROL, *EPSILONS)
UNCONTROLLED = (FREE, *EPSILONS)
"""What the paper has: without noise, and with it; not the zero-budget control."""
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


def mean_and_error(numbers: Array) -> tuple[str, str]:
    """Return the mean of numbers and its standard error, which is not known of a single one."""
    if not numbers.size:
        return "", ""
    error = f"{numbers.std(ddof=1) / np.sqrt(numbers.size):.2f}" if numbers.size > 1 else ""
    return f"{numbers.mean():.2f}", error


def error_over_repeats(runs: Results) -> tuple[str, str]:
    """Return the mean error of runs, and its standard error over repeats.

    Domains and sizes are what they are: only folds and noise are drawn, and they are other ones in a repeat.
    """
    repeat = np.unique(runs.column("repeat"), return_inverse=True)[1]
    by_repeat = np.bincount(repeat, runs.means) / np.bincount(repeat)
    return f"{runs.means.mean():.2f}", mean_and_error(by_repeat)[1]
