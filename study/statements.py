"""What the text of the paper states in numbers or ranks, beside what was found."""

from __future__ import annotations

import numpy as np

from .duels import duel
from .grid import COMPARED_DEPTHS, EPSILONS, FREE, MAIN_BOUND, MAIN_VALUES, PRINTED_FORESTS, Learner
from .results import Results
from .sheets import Sheet
from .wins import comparable, wins_of


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
    for forest in PRINTED_FORESTS:
        for alpha in ("calibrated", "1"):
            found = [_duel_share(main, learner, alpha, "20", forest) for learner in learners]
            add(f"T = 20, α = {alpha}: significant differences from {forest} that are wins", "> 80 %", *found)
        found = [_duel_share(main, learner, "calibrated", "2", forest) for learner in learners]
        add(f"T = 2, calibrated α: significant differences from {forest} that are wins", "a majority", *found)
    kept = [row for row in rows if row[2] or row[3]]
    return Sheet(
        "statements",
        "What the text of the paper states",
        "Without noise both columns are the same runs. The paper speaks of its whole grid; of a part of it "
        "these numbers are indications only. With α = 0.1 the literal update never moves a weight, because "
        "β h stays within the plateau of the inverse link: without noise all trees of such an ensemble are "
        "the same.",
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
    """Return on how many domains calibrated alpha leads to the best result, as a mean over repeats."""
    here = comparable(runs.where(learner=learner, epsilon=epsilon))
    if not len(here):
        return ""
    found = [wins_of(here.where(repeat=repeat))[0] for repeat in here.present("repeat")]
    return f"{np.mean(found):.4g} of {len(here.present('domain'))}"


def _duel_share(runs: Results, learner: str, alpha: str, trees: str, forest: str) -> str:
    compared = runs.where(depth=COMPARED_DEPTHS, epsilon=EPSILONS)
    found = duel(compared.where(learner=learner, alpha=alpha, trees=trees), compared.where(learner=forest))
    share, error, undecided, _ = found.cells()
    return f"{share} ± {error} %, {undecided} % not significant" if share else ""
