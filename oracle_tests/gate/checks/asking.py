"""Ask a target within a check, and leave the check at once where there is nothing to judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from privboost.oracle_tests.gate.check import Case, Outcome, Status, outcome, without_result
from privboost.oracle_tests.gate.target import Answer, Target
from privboost.oracle_tests.gate.wire import WireError, read_finite

from .judging import lesson


class Judged(Exception):
    """Leave a check with an outcome."""

    def __init__(self, found: Outcome) -> None:
        super().__init__(found.message)
        self.outcome = found


def ask(target: Target, case: Case, op: str, args: Mapping[str, Any]) -> Any:
    """Return the result of a request; Judged where there is none."""
    return result_of(case, op, args, target.ask(op, args))


def ask_all(target: Target, case: Case, requests: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Any]:
    """Return the results of many requests; Judged where one of them has none."""
    sent = list(requests)
    answers = target.ask_many(sent)
    return [result_of(case, op, args, answer) for (op, args), answer in zip(sent, answers, strict=True)]


def result_of(case: Case, op: str, args: Mapping[str, Any], answer: Answer) -> Any:
    """Return the result of an answer; Judged where it has none."""
    missing = without_result(Case(case.id, op, args, case.label, case.level, case.flags), answer)
    if missing is not None:
        raise Judged(missing)
    return answer.result


def ask_number(target: Target, case: Case, op: str, args: Mapping[str, Any]) -> Fraction:
    """Return the finite number that a request is answered with; Judged where it is none."""
    try:
        return read_finite(ask(target, case, op, args))
    except WireError as error:
        raise Judged(failure(case, str(error), op, args)) from None


def failure(case: Case, text: str, op: str | None = None, args: Mapping[str, Any] | None = None) -> Outcome:
    """Return a failure that names the label and teaches what the flags say."""
    asked = Case(
        case.id, op or case.op, case.args if args is None else args, case.label, case.level, case.flags
    )
    return outcome(asked, Status.FAIL, f"{case.label}: {text}{lesson(case.flags)}")


def judged(case: Case, judge: Callable[[], str]) -> Outcome:
    """Return the outcome of a judgement: a text is a complaint, an empty one a pass."""
    try:
        text = judge()
    except Judged as found:
        return found.outcome
    except WireError as error:
        text = str(error)
    return failure(case, text) if text else outcome(case, Status.PASS)
