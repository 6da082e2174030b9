"""Programs in any language as mechanisms: one JSON object per line on standard input and output.

docs/audit_protocol.md describes the protocol for authors of programs.

    > {"id": 0, "op": "hello", "args": {"protocol": 1}}
    < {"id": 0, "unsupported": true}
    > {"id": 1, "op": "sample", "args": {"data": [0, 1, 1], "seed": "8f0c…32 hexadecimal digits"}}
    < {"id": 1, "result": 2.71}

The first request is `hello`. A program that does not implement an operation, `hello` included, answers
`unsupported`. A sample must depend on the data and the seed only, so that a run can be repeated. To check
this, the first few requests are sent twice and must get equal answers; all other requests have different
seeds. A program that uses the operating system's randomness instead answers `hello` with
{"result": {"seeded": false}}, and no request is sent twice.

An answer is one line, flushed, with the id of its request and one of `result` (any JSON), `unsupported` and
`error` (a string). Answers are in the order of the requests. Up to 64 requests are sent before the first one
is answered. The program ends when its standard input is closed.

An `error`, the end of the program and a timeout are outputs of the call; the program is then started again.

Floats are JSON numbers with all significant digits. Infinities and NaN are the strings "infinity",
"-infinity" and "nan" in both directions. Fractions are strings such as "3/8", arrays and tuples are lists,
dataclasses are objects.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from privboost.auditor.values.failures import EXITED, HUNG, RAISED, failure
from privboost.errors import TargetError
from privboost.targets.conversation import (
    DEFAULT_LIMITS,
    Answer,
    Conversation,
    Fault,
    FaultError,
    FaultKind,
    Limits,
)
from privboost.targets.programs import Program
from privboost.targets.values import from_json_values, to_json_values

from .mechanism import Mechanism

SEED_BYTES = 16
ASKED_TWICE = 8
"""Number of samples that are requested twice from a newly started program."""


def skeleton(language: str) -> str:
    """Return a program to start from, which answers `hello` and `sample`.

    Requires: one of privboost.limits.SKELETONS.
    """
    return (Path(__file__).with_name("skeletons") / f"{language}.txt").read_text("utf-8")


@dataclasses.dataclass(frozen=True, slots=True)
class Command:
    """A program that draws samples; every process that calls it runs one copy."""

    program: Program
    limits: Limits = DEFAULT_LIMITS

    @property
    def name(self) -> str:
        """Return the command line of the program."""
        return self.program.name

    def call(self, data: Any, rng: np.random.Generator) -> Any:
        """Return one sample."""
        return self.in_order([data], [rng])[0]

    def in_order(self, inputs: Sequence[Any], streams: Sequence[np.random.Generator]) -> list[Any]:
        """Return one sample for each input, in order, each with a seed of its own."""
        data_in_json: dict[int, str] = {}
        requests = []
        for data, stream in zip(inputs, streams, strict=True):
            if id(data) not in data_in_json:
                data_in_json[id(data)] = json.dumps(to_json_values(data, "data for a command"))
            seed = stream.bytes(SEED_BYTES).hex()
            requests.append(f'{{"data": {data_in_json[id(data)]}, "seed": "{seed}"}}')
        outputs: list[Any] = []
        while len(outputs) < len(requests):
            outputs += self._ask(requests[len(outputs) :])
        return outputs

    def _ask(self, requests: Sequence[str]) -> list[Any]:
        """Return the outputs of requests up to the first on which the program ends or hangs."""
        copy = _running_copy(self)
        again = requests[: copy.to_repeat]
        results, fault = self._results(copy.conversation, (*requests, *again))
        if len(results) < len(requests) and fault is not None:
            kind = HUNG if fault.kind is FaultKind.HANG else EXITED
            message = f"expected {fault.expected}, got {fault.got}" if kind == HUNG else fault.got
            # Identifiers of requests differ on every call and say nothing about the data.
            message = re.sub(r" to request \d+", "", message)
            # A program that fails may do so by its own count of requests, so none is repeated from now on.
            copy.to_repeat = 0
            return [*results, failure(kind, fault.kind.value, message)]
        if fault is not None:
            raise TargetError(self.name, fault.expected, fault.got) from None
        if again:
            self._check_repeated(results[: len(again)], results[len(requests) :])
            copy.to_repeat -= len(again)
        return results[: len(requests)]

    def _results(self, conversation: Conversation, requests: Iterable[str]) -> tuple[list[Any], Fault | None]:
        """Return the results up to the first request that ends the program or is not answered in time.

        Ensures: TargetError for an invalid answer.
        """
        results: list[Any] = []
        try:
            answers = conversation.answers(("sample", request) for request in requests)
            # Outputs before a fault are kept: `extend` adds them one by one.
            results.extend(map(self._output, answers))
        except FaultError as error:
            fault = error.fault
            if fault.kind not in (FaultKind.CRASH, FaultKind.HANG):
                raise TargetError(self.name, fault.expected, fault.got) from None
            return results, fault
        except BaseException:
            # Pending answers must not be taken for answers to the next requests.
            conversation.kill()
            raise
        return results, None

    def _output(self, answer: Answer) -> Any:
        """Return the output of a call; an error is one."""
        if answer.unsupported is not None:
            raise TargetError(self.name, "the operation 'sample'", "that the program does not support it")
        if answer.error is not None:
            return failure(RAISED, "error", answer.error)
        return from_json_values(answer.result)

    def _check_repeated(self, first: list[Any], second: list[Any]) -> None:
        """Raise TargetError if a program answers the same request differently."""
        for one, other in zip(first, second, strict=True):
            if json.dumps(one) != json.dumps(other):
                self.close()
                hint = 'one that does not use the seed must answer hello with {"result": {"seeded": false}}'
                answers = f"{json.dumps(one)[:40]}, then {json.dumps(other)[:40]}; {hint}"
                raise TargetError(self.name, "the same answer to the same data and seed", answers)

    def mechanism(self) -> Mechanism:
        """Return the program as a mechanism."""
        return Mechanism(self.name, self.call, in_order=self.in_order, repeats=self.is_seeded)

    def is_seeded(self) -> bool:
        """Return whether the program takes the seeds of its requests, as far as it has declared."""
        return _running_copy(self).seeded

    def close(self) -> None:
        """Stop the copy of the program that this process runs, if any."""
        with _state.lock:
            copy = _state.open.pop(self, None)
        if copy is not None:
            copy.conversation.close()


@dataclasses.dataclass(slots=True)
class _Copy:
    """A running copy of a program, and the number of requests that are still to be repeated."""

    conversation: Conversation
    to_repeat: int
    seeded: bool


class _ProgramState:
    """The programs that this process runs."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.open: dict[Command, _Copy] = {}
        self.inherited: list[dict[Command, _Copy]] = []

    def forget(self) -> None:
        """Forget the programs of the parent process after a fork; the parent still uses them."""
        self.lock = threading.Lock()
        self.inherited.append(self.open)
        self.open = {}


_state = _ProgramState()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_state.forget)


def _running_copy(command: Command) -> _Copy:
    """Return the running copy of a program; start one if there is none or the last one failed."""
    with _state.lock:
        copy = _state.open.get(command)
        if copy is None or not copy.conversation.is_open:
            new = _start_copy(command)
            copy = (
                new
                if copy is None
                else dataclasses.replace(new, to_repeat=min(new.to_repeat, copy.to_repeat))
            )
            _state.open[command] = copy
        return copy


def _start_copy(command: Command) -> _Copy:
    """Start a program and send `hello`; any valid answer is accepted, including `unsupported`."""
    try:
        conversation = Conversation(command.program, command.limits, string_reasons=False)
        (answer,) = conversation.answers([("hello", '{"protocol": 1}')])
    except FaultError as error:
        raise TargetError(command.name, error.fault.expected, error.fault.got) from None
    seeded = not (isinstance(answer.result, dict) and answer.result.get("seeded") is False)
    return _Copy(conversation, ASKED_TWICE if seeded else 0, seeded)
