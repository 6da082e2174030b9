"""The tables of the study, with the paper's numbers where it has them. Errors are in percent.

`sheet_makers` lists the functions that make them; a table without rows is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from privboost.study.grid import EPSILONS, FREE, MAIN_BOUND, NAMES, PRINTED, VALUES, Learner

from .alpha_wins import alpha_wins_sheet
from .forest_tests import forests_by_epsilon_sheet, forests_sheet
from .paper_statements import statements_sheet
from .results import Results
from .sheet import TIE, UNCONTROLLED, Sheet, error_over_repeats, mean_and_error, shown_epsilon

PRINTED_SIZES = {
    "transfusion": (748, 4),
    "banknote": (1372, 4),
    "breast_wisc": (699, 9),
    "ionosphere": (351, 33),
    "sonar": (208, 60),
    "yeast": (1484, 7),
    "wine_red": (1599, 11),
    "cardiotocography": (2126, 9),
    "creditcardsmall": (1000, 23),
    "abalone": (4177, 8),
    "qsar": (1055, 41),
    "wine_white": (4898, 11),
    "page": (5473, 10),
    "mice": (1080, 77),
    "hill_noise": (1212, 100),
    "hill_nonoise": (1212, 100),
    "firmteacher": (10800, 16),
    "magic": (19020, 10),
    "eeg": (14980, 14),
}
"""Rows and features of the paper's domains (t-s-uci), by our names."""


def sheet_makers(results: Results) -> list[Callable[[], Sheet]]:
    """Return a function for every table."""
    main = results.main
    return [
        partial(alpha_wins_sheet, main),
        partial(forests_sheet, main),
        partial(forests_by_epsilon_sheet, main),
        partial(mean_errors, main),
        partial(leaks, results),
        partial(statements_sheet, results),
        partial(best_sizes, main),
        partial(tree_shares, main),
        partial(quantisation, results.where(bound=(MAIN_BOUND, FREE))),
        partial(sizes_of_trees, main),
        partial(quantiles, main),
        partial(domains_sheet, results),
    ]


def mean_errors(results: Results) -> Sheet:
    """Return the mean error over all domains and sizes, by learner, alpha and epsilon."""
    rows = [
        (learner, alpha, shown_epsilon(epsilon), *error_over_repeats(runs), str(len(runs)))
        for (learner, alpha, epsilon), runs in results.groups("learner", "alpha", "epsilon")
    ]
    return Sheet(
        "mean_errors",
        "Mean error over domains and sizes",
        "Learners have different grids, so compare rows of one learner only; the table of leaks compares "
        "learners on the same configurations. Standard errors are over repeats.",
        ("learner", "α", "ε", "mean error", "standard error", "runs"),
        tuple(rows),
    )


def leaks(results: Results) -> Sheet:
    """Return the mean error of the printed learner with each leak closed, on runs that all of them have."""
    rows = []
    domains: set[str] = set()
    for alpha in ("1", "calibrated"):
        runs = results.where(alpha=alpha, learner=(*PRINTED, Learner.SOUND))
        learners = runs.present("learner")
        if not {Learner.AS_PRINTED, Learner.ALL_CLOSED} <= set(learners):
            continue
        balanced = runs.balance("learner", learners)
        domains |= set(balanced.present("domain"))
        rows += [
            (alpha, learner, shown_epsilon(epsilon), *error_over_repeats(group), str(len(group)))
            for (learner, epsilon), group in balanced.groups("learner", "epsilon")
        ]
    errors = [100 * record.majority_error for record in results.domains if record.name in domains]
    majority = np.mean(errors) if errors else np.nan
    return Sheet(
        "leaks",
        "Errors with the leaks closed",
        "Mean error on the same configurations; predicting the more frequent class has a mean error of "
        f"{majority:.2f} %. At ε → 0 a private learner can learn nothing, so a smaller error there is due "
        "to a leak. Standard errors are over repeats.",
        ("α", "learner", "ε", "mean error", "standard error", "runs"),
        tuple(rows),
    )


def best_sizes(results: Results) -> Sheet:
    """Return the depth and number of trees of the best private ensemble of every domain."""
    learners = (Learner.AS_PRINTED, Learner.SOUND, Learner.SOUND_NET)
    private = results.where(learner=learners, epsilon=EPSILONS).over_repeats()
    rows = []
    for names, runs in private.groups("learner", "domain"):
        # The best run of every epsilon, for sizes that were run with all of them.
        least = runs.frame.groupby(["depth", "trees", "epsilon"], observed=True)["error"].min()
        errors = least.unstack("epsilon").dropna().mean(axis=1)
        if len(errors):
            rows.append((*names, *errors.idxmin(), f"{errors.min():.2f}"))
    return Sheet(
        "best_sizes",
        "Best depth and number of trees",
        "The (d, T) with the least error, with the best α and β for each ε, averaged over ε. According to "
        "the paper each domain has its own regime; its table of them is a picture.",
        ("learner", "domain", "d", "T", "error"),
        tuple(rows),
    )


