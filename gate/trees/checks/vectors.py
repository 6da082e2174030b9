"""The vectors as checks: every case is requested, and judged within the protocol's tolerances.

Cases with a value belong to the level `values`, those that must be refused to the level `refusal`. Cases of
`train` and `predict` are judged by `tapes`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

from privboost.errors import PreconditionError, PrivboostError
from privboost.gate.check import Case, Level, Outcome, Status, outcome, without_result
from privboost.gate.checks.asking import failure, unreadable
from privboost.gate.protocol.wire import WireError
from privboost.gate.targets.target import Target
from privboost.gate.trees.cases.flags import OF_POINTS
from privboost.gate.trees.expected.ask import expected_of
from privboost.gate.trees.expected.learner import Excluded
from privboost.gate.trees.expected.numbers import encode_value
from privboost.printing import format_value
from privboost.targets.conversation import Answer

from .judging import complaint, grid_of, hints_of, plausible_flags, readable_complaint, slack_of

GROUPED_BY = ("loss", "rule", "law")
LEARNER_OPERATIONS = ("train", "predict")
UNKNOWN = (PrivboostError, ValueError, TypeError, ArithmeticError)
"""Errors that the reference raises for a request that it cannot answer."""


@dataclass(frozen=True, slots=True)
class Vector:
    """A case of a file with its expected value, interval or refusal."""

    case: Case
    group: str
    expected: Any
    refused: bool


@lru_cache(maxsize=1)
def all_vectors() -> tuple[Vector, ...]:
    """Return every case of the vector files."""
    vectors: list[Vector] = []
    folder = files("privboost.gate.vectors") / "data"
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.name.endswith(".json"):
            document = json.loads(path.read_text("ascii"))
            vectors += (_vector(document, entry) for entry in document["cases"])
    return tuple(vectors)


def _vector(document: Mapping[str, Any], entry: Mapping[str, Any]) -> Vector:
    op, args, refused = document["op"], entry["args"], "refused" in entry
    group = next((str(args[name]) for name in GROUPED_BY if name in args and not refused), "")
    level = Level.REFUSAL if refused else Level.LEARNER if op in LEARNER_OPERATIONS else Level.VALUES
    check = "/".join(part for part in (level.value, op, group) if part)
    label = entry.get("label", document["label"])
    case = Case(f"{check}/{entry['id']}", op, args, label, level, tuple(entry["flags"]))
    return Vector(case, check, entry.get("interval", entry.get("value")), refused)


def vector_checks() -> Iterator[VectorCheck]:
    """Yield a check for every group of cases, except those of the learner."""
    groups: dict[tuple[str, str], list[Vector]] = {}
    for vector in all_vectors():
        if vector.case.level is not Level.LEARNER:
            groups.setdefault((vector.group, vector.case.label), []).append(vector)
    for (name, label), vectors in groups.items():
        shared = sum(group == name for group, _ in groups) > 1
        check = f"{name}/{label}" if shared else name
        yield VectorCheck(check, label, vectors[0].case.level, tuple(_rename_cases(vectors, name, check)))


def _rename_cases(vectors: list[Vector], group: str, check: str) -> Iterator[Vector]:
    """Yield vectors with ids that start with the id of their check."""
    for vector in vectors:
        own = vector.case.id.removeprefix(group)
        yield replace(vector, case=replace(vector.case, id=f"{check}{own}"))


@dataclass(frozen=True, slots=True)
class VectorCheck:
    """Cases of one operation and one label that all have a value, or all must be refused."""

    id: str
    label: str
    level: Level
    vectors: tuple[Vector, ...]
    false_alarm: float = 0.0

    def run(self, target: Target, seed: int) -> Iterator[Outcome]:
        """Ask all cases, and yield their outcomes."""
        del seed
        answers = list(target.ask_many([(vector.case.op, vector.case.args) for vector in self.vectors]))
        for vector, answer in zip(self.vectors, answers, strict=True):
            evaded = vector.refused and answer.unsupported is not None and _is_supported(target, vector.case)
            yield _evasion(vector.case, answer) if evaded else judge(vector, answer)

    def judge_request(
        self, target: Target, request: Mapping[str, Any], flags: tuple[str, ...]
    ) -> Outcome | None:
        """Judge another request of the same operation; None if it is not of the same kind."""
        same = (vector.case.flags for vector in self.vectors if vector.case.args == request["args"])
        fitting = next(same, tuple(flag for flag in flags if flag not in OF_POINTS))
        like = replace(self.vectors[0], case=replace(self.vectors[0].case, flags=fitting))
        other = _vector_like(like, request)
        if other is None or other.refused != like.refused:
            return None
        return judge(other, target.ask(other.case.op, other.case.args))


def _is_supported(target: Target, case: Case) -> bool:
    """Return whether a target answers a request like this one whose arguments are right."""
    valid = valid_like(case.op, case.args)
    return valid is not None and target.ask(case.op, valid).has_result


def _evasion(case: Case, answer: Answer) -> Outcome:
    """Return the failure of `unsupported` for wrong arguments of a request that is supported."""
    got = f"got unsupported ({answer.unsupported}), though the request is answered if its arguments are right"
    return outcome(case, Status.FAIL, f"{case.label}: expected an error, {got}")


def valid_like(op: str, args: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return valid arguments that select the same words as arguments that must be refused."""
    chosen = {name: args[name] for name in (*GROUPED_BY, "protocol") if name in args}
    for vector in all_vectors():
        if vector.case.op == op and not vector.refused and chosen.items() <= vector.case.args.items():
            return vector.case.args
    return None


