"""`one_run` and `audit_scores`: bounds on epsilon from one training with many canaries."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from privboost.auditor.claims import epsilon_claim
from privboost.auditor.result import Verdict
from privboost.errors import PreconditionError
from privboost.limits import CONFIDENCE, POWER

from .bounds import (
    bound_anytime,
    bound_epsilon,
    bound_mu,
    canaries_to_catch,
    catches,
    is_changed,
    make_guesses,
)
from .guesses import ScoredRun
from .result import Needed, OneRunResult
from .statistics import describe_scores

Floats = NDArray[np.float64]

UNFAIR = 1e-6
"""Numbers of canaries that are in and out are refused if fair coins make them this rarely."""

MOST_RUNS = 10_000


def one_run(
    fit: Callable[[list[Any], np.random.Generator], Any],
    canaries: Sequence[Any],
    score: Callable[[Any, list[Any]], Any],
    *,
    replacements: Sequence[Any] | None = None,
    epsilon: float | None = None,
    delta: float = 0.0,
    confidence: float = CONFIDENCE,
    power: float = POWER,
    runs: int = 1,
    guesses: tuple[int, int] | None = None,
    seed: int | None = None,
) -> OneRunResult:
    """Bound epsilon from below by one training, in which each canary is in or out by a fair coin.

    `fit(rows, rng)` trains on the canaries that are in, along with whatever other rows it has, and returns
    the output of the mechanism. `score(output, canaries)` returns a number for every canary, higher if the
    canary seems to be in. It is not told the coins. A canary that is out is left out (for claims about added
    and removed rows), or replaced by the row of `replacements` (for claims about exchanged rows). With
    `epsilon` there is a verdict on this claim. `runs` trainings are made; their number is part of the plan.
    `guesses` fixes how many of the highest and of the lowest scores are guessed, for those who know it
    before.

    >>> import numpy as np
    >>> from privboost.auditor import one_run
    >>> def histogram(rows, rng):
    ...     return np.bincount(rows, minlength=1000) + rng.laplace(size=1000)
    >>> result = one_run(histogram, range(1000), lambda counts, cells: counts[list(cells)], seed=1)
    >>> 0.5 < result.bound < 1
    True

    Ensures: PreconditionError for arguments out of range, and for scores that are not one number per canary.
    """
    listed = list(canaries)
    others = None if replacements is None else list(replacements)
    if others is not None and len(others) != len(listed):
        raise PreconditionError("replacements", f"{len(listed)} rows, one per canary", len(others))
    if type(runs) is not int or not 1 <= runs <= MOST_RUNS:
        raise PreconditionError("runs", f"an integer from 1 to {MOST_RUNS}", runs)
    plan = _Plan(epsilon, delta, confidence, power, guesses)
    _check_count(len(listed))
    seed, started = secrets.randbits(64) if seed is None else seed, time.monotonic()
    coin_rng, fit_rng, tie_rng = np.random.default_rng(seed).spawn(3)
    scored = []
    for _ in range(runs):
        coins = coin_rng.integers(2, size=len(listed)).astype(np.bool_)
        model = fit(_choose_rows(listed, others, coins), fit_rng)
        scored.append(ScoredRun(_read_scores(score(model, list(listed)), len(listed)), coins))
    name = str(getattr(fit, "__name__", type(fit).__name__))
    result = _conclude(scored, tie_rng, plan, name)
    return replace(result, seed=seed, seconds=time.monotonic() - started)


def audit_scores(
    inside: Any,
    outside: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    confidence: float = CONFIDENCE,
    power: float = POWER,
    guesses: tuple[int, int] | None = None,
    seed: int | None = None,
    name: str = "scores",
) -> OneRunResult:
    """Bound epsilon from below by scores of canaries that were in one training, and of those that were not.

    This is valid if each canary was in by an independent fair coin, and if scores are made without knowledge
    of the coins; higher scores are to mean "in". Scores of rows that are members for another reason do not
    give a bound. Ties are broken at random, by the seed.

    >>> from privboost.auditor import audit_scores
    >>> audit_scores(range(100, 160), range(50), seed=1).bound > 2
    True

    Ensures: PreconditionError for what are no scores, and for numbers of them that fair coins do not make.
    """
    plan = _Plan(epsilon, delta, confidence, power, guesses)
    parts = [_read_scores(part, None) for part in (inside, outside)]
    sizes = parts[0].size, parts[1].size
    _check_count(sum(sizes))
    if binomtest(sizes[0], sum(sizes)).pvalue < UNFAIR:
        expected = "about as many canaries in as out, since each is in by a fair coin"
        raise PreconditionError("scores", expected, f"{sizes[0]:,} in and {sizes[1]:,} out")
    seed = secrets.randbits(64) if seed is None else seed
    run = ScoredRun(np.concatenate(parts), np.repeat([True, False], sizes))
    return replace(_conclude([run], np.random.default_rng(seed), plan, name), seed=seed)


def _choose_rows(canaries: list[Any], others: list[Any] | None, coins: NDArray[np.bool_]) -> list[Any]:
    """Return the rows of a training: canaries that are in, and what replaces those that are out."""
    if others is None:
        return [canary for canary, inside in zip(canaries, coins.tolist(), strict=True) if inside]
    return [
        canary if inside else other
        for canary, other, inside in zip(canaries, others, coins.tolist(), strict=True)
    ]


def _read_scores(values: Any, count: int | None) -> Floats:
    """Return scores as floats; `count` is the number of canaries, if it is known."""
    expected = "numbers, one per canary" if count is None else f"{count} numbers, one per canary"
    try:
        scores = np.asarray(values if hasattr(values, "__array__") else list(values), dtype=np.float64)
    except (TypeError, ValueError):
        raise PreconditionError("scores", expected, type(values).__name__) from None
    if scores.ndim != 1 or (count is not None and scores.size != count):
        raise PreconditionError("scores", expected, f"an array of shape {scores.shape}")
    return scores


def _check_count(count: int) -> None:
    if count < 2:
        raise PreconditionError("canaries", "at least 2", count)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is fixed before scores are seen."""

    epsilon: float | None
    delta: float
    confidence: float
    power: float
    guesses: tuple[int, int] | None

    def __post_init__(self) -> None:
        epsilon_claim(0.0 if self.epsilon is None else self.epsilon, self.delta)
        for name, least, most in (("confidence", 0, 1), ("power", 1, 1_000)):
            value: Any = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not least < value < most:
                raise PreconditionError(name, f"a number above {least} and below {most}", value)


