"""Which rule for alpha leads to the best ensemble: the paper's Table 1."""

from __future__ import annotations

import numpy as np

from .grid import Learner
from .results import Results, joined, shared
from .sheets import BOOSTED, SHOWN_EPSILONS, TIE, WINNERS, Array, Sheet, mean_and_error, shown_epsilon

PRINTED_WINS = {
    "0.01": (14, 3, 5),
    "0.1": (13, 2, 6),
    "1": (9, 3, 9),
    "10": (5, 4, 11),
    "25": (8, 6, 6),
}
"""The paper's table: domains on which calibrated alpha, 0.1 and 1 lead to the best result."""


def comparable(runs: Results) -> Results:
    """Return the runs whose domain, sizes, budget and repeat every rule for alpha has: nobody wins alone."""
    return joined(shared([runs.where(alpha=alpha) for alpha in WINNERS], ("alpha",)))


def wins_of(runs: Results) -> Array:
    """Return on how many domains each rule for alpha has the least mean error; ties count for all.

    Requires: comparable runs.
    """
    counts = np.zeros(len(WINNERS))
    for domain in runs.present("domain"):
        of_domain = runs.where(domain=domain)
        best = np.array([of_domain.where(alpha=alpha).means.min() for alpha in WINNERS])
        counts += best <= best.min() + TIE
    return counts


def wins(results: Results) -> Sheet:
    """Count the domains on which each rule for alpha leads to the best ensemble, in every repeat."""
    rows = []
    for learner in results.present("learner", BOOSTED):
        private = comparable(results.where(learner=learner))
        if learner not in BOOSTED or not len(private):
            continue
        for epsilon in private.present("epsilon", SHOWN_EPSILONS):
            here = private.where(epsilon=epsilon)
            repeats = here.present("repeat")
            counts = np.array([wins_of(here.where(repeat=repeat)) for repeat in repeats])
            printed = PRINTED_WINS.get(epsilon) if learner == Learner.AS_PRINTED else None
            rows.append(
                (
                    learner,
                    shown_epsilon(epsilon),
                    *(text for column in counts.T for text in mean_and_error(column)),
                    str(tuple(wins_of(here.over_repeats()).astype(int).tolist())),
                    "" if printed is None else str(printed),
                    str(len(here.present("domain"))),
                    str(len(repeats)),
                    str(len(here)),
                )
            )
    return Sheet(
        "wins",
        "Which rule for α leads to the best ensemble",
        "Number of domains on which a rule for α has the least mean error over T, d and β, as a mean over "
        "repeats with its standard error; ties count for all, so rows may add up to more than all domains. "
        "Then the same for errors that are averaged over repeats first, and the paper's Table 1, which is "
        "one repeat, both in the same order. Only what all three rules were run with is counted.",
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