def _vector_like(like: Vector, request: Mapping[str, Any]) -> Vector | None:
    """Return a request as a vector, with the reference's answer; None if it has none."""
    case = replace(like.case, op=request["op"], args=request["args"])
    try:
        return replace(like, case=case, expected=_from_reference(case.op, case.args), refused=False)
    except Excluded:
        return None
    except PreconditionError:
        return replace(like, case=case, expected=None, refused=True)
    except UNKNOWN:
        return None


def wrong_by_reference(op: str, args: Mapping[str, Any], result: Any) -> str:
    """Return a complaint about the result of any request; empty if it is right or unknown."""
    try:
        return complaint(_from_reference(op, args), result, slack_of(op, args))
    except UNKNOWN:
        return ""


def _from_reference(op: str, args: Mapping[str, Any]) -> Any:
    return encode_value(expected_of(op, args))


def judge(vector: Vector, answer: Answer) -> Outcome:
    """Return the outcome of a case."""
    if vector.refused:
        return _judge_refusal(vector.case, answer)
    return _judge_value(vector.case, vector.expected, answer)


def _judge_value(case: Case, expected: Any, answer: Answer) -> Outcome:
    """Return the outcome of a case that has a value."""
    missing = without_result(case, answer)
    if missing is not None:
        return missing
    try:
        wrong = readable_complaint(
            expected, answer.result, slack_of(case.op, case.args), grid=grid_of(case.args)
        )
    except WireError as error:
        return unreadable(case, error)
    if not wrong:
        return outcome(case, Status.PASS)
    return failure(
        replace(case, flags=tuple(plausible_flags(case.flags, case.op, expected, answer.result))), wrong
    )


def _judge_refusal(case: Case, answer: Answer) -> Outcome:
    """Return the outcome of a case that must be refused."""
    if answer.error is not None:
        return outcome(case, Status.PASS)
    if answer.unsupported is not None:
        return outcome(case, Status.SKIP, answer.unsupported)
    expected = f"{case.label}: expected an error, because the arguments are invalid"
    if answer.fault is not None:
        return outcome(case, Status.ERROR, f"{expected}, got {answer.fault}")
    return outcome(
        case, Status.FAIL, f"{expected}, got the result {format_value(answer.result)}{hints_of(case.flags)}"
    )
