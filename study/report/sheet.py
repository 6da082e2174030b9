"""A table of the report as strings for CSV and HTML, and the format of its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from privboost.study.grid import CONTROL, EPSILONS, FREE, PRINTED, Learner

from .results import Results

BOOSTED = (*PRINTED, Learner.SOUND, Learner.SOUND_NET)
SHOWN_EPSILONS = (CONTROL, *EPSILONS)
UNCONTROLLED = (FREE, *EPSILONS)
"""The budgets of the paper: no noise, and its values of epsilon, without the zero-budget control."""
ALPHA_RULES = ("calibrated", "0.1", "1")
"""Rules for alpha in the order of the paper's Table 1."""
TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: the name of its file, its title, a note, and named columns with rows of strings."""

    name: str
    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def to_csv(self) -> bytes:
        """Return the table as CSV."""
        csv: str = pd.DataFrame(self.rows, columns=self.columns).to_csv(index=False, lineterminator="\n")
        return csv.encode()


def shown_epsilon(epsilon: str) -> str:
    """Return an epsilon as tables and plots show it."""
    return "→ 0" if epsilon == CONTROL else epsilon


def mean_and_error(values: Any) -> tuple[str, str]:
    """Return the mean of a pandas series and its standard error, which is empty for a single value."""
    return f"{values.mean():.2f}", f"{values.sem():.2f}" if len(values) > 1 else ""


def error_over_repeats(runs: Results) -> tuple[str, str]:
    """Return the mean error of runs, and its standard error over repeats.

    Domains and sizes are fixed; only folds and noise are random, and they differ between repeats.
    """
    by_repeat = runs.frame.groupby("repeat", observed=True)["error"].mean()
    return f"{runs.means.mean():.2f}", mean_and_error(by_repeat)[1]
