"""Boosted ensembles against random forests, by the t-tests of the paper's appendix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from .grid import COMPARED_DEPTHS, EPSILONS, FORESTS, NAMES, PRINTED_FORESTS, TREES, Learner
from .results import Results, matched
from .sheets import BOOSTED, SHOWN_EPSILONS, WINNERS, Array, Sheet, shown_epsilon

SIGNIFICANT = 0.01
"""The level of the paper's t-tests."""
POOLED = ("domain", "depth", "repeat")
"""What a pooled test has one value of."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Tests of a boosted ensemble against a forest: which of them it won and lost significantly."""

    won: Array
    lost: Array
    repeat: Array
    """The number of the repeat that a test belongs to."""

    @property
    def tests(self) -> int:
        """Return the number of tests."""
        return int(self.won.size)

    @property
    def decided(self) -> int:
        """Return the number of significant differences."""
        return int(self.won.sum() + self.lost.sum())

    def cells(self) -> tuple[str, ...]:
        """Return the share that was won of what was decided, its standard error, and what was not decided."""
        if not self.decided:
            return "", "", f"{100.0:.1f}", str(self.tests)
        share = float(self.won.sum()) / self.decided
        undecided = 1 - self.decided / self.tests
        error = self._error(share)
        return f"{100 * share:.1f}", f"{100 * error:.1f}", f"{100 * undecided:.1f}", str(self.tests)

    def _error(self, share: float) -> float:
        """Return the standard error of the share, over repeats if all of several decide something.

        Runs of a repeat share folds and forests, so a binomial error, of a single repeat, is too small.
        """
        won, lost = (np.bincount(self.repeat, found) for found in (self.won, self.lost))
        decided = won + lost
        shares = won[decided > 0] / decided[decided > 0]
        if shares.size > 1:
            return float(shares.std(ddof=1) / np.sqrt(shares.size))
        return float(np.sqrt(share * (1 - share) / self.decided))


DUEL_COLUMNS = ("% won of significant", "standard error", "% not significant", "tests")


def duel(boosted: Results, forest: Results, pooled: bool = False) -> Duel:
    """Compare runs of equal domain, folds, depth, quantisation and epsilon by paired t-tests over folds.

    There is one test for every run, or, pooled, one for all runs of a domain, a depth and a repeat.
    """
    ours, theirs = matched(boosted, forest, ("learner", "trees", "alpha", "beta_tree", "bound"))
    tests = ours.keys(*(name for name in NAMES if name not in POOLED)) if pooled else np.arange(len(ours))
    _, first, test = np.unique(tests, return_index=True, return_inverse=True)
    gains = (theirs.errors - ours.errors).ravel()
    test = np.repeat(test, ours.errors.shape[1])
    count = np.bincount(test)
    mean = np.bincount(test, gains) / count
    spread = np.sqrt(np.bincount(test, (gains - mean[test]) ** 2) / (count - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, np.sqrt(count) * mean / spread)
    decided = 2 * stats.t.sf(np.abs(t), count - 1) < SIGNIFICANT
    repeat = np.unique(ours.column("repeat")[first], return_inverse=True)[1]
    return Duel(decided & (mean > 0), decided & (mean < 0), repeat)


Match = tuple[Results, Results]


def _matches(results: Results, epsilons: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Match]]:
    """Return every learner, alpha and number of trees with every forest, at some epsilons together."""
    compared = results.where(depth=COMPARED_DEPTHS, epsilon=epsilons)
    for learner in compared.present("learner", BOOSTED):
        if learner not in BOOSTED:
            continue
        boosted = compared.where(learner=learner)
        for alpha in boosted.present("alpha", WINNERS):
            for trees in boosted.present("trees", TREES):
                for forest in FORESTS:
                    names = (learner, alpha, trees, str(forest))
                    yield names, (boosted.where(alpha=alpha, trees=trees), compared.where(learner=forest))


def against_forests(results: Results) -> Sheet:
    """Return how often ensembles beat forests significantly (the paper's comparison in its appendix)."""
    rows = []
    for names, match in _matches(results, EPSILONS):
        found = duel(*match)
        if found.tests:
            rows.append((*names, *found.cells(), *duel(*match, pooled=True).cells(), _printed(*names)))
    return Sheet(
        "forests",
        "Boosted ensembles against random forests of 21 trees",
        "Runs of equal domain, depth in {2, 4, 6} and ε, all ε of the paper together; paired t-tests over "
        f"the ten folds, two-sided, p < {SIGNIFICANT}. How the paper counts is not quite clear: first with a "
        "test for every run, then, pooled, with one for all runs of a domain and a depth, which on the whole "
        "grid leaves about as few undecided as the paper says. Standard errors are over repeats, which have "
        "other folds and other noise; of a single repeat they are binomial, and too small. The paper's "
        "forests split a tree's budget evenly among leaves; tight ones give all of it to each, and cost no "
        "more.",
        (
            *("learner", "α", "T", "forest"),
            *DUEL_COLUMNS,
            *(f"pooled: {name}" for name in DUEL_COLUMNS),
            "paper",
        ),
        tuple(rows),
    )


def _printed(learner: str, alpha: str, trees: str, forest: str) -> str:
    """Return what the paper says of a comparison."""
    if learner != Learner.AS_PRINTED or forest not in PRINTED_FORESTS:
        return ""
    if trees == "20" and alpha != "0.1":
        return "> 80, < 4 not significant"
    return "a majority" if trees == "2" else ""


def against_forests_by_epsilon(results: Results) -> Sheet:
    """Return the same comparison for every epsilon."""
    rows = []
    for epsilon in SHOWN_EPSILONS:
        for names, match in _matches(results, [epsilon]):
            found = duel(*match)
            if found.tests:
                rows.append((*names, shown_epsilon(epsilon), *found.cells()))
    return Sheet(
        "forests_by_epsilon",
        "The same for every ε, with a test for every run",
        "The paper says that its ensembles are especially good against forests for ε = 0.01.",
        ("learner", "α", "T", "forest", "ε", *DUEL_COLUMNS),
        tuple(rows),
    )
