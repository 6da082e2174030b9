"""The tables of the study, each with what the paper prints beside it, as rows of text for CSV and HTML.

Read from the top: `summaries` makes every table that the outcomes allow. Errors are in percent.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from .grid import (
    ALPHAS,
    BETAS,
    COMPARED_DEPTHS,
    CONTROL,
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
from .results import Results, matched

Array = NDArray[Any]

SIGNIFICANT = 0.01
"""The level of the paper's t-tests."""

PRINTED_WINS = {
    "0.01": (14, 3, 5),
    "0.1": (13, 2, 6),
    "1": (9, 3, 9),
    "10": (5, 4, 11),
    "25": (8, 6, 6),
}
"""The paper's Table 1: domains on which calibrated alpha, 0.1 and 1 lead to the best result."""

WINNERS = ("calibrated", "0.1", "1")
"""Alphas in the order of that table."""

BOOSTED = (*PRINTED, Learner.SOUND, Learner.SOUND_NET)
SHOWN_EPSILONS = (CONTROL, *EPSILONS)
TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: a file name, what it says, named columns, and rows of text."""

    name: str
    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def to_csv(self) -> bytes:
        """Return the table as CSV."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue().encode()


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
        quantisation(results),
        sizes_of_trees(results),
        quantiles(main),
    )
    return [sheet for sheet in made if sheet.rows]


def wins(results: Results) -> Sheet:
    """Count the domains on which each rule for alpha leads to the best ensemble (the paper's Table 1)."""
    merged = results.over_repeats()
    rows = []
    for learner in merged.present("learner", BOOSTED):
        private = merged.where(learner=learner)
        if learner not in BOOSTED or len(private.present("alpha")) < 2:
            continue
        for epsilon in private.present("epsilon", SHOWN_EPSILONS):
            here = private.where(epsilon=epsilon)
            counts = dict.fromkeys(WINNERS, 0)
            domains = here.present("domain")
            for domain in domains:
                of_domain = here.where(domain=domain)
                best = {a: of_domain.where(alpha=a).means for a in of_domain.present("alpha")}
                least = min(float(means.min()) for means in best.values())
                for alpha, means in best.items():
                    counts[alpha] += bool(means.min() <= least + TIE)
            printed = PRINTED_WINS.get(epsilon)
            rows.append(
                (
                    learner,
                    shown_epsilon(epsilon),
                    *(str(counts[alpha]) for alpha in WINNERS),
                    "" if printed is None or learner != Learner.AS_PRINTED else str(printed),
                    str(len(domains)),
                    str(len(here)),
                )
            )
    return Sheet(
        "wins",
        "Which rule for α leads to the best ensemble",
        "Number of domains on which a rule for α has the least mean error over T, d and β; ties count for "
        "all, so rows may add up to more. Beside it the paper's Table 1, in the same order.",
        ("learner", "ε", "calibrated", "α = 0.1", "α = 1", "paper", "domains", "configurations"),
        tuple(rows),
    )


def shown_epsilon(epsilon: str) -> str:
    """Return an epsilon as it is shown."""
    return "→ 0" if epsilon == CONTROL else epsilon


@dataclass(frozen=True, slots=True)
class Duel:
    """Matched runs of a boosted ensemble and a forest: which of them won significantly."""

    won: Array
    lost: Array

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
        error = np.sqrt(share * (1 - share) / self.decided)
        undecided = 1 - self.decided / self.runs
        return f"{100 * share:.1f}", f"{100 * error:.1f}", f"{100 * undecided:.1f}", str(self.runs)


DUEL_COLUMNS = ("% won of significant", "standard error", "% not significant", "runs")


def duel(boosted: Results, forest: Results) -> Duel:
    """Compare runs of equal domain, folds, depth, quantisation and epsilon by a paired t-test over folds."""
    ours, theirs = matched(boosted, forest, ("learner", "trees", "alpha", "beta_tree", "bound"))
    gains = theirs.errors - ours.errors
    mean, spread = gains.mean(axis=1), gains.std(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, np.sqrt(gains.shape[1]) * mean / spread)
    decided = 2 * stats.t.sf(np.abs(t), gains.shape[1] - 1) < SIGNIFICANT
    return Duel(decided & (mean > 0), decided & (mean < 0))


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
        f"over the ten folds, two-sided, p < {SIGNIFICANT}. The paper gives no more digits.",
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


def mean_and_error(means: Array) -> tuple[str, str]:
    """Return the mean of the errors of runs, and its standard error."""
    error = means.std(ddof=1) / np.sqrt(means.size) if means.size > 1 else np.nan
    return f"{means.mean():.2f}", f"{error:.2f}"


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
                        (learner, alpha, shown_epsilon(epsilon), *mean_and_error(here.means), str(len(here)))
                    )
    return Sheet(
        "mean_errors",
        "Mean error over domains and sizes",
        "Standard errors are over runs; domains are what they are.",
        ("learner", "α", "ε", "mean error", "standard error", "runs"),
        tuple(rows),
    )


