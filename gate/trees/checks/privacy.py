"""Black-box audits of `train` and the samplers on neighbouring inputs at their epsilon.

The auditor's sequential test refutes a private target with probability at most 1e-8, whenever it is stopped.
A target that is not refuted is not proved private.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privboost.auditor import SequentialTest
from privboost.auditor.files.events import format_event
from privboost.gate.check import Case, Outcome, Target
from privboost.gate.checks.asking import ask_all, judge_case, largest_count
from privboost.gate.checks.comparing import float_of
from privboost.gate.checks.evidence import seed_string
from privboost.gate.protocol.wire import read_finite, read_list, read_string
from privboost.gate.trees.cases.cases_train import rows_of
from privboost.gate.trees.levels import Level
from privboost.gate.trees.operations.operations_of_learner import SOUND

from .tapes import trees_of
from .trained import training

ERROR = 1e-8
BATCH = 250
DRAWS = 4000
ATTRIBUTES = 8


@dataclass(frozen=True, slots=True)
class TrainAudit:
    """An audit of `train` on two neighbouring samples, by a guesser that learns from earlier runs."""

    id: str
    left: Mapping[str, Any]
    right: Mapping[str, Any]
    calls: int
    flags: tuple[str, ...]
    label: str = "defEDPRIV"
    level: Level = Level.PRIVACY
    false_alarm: float = ERROR

    def run(self, target: Target, seed: int) -> Outcome:
        """Train on a sample chosen by a fair coin, until the claim is refuted or the calls are used up."""
        claim = float(Fraction(self.left["parameters"]["epsilon"]))
        case = Case(self.id, "train", dict(self.left) | {"seed": "1"}, self.label, self.level, self.flags)
        coins = random.Random(seed_string(seed, self.id, "coins"))

        def complaint() -> str:
            test = SequentialTest(claim, error=ERROR)
            for batch in range(0, self.calls, BATCH):
                sides = np.array([coins.getrandbits(1) for _ in range(BATCH)])
                requests = [
                    (
                        "train",
                        dict((self.left, self.right)[side])
                        | {"seed": seed_string(seed, self.id, batch + call)},
                    )
                    for call, side in enumerate(sides)
                ]
                test.update([read_released(result) for result in ask_all(target, case, requests)], sides)
                if test.refuted:
                    break
            return refutation(test, claim, self.left["rows"], self.right["rows"])

        return judge_case(case, complaint)


def read_released(result: Any) -> list[Any]:
    """Return the released part of a result: splits, values, coefficients."""
    released_values: list[Any] = []
    for tree in trees_of(result):
        released_values += [read_string(split) for split in read_list(tree["splits"])]
        released_values += [
            float_of(read_finite(value)) for value in [*read_list(tree["values"]), tree["beta"]]
        ]
    return released_values


def refutation(test: SequentialTest, claim: float, left: object, right: object) -> str:
    """Return a complaint if the claim is refuted, with the pair and the outputs that distinguish it."""
    if not test.refuted:
        return ""
    cell = max(test.cells(), key=lambda cell: abs(cell.left - cell.right), default=None)
    cell_note = ""
    if cell:
        counts = f"{cell.left} times left and {cell.right} times right"
        cell_note = f"; clearest difference: {format_event(cell.event)}, {counts}"
    return (
        f"the claim epsilon = {claim:g} is refuted after {test.calls} calls on the neighbours left = {left} "
        f"and right = {right}: epsilon is at least {test.bound:.3g} (error probability {ERROR:g}){cell_note}"
    )


@dataclass(frozen=True, slots=True)
class SamplerAudit:
    """An audit of a sampler on two neighbouring inputs, with many draws of each."""

    id: str
    op: str
    label: str
    left: Mapping[str, Any]
    right: Mapping[str, Any]
    claim: float
    read: Callable[[Any, bool], Any]
    flags: tuple[str, ...]
    neighbours: tuple[str, str] | None = None
    """What the two inputs are, if their arguments do not show it."""
    level: Level = Level.PRIVACY
    false_alarm: float = ERROR

    def run(self, target: Target, seed: int) -> Outcome:
        """Draw for one of the two inputs, chosen by a fair coin."""
        coins = random.Random(seed_string(seed, self.id, "coins"))
        sides = np.array([coins.getrandbits(1) for _ in range(DRAWS)])
        size = min(DRAWS, largest_count(target))
        requests = [
            [
                (self.op, dict(args) | {"seed": seed_string(seed, self.id, side, start), "count": str(size)})
                for start in range(0, DRAWS, size)
            ]
            for side, args in enumerate((self.left, self.right))
        ]
        case = Case(self.id, self.op, requests[0][0][1], self.label, self.level, self.flags)

        def complaint() -> str:
            lists = [
                [draw for result in ask_all(target, case, of_side) for draw in read_list(result, length=size)]
                for of_side in requests
            ]
            outputs = [self.read(lists[side][index], bool(side)) for index, side in enumerate(sides)]
            test = SequentialTest(self.claim, error=ERROR)
            test.update(outputs, sides)
            left, right = self.neighbours or (dict(self.left), dict(self.right))
            return refutation(test, self.claim, left, right)

        return judge_case(case, complaint)


def _noisy_count(draw: Any, right: bool) -> float:
    """Return a count with noise: one example more on the right."""
    return float_of(read_finite(draw)) + right


def _read_choice(draw: Any, _right: bool) -> str:
    return read_string(draw)


def privacy_checks() -> Iterator[TrainAudit | SamplerAudit]:
    """Yield the audits.

    In the first pair one label is flipped, which moves two masses of a leaf. In the second one row moves so
    that one split becomes worse by the whole sensitivity, and all others become better.
    """
    leaves = {"trees": "1", "depth": "1", "epsilon": "2", "beta_tree": "1/64"}
    flipped: Sequence[Any] = (rows_of("0-", "0-"), rows_of("0-", "0+"))
    rest = ATTRIBUTES - 1
    still, moved = "0" * ATTRIBUTES + "-", ("0" + "1" * rest + "+", "1" + "0" * rest + "+")
    spread: Sequence[Any] = tuple(rows_of(still, row) for row in moved)
    yield _train_audit("leaves", leaves, flipped, 3500, ("factor-two", "exchange-two", "weight-bound"))
    splits = leaves | {"beta_tree": "63/64"}
    yield _train_audit("splits", splits, spread, 3000, ("factor-two", "m-plus-one", "weight-bound"))
    more = leaves | {"trees": "2"}
    yield _train_audit("two trees", more, flipped, 1500, ("budget-trees", "beta-rule", "weight-bound"))
    noise = {"scale": "1/2", "grid": "1/1024"}
    counts = ("a count of 0 with this noise", "a count of 1 with this noise")
    yield SamplerAudit(
        "privacy/sample_laplace/count",
        "sample_laplace",
        "sec-solv",
        noise,
        noise,
        2.0,
        _noisy_count,
        ("factor-two",),
        counts,
    )
    names = [f"x{index} >= 1" for index in range(ATTRIBUTES)]
    for law in ("exponential", "permute_and_flip"):
        shared = {"epsilon": "2", "sensitivity": "1", "law": law}
        left = shared | {"scores": {name: "0" if name == names[0] else "-1" for name in names}}
        right = shared | {"scores": {name: "-1" if name == names[0] else "0" for name in names}}
        flags = ("factor-two", "score-sign")
        yield SamplerAudit(
            f"privacy/sample_split/{law}", "sample_split", "expSPLIT", left, right, 2.0, _read_choice, flags
        )


def _train_audit(
    name: str, parameters: Mapping[str, str], pair: Sequence[Any], calls: int, flags: tuple[str, ...]
) -> TrainAudit:
    left, right = (training(SOUND, parameters, rows) for rows in pair)
    return TrainAudit(f"privacy/train/{name}", left, right, calls, flags)
