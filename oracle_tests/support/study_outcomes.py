"""Artificial outcomes of the study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from privboost.study.grid import FREE, Configuration, Learner
from privboost.study.outcome import FoldErrors
from privboost.study.report.results import Results
from privboost.study.store import DomainRecord, Store

USUAL = Configuration("a", Learner.SOUND, "10", "2", "20", "1", "1", beta_tree="0.5", bound="10")
"""A configuration with ten values, depth two, twenty trees, alpha = 1 and epsilon = 1."""
FOREST = {"alpha": FREE, "beta_tree": FREE, "bound": FREE, "trees": "21"}
"""The choices of a forest."""
MAJORITY = 0.4
"""The error of a constant on every domain."""


def outcome(learner: Learner, wrong: int | tuple[int, ...], **chosen: str) -> FoldErrors:
    """Return an outcome with given numbers of mistakes, out of 100 rows in every fold."""
    counts = (wrong,) * 10 if isinstance(wrong, int) else wrong
    return FoldErrors(replace(USUAL, learner=learner, **chosen), counts, 4.0, 2.0, 0.1)


def results_of(folder: Path, outcomes: list[FoldErrors], fingerprint: str = "0") -> Results:
    """Return the results of a store with some outcomes and their domains."""
    with Store.for_run(folder / "store", 0) as store:
        for name in dict.fromkeys(o.configuration.domain for o in outcomes):
            store.keep_domain(DomainRecord(name, fingerprint, 1000, 3, MAJORITY, (100,) * 10))
        store.add(outcomes)
        return Results.of(store)