def leaks(results: Results) -> Sheet:
    """Return the mean error of the printed learner with each leak closed, on runs that all of them have."""
    rows = []
    own = ("learner", "epsilon", "repeat")
    for alpha in ("1", "calibrated"):
        learners = [
            learner
            for learner in results.present("learner", (*PRINTED, Learner.SOUND))
            if learner in (*PRINTED, Learner.SOUND) and len(results.where(learner=learner, alpha=alpha))
        ]
        if not {Learner.AS_PRINTED, Learner.ALL_CLOSED} <= set(learners):
            continue
        found = {learner: results.where(learner=learner, alpha=alpha) for learner in learners}
        shared = reduce(np.intersect1d, [runs.keys(*own) for runs in found.values()])
        for learner, runs in found.items():
            kept = runs.selected(np.flatnonzero(np.isin(runs.keys(*own), shared)))
            for epsilon in kept.present("epsilon", SHOWN_EPSILONS):
                here = kept.where(epsilon=epsilon)
                rows.append(
                    (alpha, learner, shown_epsilon(epsilon), *mean_and_error(here.means), str(len(here)))
                )
    majority = np.mean([100 * record.majority_error for record in results.domains])
    return Sheet(
        "leaks",
        "What is left when the leaks are closed",
        "Mean error on the same configurations; guessing the more frequent class errs on "
        f"{majority:.2f} % on average. At ε → 0 nothing may be learnt: what is, was not paid for.",
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
            by_size: dict[tuple[str, str], float] = {}
            for depth in of_domain.present("depth", DEPTHS):
                for trees in of_domain.present("trees", TREES):
                    here = of_domain.where(depth=depth, trees=trees)
                    if len(here):
                        # The best of every epsilon, so that all of them count.
                        least = [here.where(epsilon=e).means.min() for e in here.present("epsilon", EPSILONS)]
                        by_size[depth, trees] = float(np.mean(least))
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
        runs = results.where(learner=learner).over_repeats()
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
            runs = results.where(learner=learner, domain=record.name)
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


def statements(results: Results) -> Sheet:
    """Return what the text of the paper states in numbers or ranks, beside what was found."""
    main = results.where(values=MAIN_VALUES, bound=(MAIN_BOUND, FREE))
    rows: list[tuple[str, str, str, str]] = []

    def add(statement: str, printed: str, printed_found: str, sound_found: str) -> None:
        rows.append((statement, printed, printed_found, sound_found))

    learners = (Learner.AS_PRINTED, Learner.SOUND)
    names = [record.name for record in results.domains]
    if "banknote" in names:
        shares = [
            _share_below(main.where(learner=x, domain="banknote", alpha="calibrated", epsilon=EPSILONS), 20)
            for x in learners
        ]
        add("banknote, private, calibrated α: runs with error ≤ 20 %", "more than 2/3", *shares)
        free = main.where(learner=Learner.NOISE_FREE, domain="banknote")
        if len(free):
            worst = f"{free.means.max():.1f} %"
            add("banknote, without noise: greatest error", "20 %", worst, worst)
    free = main.where(learner=Learner.NOISE_FREE)
    if len(free):
        for alpha in ("0.1", "calibrated"):
            ahead = _ahead(free, "1", alpha)
            add(
                f"without noise: domains where α = 1 errs less on average than α = {alpha}",
                "most" if alpha == "0.1" else "competitive",
                ahead,
                ahead,
            )
    high = [_winner_share(main, learner, "0.01") for learner in learners]
    add("ε = 0.01: domains where calibrated α leads to the best result", "14 of 19", *high)
    for forest in FORESTS:
        for alpha in ("calibrated", "1"):
            found = [_duel_share(main, learner, alpha, "20", forest) for learner in learners]
            add(f"T = 20, α = {alpha}: significant differences from {forest} that are wins", "> 80 %", *found)
        found = [_duel_share(main, learner, "calibrated", "2", forest) for learner in learners]
        add(f"T = 2, calibrated α: significant differences from {forest} that are wins", "a majority", *found)
    kept = [row for row in rows if row[2] or row[3]]
    return Sheet(
        "statements",
        "What the text of the paper states",
        "Without noise both columns are the same runs.",
        ("statement", "paper", "as_printed", "sound"),
        tuple(kept),
    )


def _share_below(runs: Results, error: float) -> str:
    return f"{100 * float(np.mean(runs.means <= error)):.1f} %" if len(runs) else ""


def _ahead(runs: Results, one: str, other: str) -> str:
    """Return on how many domains one alpha errs less on average than another."""
    counted = [
        bool(
            runs.where(domain=name, alpha=one).means.mean()
            < runs.where(domain=name, alpha=other).means.mean()
        )
        for name in runs.present("domain")
        if len(runs.where(domain=name, alpha=one)) and len(runs.where(domain=name, alpha=other))
    ]
    return f"{sum(counted)} of {len(counted)}" if counted else ""


def _winner_share(runs: Results, learner: str, epsilon: str) -> str:
    sheet = wins(runs.where(learner=learner, epsilon=epsilon))
    return f"{sheet.rows[0][2]} of {sheet.rows[0][6]}" if sheet.rows else ""


def _duel_share(runs: Results, learner: str, alpha: str, trees: str, forest: str) -> str:
    compared = runs.where(depth=COMPARED_DEPTHS, epsilon=EPSILONS)
    found = duel(compared.where(learner=learner, alpha=alpha, trees=trees), compared.where(learner=forest))
    share, error, undecided, _ = found.cells()
    return f"{share} ± {error} %, {undecided} % not significant" if share else ""


def domains_sheet(results: Results) -> Sheet:
    """Return the data sets."""
    rows: Sequence[tuple[str, ...]] = [
        (record.name, str(record.size), str(record.features), f"{100 * record.majority_error:.2f}")
        for record in results.domains
    ]
    return Sheet(
        "domains",
        "Domains",
        "The last column is the error of the more frequent class. How UCI domains were made binary is our "
        "choice; many bounds are the least and greatest values of the data, public by convention only.",
        ("domain", "m", "n", "majority error"),
        tuple(rows),
    )
