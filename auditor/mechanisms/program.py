"""Programs in any language as mechanisms: one JSON object per line on standard input and output.

    > {"id": 0, "op": "hello", "args": {"protocol": 1}}
    < {"id": 0, "unsupported": true}
    > {"id": 1, "op": "sample", "args": {"data": [0, 1, 1], "seed": "8f0c…32 hexadecimal digits"}}
    < {"id": 1, "result": 2.71}

`hello` is the first request; a program that has nothing to say to it answers as it answers every operation
that it does not know: `unsupported`. A sample is drawn from the seed and from nothing else, so that a run can
be repeated. Every request has another seed, except for a few at the start that come twice: their answers must
be the same. A program that draws from the operating system instead answers `hello` with
{"result": {"seeded": false}} and is not asked twice.

An answer is one line, flushed, with the id of its request and one of `result` (any JSON), `unsupported` and
`error` (a string). Answers come in the order of the requests, which are sent ahead: up to 64 of them may wait
to be read. At the end of its input a program ends.

Floats are JSON numbers with as many digits as their bits need; infinities and NaN are the strings "infinity",
"-infinity" and "nan" both ways, and never bare; fractions are strings such as "3/8"; arrays and tuples are
lists, dataclasses are objects.
"""

from __future__ import annotations

import dataclasses
import json
import os
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from privboost.errors import TargetError
from privboost.printing import shown
from privboost.targets.conversation import DEFAULT_LIMITS, Answer, Conversation, Fault, Limits
from privboost.targets.programs import Program
from privboost.targets.values import from_lines, to_lines

from .mechanism import Mechanism

SEED_BYTES = 16
ASKED_TWICE = 8
"""Samples that a new copy of a program is asked for twice."""


@dataclasses.dataclass(frozen=True, slots=True)
class Command:
    """A program that draws samples; every process that calls it starts its own copy, once."""

    program: Program
    limits: Limits = DEFAULT_LIMITS

    @property
    def name(self) -> str:
        """Return the command as a user writes it."""
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
                data_in_json[id(data)] = json.dumps(to_lines(data, "data for a command"))
            seed = stream.bytes(SEED_BYTES).hex()
            requests.append(f'{{"data": {data_in_json[id(data)]}, "seed": "{seed}"}}')
        copy = _running(self)
        again = requests[: copy.to_ask_twice]
        results = self._results(copy.conversation, (*requests, *again))
        if again:
            self._refuse_other_answers(results[: len(again)], results[len(requests) :])
            copy.to_ask_twice -= len(again)
        return [from_lines(result) for result in results[: len(requests)]]

    def _results(self, conversation: Conversation, requests: Iterable[str]) -> list[Any]:
        """Return one result per request; an audit has no verdict if there is none."""
        results = []
        try:
            for answer in conversation.answers(("sample", request) for request in requests):
                self._refuse_failure(answer)
                results.append(answer.result)
        except Fault as fault:
            raise TargetError(self.name, fault.expected, fault.got) from None
        except BaseException:
            # What is still to be answered must not be taken for the answer to the next request.
            conversation.kill()
            raise
        return results

    def _refuse_failure(self, answer: Answer) -> None:
        if answer.unsupported is not None:
            raise TargetError(self.name, "the operation 'sample'", "that the program does not support it")
        if answer.error is not None:
            raise TargetError(self.name, "a result", f"the error {shown(answer.error)}")

    def _refuse_other_answers(self, first: list[Any], second: list[Any]) -> None:
        """Refuse a program that answers the same seed in different ways."""
        for one, other in zip(first, second, strict=True):
            if json.dumps(one) != json.dumps(other):
                self.close()
                hint = 'does it draw from elsewhere? Then it answers hello with {"seeded": false}'
                found = f"{json.dumps(one)[:40]}, then {json.dumps(other)[:40]}; {hint}"
                raise TargetError(self.name, "the same answer to the same data and seed", found)

    def subject(self) -> Mechanism:
        """Return the program as a subject."""
        return Mechanism(self.name, self.call, in_order=self.in_order)

    def close(self) -> None:
        """End the copy of the program that this process runs, if any."""
        with _state.lock:
            copy = _state.open.pop(self, None)
        if copy is not None:
            copy.conversation.close()


@dataclasses.dataclass(slots=True)
class _Copy:
    """A running copy of a program, and how many of its answers are still to be asked for twice."""

    conversation: Conversation
    to_ask_twice: int


class _State:
    """The programs that this process runs."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.open: dict[Command, _Copy] = {}
        self.inherited: list[dict[Command, _Copy]] = []

    def forget(self) -> None:
        """Leave the programs of the parent to the parent, in a child that was forked."""
        self.lock = threading.Lock()
        self.inherited.append(self.open)
        self.open = {}


_state = _State()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_state.forget)


def _running(command: Command) -> _Copy:
    """Return the running copy of a program; a new one where there is none, or the last one failed."""
    with _state.lock:
        copy = _state.open.get(command)
        if copy is None or not copy.conversation.is_open:
            copy = _started(command)
            _state.open[command] = copy
        return copy


def _started(command: Command) -> _Copy:
    """Start a program and greet it; any answer will do, also that it does not know the greeting."""
    try:
        conversation = Conversation(command.program, command.limits, string_reasons=False)
        (answer,) = conversation.answers([("hello", '{"protocol": 1}')])
    except Fault as fault:
        raise TargetError(command.name, fault.expected, fault.got) from None
    seeded = not (isinstance(answer.result, dict) and answer.result.get("seeded") is False)
    return _Copy(conversation, ASKED_TWICE if seeded else 0)
