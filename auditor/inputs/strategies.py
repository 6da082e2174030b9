"""Hypothesis strategies of data sets: rows that they draw, and how many of them."""

from __future__ import annotations

from typing import Any

from privboost.extras import demand, is_installed

from .options import refuse

EXAMPLES = 200
"""Number of data sets that are drawn from a strategy."""
MOST_DISTINCT = 1000
"""Greatest number of distinct rows of them that are used."""


def is_strategy(value: Any) -> bool:
    """Return whether an object is a Hypothesis strategy."""
    if not is_installed("hypothesis"):
        return False
    from hypothesis.strategies import SearchStrategy

    return isinstance(value, SearchStrategy)


def draw_datasets(strategy: Any) -> list[list[Any]]:
    """Return data sets that a strategy draws, the same ones on every call.

    Ensures: MissingExtraError without Hypothesis; UsageError if the strategy draws anything but lists.
    """
    demand("an input that is a strategy", "hypothesis")
    import hypothesis

    datasets: list[Any] = []

    @hypothesis.seed(0)
    @hypothesis.settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def collect(dataset: Any) -> None:
        datasets.append(dataset)

    collect()
    wrong = next((dataset for dataset in datasets if not isinstance(dataset, list | tuple)), None)
    if wrong is not None:
        raise refuse(
            "a strategy of lists of rows, such as lists(floats(0, 1))", f"{type(wrong).__name__} {wrong!r}"
        )
    return [list(dataset) for dataset in datasets]
