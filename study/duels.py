"""Boosted ensembles against random forests, by the t-tests of the paper's appendix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import stats

from .grid import COMPARED_DEPTHS, EPSILONS, FORESTS, FREE, TREES, Learner
from .results import Results, matched
from .sheets import BOOSTED, SHOWN_EPSILONS, WINNERS, Array, Sheet, shown_epsilon

SIGNIFICANT = 0.01
"""The level of the paper's t-tests."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Matched runs of a boosted ensemble and a forest: which of them won significantly."""

    won: Array
    lost: Array
    repeat: Array
    """The number of the repeat that a run belongs to."""

    @property
    def runs(self) -> int:
        """Return the number of matched runs."""
        return int(self.won.size)

    @property
    def decided(self) -> int:
        """Return the number of significant differences."""
        return int(self.won.sum() + self.lost.sum())

    def cells(self) -> tuple[str, ...]:
        """Return the share that was won of what was decided, its standard error, and what was not decided."""
        if not self.decided:
            return "", "", f"{100.0:.1f}", str(self.runs)
        share = float(self.won.sum()) / self.decided
        undecided = 1 - self.decided / self.runs
        error = self._error(share)
        return f"{100 * share:.1f}", f"{100 * error:.1f}", f"{100 * undecided:.1f}", str(self.runs)

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


DUEL_COLUMNS = ("% won of significant", "standard error", "% not significant", "runs")


def duel(boosted: Results, forest: Results) -> Duel:
    """Compare runs of equal domain, folds, depth, quantisation and epsilon by a paired t-test over folds."""
    ours, theirs = matched(boosted, forest, ("learner", "trees", "alpha", "beta_tree", "bound"))
    gains = theirs.errors - ours.errors
    mean, spread = gains.mean(axis=1), gains.std(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, np.sqrt(gains.shape[1]) * mean / spread)
    decided = 2 * stats.t.sf(np.abs(t), gains.shape[1] - 1) < SIGNIFICANT
    repeat = np.unique(ours.column("repeat"), return_inverse=True)[1]
    return Duel(decided & (mean > 0), decided & (mean < 0), repeat)


def _duels(results: Results, by_epsilon: bool) -> Iterator[tuple[tuple[str, ...], Duel]]:
    """Return the comparisons of every learner, alpha and number of trees with both forests."""
    compared = results.where(depth=COMPARED_DEPTHS)
    epsilons = compared.present("epsilon", SHOWN_EPSILONS)
    groups = [[epsilon] for epsilon in epsilons if epsilon != FREE] if by_epsilon else [list(EPSILONS)]
    for learner in compared.present("learner", BOOSTED):
        if learner not in BOOSTED:
            continue
        boosted = compared.where(learner=learner)
        for alpha in boosted.present("alpha", WINNERS):
            for trees in boosted.present("trees", TREES):
                for forest in FORESTS:
                    other = compared.where(learner=forest)
                    for group in groups:
                        ours = boosted.where(alpha=alpha, trees=trees, epsilon=group)
                        found = duel(ours, other.where(epsilon=group))
                        if found.runs:
                            label = (shown_epsilon(group[0]),) if by_epsilon else ()
                            yield (learner, alpha, trees, forest, *label), found


def against_forests(results: Results) -> Sheet:
    """Return how often ensembles beat forests significantly (the paper's comparison in its appendix)."""
    rows = []
    for names, found in _duels(results, by_epsilon=False):
        learner, alpha, trees, _ = names
        printed = ""
        if learner == Learner.AS_PRINTED and trees == "20" and alpha != "0.1":
            printed = "> 80, < 4 not significant"
        elif learner == Learner.AS_PRINTED and trees == "2":
            printed = "a majority"
        rows.append((*names, *found.cells(), printed))
    return Sheet(
        "forests",
        "Boosted ensembles against random forests of 21 trees",
        f"Runs of equal domain, depth in {{2, 4, 6}} and ε, all ε of the paper together; a paired t-test "
        f"over the ten folds, two-sided, p < {SIGNIFICANT}. Standard errors are over repeats, which have "
        "other folds and other noise; of a single repeat they are binomial, and too small. The paper gives "
        "no more digits.",
        ("learner", "α", "T", "forest", *DUEL_COLUMNS, "paper"),
        tuple(rows),
    )


def against_forests_by_epsilon(results: Results) -> Sheet:
    """Return the same comparison for every epsilon."""
    rows = tuple((*names, *found.cells()) for names, found in _duels(results, by_epsilon=True))
    return Sheet(
        "forests_by_epsilon",
        "The same for every ε",
        "The paper says that its ensembles are especially good against forests for ε = 0.01.",
        ("learner", "α", "T", "forest", "ε", *DUEL_COLUMNS),
        rows,
    )
