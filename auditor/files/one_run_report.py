"""Reports of one run with canaries, or of scores: sentences, lines for a terminal, and a JSON document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from privboost.auditor.canaries.result import OneRunResult
from privboost.auditor.numbers import (
    count_with_noun,
    format_bound,
    format_exactly,
    format_number,
    format_percent,
)
from privboost.auditor.result import Verdict
from privboost.printing import make_printable_json

from .report import REPRODUCE, Line, versions, wrap_lines

FORMAT, VERSION = "privboost-one-run-report", 1
SCHEMA = Path(__file__).with_name("one_run_report_schema.json")


def headline(result: OneRunResult) -> str:
    """Return the bound as one sentence, after the verdict if there is one."""
    claim = "" if result.epsilon is None else f"claim ε ≤ {format_exactly(result.epsilon)}{_delta(result)}, "
    start = "" if result.verdict is None else f"{result.verdict}: "
    return (
        f"{start}{result.target}, {claim}bound {bound_sentence(result)} ({canaries_sentence(result)}, "
        f"confidence {format_percent(result.confidence)})"
    )


def _delta(result: OneRunResult) -> str:
    return f" with δ = {format_number(result.delta)}" if result.delta else ""


def bound_sentence(result: OneRunResult) -> str:
    """Return the bound on epsilon, with its delta."""
    return f"ε {format_bound(result.bound, result.epsilon or 0.0)}{_delta(result)}"


def canaries_sentence(result: OneRunResult) -> str:
    """Return the number of coins and of runs."""
    coins = count_with_noun(result.canaries, "coin")
    return f"{coins}, {count_with_noun(result.runs, 'run')}"


def condition(result: OneRunResult) -> str:
    """Return what the bounds depend on."""
    text = (
        "The bounds hold if each canary was in by an independent fair coin, and the scores were made without "
        "knowledge of the coins. Scores of natural members and non-members, or of a split into two sets of a "
        "fixed size, give no bound."
    )
    if result.is_split_evenly and result.runs == 1:
        text += " Exactly as many canaries are in as out: check that coins decided, and not such a split."
    return text


def kind_of_bound(result: OneRunResult) -> str:
    """Return how the bound on epsilon was made, and when it holds."""
    looks = "for the number of guesses that was fixed before"
    if result.guesses is None:
        looks = "for all numbers of guesses at once"
    if not result.by_limits:
        return f"from the curve of (ε, δ)-privacy, {looks}"
    paid = f", of which {format_number(result.canaries * result.delta / 2)} of the error pays for δ"
    return f"exact, {looks}{paid if result.delta else ''}"


def meaning(result: OneRunResult) -> str:
    """Return the meaning of the verdict, or of the bound."""
    match result.verdict:
        case Verdict.VIOLATION:
            return "The claim is false, with the stated confidence."
        case Verdict.CONSISTENT:
            return (
                "These scores do not refute the claim. A violation that shows on a tenth of the canaries, at "
                f"{format_number(result.needed.factor if result.needed else 0)} times the claim, would have "
                "been found with probability 95 %."
            )
        case Verdict.INCONCLUSIVE:
            needed = None if result.needed is None else result.needed.canaries
            more = "More than a million" if needed is None else f"About {needed:,}"
            return f"There are too few canaries for a verdict. {more} would give one, of either kind."
        case _:
            return "No smaller ε than the bound is true of this training, with the stated confidence."


def limitations() -> str:
    """Return the conclusions that the result does not allow."""
    return "It does not say that the training is private: other canaries or other scores may show more."


def statistics_lines(result: OneRunResult) -> list[Line]:
    """Return what describes the scores."""
    described = result.statistics
    rates = ", ".join(
        f"{format_number(true)} at {format_number(false)}" for false, true in described.true_positive_rates
    )
    return [("AUROC", format_number(described.auroc)), ("TPR at FPR", rates)]


def order_hint(result: OneRunResult) -> list[Line]:
    """Return a hint if the canaries that are in have the lower scores, by more than five standard errors."""
    size = 12.0 * result.inside * result.outside
    if result.statistics.auroc > 0.5 - 5 * ((result.inside + result.outside + 1) / size) ** 0.5:
        return []
    text = (
        "The scores seem reversed: those of canaries that are in are the lower ones. The file of canaries "
        "that are in comes first, and a higher score says that a canary is in."
    )
    return [("hint", text)]


def lines(result: OneRunResult, reproduce: str = "") -> list[Line]:
    """Return the report as named lines."""
    verdict = [] if result.verdict is None else [("verdict", str(result.verdict))]
    named = [*verdict, ("target", result.target)]
    if result.epsilon is not None:
        named.append(("claim", f"ε ≤ {format_exactly(result.epsilon)}{_delta(result)}"))
    named += [("bound", f"{bound_sentence(result)}; {kind_of_bound(result)}")]
    named += [("bound on μ", f"{format_bound(result.mu, 0.0)} (Gaussian DP), by itself")]
    anytime = "none: δ is too large for this number of canaries"
    if result.anytime is not None:
        anytime = f"ε {format_bound(result.anytime, 0.0)}, by itself; by betting, after any number of runs"
        anytime += f" with {result.canaries:,} coins at most" if result.delta else ""
    named += [("at any time", anytime), ("confidence", format_percent(result.confidence))]
    named += [
        ("canaries", f"{result.inside:,} in, {result.outside:,} out, {count_with_noun(result.runs, 'run')}")
    ]
    if result.unscored:
        named.append(("not guessed", f"{count_with_noun(result.unscored, 'score')} that are NaN"))
    named += [*statistics_lines(result), *order_hint(result)]
    named += [
        ("it means", meaning(result)),
        ("it does not mean", limitations()),
        ("valid if", condition(result)),
    ]
    if result.promise:
        named.append(("documentation", result.promise))
    named.append(("seed", str(result.seed)))
    return [*named, (REPRODUCE, reproduce)] if reproduce else named


def to_text(result: OneRunResult, reproduce: str = "") -> str:
    """Return the report for a terminal."""
    return "".join(f"{name:<17}  {line}\n" for name, line in wrap_lines(lines(result, reproduce)))


def to_document(result: OneRunResult, reproduce: str = "") -> dict[str, Any]:
    """Return the report as a JSON document."""
    described, needed = result.statistics, result.needed
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": result.target,
        "verdict": None if result.verdict is None else str(result.verdict),
        "epsilon": result.epsilon,
        "delta": result.delta,
        "confidence": result.confidence,
        "bound": result.bound,
        "bound_by": "limits" if result.by_limits else "curve",
        "mu": result.mu,
        "anytime": result.anytime,
        "runs": result.runs,
        "inside": result.inside,
        "outside": result.outside,
        "unscored": result.unscored,
        "guesses": None if result.guesses is None else list(result.guesses),
        "needed": None
        if needed is None
        else {"factor": needed.factor, "met": needed.met, "canaries": needed.canaries},
        "auroc": described.auroc,
        "true_positive_rates": [list(each) for each in described.true_positive_rates],
        "tradeoff": [list(each) for each in described.tradeoff],
        "band": list(described.band),
        "seed": result.seed,
        "seconds": round(result.seconds, 3),
        "reproduce": reproduce,
        "versions": versions(result.target),
    }


def to_json_text(result: OneRunResult, reproduce: str = "") -> str:
    """Return the report as a JSON string."""
    document = to_document(result, reproduce)
    return make_printable_json(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)) + "\n"
