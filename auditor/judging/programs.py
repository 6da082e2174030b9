"""Other auditors as targets: two arrays of numbers, a level and delta in, a lower bound on epsilon out.

| target                 | auditor                                                                          |
|------------------------|----------------------------------------------------------------------------------|
| module:bound           | a function bound(left, right, level, delta) of two NumPy arrays and two numbers, |
| folder/file.py:bound   | in a process of its own; it returns a number                                     |
| cmd:./program argument | a program that reads requests as JSON lines and answers each with a line         |

A program gets `{"id": 0, "op": "hello", "args": {"protocol": 1}}` and may answer with its name and version,
`{"id": 0, "result": {"name": "mine", "version": "1.0"}}`. Then it gets requests such as
`{"id": 1, "op": "bound", "args": {"left": [0.5, …], "right": [1.5, …], "level": 0.05, "delta": 0.0}}` and
answers `{"id": 1, "result": 0.31}`. Instead of `result` an answer may have `error` (there is no bound for
these data) or `unsupported` (never one for this level or delta), a string with the reason. A function raises
ValueError or NotImplementedError.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from privboost.errors import NoVerdictError, TargetError, UsageError
from privboost.printing import format_value, shorten
from privboost.strict_json import NOT_FINITE
from privboost.targets import host
from privboost.targets.conversation import Answer, Conversation, FaultError, FaultKind, Limits
from privboost.targets.loading import accepts, load_object
from privboost.targets.names import Named, parse_named
from privboost.targets.programs import Program, program_of

KINDS = "module:bound, folder/file.py:bound or 'cmd:./program argument'"
ARGUMENTS = ("left", "right", "level", "delta")
LONGEST_NAME, LONGEST_REASON = 60, 160


@dataclass(frozen=True, slots=True)
class AuditorTarget:
    """Another auditor: a program, or a Python function in a process of its own."""

    program: Program
    limits: Limits
    is_function: bool = False

    @property
    def name(self) -> str:
        """Return the target, as the user wrote it."""
        return self.program.name


@dataclass(frozen=True, slots=True)
class BoundRequest:
    """Two arrays, the level and delta."""

    left: Sequence[float]
    right: Sequence[float]
    level: float
    delta: float

    def to_json(self) -> str:
        """Return the arguments of the request."""
        return json.dumps({name: getattr(self, name) for name in ARGUMENTS})


@dataclass(frozen=True, slots=True)
class AuditorAnswer:
    """What an auditor returned for two arrays: a bound, or the reason why there is none."""

    bound: float = math.nan
    refusal: str = ""
    is_supported: bool = True
    """Whether the auditor has bounds for such a level and delta at all."""


def auditor_of(target: str, timeout: float) -> AuditorTarget:
    """Return the auditor that a string names.

    Ensures: UsageError for any other string, and for a program that does not exist.
    """
    limits = Limits(start=timeout, answer=timeout)
    kind, _, command = target.partition(":")
    if kind == "cmd":
        return AuditorTarget(program_of(command), limits)
    named = parse_named(target)
    if named is None or named.is_called:
        raise UsageError(f"expected {KINDS}, got {format_value(target)}", argument="auditor")
    command_of_host = (sys.executable, "-P", "-m", __name__, "--faults", named.source)
    return AuditorTarget(Program(named.source, command_of_host, str(Path.cwd())), limits, is_function=True)


class RunningAuditor:
    """An auditor whose process is started by the first request, and started again after a fault."""

    def __init__(self, target: AuditorTarget) -> None:
        self._target = target
        self._conversation: Conversation | None = None
        self.name, self.version = target.name, ""
        """What the program calls itself, once it has been started."""

    def start(self) -> None:
        """Start the program, if it is not running, and greet it.

        Ensures: UsageError for a function that cannot be loaded; TargetError if the greeting fails.
        """
        if self._conversation is not None:
            return
        try:
            started = Conversation(self._target.program, self._target.limits, faults=self._target.is_function)
            (hello,) = started.answers([("hello", '{"protocol": 1}')])
        except FaultError as error:
            if error.fault.kind is FaultKind.MISSING:
                raise UsageError(error.fault.got, argument="auditor") from None
            raise TargetError(
                self._target.name, error.fault.expected or "a greeting", error.fault.got
            ) from None
        self._conversation = started
        if isinstance(hello.result, Mapping):
            name, version = (hello.result.get(key) for key in ("name", "version"))
            self.name = shorten(name, LONGEST_NAME) if isinstance(name, str) and name else self.name
            self.version = shorten(version, LONGEST_NAME) if isinstance(version, str) else ""

    def ask(self, requests: Sequence[BoundRequest]) -> list[AuditorAnswer]:
        """Return the answers to requests in order, up to the first on which the program fails, if it does."""
        answers: list[AuditorAnswer] = []
        try:
            self.start()
            assert self._conversation is not None
            # Answers before a fault are kept: `extend` adds them one by one.
            answers.extend(
                map(_read, self._conversation.answers(("bound", each.to_json()) for each in requests))
            )
        except FaultError as error:
            self._conversation = None
            # A flood after the last answer is a fault of the last request.
            answers = [*answers[: len(requests) - 1], _refusal(str(error.fault))]
        except TargetError as error:
            answers.append(_refusal(str(error)))
        return answers

    def close(self) -> None:
        """End the program."""
        conversation, self._conversation = self._conversation, None
        if conversation is not None:
            conversation.close()


def _read(answer: Answer) -> AuditorAnswer:
    """Return an answer as a bound: a number, or one of the strings for infinities; NaN is none."""
    if answer.fault is not None:
        return _refusal(str(answer.fault))
    if answer.unsupported is not None:
        return _refusal(answer.unsupported, is_supported=False)
    if answer.error is not None:
        return _refusal(answer.error)
    value = NOT_FINITE.get(answer.result) if isinstance(answer.result, str) else answer.result
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return _refusal(f"expected a number as a bound, got {format_value(answer.result)}")
    return AuditorAnswer(float(min(value, sys.float_info.max)) if value != math.inf else math.inf)


def _refusal(reason: str, *, is_supported: bool = True) -> AuditorAnswer:
    """Return the answer without a bound, with a reason on one short line."""
    return AuditorAnswer(
        refusal=shorten(" ".join(reason.split()), LONGEST_REASON) or "no reason", is_supported=is_supported
    )


_running: dict[tuple[int, AuditorTarget], RunningAuditor] = {}
"""The auditors that a process runs; a forked child starts its own."""


def running_auditor(target: AuditorTarget) -> RunningAuditor:
    """Return the copy of an auditor that this process runs; it ends with the process."""
    return _running.setdefault((os.getpid(), target), RunningAuditor(target))


class FunctionAuditor:
    """A function as an object that answers requests, in the process that hosts it."""

    def __init__(self, named: Named) -> None:
        """Load the function.

        Ensures: UsageError if there is no such function, or if it does not take the four arguments.
        """
        self._function = load_object(named, kinds="a file such as folder/file.py", suits=callable)
        if not callable(self._function) or not accepts(self._function, len(ARGUMENTS)):
            expected = f"a function of {', '.join(ARGUMENTS)}"
            raise UsageError(f"expected {expected}, got {named.source!r}, which cannot be called with these")

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return the result of a request."""
        if op != "bound":
            return {}
        left, right = (np.asarray(args[side], dtype=np.float64) for side in ("left", "right"))
        return self._function(left, right, args["level"], args["delta"])


def load_function(source: str) -> FunctionAuditor:
    """Return the function that a name stands for, as an object that answers requests."""
    named = parse_named(source)
    if named is None:
        raise UsageError(f"expected {KINDS}, got {source!r}")
    return FunctionAuditor(replace(named, arguments=None))


def check_auditor(target: AuditorTarget) -> tuple[str, str]:
    """Start an auditor once, and return its name and version.

    Ensures: UsageError for a function that does not exist; NoVerdictError if the program does not answer.
    """
    auditor = RunningAuditor(target)
    try:
        auditor.start()
    except NoVerdictError:
        auditor.close()
        raise
    auditor.close()
    return auditor.name, auditor.version


if __name__ == "__main__":
    sys.exit(host.main(sys.argv[1:], load_function))
