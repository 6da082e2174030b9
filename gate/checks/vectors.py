"""The vectors as checks: every case is requested, and judged within the protocol's tolerances."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.gate.check import (
    REFUSAL,
    Case,
    Outcome,
    Status,
    Target,
    fault_outcome,
    hinted_failure,
    outcome,
    without_result,
)
from privboost.gate.profile import Profile
from privboost.gate.protocol.kinds import REPEATED
from privboost.gate.protocol.wire import WireError, read_finite
from privboost.gate.vectors.files import Vector, all_vectors, is_number
from privboost.printing import format_value
from privboost.targets.conversation import Answer

from .asking import failure, unreadable
from .comparing import grid_of, read_end, readable_complaint
from .remembering import recall

CLIPPED = "clipped"
"""Flag of failures with the same result for several requests whose right results are greater."""


def vector_checks(profile: Profile, levels: Collection[str]) -> Iterator[VectorCheck]:
    """Yield a check for every group of cases of the given levels."""
    groups: dict[tuple[str, str], list[Vector]] = {}
    for vector in all_vectors(profile):
        if vector.case.level in levels:
            groups.setdefault((vector.group, vector.case.label), []).append(vector)
    for (name, label), vectors in groups.items():
        shared = sum(group == name for group, _ in groups) > 1
        check = f"{name}/{label}" if shared else name
        cases = tuple(_rename_cases(vectors, name, check))
        yield VectorCheck(profile, check, label, vectors[0].case.level, cases)


def _rename_cases(vectors: list[Vector], group: str, check: str) -> Iterator[Vector]:
    """Yield vectors with ids that start with the id of their check."""
    for vector in vectors:
        own = vector.case.id.removeprefix(group)
        yield replace(vector, case=replace(vector.case, id=f"{check}{own}"))


@dataclass(frozen=True, slots=True)
class VectorCheck:
    """Cases of one operation and one label that all have a value, or all must be refused."""

    profile: Profile
    id: str
    label: str
    level: str
    vectors: tuple[Vector, ...]
    false_alarm: float = 0.0

    def run(self, target: Target, seed: int) -> Iterator[Outcome]:
        """Ask all cases, and yield their outcomes."""
        answers = list(target.ask_many([(vector.case.op, vector.case.args) for vector in self.vectors]))
        outcomes: list[Outcome] = []
        for vector, answer in zip(self.vectors, answers, strict=True):
            evaded = vector.refused and answer.unsupported is not None
            if evaded and self._is_supported(target, vector.case):
                outcomes.append(_evasion(vector.case, answer))
            else:
                outcomes.append(self.judge(vector, answer))
        yield from outcomes if self.level == REFUSAL else self._compare(outcomes, answers)

    def _compare(self, outcomes: Sequence[Outcome], answers: Sequence[Answer]) -> Iterator[Outcome]:
        """Yield outcomes; failures say so if the answers to other requests explain them."""
        ends = _ends(self.vectors, outcomes, answers)
        right = [
            (vector.case.args, answer.result)
            for vector, each, answer in zip(self.vectors, outcomes, answers, strict=True)
            if each.status is Status.PASS and REPEATED in vector.case.flags and answer.has_result
        ]
        for vector, each, answer in zip(self.vectors, outcomes, answers, strict=True):
            is_wrong = each.status is Status.FAIL and answer.has_result
            is_repeated = is_wrong and REPEATED in vector.case.flags
            note = recall(vector.case.args, answer.result, right) if is_repeated else ""
            if note:
                case = replace(vector.case, flags=(REPEATED,))
                yield self._judge_value(case, vector.expected, answer, note)
            elif is_wrong and _number(answer.result) in ends:
                yield self._judge_value(replace(vector.case, flags=(CLIPPED,)), vector.expected, answer, "")
            else:
                yield each

    def judge_request(
        self, target: Target, request: Mapping[str, Any], flags: tuple[str, ...]
    ) -> Outcome | None:
        """Judge another request of the same operation; None if it is not of the same kind."""
        if flags in ((REPEATED,), (CLIPPED,)):
            # Other requests show what is wrong with this one.
            return None
        same = (vector.case.flags for vector in self.vectors if vector.case.args == request["args"])
        fitting = next(same, tuple(flag for flag in flags if flag not in self.profile.flags_of_points))
        case = replace(self.vectors[0].case, flags=fitting, op=request["op"], args=request["args"])
        other = self._with_answer(case)
        if other is None or other.refused != (self.level == REFUSAL):
            return None
        return self.judge(other, target.ask(case.op, case.args))

    def judge(self, vector: Vector, answer: Answer) -> Outcome:
        """Return the outcome of a case."""
        if vector.refused:
            return _judge_refusal(vector.case, answer)
        if vector.may_refuse and answer.error is not None:
            return outcome(vector.case, Status.PASS)
        return self._judge_value(vector.case, vector.expected, answer)

    def _with_answer(self, case: Case) -> Vector | None:
        """Return a case with its exact answer; None if that is unknown."""
        try:
            expected = self.profile.vectors.answer(case.op, case.args)
        except PreconditionError:
            return Vector(case, self.id, None, refused=True)
        return None if expected is None else Vector(case, self.id, expected, refused=False)

    def _judge_value(self, case: Case, expected: Any, answer: Answer, note: str | None = None) -> Outcome:
        """Judge a value; with a note, the mistake is known, and no other is guessed."""
        missing = without_result(case, answer)
        if missing is not None:
            return missing
        slack = self.profile.operations[case.op].tolerance.slack(case.args)
        try:
            wrong = readable_complaint(
                expected, answer.result, slack, grid=grid_of(case.args), guesses=note is None
            )
        except WireError as error:
            return unreadable(case, error)
        if not wrong:
            return outcome(case, Status.PASS)
        if note is not None:
            return failure(case, f"{wrong}{note}")
        flags = self.profile.plausible_flags(case.flags, case.op, case.args, expected, answer.result)
        return failure(replace(case, flags=tuple(flag for flag in flags if flag != REPEATED)), wrong)

    def _is_supported(self, target: Target, case: Case) -> bool:
        """Return whether a target answers a request like this one whose arguments are right."""
        valid = valid_like(self.profile, case.op, case.args)
        return valid is not None and target.ask(case.op, valid).has_result


def _number(result: Any) -> Fraction | None:
    """Return a finite number of a result; None if it is not one."""
    try:
        return read_finite(result)
    except WireError:
        return None


def _ends(
    vectors: Sequence[Vector], outcomes: Sequence[Outcome], answers: Sequence[Answer]
) -> set[Fraction | None]:
    """Return the numbers to which several greater numbers seem to be clipped."""
    clipped: dict[Fraction | None, set[Fraction]] = {}
    for vector, each, answer in zip(vectors, outcomes, answers, strict=True):
        value = _number(answer.result) if each.status is Status.FAIL and is_number(vector.expected) else None
        exact = read_end(vector.expected) if value else math.nan
        if value and isinstance(exact, Fraction) and exact / value > 1:
            clipped.setdefault(value, set()).add(exact)
    return {value for value, numbers in clipped.items() if len(numbers) > 1}


def valid_like(profile: Profile, op: str, args: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return valid arguments with the same choices as arguments that must be refused."""
    chosen = {name: args[name] for name in profile.vectors.choices if name in args}
    for vector in all_vectors(profile):
        if vector.case.op == op and not vector.refused and chosen.items() <= vector.case.args.items():
            return vector.case.args
    return None


def _evasion(case: Case, answer: Answer) -> Outcome:
    """Return the failure of `unsupported` for wrong arguments of a request that is supported."""
    got = f"got unsupported ({answer.unsupported}), though the request is answered if its arguments are right"
    return outcome(case, Status.FAIL, f"{case.label}: expected an error, {got}")


def _judge_refusal(case: Case, answer: Answer) -> Outcome:
    """Return the outcome of a case that must be refused."""
    if answer.error is not None:
        return outcome(case, Status.PASS)
    if answer.unsupported is not None:
        return outcome(case, Status.SKIP, answer.unsupported)
    expected = f"{case.label}: expected an error, because the arguments are invalid"
    if answer.fault is not None:
        return fault_outcome(case, expected, answer.fault)
    return hinted_failure(case, f"{expected}, got the result {format_value(answer.result)}")
