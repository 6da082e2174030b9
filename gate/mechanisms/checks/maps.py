"""Compare the results of a step on two neighbours with the greatest distance that is allowed.

The results themselves are compared as well where all rows are ordinary, so that a step that returns a
constant, or does something else, does not pass because it is stable.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privboost.gate.check import Outcome, Status, Target, outcome, without_result
from privboost.gate.checks.asking import failure, unreadable
from privboost.gate.checks.comparing import format_number
from privboost.gate.mechanisms.expected.steps import ABSOLUTE, GREATEST, ROWS, SUM
from privboost.gate.mechanisms.levels import Level
from privboost.gate.profile import Profile
from privboost.gate.protocol.wire import WireError, read_finite, read_list, read_number, read_object
from privboost.gate.vectors.files import Vector, all_vectors
from privboost.printing import format_value
from privboost.targets.conversation import Answer

ROUNDING = Fraction(1, 10**12)
CLOSE = Fraction(1, 10**9)
"""Largest relative error of the result on ordinary rows."""


def map_checks(profile: Profile) -> Iterator[MapCheck]:
    """Yield a check for the cases of every step."""
    groups: dict[str, list[Vector]] = {}
    for vector in all_vectors(profile):
        if vector.case.level == Level.MAPS:
            groups.setdefault(vector.group, []).append(vector)
    for name, vectors in groups.items():
        yield MapCheck(name, vectors[0].case.label, tuple(vectors))


@dataclass(frozen=True, slots=True)
class MapCheck:
    """Requests for one step."""

    id: str
    label: str
    vectors: tuple[Vector, ...]
    level: str = Level.MAPS
    false_alarm: float = 0.0

    def run(self, target: Target, seed: int) -> Iterator[Outcome]:
        """Ask all cases, and judge the distances of the results."""
        answers = target.ask_many([(vector.case.op, vector.case.args) for vector in self.vectors])
        for vector, answer in zip(self.vectors, answers, strict=True):
            yield _judge(vector, answer)


def _judge(vector: Vector, answer: Answer) -> Outcome:
    missing = without_result(vector.case, answer)
    if missing is not None:
        return missing
    expected = vector.expected
    most = Fraction(expected["at_most"])
    try:
        sides = read_object(answer.result, "result", ("left", "right"))
        distance = DISTANCES[expected["distance"]](sides["left"], sides["right"])
    except WireError as error:
        return unreadable(vector.case, error)
    if distance > most + (0 if expected["distance"] == ROWS else ROUNDING * max(Fraction(1), most)):
        reached = f"a distance of at most {format_number(most)}, got {format_number(distance)}"
        return failure(vector.case, f"one row moves the result too far: expected {reached}")
    for side, right in expected.get("results", {}).items():
        if not _is_result(sides[side], right, in_order=expected["distance"] != ROWS):
            got = f"expected {format_value(right)}, got {format_value(sides[side])}"
            return failure(replace(vector.case, flags=("other-result",)), f"the result on `{side}`: {got}")
    return outcome(vector.case, Status.PASS)


def _is_result(result: Any, expected: Any, *, in_order: bool) -> bool:
    """Return whether a result is the expected one but for rounding; rows need not be in order."""
    results, numbers = ([side] if isinstance(expected, str) else side for side in (result, expected))
    if len(results) != len(numbers):
        return False
    own = [read_finite(number) for number in results]
    right = [Fraction(number) for number in numbers]
    if not in_order:
        own.sort()
        right.sort()
    return all(
        abs(one - other) <= CLOSE * max(Fraction(1), abs(other))
        for one, other in zip(own, right, strict=True)
    )


def _between_rows(left: Any, right: Any) -> Fraction:
    first, second = (Counter(map(_row, read_list(side))) for side in (left, right))
    return Fraction(max((first - second).total(), (second - first).total()))


def _row(row: Any) -> str:
    """Return a row as a string that is the same for equal numbers."""
    number = None if row is None else read_number(row)
    return str(Fraction(number)) if number is not None and math.isfinite(number) else str(number)


def _entries(left: Any, right: Any) -> list[Fraction]:
    first = read_list(left)
    pairs: Sequence[tuple[Any, Any]] = list(zip(first, read_list(right, length=len(first)), strict=True))
    return [abs(read_finite(one) - read_finite(other)) for one, other in pairs]


DISTANCES: Mapping[str, Callable[[Any, Any], Fraction]] = {
    ROWS: _between_rows,
    ABSOLUTE: lambda left, right: abs(read_finite(left) - read_finite(right)),
    SUM: lambda left, right: sum(_entries(left, right), Fraction(0)),
    GREATEST: lambda left, right: max(_entries(left, right), default=Fraction(0)),
}
