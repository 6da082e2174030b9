"""Statements of the paper's text that are numbers or ranks, each with our result."""

from __future__ import annotations

import numpy as np

from privboost.study.grid import COMPARED_DEPTHS, EPSILONS, PRINTED_FORESTS, Learner

from .alpha_wins import alpha_wins
from .forest_tests import forest_tests, win_share
from .results import Results
from .sheet import ALPHA_RULES, Sheet

LEARNERS = (Learner.AS_PRINTED, Learner.SOUND)


def statements_sheet(results: Results) -> Sheet:
    """Return the statements of the paper's text that are numbers or ranks, each with our result."""
    main = results.main
    rows = [row for row in (*_on_banknote(main), *_on_alpha(main), *_on_forests(main)) if row[2] or row[3]]
    return Sheet(
        "statements",
        "Statements in the text of the paper",
        "Without noise both columns are the same runs. The statements are about the paper's whole grid; on a "
        "part of it these numbers are indications only. With α = 0.1 the literal update never changes a "
        "weight, because β h stays on the plateau of the inverse link: without noise all trees of such an "
        "ensemble are the same.",
        ("statement", "paper", "as_printed", "sound"),
        tuple(rows),
    )


Row = tuple[str, str, str, str]


def _on_banknote(main: Results) -> list[Row]:
    banknote = main.where(domain="banknote")
    private = banknote.where(alpha="calibrated", epsilon=EPSILONS)
    errors = [private.where(learner=learner).means for learner in LEARNERS]
    printed, sound = (f"{100 * np.mean(error <= 20):.1f} %" if error.size else "" for error in errors)
    free = banknote.where(learner=Learner.NOISE_FREE).means
    worst = f"{free.max():.1f} %" if free.size else ""
    return [
        ("banknote, private, calibrated α: runs with error ≤ 20 %", "more than 2/3", printed, sound),
        ("banknote, without noise: greatest error", "20 %", worst, worst),
    ]


def _on_alpha(main: Results) -> list[Row]:
    free = main.where(learner=Learner.NOISE_FREE).frame
    errors = free.groupby(["domain", "alpha"], observed=True)["error"].mean().unstack("alpha")
    rows = []
    for alpha, stated in (("0.1", "most"), ("calibrated", "competitive")):
        both = errors.reindex(columns=["1", alpha]).dropna()
        ahead = f"{(both['1'] < both[alpha]).sum()} of {len(both)}" if len(both) else ""
        statement = f"without noise: domains where α = 1 errs less on average than α = {alpha}"
        rows.append((statement, stated, ahead, ahead))
    printed, sound = (_calibrated_wins(main.where(learner=name, epsilon="0.01")) for name in LEARNERS)
    rows.append(("ε = 0.01: domains where calibrated α leads to the best result", "14 of 19", printed, sound))
    return rows


def _calibrated_wins(runs: Results) -> str:
    """Return the number of domains on which calibrated alpha is best, as a mean over repeats."""
    balanced = runs.balance("alpha", ALPHA_RULES)
    if not len(balanced):
        return ""
    wins = alpha_wins(balanced, "repeat")["calibrated"].mean()
    return f"{wins:.4g} of {len(balanced.present('domain'))}"


def _on_forests(main: Results) -> list[Row]:
    tests = forest_tests(main.where(depth=COMPARED_DEPTHS, epsilon=EPSILONS))
    rows = []
    for forest in PRINTED_FORESTS:
        for trees, alpha, stated in (
            ("20", "calibrated", "> 80 %"),
            ("20", "1", "> 80 %"),
            ("2", "calibrated", "a majority"),
        ):
            chosen = tests.query("forest == @forest and trees == @trees and alpha == @alpha")
            shares = []
            for learner in LEARNERS:
                share, error, undecided, _ = win_share(chosen[chosen["learner"] == learner])
                shares.append(f"{share} ± {error} %, {undecided} % not significant" if share else "")
            rule = "calibrated α" if trees == "2" else f"α = {alpha}"
            statement = f"T = {trees}, {rule}: significant differences from {forest} that are wins"
            rows.append((statement, stated, shares[0], shares[1]))
    return rows
