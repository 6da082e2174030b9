"""Sound chains of transformations of OpenDP 0.16.0 with drawn parameters, for `hostile.py sound --opendp`.

Constructors with a published mistake are left out: b-ary trees of arbitrary integers, resizing and bounded
metrics of ordered data, squared deviations of numbers that are nearly equal. Steps that shuffle or draw are
left out as well: two calls of such a step prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious")

SYMMETRIC, INSERT_DELETE = dp.symmetric_distance(), dp.insert_delete_distance()
FLOATS = dp.vector_domain(dp.atom_domain(T=float, nan=False))
WITH_NAN = dp.vector_domain(dp.atom_domain(T=float, nan=True))
INTEGERS = dp.vector_domain(dp.atom_domain(T=int))
STRINGS = dp.vector_domain(dp.atom_domain(T=str))


@dataclass(frozen=True, slots=True)
class Drawn:
    """Drawn parameters of a chain."""

    low: int
    high: int
    size: int
    metric: Any
    alpha: float

    @property
    def floats(self) -> tuple[float, float]:
        """Return the range as numbers that are no integers."""
        return self.low / 2, self.high / 2

    def domain_of(self, bounds: tuple[Any, Any]) -> Any:
        """Return the domain of vectors of the drawn size in a range."""
        nan = {"nan": False} if isinstance(bounds[0], float) else {}
        return dp.vector_domain(dp.atom_domain(bounds=bounds, **nan), size=self.size)


def _integer_sum(drawn: Drawn) -> Any:
    return (INTEGERS, drawn.metric) >> dp.t.then_clamp((drawn.low, drawn.high)) >> dp.t.then_sum()


def _histogram(drawn: Drawn) -> Any:
    edges = [float(edge) for edge in range(drawn.low, drawn.high + 1)]
    bins = list(range(len(edges) + 1))
    binned = (FLOATS, SYMMETRIC) >> dp.t.then_find_bin(edges)
    return binned >> dp.t.then_index(bins, -1) >> dp.t.then_count_by_categories(bins)


def _parsed_sum(drawn: Drawn) -> Any:
    parsed = (STRINGS, drawn.metric) >> dp.t.then_cast_default(TOA=int)
    return parsed >> dp.t.then_clamp((drawn.low, drawn.high)) >> dp.t.then_sum()


def _imputed_sum(drawn: Drawn) -> Any:
    imputed = (WITH_NAN, drawn.metric) >> dp.t.then_impute_constant(drawn.floats[0])
    return imputed >> dp.t.then_clamp(drawn.floats) >> dp.t.then_sum()


def _quantile(drawn: Drawn) -> Any:
    candidates = list(range(drawn.low, drawn.high + 1))
    return dp.t.make_quantile_score_candidates(INTEGERS, drawn.metric, candidates, drawn.alpha)


CHAINS: dict[str, Callable[[Drawn], Any]] = {
    "clamp": lambda drawn: (FLOATS, drawn.metric) >> dp.t.then_clamp(drawn.floats),
    "sum of integers": _integer_sum,
    "sum of floats": lambda drawn: (FLOATS, drawn.metric) >> dp.t.then_clamp(drawn.floats) >> dp.t.then_sum(),
    "sum of parsed strings": _parsed_sum,
    "sum after imputing": _imputed_sum,
    "sum of a fixed size": lambda drawn: dp.t.make_sum(
        drawn.domain_of((drawn.low, drawn.high)), drawn.metric
    ),
    "mean of a fixed size": lambda drawn: dp.t.make_mean(drawn.domain_of(drawn.floats), drawn.metric),
    "variance of a fixed size": lambda drawn: dp.t.make_variance(drawn.domain_of(drawn.floats), SYMMETRIC),
    "count": lambda _: (STRINGS, SYMMETRIC) >> dp.t.then_count(),
    "count of distinct": lambda _: (STRINGS, SYMMETRIC) >> dp.t.then_count_distinct(),
    "counts by string": lambda _: (STRINGS, SYMMETRIC) >> dp.t.then_count_by(),
    "counts of categories": lambda drawn: (
        (STRINGS, SYMMETRIC) >> dp.t.then_count_by_categories(list("abcdef"[: drawn.size]))
    ),
    "histogram": _histogram,
    "cast": lambda drawn: (STRINGS, drawn.metric) >> dp.t.then_cast_inherent(TOA=float),
    "without nulls": lambda drawn: (WITH_NAN, drawn.metric) >> dp.t.then_drop_null(),
    "is null": lambda drawn: (WITH_NAN, drawn.metric) >> dp.t.then_is_null(),
    "is equal": lambda drawn: (STRINGS, drawn.metric) >> dp.t.then_is_equal("a"),
    "scores of quantiles": _quantile,
}
"""Transformations by name."""


def opendp_chains(count: int, seed: int) -> Iterator[tuple[str, Any]]:
    """Yield transformations, each kind by turns, with their names."""
    random = Random(seed)
    for index in range(count):
        name = list(CHAINS)[index % len(CHAINS)]
        low = random.randint(-8, 4)
        high = low + random.randint(1, 12)
        metric = random.choice((SYMMETRIC, INSERT_DELETE))
        drawn = Drawn(low, high, random.randint(2, 12), metric, random.randint(1, 9) / 10)
        yield name, CHAINS[name](drawn)