def _conclude(scored: Sequence[ScoredRun], rng: np.random.Generator, plan: _Plan, name: str) -> OneRunResult:
    error, epsilon = 1 - plan.confidence, plan.epsilon
    guesses = make_guesses(scored, rng, plan.guesses)
    scores = np.concatenate([run.scores for run in scored])
    coins = np.concatenate([run.coins for run in scored])
    known = ~np.isnan(scores)
    bound = bound_epsilon(guesses, error, plan.delta, epsilon)
    needed, verdict = None, None
    if epsilon is not None:
        needed = _need(guesses.canaries, epsilon, plan)
        verdict = Verdict.CONSISTENT if needed.met else Verdict.INCONCLUSIVE
        verdict = Verdict.VIOLATION if bound > 0 and bound >= epsilon else verdict
    return OneRunResult(
        name,
        bound,
        bound_mu(guesses, error),
        bound_anytime(guesses, error, plan.delta, epsilon),
        float(plan.delta),
        float(plan.confidence),
        len(scored),
        int(coins.sum()),
        int((~coins).sum()),
        int((~known).sum()),
        plan.guesses,
        is_changed(guesses.canaries, plan.delta, error),
        describe_scores(scores[known & coins], scores[known & ~coins], plan.confidence),
        0,
        None if epsilon is None else float(epsilon),
        verdict,
        needed,
    )


def _need(canaries: int, epsilon: float, plan: _Plan) -> Needed:
    error, odds = 1 - plan.confidence, plan.power * epsilon
    if catches(canaries, epsilon, odds, error, plan.delta):
        return Needed(plan.power, met=True)
    return Needed(plan.power, False, canaries_to_catch(epsilon, odds, error, plan.delta, canaries))
