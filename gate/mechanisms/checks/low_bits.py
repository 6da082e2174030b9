"""Continuous noise: whether the set of results depends on the value, as it does in floating-point numbers.

A double near 0 has many more digits than one near 1. If noise is added to a value and nothing is done about
it, results near 0 have digits below 2^-53 for the value 0, and never for the value 1 (Mironov 2012). An event
of this kind has to have about the same probability under neighbouring values. What is tested is that
P(E | value) <= e^ε P(E | other value) + δ, by a bet on pairs of draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations

from privboost.gate.check import Case, Outcome, Status, Target, outcome
from privboost.gate.checks.asking import ask_all, judge_case, largest_count
from privboost.gate.checks.evidence import Evidence, mean_evidence, seed_string
from privboost.gate.mechanisms.levels import Level
from privboost.gate.protocol.wire import read_finite, read_list
from privboost.gate.targets.target import Announced

CLAIM = "low_bits"
ERROR = 1e-9
N_DRAWS = 6000
VALUES = ("0", "1", "1/3")
"""Values that are at most the sensitivity 1 apart."""
EPSILON, DELTA, SLACK = 1.0, 1e-3, 0.1
"""The claim, and by how much ε may be exceeded: laws may be on a grid."""
NEAR_ZERO = Fraction(1, 8)
"""Results of this size are looked at: the noise cancels the value."""
BITS = (20, 25, 30, 40, 53)
"""Numbers of binary digits after the point."""
STAKE = 0.9
NOISES: dict[str, dict[str, str]] = {"laplace": {}, "gaussian": {"delta": "1/1000"}}
"""Operations with continuous noise, and their further arguments."""


def low_bit_checks() -> Iterator[LowBitsCheck]:
    """Yield a check for every operation with continuous noise."""
    for op in NOISES:
        yield LowBitsCheck(op)


@dataclass(frozen=True, slots=True)
class LowBitsCheck:
    """The results near 0 of several values."""

    op: str
    label: str = "low-bits"
    level: str = Level.LAWS
    false_alarm: float = ERROR

    @property
    def id(self) -> str:
        """Return the id of the check."""
        return f"{self.level}/{self.op}/low bits"

    def run(self, target: Target, seed: int) -> Outcome:
        """Draw for all values; a target that does not claim to protect low bits is told what they show."""
        size = min(N_DRAWS, largest_count(target))
        parts = math.ceil(N_DRAWS / size)
        fixed = {"epsilon": "1", "sensitivity": "1", **NOISES[self.op]}
        requests = [
            fixed | {"value": value, "seed": seed_string(seed, self.id, value, part), "count": str(size)}
            for value in VALUES
            for part in range(parts)
        ]
        case = Case(self.id, self.op, requests[0], self.label, self.level, (self.label,))
        shown: list[Evidence] = []

        def judge() -> str:
            results = iter(ask_all(target, case, [(self.op, args) for args in requests]))
            draws = {
                value: [read_finite(x) for _ in range(parts) for x in read_list(next(results), length=size)]
                for value in VALUES
            }
            evidence = mean_evidence(list(_evidence(draws, DELTA if "delta" in fixed else 0.0)))
            if evidence.log_wealth < -math.log(self.false_alarm):
                return ""
            shown.append(evidence)
            return f"{evidence.description}. Floating-point digits of a result tell its value"

        judged = judge_case(case, judge)
        claims = target.hello.claims if isinstance(target, Announced) else frozenset[str]()
        if shown and CLAIM not in claims:
            stated = f"`hello` does not claim `{CLAIM}`, so this is no failure"
            told = f"{self.op}: {shown[0].description}. {stated}"
            return replace(outcome(case, Status.PASS, told), is_told=True)
        return judged


def _evidence(draws: dict[str, list[Fraction]], delta: float) -> Iterator[Evidence]:
    """Yield the evidence of every event against every ordered pair of values."""
    for bits in BITS:
        hits = {
            value: [abs(x) < NEAR_ZERO and (x * (1 << bits)).denominator > 1 for x in numbers]
            for value, numbers in draws.items()
        }
        for value, other in permutations(VALUES, 2):
            n_hits, n_draws, n_others = sum(hits[value]), len(hits[value]), sum(hits[other])
            counts = f"{n_hits} of {n_draws} results for the value {value}, and {n_others} for {other}"
            event = f"are between -{NEAR_ZERO} and {NEAR_ZERO} with digits below 2^-{bits}"
            yield Evidence(_log_wealth(hits[value], hits[other], delta), f"{counts}, {event}")


def _log_wealth(hits: Sequence[bool], other_hits: Sequence[bool], delta: float) -> float:
    """Return the log wealth of a bet against P(hit) <= e^ε P(other hit) + δ."""
    bound = math.exp(EPSILON + SLACK)
    stake = STAKE / (bound + delta)
    gains: dict[tuple[bool, bool], float] = {
        (hit, other): math.log1p(stake * (hit - bound * other - delta))
        for hit in (False, True)
        for other in (False, True)
    }
    return math.fsum(gains[pair] for pair in zip(hits, other_hits, strict=True))
