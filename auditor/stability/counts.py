"""What a search has tried so far, and the counterexamples among it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from privboost.auditor.pairs.pair import Pair
from privboost.auditor.values.failures import EXITED, HUNG, KINDS, failure_string

from .chains import Trial
from .claim import StabilityClaim
from .metrics import Move, MoveKind, compare_results, is_measurable
from .result import ComparedPair

MOST_BEYOND = 12
"""Number of counterexamples beyond the description that are kept, of different classes."""


def compare_pair(
    pair: Pair, results: tuple[Any, Any], claim: StabilityClaim, apart: int = 1
) -> ComparedPair | None:
    """Return the two results of a pair with how far they are apart; None if both are errors."""
    failed = [failure_string(result) is not None for result in results]
    if all(failed):
        return None
    moved = Move(MoveKind.FAILURE) if any(failed) else compare_results(claim.distance, *results)
    return ComparedPair(pair, results, moved, claim, apart)


def has_ended(result: Any) -> bool:
    """Return whether a call has ended its process or did not answer."""
    return failure_string(result) is not None and result["failed"] in (EXITED, HUNG)


@dataclass(slots=True)
class SearchCounts:
    """Counts of what was tried, and the best counterexample."""

    claim: StabilityClaim
    tried: dict[bool, int] = field(default_factory=lambda: {False: 0, True: 0})
    """The number of pairs, by whether an input is beyond the description."""
    classes: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    """Pairs with no result on either side, by what happened on the left one."""
    farthest: ComparedPair | None = None
    """The pair whose results are farthest apart; among equals the last one."""
    best: ComparedPair | None = None
    """The first counterexample, or the first that rounding does not explain."""
    beyond: dict[tuple[str, ...], ComparedPair] = field(default_factory=dict)
    n_results: int = 0
    """The number of pairs that have a result."""
    n_measurable: int = 0
    """The number of pairs with a result that the distance measures."""
    sample: Any = None
    """A result."""
    _ended: Counter[str] = field(default_factory=Counter)

    @property
    def greatest(self) -> Move | None:
        """Return how far the results of a pair were apart at most."""
        return None if self.farthest is None else self.farthest.moved

    @property
    def is_refuted(self) -> bool:
        """Return whether the claim is false for another reason than rounding."""
        return self.best is not None and not self.best.is_rounding

    @property
    def is_hopeless(self) -> bool:
        """Return whether there is no result yet, and calls end the process or do not answer."""
        return not self.n_results and any(count >= KINDS[kind] for kind, count in self._ended.items())

    def take(self, trial: Trial, results: tuple[Any, Any]) -> None:
        """Count a pair, and keep it if it shows that the claim is false."""
        pair = trial.pair
        self.tried[pair.outside] += 1
        tried = compare_pair(pair, results, self.claim, trial.apart)
        if pair.outside:
            if tried is not None and tried.moved.exceeds(tried.bound) and len(self.beyond) < MOST_BEYOND:
                self.beyond.setdefault(pair.classes, tried)
            return
        self.classes.update(pair.classes)
        if tried is None:
            self.failures[failure_string(results[0]) or ""] += 1
            self._ended.update(result["failed"] for result in results if has_ended(result))
        else:
            self._measure(tried)

    def _measure(self, tried: ComparedPair) -> None:
        """Note the distance of two results, of which one exists."""
        moved, distance = tried.moved, tried.claim.distance
        self.n_results += 1
        self.n_measurable += any(is_measurable(distance, result) for result in tried.outputs)
        self.sample = tried.outputs[0]
        if moved.kind is MoveKind.DISTANCE and moved.distance >= getattr(self.greatest, "distance", 0):
            self.farthest = tried
        if moved.exceeds(tried.bound) and not self.is_refuted:
            self.best = self.best if self.best is not None and tried.is_rounding else tried
