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
from privboost.gate.protocol.wire import WireError, read_finite, read_number
from privboost.gate.vectors.files import Vector, all_vectors, is_interval, is_number
from privboost.printing import format_value
from privboost.targets.conversation import Answer

from .asking import failure, is_sent, unreadable
from .comparing import complaint, float_of, grid_of, read_end, readable_complaint
from .limiting import Number, Saturated, clipped_results, saturated_arguments
from .remembering import Answered, recall

CLIPPED, SATURATED = "clipped", "saturated"
"""Flags of failures with a limit in place of all greater results, or in place of an argument."""
EXPLAINED = frozenset({REPEATED, CLIPPED, SATURATED})
"""Flags of failures that the answers to other requests explain."""


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
class _Causes:
    """What the answers to all requests of a check show about wrong ones."""

    repeated: Sequence[Answered]
    """Answers that may have come again."""
    saturated: Sequence[Saturated]
    clipped: Collection[Fraction]


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
        if not any(each.status is Status.FAIL for each in outcomes):
            yield from outcomes
            return
        cases = list(zip(self.vectors, outcomes, answers, strict=True))
        with_result = [each for each in cases if each[2].has_result]
        wrong, right = (
            [
                (vector.case.args, answer.result)
                for vector, each, answer in with_result
                if each.status is status
            ]
            for status in (Status.FAIL, Status.PASS)
        )
        repeated = [
            (vector.case.args, answer.result)
            for vector, each, answer in with_result
            if each.status is Status.PASS and REPEATED in vector.case.flags
        ]
        causes = _Causes(
            repeated,
            saturated_arguments(wrong, right, self._is_right),
            clipped_results([number for each in with_result if (number := _number_of(*each))]),
        )
        for vector, each, answer in cases:
            is_wrong = each.status is Status.FAIL and answer.has_result
            yield (self._explain(vector, answer, causes) if is_wrong else None) or each

    def _explain(self, vector: Vector, answer: Answer, causes: _Causes) -> Outcome | None:
        """Return the failure of a wrong result that other requests explain; None if they do not."""
        case, value = vector.case, _number(answer.result)
        recalled = recall(case.args, answer.result, causes.repeated) if REPEATED in case.flags else None
        if recalled is not None:
            judged = self._judge_flagged(vector, answer, (REPEATED,), recalled.note)
            return replace(judged, after=(replace(case, args=recalled.args).request,))
        saturated = next((each for each in causes.saturated if each.cut(case.args)), None)
        if saturated is not None:
            # A number that is the end itself may as well be a result that is clipped.
            is_end = value in causes.clipped and abs(value or 0) == abs(saturated.end)
            flags = (SATURATED, CLIPPED) if is_end else (SATURATED,)
            return self._judge_flagged(vector, answer, flags, saturated.note)
        return self._judge_flagged(vector, answer, (CLIPPED,), "") if value in causes.clipped else None

    def _judge_flagged(self, vector: Vector, answer: Answer, flags: tuple[str, ...], note: str) -> Outcome:
        return self._judge_value(replace(vector.case, flags=flags), vector.expected, answer, note)

    def _is_right(self, args: Mapping[str, Any], result: Any) -> bool:
        """Return whether a result is right for a request of the operation."""
        case = replace(self.vectors[0].case, args=args)
        vector = self._with_answer(case)
        slack = self.profile.operations[case.op].tolerance.slack(args)
        return vector is not None and not vector.refused and not complaint(vector.expected, result, slack)

    def judge_request(
        self, target: Target, request: Mapping[str, Any], flags: tuple[str, ...]
    ) -> Outcome | None:
        """Judge another request of the same operation; None if it is not of the same kind."""
        if flags and EXPLAINED.issuperset(flags):
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
            return replace(outcome(case, Status.PASS), factor=_factor_above(expected, answer.result))
        if note is not None:
            return failure(case, f"{wrong}{note}")
        flags = self.profile.plausible_flags(case.flags, case.op, case.args, expected, answer.result)
        return failure(replace(case, flags=tuple(flag for flag in flags if flag != REPEATED)), wrong)

    def _is_supported(self, target: Target, case: Case) -> bool:
        """Return whether a target is sent a request, and answers one like it whose arguments are right."""
        valid = valid_like(self.profile, case.op, case.args) if is_sent(target, case.op, case.args) else None
        return valid is not None and target.ask(case.op, valid).has_result


def _number(result: Any) -> Fraction | None:
    """Return a finite number of a result; None if it is not one."""
    try:
        return read_finite(result)
    except WireError:
        return None


def _factor_above(expected: Any, result: Any) -> float:
    """Return how many times the least right number a result is; 1 if larger ones are wrong, or it is 0."""
    if not is_interval(expected) or read_end(expected["hi"]) != math.inf:
        return 1.0
    least, value = read_end(expected["lo"]), read_number(result)
    if not isinstance(least, Fraction) or value <= least:
        return 1.0
    return float_of(Fraction(value) / least) if least and math.isfinite(value) else math.inf


def _number_of(vector: Vector, each: Outcome, answer: Answer) -> Number | None:
    """Return the numbers that were expected and answered in a case; None if there are no two numbers."""
    value = _number(answer.result) if answer.has_result and is_number(vector.expected) else None
    return None if value is None else Number(read_end(vector.expected), value, each.status is Status.PASS)


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
