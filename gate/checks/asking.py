"""Ask a target within a check, and end the check early if there is no result to judge."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from privboost.gate.check import Case, Outcome, Status, Target, hinted_failure, outcome, without_result
from privboost.gate.protocol.wire import WireError
from privboost.gate.targets.target import Announced
from privboost.targets.conversation import Answer

T = TypeVar("T")
UNLIMITED = 1 << 62


class Judged(Exception):
    """Raised to end a check with an outcome."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome


def ask(target: Target, case: Case, op: str, args: Mapping[str, Any]) -> Any:
    """Return the result of a request; raise Judged if there is none."""
    return result_of(case, op, args, target.ask(op, args))


def ask_all(target: Target, case: Case, requests: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Any]:
    """Return the results of many requests; raise Judged if one has none."""
    sent = list(requests)
    answers = target.ask_many(sent)
    return [result_of(case, op, args, answer) for (op, args), answer in zip(sent, answers, strict=True)]


def result_of(case: Case, op: str, args: Mapping[str, Any], answer: Answer) -> Any:
    """Return the result of an answer; raise Judged if it has none."""
    missing = without_result(replace(case, op=op, args=args), answer)
    if missing is not None:
        raise Judged(missing)
    return answer.result


@dataclass(slots=True)
class RunCache(Generic[T]):
    """The values of one target and one seed, by a key; those of another target or seed replace them."""

    _run: tuple[Target, int] | None = None
    _values: dict[Hashable, T] = field(default_factory=dict)

    def get(self, target: Target, seed: int, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value with a key, which is made if there is none."""
        if self._run is None or self._run[0] is not target or self._run[1] != seed:
            self._values.clear()
            self._run = target, seed
        if key not in self._values:
            self._values[key] = make()
        return self._values[key]


def largest_count(target: Target) -> int:
    """Return the largest number of draws that one request may ask for."""
    return target.hello.limits.get("count", UNLIMITED) if isinstance(target, Announced) else UNLIMITED


def is_sent(target: Target, op: str, args: Mapping[str, Any]) -> bool:
    """Return whether a request is sent to a target, which may have said that it does not take it."""
    return not isinstance(target, Announced) or target.skip(op, args) is None


def failure(case: Case, complaint: str, *after: Mapping[str, Any]) -> Outcome:
    """Return a failure whose message has the label, and gets the hints of its flags.

    If it takes several requests of the operation to see it, `after` has the arguments of those before.
    """
    earlier = tuple(replace(case, args=args).request for args in after)
    return replace(hinted_failure(case, f"{case.label}: {complaint}"), after=earlier)


def unreadable(case: Case, error: WireError) -> Outcome:
    """Return the failure of an answer of the wrong shape, without hints."""
    return outcome(case, Status.FAIL, f"{case.label}: {error}")


def judge_case(case: Case, judge: Callable[[], str]) -> Outcome:
    """Return the outcome of a judgement, which returns a complaint, or an empty string for a pass."""
    try:
        complaint = judge()
    except Judged as judgement:
        return judgement.outcome
    except WireError as error:
        return unreadable(case, error)
    return failure(case, complaint) if complaint else outcome(case, Status.PASS)
