"""The claim that is audited, and the verdict that finished tests add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privboost.errors import PreconditionError

from .betting import GREATEST_NULL
from .fixed import fixed_bound
from .power import power_of
from .repeats import constant_sides, stuck_number
from .result import AuditResult, PairResult, Verdict
from .sequential import SequentialTest
from .subject import Pair
from .words import rounded_up

FEWEST_CALLS = 500
"""Calls on a pair below which nothing but a violation is concluded."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is claimed, and how surely it is to be refuted."""

    epsilon: float
    delta: float = 0.0
    confidence: float = 0.95
    low_bits: bool = False
    stop: bool = True
    """Whether the first violation of a pair ends its test."""

    def __post_init__(self) -> None:
        for name in ("epsilon", "delta", "confidence"):
            try:
                object.__setattr__(self, name, float(getattr(self, name)))
            except (TypeError, ValueError):
                raise PreconditionError(name, "a number", getattr(self, name)) from None
        if not 0 <= self.epsilon <= GREATEST_NULL:
            raise PreconditionError("epsilon", f"a claim from 0 to {GREATEST_NULL:g}", self.epsilon)
        if not 0 <= self.delta < 1:
            raise PreconditionError("delta", "a number in [0, 1)", self.delta)
        if not 0 < self.confidence < 1:
            raise PreconditionError("confidence", "a probability between 0 and 1", self.confidence)

    def error_of_a_pair(self, pairs: int) -> float:
        """Return the error probability that each of some pairs may spend."""
        return (1 - self.confidence) / pairs

    def tests(self, pairs: int) -> list[SequentialTest]:
        """Return a fresh test for every pair."""
        error = self.error_of_a_pair(pairs)
        return [
            SequentialTest(
                self.epsilon, delta=self.delta, error=error, low_bits=self.low_bits, stop=self.stop
            )
            for _ in range(pairs)
        ]


def conclude(
    target: str,
    pairs: tuple[Pair, ...],
    tests: Sequence[SequentialTest],
    settings: Settings,
    seed: int,
    *,
    seconds: float = 0.0,
    interrupted: bool = False,
) -> AuditResult:
    """Return the verdict on finished tests."""
    error = settings.error_of_a_pair(len(pairs))
    found = tuple(
        PairResult(pair, error, tuple(test.curve), test.cells(), fixed_bound(test))
        for pair, test in zip(pairs, tests, strict=True)
    )
    fewest = min(result.calls for result in found)
    refuted = [(result, test) for result, test in zip(found, tests, strict=True) if test.refuted]
    power = power_of(fewest, settings.epsilon, settings.delta, error) if fewest else ()
    if refuted:
        verdict = Verdict.VIOLATION
        best, test = max(refuted, key=lambda entry: entry[0].bound)
        constant = constant_sides(*test.history())
        reason = (
            f"on the pair '{best.pair.name}' the sides were guessed better than {_claim(settings)} allows, "
            f"after {best.calls} calls" + (f"; {constant}" if constant else "")
        )
    elif fewest < FEWEST_CALLS or power[0].epsilon is None:
        verdict = Verdict.INCONCLUSIVE
        reason = f"{fewest} calls on a pair are too few to say anything about a claim of {_claim(settings)}"
    elif overlooked := next(filter(None, map(_overlooked, tests)), ""):
        verdict = Verdict.INCONCLUSIVE
        reason = f"no violation was found, but {overlooked}"
    else:
        verdict = Verdict.CONSISTENT
        reason = (
            f"no violation in {sum(result.calls for result in found)} calls; one of ε ≥ "
            f"{rounded_up(power[0].epsilon)}, by an event seen on half of the calls and learned from the "
            "first half of them, would have been caught with 95 % probability"
        )
    return AuditResult(
        target,
        settings.epsilon,
        settings.delta,
        settings.confidence,
        seed,
        verdict,
        reason,
        found,
        power,
        interrupted,
        seconds,
    )


def _overlooked(test: SequentialTest) -> str:
    """Return why the outputs of a test say little, in words; nothing if they do not."""
    return test.reader.overlooked or stuck_number(test.history()[0])


def _claim(settings: Settings) -> str:
    return f"ε = {settings.epsilon:g}" + (f", δ = {settings.delta:g}" if settings.delta else "")
