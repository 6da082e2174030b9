"""What differs between two inputs and does not vary with the coins.

What differs under frozen draws is a candidate. If a part of the output is the same value in n runs on one
input and never this value in n runs on the other one, the claim is refuted: let the value have
probabilities q and p there. The claim says q <= e^ε p + δ, and what was seen has probability (q (1 - p))^n,
which n makes at most 1e-9.

Other features, such as the number of draws, are not published; fewer runs make a suspicion.
"""

from __future__ import annotations

import math
import time

from .features import NUMBER, ORDER, OUTPUT, SCALE, Feature, features_of, finding_of, is_noise, same_feature
from .result import FindingKind, ReplayFinding
from .runs import LEFT, RIGHT, SIDES, PairRuns, RecordedRun

ERROR = 1e-9
"""The probability with which a part of an output of a private mechanism looks as if it had no noise."""

MOST_RUNS, FEWEST_RUNS, SUSPICIOUS_RUNS = 2_000, 3, 40


def runs_needed(epsilon: float, delta: float) -> int:
    """Return the number of runs on each input that show that a part of the output has no noise."""
    odds = math.exp(min(epsilon, 700.0))
    # q (1 - p) with q = min(1, e^ε p + δ) is greatest where q reaches 1, or before it.
    p = min((1 - delta) / odds, max((odds - delta) / (2 * odds), 0.0))
    chance = min(1.0, odds * p + delta) * (1 - p)
    return MOST_RUNS + 1 if chance >= 1 else math.ceil(math.log(ERROR) / math.log(chance))


class ConstantFeatures:
    """The features of a pair that differ, and which of them vary with the coins."""

    def __init__(self, runs: PairRuns) -> None:
        self._runs, self._tapes = runs, (runs.left.tape, runs.right.tape)
        left, right = (features_of(run.leaves, run.tape) for run in (runs.left, runs.right))
        self.differs = [key for key in left | right if not same_feature(key, left.get(key), right.get(key))]
        # Outputs are those of a run with its own coins: with frozen releases they would be equal.
        fresh = features_of(runs.fresh[RIGHT].leaves, runs.fresh[RIGHT].tape)
        right = {key: value for key, value in right.items() if key[0] != OUTPUT}
        self._features = left, right | {key: value for key, value in fresh.items() if key[0] == OUTPUT}
        self.varied: list[Feature] = []
        """Features that differ, and vary with the coins."""
        self.findings: list[ReplayFinding] = []
        keys = self._features[LEFT] | self._features[RIGHT]
        self._open = [key for key in keys if not same_feature(key, *self._values(key))]
        self._steady = {key: [True, True] for key in self._open}
        self._needed = runs_needed(runs.plan.epsilon, runs.plan.delta)
        self._drop((runs.fresh[LEFT], runs.live(RIGHT)))
        self._run()

    def differs_in(self, *kinds: str) -> bool:
        """Return whether a feature of some kinds differs under frozen draws."""
        return any(key[0] in kinds for key in self.differs)

    def varied_in(self, *kinds: str) -> bool:
        """Return whether a feature of some kinds differs, and varies with the coins."""
        return any(key[0] in kinds for key in self.varied)

    def _values(self, key: Feature) -> tuple[object, object]:
        return self._features[LEFT].get(key), self._features[RIGHT].get(key)

    def _enough(self, key: Feature) -> int:
        """Return the number of runs that make a finding."""
        return self._needed if key[0] == OUTPUT else min(self._needed, SUSPICIOUS_RUNS)

    def _run(self) -> None:
        """Run both inputs with fresh coins until what is left is shown not to vary."""
        number, started = 1, time.monotonic()
        while self._open and number < min(max(map(self._enough, self._open)), MOST_RUNS):
            if time.monotonic() - started > self._runs.plan.seconds:
                break
            self._drop((self._runs.live(LEFT), self._runs.live(RIGHT)))
            number += 1
        for key in self._open:
            enough = self._needed if key[0] == OUTPUT else min(self._enough(key), FEWEST_RUNS)
            is_telling = key[0] in (OUTPUT, SCALE, ORDER) or is_noise(key, self._tapes)
            if number >= enough and is_telling:
                self.findings.append(finding_of(key, *self._values(key), number))
            else:
                self.varied.append(key)
        self._merge()

    def _drop(self, fresh: tuple[RecordedRun, RecordedRun]) -> None:
        """Drop what varies; a part of the output, if it varies on both inputs or has a common value."""
        features = [features_of(run.leaves, run.tape) for run in fresh]
        for key in [*self._open]:
            steady, values = self._steady[key], self._values(key)
            for side in SIDES:
                steady[side] = steady[side] and same_feature(key, values[side], features[side].get(key))
            met = any(
                steady[side] and same_feature(key, values[side], features[1 - side].get(key))
                for side in SIDES
            )
            if met or not (any(steady) if key[0] == OUTPUT else all(steady)):
                self._open.remove(key)
                self.varied.append(key)

    def _merge(self) -> None:
        """Keep one finding of a kind per call site; what follows from the number of draws is left out."""
        kept: dict[tuple[FindingKind, str, str], ReplayFinding] = {}
        numbers = any(each.kind is FindingKind.NUMBER_OF_DRAWS for each in self.findings)
        for each in self.findings:
            is_scale = each.kind is FindingKind.SCALE_FROM_DATA and None in (each.left, each.right)
            if numbers and (is_scale or each.kind is FindingKind.ORDER_OF_DRAWS):
                continue
            kept.setdefault((each.kind, each.site, each.name), each)
        self.findings = list(kept.values())


CONTROL = (NUMBER, ORDER, SCALE)
"""The kinds of features that say how a run draws."""
