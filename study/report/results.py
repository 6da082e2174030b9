"""The outcomes of a store as a pandas table with one row per run; errors are in percent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from privboost.errors import UsageError
from privboost.fast.arrays import Array
from privboost.study.grid import CHOICES, FOLDS, FREE, MAIN_BOUND, MAIN_VALUES, NAMES
from privboost.study.store import DomainRecord, Store

FOLD_COLUMNS = [f"fold {fold}" for fold in range(FOLDS)]
MEASURES = ["error", "leaves", "depths", *FOLD_COLUMNS]


@dataclass(frozen=True)
class Results:
    """A selection of runs, a run being a configuration with its ten folds.

    `frame` has a categorical column for every choice of a configuration, the mean `error` over folds, the
    mean number of `leaves` and the mean depth (`depths`) of its trees, and the error of each fold.
    """

    frame: Any
    domains: tuple[DomainRecord, ...]

    @classmethod
    def of(cls, store: Store, progress: Callable[[int, int], None] | None = None) -> Results:
        """Return all runs of a store; `progress` is called with the numbers of runs read and of all."""
        domains = tuple(store.domains())
        outcomes, count = [], len(store.keys())
        for outcome in store.outcomes():
            outcomes.append(outcome)
            if progress is not None:
                progress(len(outcomes), count)
        if not outcomes:
            raise UsageError("store: expected outcomes, got none; run `privboost study run` first")
        frame = pd.DataFrame([o.configuration.key.split("/") for o in outcomes], columns=list(NAMES))
        sizes = {record.name: record.fold_sizes for record in domains}
        mistakes = np.array([o.mistakes for o in outcomes], dtype=np.float64)
        errors = 100 * mistakes / np.array([sizes[name] for name in frame["domain"]])
        repeats = tuple(sorted(set(frame["repeat"])))
        for name, categories in {**CHOICES, "domain": tuple(sizes), "repeat": repeats}.items():
            frame[name] = pd.Categorical(frame[name], categories, ordered=True)
        frame["error"] = errors.mean(axis=1)
        frame["leaves"] = [o.leaves for o in outcomes]
        frame["depths"] = [o.depth for o in outcomes]
        return cls(frame.join(pd.DataFrame(errors, columns=FOLD_COLUMNS)), domains)

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def means(self) -> Array:
        """Return the mean error over folds of every run."""
        return np.asarray(self.frame["error"])

    @property
    def leaves(self) -> Array:
        """Return the mean number of leaves of every run."""
        return np.asarray(self.frame["leaves"])

    @property
    def depths(self) -> Array:
        """Return the mean depth of every run."""
        return np.asarray(self.frame["depths"])

    def where(self, **choices: str | Iterable[str]) -> Results:
        """Return the runs whose choices have one of the given values."""
        frame = self.frame
        for name, values in choices.items():
            allowed = [values] if isinstance(values, str) else values
            frame = frame[frame[name].isin([str(value) for value in allowed])]
        return replace(self, frame=frame)

    @property
    def main(self) -> Results:
        """Return the runs of the part of its grid that the paper reports."""
        return self.where(values=MAIN_VALUES, bound=(MAIN_BOUND, FREE))

    def present(self, name: str) -> list[str]:
        """Return the values that a choice takes, in the order of tables."""
        return list(self.frame[name].cat.remove_unused_categories().cat.categories)

    def groups(self, *names: str) -> Iterator[tuple[tuple[str, ...], Results]]:
        """Yield the values of some choices and the runs that have them, in the order of tables."""
        for values, frame in self.frame.groupby(list(names), observed=True):
            yield values, replace(self, frame=frame)

    def balance(self, name: str, values: Sequence[str]) -> Results:
        """Return the runs that exist for all `values` of a choice, with all other choices equal."""
        runs = self.where(**{name: values})
        others = [other for other in NAMES if other != name]
        counts = runs.frame.groupby(others, observed=True)[name].transform("size")
        return replace(self, frame=runs.frame[counts == len(values)])

    def over_repeats(self) -> Results:
        """Return one run per configuration, the mean over its repeats, without a column `repeat`."""
        others = [name for name in NAMES if name != "repeat"]
        merged = self.frame.groupby(others, observed=True, as_index=False)[MEASURES].mean()
        return replace(self, frame=merged)
