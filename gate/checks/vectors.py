"""The vectors as checks: every case is requested, and judged within the protocol's tolerances."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
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
from privboost.gate.protocol.wire import WireError
from privboost.gate.vectors.files import Vector, all_vectors
from privboost.printing import format_value
from privboost.targets.conversation import Answer

from .asking import failure, unreadable
from .comparing import grid_of, readable_complaint


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
        for vector, answer in zip(self.vectors, answers, strict=True):
            evaded = vector.refused and answer.unsupported is not None
            if evaded and self._is_supported(target, vector.case):
                yield _evasion(vector.case, answer)
            else:
                yield self.judge(vector, answer)

    def judge_request(
        self, target: Target, request: Mapping[str, Any], flags: tuple[str, ...]
    ) -> Outcome | None:
        """Judge another request of the same operation; None if it is not of the same kind."""
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

    def _judge_value(self, case: Case, expected: Any, answer: Answer) -> Outcome:
        missing = without_result(case, answer)
        if missing is not None:
            return missing
        slack = self.profile.operations[case.op].tolerance.slack(case.args)
        try:
            wrong = readable_complaint(expected, answer.result, slack, grid=grid_of(case.args))
        except WireError as error:
            return unreadable(case, error)
        if not wrong:
            return outcome(case, Status.PASS)
        flags = self.profile.plausible_flags(case.flags, case.op, expected, answer.result)
        return failure(replace(case, flags=tuple(flags)), wrong)

    def _is_supported(self, target: Target, case: Case) -> bool:
        """Return whether a target answers a request like this one whose arguments are right."""
        valid = valid_like(self.profile, case.op, case.args)
        return valid is not None and target.ask(case.op, valid).has_result


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
