"""Boosted ensembles against random forests, by the t-tests of the paper's appendix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from privboost.study.grid import COMPARED_DEPTHS, EPSILONS, FOLDS, FORESTS, NAMES, PRINTED_FORESTS, Learner

from .results import FOLD_COLUMNS, Results
from .sheet import ALPHA_RULES, BOOSTED, Sheet, shown_epsilon

SIGNIFICANT = 0.01
"""The level of the paper's t-tests."""
COMPARED = ["learner", "alpha", "trees", "forest"]
"""The choices that identify a row of the comparison."""
MATCHED = ["domain", "values", "depth", "epsilon", "repeat"]
"""The choices in which a boosted run and the run of a forest agree."""
POOLED = ["domain", "depth", "repeat"]
"""The choices that a pooled test fixes, besides those of its row."""
SHARE_COLUMNS = ("% won of significant", "standard error", "% not significant", "tests")


def forest_tests(results: Results, pooled: bool = False) -> Any:
    """Compare boosted runs with the matching runs of all forests by paired t-tests over folds.

    There is one test per run or, if pooled, one test for all runs of a domain, a depth and a repeat.
    Ensures: a table with a row for each test: its choices, and whether the boosted ensemble `won` or `lost`.
    """
    boosted = results.where(learner=BOOSTED).frame
    boosted = boosted.assign(alpha=boosted["alpha"].cat.set_categories(ALPHA_RULES))
    forests = results.where(learner=FORESTS).frame.rename(columns={"learner": "forest"})
    forests = forests[[*MATCHED, "forest", *FOLD_COLUMNS]]
    pairs = boosted.merge(forests, on=MATCHED, suffixes=("", " of forest"))
    gains = pairs[[f"{name} of forest" for name in FOLD_COLUMNS]].to_numpy() - pairs[FOLD_COLUMNS].to_numpy()
    tests = pairs.groupby([*COMPARED, *POOLED] if pooled else [*NAMES, "forest"], observed=True)
    by_test = pd.Series(gains.ravel()).groupby(np.repeat(tests.ngroup().to_numpy(), FOLDS))
    count, mean, spread = (by_test.agg(name).to_numpy() for name in ("count", "mean", "std"))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, np.sqrt(count) * mean / spread)
    significant = 2 * stats.t.sf(np.abs(t), count - 1) < SIGNIFICANT
    choices = tests.size().index.to_frame(index=False)
    return choices.assign(won=significant & (mean > 0), lost=significant & (mean < 0))


def win_share(tests: Any) -> tuple[str, str, str, str]:
    """Return the share of wins among significant tests, its standard error, the share of others, the count.

    The standard error is over repeats if several of them have significant tests. Runs of a repeat share folds
    and forests, so the binomial error, which is used otherwise, is too small.
    """
    by_repeat = tests.groupby("repeat", observed=True)[["won", "lost"]].sum()
    significant = by_repeat.sum(axis=1)
    total = significant.sum()
    if not total:
        return "", "", "100.0", str(len(tests))
    undecided = f"{100 * (1 - total / len(tests)):.1f}"
    share = by_repeat["won"].sum() / total
    shares = (by_repeat["won"] / significant).dropna()
    error = shares.sem() if len(shares) > 1 else np.sqrt(share * (1 - share) / total)
    return f"{100 * share:.1f}", f"{100 * error:.1f}", undecided, str(len(tests))


def forests_sheet(results: Results) -> Sheet:
    """Return how often ensembles beat forests significantly, as in the paper's appendix."""
    compared = results.where(depth=COMPARED_DEPTHS, epsilon=EPSILONS)
    pooled = dict(list(forest_tests(compared, pooled=True).groupby(COMPARED, observed=True)))
    rows = [
        (*names, *win_share(tests), *win_share(pooled[names]), _printed_result(*names))
        for names, tests in forest_tests(compared).groupby(COMPARED, observed=True)
    ]
    return Sheet(
        "forests",
        "Boosted ensembles against random forests of 21 trees",
        "Runs of equal domain, depth in {2, 4, 6} and ε, all ε of the paper together; paired t-tests over "
        f"the ten folds, two-sided, p < {SIGNIFICANT}. How the paper counts is not clear, so there "
        "are two readings: one test per run, and, pooled, one test for all runs of a domain and a depth. On "
        "the whole grid the pooled tests have about the paper's share of tests that are not significant. "
        "Standard errors are over repeats, which have their own folds and noise; for a single repeat they "
        "are binomial, which is too small. The paper's forests split a tree's budget evenly among leaves; "
        "tight ones give all of it to each leaf, at the same privacy.",
        (
            *("learner", "α", "T", "forest"),
            *SHARE_COLUMNS,
            *(f"pooled: {name}" for name in SHARE_COLUMNS),
            "paper",
        ),
        tuple(rows),
    )


def _printed_result(learner: str, alpha: str, trees: str, forest: str) -> str:
    """Return the paper's result of a comparison."""
    if learner != Learner.AS_PRINTED or forest not in PRINTED_FORESTS:
        return ""
    if trees == "20" and alpha != "0.1":
        return "> 80, < 4 not significant"
    return "a majority" if trees == "2" else ""


def forests_by_epsilon_sheet(results: Results) -> Sheet:
    """Return the comparison with forests for every epsilon."""
    tests = forest_tests(results.where(depth=COMPARED_DEPTHS)).groupby(["epsilon", *COMPARED], observed=True)
    return Sheet(
        "forests_by_epsilon",
        "The same for every ε, with one test per run",
        "According to the paper its ensembles are especially good against forests for ε = 0.01.",
        ("learner", "α", "T", "forest", "ε", *SHARE_COLUMNS),
        tuple((*names, shown_epsilon(epsilon), *win_share(group)) for (epsilon, *names), group in tests),
    )
