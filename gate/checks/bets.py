"""Bets on draws that each have a law of their own, multiplied over all draws.

`RivalBets` bet on the laws of known mistakes. A bet is also placed on parts of the draws alone, such as later
trees, because a mistake may concern only them. `LearningBet` learns from earlier draws which cells come too
often. A bet uses only what is known before the draw, so that its wealth has the mean 1 for a correct sampler,
and so has the mean of all wealths, the bets that were never placed included.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .evidence import ROUNDING, Evidence, shows_dependence

Floats = NDArray[np.float64]

CAUTION = 8.0
"""Number of draws as expected that a learning bet pretends to have seen."""
LEAST = 1e-12
"""Added to probabilities, as a bound on their absolute errors."""


class RivalBets:
    """Bets on several rival laws, each on several parts of the draws."""

    def __init__(self, rivals: Sequence[str], parts: Sequence[str]) -> None:
        self.rivals, self.parts = tuple(rivals), tuple(parts)
        self._index = {part: index for index, part in enumerate(self.parts)}
        self._log_wealth: dict[str, Floats] = {"": np.zeros((len(self.rivals), len(self.parts)))}
        """The wealth of every bet on every part, by request."""
        self._counts = [0] * len(self.parts)

    def add(self, chance: float, rival_chances: Floats, parts: Sequence[str], request: str) -> None:
        """Bet on one draw of a request, given its probability by the law and by every rival."""
        wealth = self._log_wealth.setdefault(request, np.zeros((len(self.rivals), len(self.parts))))
        with np.errstate(divide="ignore"):
            ratios = np.log(rival_chances) - math.log(chance + LEAST) - ROUNDING
        for part in parts:
            wealth[:, self._index[part]] += ratios
            self._counts[self._index[part]] += 1

    def wealths(self, sentence: str) -> list[Evidence]:
        """Return the evidence of every bet; `sentence` has places for the part and the rival."""
        requests, wealths = list(self._log_wealth), np.array(list(self._log_wealth.values()))
        total, most = wealths.sum(axis=0), wealths.argmax(axis=0)
        return [
            Evidence(
                float(total[i, j]),
                sentence.format(part=part, rival=rival, count=self._counts[j]),
                requests[most[i, j]],
            )
            for i, rival in enumerate(self.rivals)
            for j, part in enumerate(self.parts)
        ]


class LearningBet:
    """A bet whose law is learned from earlier draws: q proportional to p (seen + c) / (expected + c)."""

    def __init__(self, description: str, words: Callable[[Any], str] = str) -> None:
        self.description, self._words = description, words
        self._log_wealth: defaultdict[str, float] = defaultdict(float)
        """The wealth by request."""
        self._seen: defaultdict[Hashable, float] = defaultdict(float)
        self._expected: defaultdict[Hashable, float] = defaultdict(float)

    def add(self, law: Floats, keys: Sequence[Hashable], cell: int, request: str) -> None:
        """Bet on one draw of a request, by a law whose cells have keys, and learn from it."""
        factors = np.array([(self._seen[key] + CAUTION) / (self._expected[key] + CAUTION) for key in keys])
        mean = float(law @ factors) / float(law.sum())
        self._log_wealth[request] += math.log(factors[cell] / mean) - ROUNDING
        for key, chance in zip(keys, law, strict=True):
            self._expected[key] += float(chance)
        self._seen[keys[cell]] += 1

    @property
    def is_dependence(self) -> bool:
        """Return whether pairs of keys deviate more than their parts alone explain.

        Requires: keys are pairs.
        """
        return shows_dependence(self._seen, self._expected)

    @property
    def evidence(self) -> Evidence:
        """Return the wealth, with the key whose number of draws is furthest from the expected one."""

        def distance(key: Hashable) -> float:
            return abs(self._seen[key] - self._expected[key]) / math.sqrt(self._expected[key] + 1)

        keys = list(self._expected)
        if not keys:
            return Evidence(0.0, self.description)
        worst = max(keys, key=distance)
        counts = f"{self._seen[worst]:.0f} times, expected about {self._expected[worst]:.1f} times"
        most = max(self._log_wealth, key=lambda request: self._log_wealth[request])
        total = math.fsum(self._log_wealth.values())
        is_pair = all(isinstance(key, tuple) and all(isinstance(part, int) for part in key) for key in keys)
        is_biased = is_pair and not shows_dependence(self._seen, self._expected)
        bias = "; each alone is off its law as well, so this is a bias and no dependence" if is_biased else ""
        return Evidence(total, f"{self.description}: {self._words(worst)} came {counts}{bias}", most)
