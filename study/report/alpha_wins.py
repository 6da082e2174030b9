"""The rule for alpha that leads to the best ensemble: the paper's Table 1."""

from __future__ import annotations

from typing import Any

from privboost.study.grid import Learner

from .results import Results
from .sheet import ALPHA_RULES, BOOSTED, TIE, Sheet, mean_and_error, shown_epsilon

PRINTED_WINS = {
    "0.01": (14, 3, 5),
    "0.1": (13, 2, 6),
    "1": (9, 3, 9),
    "10": (5, 4, 11),
    "25": (8, 6, 6),
}
"""The paper's table: domains on which calibrated alpha, 0.1 and 1 lead to the best result."""


def alpha_wins(runs: Results, *groups: str) -> Any:
    """Return a table of the number of domains on which each rule for alpha has the least mean error.

    There is one row for each combination of the choices named in `groups`. Ties count for every winner.
    Requires: runs balanced in alpha.
    """
    keys = [*groups, "domain"]
    best = runs.frame.groupby([*keys, "alpha"], observed=True)["error"].min().unstack("alpha")
    winners = best.le(best.min(axis=1) + TIE, axis=0)[list(ALPHA_RULES)]
    return winners.groupby(level=list(groups), observed=True).sum() if groups else winners.sum()


def alpha_wins_sheet(results: Results) -> Sheet:
    """Count the domains on which each rule for alpha leads to the best ensemble, in every repeat."""
    rows = []
    balanced = results.where(learner=BOOSTED).balance("alpha", ALPHA_RULES)
    for (learner, epsilon), runs in balanced.groups("learner", "epsilon"):
        wins = alpha_wins(runs, "repeat")
        printed = PRINTED_WINS.get(epsilon) if learner == Learner.AS_PRINTED else None
        rows.append(
            (
                learner,
                shown_epsilon(epsilon),
                *(cell for rule in ALPHA_RULES for cell in mean_and_error(wins[rule])),
                str(tuple(alpha_wins(runs.over_repeats()).tolist())),
                "" if printed is None else str(printed),
                str(len(runs.present("domain"))),
                str(len(wins)),
                str(len(runs)),
            )
        )
    return Sheet(
        "wins",
        "Which rule for α leads to the best ensemble",
        "Number of domains on which a rule for α has the best run over T, d and β: mean over repeats, and "
        "its standard error. Ties count for every winner, so a row may add up to more than the number of "
        "domains. Then the same for errors averaged over repeats first, and the paper's Table 1, which is "
        "one repeat, both in the same order. Only configurations that were run with all three rules are "
        "counted.",
        (
            "learner",
            "ε",
            *("calibrated", "± calibrated", "α = 0.1", "± α = 0.1", "α = 1", "± α = 1"),
            "of averaged errors",
            "paper",
            "domains",
            "repeats",
            "runs",
        ),
        tuple(rows),
    )
