"""Properties: relations between answers of a target at random arguments, without expected values.

Each property is tested with DRAWS random draws. A failing draw is shrunk, number by number, while it fails.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.gate.check import Case, Outcome, Status, Target, complexity
from privboost.gate.checks.asking import Judged, ask, failure, unreadable
from privboost.gate.checks.comparing import complaint, format_number
from privboost.gate.protocol.wire import WireError, read_finite, read_object
from privboost.gate.trees.levels import Level
from privboost.gate.trees.operations.operations import OPERATIONS

DRAWS = 24
TOLERANCE = Fraction(1, 10**9)
"""Tolerance of a property, relative to max(1, the larger side)."""

Argument = Fraction | str | list[str]

Drawn = dict[str, Fraction]
"""Random arguments: numbers by name."""

HALF = Fraction(1, 2)
SIMPLE = tuple(map(Fraction, ("0", "1", "1/2", "1/4", "3/4", "2", "-1", "1/8", "3/8", "5/8", "7/8")))


class Asker:
    """Ask a target on behalf of a property, and record the requests and results."""

    def __init__(self, target: Target, case: Case) -> None:
        self.asked: list[tuple[str, Mapping[str, Any], Any]] = []
        """Operations, arguments and results."""
        self._target, self._case = target, case

    def number(self, op: str, **args: Argument) -> Fraction:
        """Return the result of an operation that returns a number."""
        return self._number(op, args)

    def leaf(self, noise: Mapping[str, Fraction], **args: Argument) -> Fraction:
        """Return the value of a leaf, given the noise."""
        return self._number("leaf_value", args | {"noise": _encode_arguments(noise)})

    def law(self, scores: Mapping[str, Fraction], **args: Argument) -> dict[str, Fraction]:
        """Return the law of a split."""
        result = self._result("split_law", {"scores": _encode_arguments(scores)} | args)
        chances = read_object(result, "result", tuple(scores))
        return {name: read_finite(chance) for name, chance in chances.items()}

    def find_wrong_answer(self) -> tuple[str, Mapping[str, Any], str]:
        """Return the first request with a wrong answer, and what is wrong; else the last request."""
        for op, args, result in self.asked:
            wrong = _wrong_by_reference(op, args, result)
            if wrong:
                return op, args, f"this answer is wrong: {wrong}"
        op, args, _ = self.asked[-1]
        return (
            op,
            args,
            f"the requests were {'; '.join(f'{op} {json.dumps(args)}' for op, args, _ in self.asked)}",
        )

    def _number(self, op: str, args: Mapping[str, Any]) -> Fraction:
        result = self._result(op, args)
        try:
            return read_finite(result)
        except WireError as error:
            raise Judged(unreadable(replace(self._case, op=op, args=self.asked[-1][1]), error)) from None

    def _result(self, op: str, args: Mapping[str, Any]) -> Any:
        written_args = _encode_arguments(args)
        result = ask(self._target, self._case, op, written_args)
        self.asked.append((op, written_args, result))
        return result


def _wrong_by_reference(op: str, args: Mapping[str, Any], result: Any) -> str:
    """Return a complaint about the result of any request; empty if it is right or unknown."""
    from privboost.gate.trees.expected.ask import exact_answer

    try:
        expected = exact_answer(op, args)
    except PreconditionError:
        return ""
    return "" if expected is None else complaint(expected, result, OPERATIONS[op].tolerance.slack(args))


def _encode_arguments(args: Mapping[str, Any]) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, Fraction) else value for name, value in args.items()}


Statement = Callable[[Asker, Drawn], str]
"""The statement of a property: a complaint if it does not hold for a draw, else empty."""


@dataclass(frozen=True, slots=True)
class Property:
    """One property: how to draw its arguments, and its statement."""

    id: str
    label: str
    draw: Callable[[random.Random], Drawn]
    statement: Statement
    allowed: Callable[[Drawn], bool]
    flags: tuple[str, ...] = ()
    level: Level = Level.VALUES
    false_alarm: float = 0.0

    def run(self, target: Target, seed: int) -> Outcome:
        """Draw, ask and compare; shrink the first draw that fails."""
        generator = random.Random(f"{seed}/{self.id}")
        case = Case(self.id, "", {}, self.label, self.level, self.flags)
        passed: Outcome | None = None
        for _ in range(DRAWS):
            drawn = self.draw(generator)
            outcome = self._judge(target, case, drawn)
            if outcome.status is Status.FAIL:
                return self._simplify(target, case, drawn, outcome)
            if outcome.status is Status.ERROR:
                return outcome
            if passed is None or passed.status is Status.SKIP:
                passed = outcome
        assert passed is not None
        return passed

    def _judge(self, target: Target, case: Case, drawn: Drawn) -> Outcome:
        asker = Asker(target, case)
        try:
            complaint = self.statement(asker, drawn)
        except Judged as judgement:
            return judgement.outcome
        except WireError as error:
            complaint = str(error)
        # A property can hold for wrong answers, so a pass names no request.
        if not asker.asked:
            nothing = "nothing is stated at this draw"
            return Outcome(case.id, case.label, case.level, Status.SKIP, nothing)
        if not complaint:
            return Outcome(case.id, case.label, case.level, Status.PASS)
        at = ", ".join(f"{name} = {value}" for name, value in drawn.items())
        op, args, blame = asker.find_wrong_answer()
        return failure(replace(case, op=op, args=args), f"{complaint}, at {at}; {blame}")

    def _simplify(self, target: Target, case: Case, drawn: Drawn, outcome: Outcome) -> Outcome:
        """Return the failure at the simplest numbers that still fail."""
        best = outcome
        for name in list(drawn):
            for simple in SIMPLE:
                candidate = drawn | {name: simple}
                if (
                    simple == drawn[name]
                    or complexity(simple) >= complexity(drawn[name])
                    or not self.allowed(candidate)
                ):
                    continue
                simpler = self._judge(target, case, candidate)
                if simpler.status is Status.FAIL:
                    drawn, best = candidate, replace(simpler, origin=outcome.request)
                    break
        return best


def differ(statement: str, left: Fraction, right: Fraction) -> str:
    """Return a complaint if two numbers that must be equal are not."""
    if abs(left - right) <= TOLERANCE * max(Fraction(1), abs(left), abs(right)):
        return ""
    return f"{statement}: expected equal numbers, got {format_number(left)} and {format_number(right)}"


def exceed(statement: str, lesser: Fraction, greater: Fraction) -> str:
    """Return a complaint if `lesser` exceeds `greater`."""
    if lesser <= greater + TOLERANCE * max(Fraction(1), abs(lesser), abs(greater)):
        return ""
    return f"{statement}: expected at most {format_number(greater)}, got {format_number(lesser)}"


def first(*complaints: str) -> str:
    """Return the first complaint."""
    return next((complaint for complaint in complaints if complaint), "")


def dyadic(generator: random.Random, lo: int = 1, hi: int = 63, of: int = 64) -> Fraction:
    """Return a random number that is exact in doubles."""
    return Fraction(int(lo + generator.random() * (hi - lo + 1)), of)


def numbers(**ranges: tuple[int, int, int]) -> Callable[[random.Random], Drawn]:
    """Return a function that draws numbers from ranges (lowest numerator, highest numerator, denominator)."""
    return lambda generator: {name: dyadic(generator, *span) for name, span in ranges.items()}


def within(**ranges: tuple[int, int, int]) -> Callable[[Drawn], bool]:
    """Return a function that checks whether numbers are within their ranges."""
    return lambda drawn: all(
        Fraction(lo, of) <= drawn[name] <= Fraction(hi, of) for name, (lo, hi, of) in ranges.items()
    )


def property_of(
    name: str, label: str, statement: Statement, flags: tuple[str, ...] = (), **ranges: tuple[int, int, int]
) -> Property:
    """Return a property of numbers from ranges."""
    return Property(f"values/property/{name}", label, numbers(**ranges), statement, within(**ranges), flags)
