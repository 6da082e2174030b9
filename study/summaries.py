"""The tables of the study, each with what the paper prints beside it. Errors are in percent.

Read from the top: `summaries` makes every table that the outcomes allow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .duels import against_forests, against_forests_by_epsilon
from .grid import (
    ALPHAS,
    BETAS,
    DEPTHS,
    EPSILONS,
    FORESTS,
    FREE,
    MAIN_BOUND,
    MAIN_VALUES,
    PRINTED,
    TREES,
    Learner,
)
from .results import Results, matched, shared
from .sheets import (
    BOOSTED,
    SHOWN_EPSILONS,
    TIE,
    UNCONTROLLED,
    Sheet,
    error_over_repeats,
    mean_and_error,
    shown_epsilon,
)
from .statements import statements
from .wins import wins

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


def summaries(results: Results) -> list[Sheet]:
    """Return every table that has a row."""
    main = results.where(values=MAIN_VALUES, bound=(MAIN_BOUND, FREE))
    made = (
        wins(main),
        against_forests(main),
        against_forests_by_epsilon(main),
        mean_errors(main),
        leaks(results),
        statements(results),
        best_sizes(main),
        tree_shares(main),
        quantisation(results.where(bound=(MAIN_BOUND, FREE))),
        sizes_of_trees(main),
        quantiles(main),
    )
    return [sheet for sheet in made if sheet.rows]


def mean_errors(results: Results) -> Sheet:
    """Return the mean error over all domains and sizes, by learner, alpha and epsilon."""
    rows = []
    for learner in results.present("learner", (Learner.NOISE_FREE, *BOOSTED, *FORESTS)):
        of_learner = results.where(learner=learner)
        for alpha in of_learner.present("alpha", ALPHAS):
            for epsilon in of_learner.present("epsilon", SHOWN_EPSILONS):
                here = of_learner.where(alpha=alpha, epsilon=epsilon)
                if len(here):
                    rows.append(
                        (learner, alpha, shown_epsilon(epsilon), *error_over_repeats(here), str(len(here)))
                    )
    return Sheet(
        "mean_errors",
        "Mean error over domains and sizes",
        "Learners differ in what else varies, so compare rows of one learner, and see the table of leaks for "
        "the same configurations. Standard errors are over repeats.",
        ("learner", "α", "ε", "mean error", "standard error", "runs"),
        tuple(rows),
    )


def leaks(results: Results) -> Sheet:
    """Return the mean error of the printed learner with each leak closed, on runs that all of them have."""
    rows = []
    present: set[str] = set()
    for alpha in ("1", "calibrated"):
        learners = [
            learner
            for learner in results.present("learner", (*PRINTED, Learner.SOUND))
            if learner in (*PRINTED, Learner.SOUND) and len(results.where(learner=learner, alpha=alpha))
        ]
        if not {Learner.AS_PRINTED, Learner.ALL_CLOSED} <= set(learners):
            continue
        found = [results.where(learner=learner, alpha=alpha) for learner in learners]
        for learner, kept in zip(learners, shared(found, ("learner",)), strict=True):
            present |= set(kept.present("domain"))
            for epsilon in kept.present("epsilon", SHOWN_EPSILONS):
                here = kept.where(epsilon=epsilon)
                rows.append(
                    (alpha, learner, shown_epsilon(epsilon), *error_over_repeats(here), str(len(here)))
                )
    errors = [100 * record.majority_error for record in results.domains if record.name in present]
    majority = np.mean(errors) if errors else np.nan
    return Sheet(
        "leaks",
        "What is left when the leaks are closed",
        "Mean error on the same configurations; guessing the more frequent class errs on "
        f"{majority:.2f} % on average. At ε → 0 nothing may be learnt: what is, was not paid for. Standard "
        "errors are over repeats.",
        ("α", "learner", "ε", "mean error", "standard error", "runs"),
        tuple(rows),
    )


def best_sizes(results: Results) -> Sheet:
    """Return the depth and number of trees of the best private ensemble of every domain."""
    merged = results.over_repeats()
    rows = []
    for learner in (Learner.AS_PRINTED, Learner.SOUND, Learner.SOUND_NET):
        runs = merged.where(learner=learner, epsilon=EPSILONS)
        for record in results.domains:
            of_domain = runs.where(domain=record.name)
            if not len(of_domain):
                continue
            epsilons = of_domain.present("epsilon", EPSILONS)
            by_size: dict[tuple[str, str], float] = {}
            for depth in of_domain.present("depth", DEPTHS):
                for trees in of_domain.present("trees", TREES):
                    here = of_domain.where(depth=depth, trees=trees)
                    if here.present("epsilon", EPSILONS) == epsilons:
                        # The best of every epsilon, so that all of them count.
                        least = [here.where(epsilon=epsilon).means.min() for epsilon in epsilons]
                        by_size[depth, trees] = float(np.mean(least))
            if by_size:
                depth, trees = min(by_size, key=lambda size: by_size[size])
                rows.append((learner, record.name, depth, trees, f"{by_size[depth, trees]:.2f}"))
    return Sheet(
        "best_sizes",
        "Best depth and number of trees",
        "The (d, T) with the least error, where for each ε the best α and β is taken, and ε are averaged. "
        "The paper says that each domain has its own regime; its table of them is a picture.",
        ("learner", "domain", "d", "T", "error"),
        tuple(rows),
    )


def tree_shares(results: Results) -> Sheet:
    """Return how much the share of the budget for splits matters: the best error for each."""
    merged = results.over_repeats()
    rows = []
    for learner in (Learner.AS_PRINTED, Learner.SOUND):
        runs = merged.where(learner=learner, epsilon=EPSILONS)
        shares = runs.present("beta_tree", BETAS)
        if len(shares) < 2:
            continue
        for epsilon in runs.present("epsilon", EPSILONS):
            best = []
            for share in shares:
                here = runs.where(epsilon=epsilon, beta_tree=share)
                least = [here.where(domain=name).means.min() for name in here.present("domain")]
                best.append(f"{np.mean(least):.2f}")
            rows.append((learner, epsilon, *best))
    names = tuple(f"β = {share}" for share in merged.present("beta_tree", BETAS) if share != FREE)
    return Sheet(
        "tree_shares",
        "Best error by the share of the budget for splits",
        "Mean over domains of the best error over α, T and d. The paper says that β does not matter much.",
        ("learner", "ε", *names),
        tuple(row for row in rows if len(row) == len(names) + 2),
    )


def quantisation(results: Results) -> Sheet:
    """Return what 50 values of a feature buy over 10, on runs that have both."""
    rows = []
    for learner in results.present("learner", (Learner.NOISE_FREE, *BOOSTED)):
        runs = results.where(learner=learner, epsilon=UNCONTROLLED).over_repeats()
        coarse, fine = runs.where(values="10"), runs.where(values="50")
        if not len(coarse) or not len(fine):
            continue
        fine, coarse = matched(fine, coarse, ("values", "repeat"))
        for name in fine.present("domain", [record.name for record in results.domains]):
            for alpha in fine.present("alpha", ALPHAS):
                before = coarse.where(domain=name, alpha=alpha).means
                after = fine.where(domain=name, alpha=alpha).means
                if after.size:
                    gain = f"{before.min() - after.min():.2f}"
                    rows.append(
                        (learner, name, alpha, *mean_and_error(before - after), gain, str(after.size))
                    )
    return Sheet(
        "quantisation",
        "50 values of a feature instead of 10",
        "By how much the error falls, on matched runs and for the best one. The paper says more than 2 for "
        "qsar and wine_white with calibrated α.",
        ("learner", "domain", "α", "mean gain", "standard error", "gain of the best", "runs"),
        tuple(rows),
    )


def sizes_of_trees(results: Results) -> Sheet:
    """Return leaves and depth of the ensembles that are at most so wrong, without noise and with it."""
    rows = []
    for learner in (Learner.NOISE_FREE, Learner.AS_PRINTED, Learner.SOUND):
        for record in results.domains:
            runs = results.where(learner=learner, domain=record.name, epsilon=UNCONTROLLED)
            if not len(runs):
                continue
            for share in (10, 25, 50, 100):
                limit = np.percentile(runs.means, share)
                kept = runs.means <= limit + TIE
                rows.append(
                    (
                        learner,
                        record.name,
                        str(share),
                        f"{limit:.2f}",
                        f"{runs.leaves[kept].mean():.1f} ± {runs.leaves[kept].std():.1f}",
                        f"{runs.depths[kept].mean():.2f} ± {runs.depths[kept].std():.2f}",
                    )
                )
    return Sheet(
        "sizes_of_trees",
        "Leaves and depth of the better ensembles",
        "Mean and standard deviation over the best so many percent of all runs of a domain. Without noise "
        "pure leaves are not split; with noise every tree is complete.",
        ("learner", "domain", "best %", "error at most", "leaves", "depth"),
        tuple(rows),
    )


def quantiles(results: Results) -> Sheet:
    """Return the cumulative curves of errors in numbers: the error that so many percent of runs reach."""
    shares = (5, 10, 25, 50, 75, 90, 95)
    rows = []
    for learner in results.present("learner", (Learner.NOISE_FREE, *BOOSTED, *FORESTS)):
        for record in results.domains:
            of_domain = results.where(learner=learner, domain=record.name)
            for alpha in of_domain.present("alpha", ALPHAS):
                for epsilon in of_domain.present("epsilon", SHOWN_EPSILONS):
                    means = of_domain.where(alpha=alpha, epsilon=epsilon).means
                    if means.size:
                        found = (f"{x:.2f}" for x in np.percentile(means, shares))
                        rows.append((learner, record.name, alpha, shown_epsilon(epsilon), *found))
    return Sheet(
        "quantiles",
        "Cumulative errors in numbers",
        "The error that so many percent of the runs do not exceed.",
        ("learner", "domain", "α", "ε", *(f"{share} %" for share in shares)),
        tuple(rows),
    )


def domains_sheet(results: Results) -> Sheet:
    """Return the data sets."""
    rows: Sequence[tuple[str, ...]] = [
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
        "The last column is the error of the more frequent class. How UCI domains were made binary is our "
        "choice; many bounds are the least and greatest values of the data, public by convention only.",
        ("domain", "m", "n", "paper's m × n", "majority error"),
        tuple(rows),
    )
