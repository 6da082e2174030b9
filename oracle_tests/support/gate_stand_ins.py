"""Stand-ins for tests of the gate's harness: checks of one formula, and an implementation of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.resources import files
from typing import Any

from privboost.gate.check import Case, Check, Outcome, Status, Target, outcome, without_result
from privboost.gate.known_failures import parse_xfails
from privboost.gate.profile import CheckGroup, Profile
from privboost.gate.profiles import load_profile
from privboost.gate.protocol.wire import read_finite
from privboost.gate.result import GateResult
from privboost.gate.run import run_gate
from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.trees.levels import Level
from privboost.targets.conversation import Answer

KNOWN = "# two of them\nvalues/risk/*  # the factor\nmechanisms/risk/u=1/8\nrefusal/*\n"
"""Known failures that cover every failure of an implementation with the wrong factor."""

HELLO = {"name": "stand-in", "version": "1", "protocol": 1, "operations": ["bayes_risk", "link"]}


class Square:
    """An implementation of 4 u (1 - u), with another factor or other answers if given."""

    def __init__(self, factor: int = 4, hello: Any = HELLO, answers: Mapping[str, Any] | None = None) -> None:
        self.factor, self.hello, self.answers = factor, hello, answers or {}
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def answer(self, op: str, args: dict[str, Any]) -> Any:
        """Answer one request."""
        self.asked.append((op, args))
        if op == "hello":
            return self.hello
        if op != "bayes_risk":
            raise NotImplementedError(f"no {op}")
        if args["u"] in self.answers:
            answer = self.answers[args["u"]]
            if isinstance(answer, BaseException):
                raise answer
            return answer
        u = Fraction(args["u"])
        if not 0 <= u <= 1:
            raise ValueError("u: expected a probability")
        return self.factor * u * (1 - u)


@dataclass(frozen=True)
class Risk:
    """Ask for the risk at some points."""

    id: str = "values/risk"
    label: str = "pbr"
    level: Level = Level.VALUES
    points: tuple[str, ...] = ("0", "13/77", "1/2")
    op: str = "bayes_risk"
    false_alarm: float = 0.0

    def run(self, target: Target, seed: int) -> Iterator[Outcome]:
        """Ask, and judge every answer."""
        cases = [self._case(point) for point in self.points]
        answers = target.ask_many([(case.op, case.args) for case in cases])
        for case, answer in zip(cases, answers, strict=True):
            yield self._judge(case, answer)

    def judge_request(
        self, target: Target, request: Mapping[str, Any], flags: tuple[str, ...]
    ) -> Outcome | None:
        """Ask at another point."""
        case = self._case(request["args"]["u"])
        return self._judge(case, target.ask(case.op, case.args))

    def _case(self, u: str) -> Case:
        return Case(f"{self.id}/u={u}", self.op, {"u": u}, self.label, self.level, ("factor-4",))

    def _judge(self, case: Case, answer: Answer) -> Outcome:
        missing = without_result(case, answer)
        if missing is not None:
            return missing
        u, value = Fraction(case.args["u"]), read_finite(answer.result)
        expected = 4 * u * (1 - u)
        if value == expected:
            return outcome(case, Status.PASS)
        return outcome(case, Status.FAIL, f"expected {expected}, got {value}: is the factor 4 missing?")


def stand_ins() -> tuple[Risk, ...]:
    """Return one check of each of several kinds."""
    return (
        Risk("refusal/risk", "pbr", Level.REFUSAL, ("1/4",)),
        Risk(),
        Risk("values/link", "f-alphaM", points=("1/3",), op="link"),
        Risk("mechanisms/risk", "expSPLIT", Level.MECHANISMS, ("1/8",), false_alarm=1e-7),
    )


def stand_in_profile() -> Profile:
    """Return the profile `trees` with these checks only."""
    labels, levels = ({getattr(check, name) for check in stand_ins()} for name in ("label", "level"))
    group = CheckGroup(frozenset(labels), frozenset(levels), stand_ins)
    return replace(load_profile("trees"), groups=(group,))


def target_of(**options: Any) -> PythonTarget:
    """Return a target in this process."""
    return PythonTarget("stand_in:Square", Square(**options))


def gate(checks: Sequence[Check] | None = None, xfails: str = "", **options: Any) -> GateResult:
    """Run stand-in checks against a stand-in target."""
    return run_gate(
        target_of(**options), checks=stand_ins() if checks is None else checks, xfails=parse_xfails(xfails)
    )


def schema(name: str) -> Any:
    """Return a schema of the gate by name."""
    package = "trees" if name in ("request", "hello") else "protocol"
    return json.loads((files(f"privboost.gate.{package}") / "schemas" / f"{name}.json").read_text("utf-8"))