def tree_shares(results: Results) -> Sheet:
    """Return the best error for every share of the budget given to splits."""
    runs = results.where(learner=(Learner.AS_PRINTED, Learner.SOUND), epsilon=EPSILONS).over_repeats()
    keys = ["learner", "epsilon", "beta_tree"]
    best = runs.frame.groupby([*keys, "domain"], observed=True)["error"].min()
    errors = best.groupby(level=keys, observed=True).mean().unstack("beta_tree").dropna()
    several = len(errors.columns) > 1
    return Sheet(
        "tree_shares",
        "Best error by the share of the budget for splits",
        "Mean over domains of the best error over α, T and d. According to the paper β matters little.",
        ("learner", "ε", *(f"β = {share}" for share in errors.columns)),
        tuple((*names, *(f"{x:.2f}" for x in row)) for names, row in errors.iterrows() if several),
    )


def quantisation(results: Results) -> Sheet:
    """Return the decrease of the error with 50 values per feature instead of 10, on matched runs."""
    runs = results.where(epsilon=UNCONTROLLED).over_repeats()
    others = [name for name in NAMES if name not in ("values", "repeat")]
    errors = runs.frame.pivot(index=others, columns="values", values="error")
    errors = errors.reindex(columns=VALUES).dropna()
    rows = []
    for names, group in errors.groupby(["learner", "domain", "alpha"], observed=True):
        coarse, fine = (group[count] for count in VALUES)
        best = f"{coarse.min() - fine.min():.2f}"
        rows.append((*names, *mean_and_error(coarse - fine), best, str(len(group))))
    return Sheet(
        "quantisation",
        "50 values of a feature instead of 10",
        "Decrease of the error, on matched runs and for the best run. According to the paper it is more "
        "than 2 for qsar and wine_white with calibrated α.",
        ("learner", "domain", "α", "mean gain", "standard error", "gain of the best", "runs"),
        tuple(rows),
    )


def sizes_of_trees(results: Results) -> Sheet:
    """Return the mean number of leaves and depth of the best ensembles, without noise and with it."""
    learners = (Learner.NOISE_FREE, Learner.AS_PRINTED, Learner.SOUND)
    rows = []
    for names, runs in results.where(learner=learners, epsilon=UNCONTROLLED).groups("learner", "domain"):
        for share in (10, 25, 50, 100):
            limit = np.percentile(runs.means, share)
            best = runs.means <= limit + TIE
            leaves, depths = runs.leaves[best], runs.depths[best]
            rows.append(
                (
                    *names,
                    str(share),
                    f"{limit:.2f}",
                    f"{leaves.mean():.1f} ± {leaves.std():.1f}",
                    f"{depths.mean():.2f} ± {depths.std():.2f}",
                )
            )
    return Sheet(
        "sizes_of_trees",
        "Leaves and depth of the better ensembles",
        "Mean and standard deviation over the given percentage of best runs of a domain. Without noise pure "
        "leaves are not split; with noise every tree is complete.",
        ("learner", "domain", "best %", "error at most", "leaves", "depth"),
        tuple(rows),
    )


def quantiles(results: Results) -> Sheet:
    """Return quantiles of the errors, the numbers behind the cumulative curves of the plots."""
    shares = (5, 10, 25, 50, 75, 90, 95)
    rows = [
        (*names, shown_epsilon(epsilon), *(f"{x:.2f}" for x in np.percentile(runs.means, shares)))
        for (*names, epsilon), runs in results.groups("learner", "domain", "alpha", "epsilon")
    ]
    return Sheet(
        "quantiles",
        "Cumulative errors in numbers",
        "The error that the given percentage of runs does not exceed.",
        ("learner", "domain", "α", "ε", *(f"{share} %" for share in shares)),
        tuple(rows),
    )


def domains_sheet(results: Results) -> Sheet:
    """Return the data sets."""
    rows = [
        (
            record.name,
            str(record.size),
            str(record.features),
            "{} × {}".format(*PRINTED_SIZES[record.name]) if record.name in PRINTED_SIZES else "",
            f"{100 * record.majority_error:.2f}",
        )
        for record in results.domains
    ]
    return Sheet(
        "domains",
        "Domains",
        "The last column is the error of predicting the more frequent class. How UCI domains were made "
        "binary is our choice. Many bounds are the minimum and maximum of the data, and are treated as "
        "public.",
        ("domain", "m", "n", "paper's m × n", "majority error"),
        tuple(rows),
    )
