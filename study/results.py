"""Outcomes as arrays: errors of all folds, and the choices of every run to select by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.errors import UsageError

from .grid import NAMES
from .store import DomainRecord, Store

Array = NDArray[Any]


@dataclass(frozen=True)
class Runs:
    """All runs: for each choice its values and which of them a run has, and what came out."""

    values: tuple[tuple[str, ...], ...]
    codes: Array
    errors: Array
    leaves: Array
    depths: Array


@dataclass(frozen=True)
class Results:
    """Some of the runs, a run being a configuration with its ten folds; errors are in percent."""

    runs: Runs
    places: Array
    domains: tuple[DomainRecord, ...]

    @classmethod
    def of(cls, store: Store) -> Results:
        """Return all outcomes of a store."""
        domains = store.domains()
        sizes = {record.name: np.array(record.fold_sizes) for record in domains}
        outcomes = list(store.outcomes())
        if not outcomes:
            raise UsageError("store: expected outcomes, found none; run `privboost study run` first")
        texts = np.array([outcome.configuration.key.split("/") for outcome in outcomes])
        coded = [np.unique(column, return_inverse=True) for column in texts.T]
        wrong = np.array([outcome.wrong for outcome in outcomes], dtype=np.float64)
        of = np.array([sizes[outcome.configuration.domain] for outcome in outcomes])
        runs = Runs(
            tuple(tuple(values.tolist()) for values, _ in coded),
            np.array([codes for _, codes in coded]),
            100 * wrong / of,
            np.array([outcome.leaves for outcome in outcomes]),
            np.array([outcome.depth for outcome in outcomes]),
        )
        return cls(runs, np.arange(len(outcomes)), tuple(domains))

    def __len__(self) -> int:
        return int(self.places.size)

    @cached_property
    def errors(self) -> Array:
        """Return the error of every run and fold."""
        return self.runs.errors[self.places]

    @cached_property
    def means(self) -> Array:
        """Return the mean error over folds of every run."""
        found: Array = self.errors.mean(axis=1)
        return found

    @cached_property
    def leaves(self) -> Array:
        """Return the mean number of leaves of every run."""
        return self.runs.leaves[self.places]

    @cached_property
    def depths(self) -> Array:
        """Return the mean depth of every run."""
        return self.runs.depths[self.places]

    def where(self, **wanted: str | Iterable[str]) -> Results:
        """Return the runs whose choices are among the wanted ones."""
        places = self.places
        for name, values in wanted.items():
            choice = NAMES.index(name)
            allowed = {values} if isinstance(values, str) else set(values)
            kept = np.array([value in allowed for value in self.runs.values[choice]])
            places = places[kept[self.runs.codes[choice, places]]]
        return replace(self, places=places)

    def selected(self, numbers: Array) -> Results:
        """Return some of these runs, by number."""
        return replace(self, places=self.places[numbers])

    def present(self, name: str, order: Sequence[str] = ()) -> list[str]:
        """Return the values that a choice takes, in a given order and then by name."""
        choice = NAMES.index(name)
        codes = np.unique(self.runs.codes[choice, self.places])
        found = {self.runs.values[choice][code] for code in codes}
        return [value for value in order if value in found] + sorted(found - set(order))

    def column(self, name: str) -> Array:
        """Return a number for every run that says its value of one choice."""
        found: Array = self.runs.codes[NAMES.index(name), self.places]
        return found

    def keys(self, *without: str) -> Array:
        """Return a number for every run that says all its choices but some."""
        found = np.zeros(len(self), dtype=np.int64)
        for choice, name in enumerate(NAMES):
            if name not in without:
                found = found * len(self.runs.values[choice]) + self.runs.codes[choice, self.places]
        return found

    def over_repeats(self) -> Results:
        """Return one run for every configuration: the mean over its repeats."""
        _, first, group = np.unique(self.keys("repeat"), return_index=True, return_inverse=True)
        counts = np.bincount(group)
        errors = np.zeros((first.size, self.errors.shape[1]))
        np.add.at(errors, group, self.errors)
        runs = Runs(
            self.runs.values,
            self.runs.codes[:, self.places[first]],
            errors / counts[:, None],
            np.bincount(group, self.leaves) / counts,
            np.bincount(group, self.depths) / counts,
        )
        return replace(self, runs=runs, places=np.arange(first.size))


def shared(runs: Sequence[Results], without: Sequence[str]) -> list[Results]:
    """Return, of each of several results, the runs that all of them have but for some choices."""
    both = reduce(np.intersect1d, [found.keys(*without) for found in runs])
    return [found.selected(np.flatnonzero(np.isin(found.keys(*without), both))) for found in runs]


def joined(parts: Sequence[Results]) -> Results:
    """Return the runs of several parts of the same results together."""
    return replace(parts[0], places=np.sort(np.concatenate([part.places for part in parts])))


def matched(one: Results, other: Results, without: Sequence[str]) -> tuple[Results, Results]:
    """Return the runs of two results that agree in all choices but some, side by side."""
    place = {key: number for number, key in enumerate(other.keys(*without).tolist())}
    found = np.array([place.get(key, -1) for key in one.keys(*without).tolist()], dtype=np.int64)
    return one.selected(np.flatnonzero(found >= 0)), other.selected(found[found >= 0])
