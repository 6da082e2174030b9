"""Runs of a mechanism on one pair: with coins of their own, or with the draws of an earlier run."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass

from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.running.calls import Registration, call_once

from .outputs import Leaves, leaves_of
from .recording import Moves, RecordedEvents, Recorder, recording

LEFT, RIGHT = 0, 1
SIDES = LEFT, RIGHT


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """The claim, the coins, and how long a pair may take."""

    epsilon: float
    delta: float
    coins: Registration
    seconds: float = 60.0
    """Time for the runs with fresh coins on one pair."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The output of a run, and what it drew and released."""

    leaves: Leaves
    tape: RecordedEvents


class PairRuns:
    """The runs of a mechanism on one pair."""

    def __init__(self, mechanism: Mechanism, pair: Pair, plan: ReplayPlan, index: int) -> None:
        self.plan, self.count = plan, 0
        self._mechanism, self._index = mechanism, index
        self._inputs = (pair.left, pair.right)
        self._n_live = 0
        self.left = self.live(LEFT, number=0)
        self.again = self.frozen(LEFT)
        self.right = self.frozen(RIGHT)
        self.fresh = self.live(LEFT), self.live(RIGHT)

    def live(self, side: int, number: int | None = None) -> RecordedRun:
        """Run an input with coins of its own."""
        if number is None:
            self._n_live += 1
            number = self._n_live
        return self._run(side, number, Recorder(self._entropy(number)))

    def frozen(
        self, side: int, moves: Moves | None = None, tape: RecordedEvents | None = None
    ) -> RecordedRun:
        """Run an input with the draws and releases of the first run or of a tape, some of them moved."""
        return self._run(side, 0, Recorder(self._entropy(0), tape or self.left.tape, moves))

    def _entropy(self, number: int) -> random.Random:
        return random.Random(self.plan.coins.seed_of(self._index, 2 * number + 1))

    def _run(self, side: int, number: int, recorder: Recorder) -> RecordedRun:
        self.count += 1
        data = copy.deepcopy(self._inputs[side])
        stream = self.plan.coins.generator(self._index, 2 * number)
        with recording(recorder):
            output = call_once(self._mechanism, data, stream)
        return RecordedRun(leaves_of(output), recorder.tape)
