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
`error` (a text). Answers come in the order of the requests, which are sent ahead: up to 64 of them may wait
to be read. At the end of its input a program ends.

Floats are JSON numbers with as many digits as their bits need; infinities and NaN are the texts "infinity",
"-infinity" and "nan" both ways, and never bare; fractions are texts such as "3/8"; arrays and tuples are
lists, dataclasses are objects.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import shutil
import threading
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from privboost.errors import PreconditionError, UsageError

from .conversation import DEFAULT_LIMITS, Conversation, Limits
from .errors import TargetError
from .json_values import NOT_FINITE, float_to_json
from .subject import Mechanism

SEED_BYTES = 16
ASKED_TWICE = 8
"""Samples that a new copy of a program is asked for twice."""


@dataclasses.dataclass(frozen=True, slots=True)
class Command:
    """A program that draws samples; every process that calls it starts its own copy, once."""

    words: tuple[str, ...]
    folder: str
    limits: Limits = DEFAULT_LIMITS

    @property
    def name(self) -> str:
        """Return the command as a user writes it."""
        return f"cmd:{shlex.join(self.words)}"

    def call(self, data: Any, rng: np.random.Generator) -> Any:
        """Return one sample."""
        return self.in_order([data], [rng])[0]

    def in_order(self, inputs: Sequence[Any], streams: Sequence[np.random.Generator]) -> list[Any]:
        """Return one sample for each input, in order, each with a seed of its own."""
        texts: dict[int, str] = {}
        requests = []
        for data, stream in zip(inputs, streams, strict=True):
            if id(data) not in texts:
                texts[id(data)] = json.dumps(_to_wire(data))
            requests.append(f'{{"data": {texts[id(data)]}, "seed": "{stream.bytes(SEED_BYTES).hex()}"}}')
        copy = _running(self)
        again = requests[: copy.to_ask_twice]
        results = copy.conversation.ask("sample", iter((*requests, *again)))
        if again:
            self._refuse_other_answers(results[: len(again)], results[len(requests) :])
            copy.to_ask_twice -= len(again)
        return [_from_wire(result) for result in results[: len(requests)]]

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


def command_of(text: str, limits: Limits = DEFAULT_LIMITS) -> Command:
    """Return the command of a command line, which is split as a shell does and not run by one."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"cmd: expected a command line, found {text!r} ({error})") from None
    if not words:
        raise UsageError("cmd: expected a program to run, such as 'cmd:./program --flag', found nothing")
    if shutil.which(words[0]) is None:
        known = "there is no such file" if not Path(words[0]).exists() else "it is not executable"
        raise UsageError(f"cmd: expected a program that can be run, found {words[0]!r}: {known}")
    return Command(tuple(words), str(Path.cwd()), limits)


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
        found = _state.open.get(command)
        if found is None or not found.conversation.is_open:
            started = Conversation(command.name, command.words, command.folder, command.limits)
            said = started.hello()
            seeded = not (isinstance(said, dict) and said.get("seeded") is False)
            found = _Copy(started, ASKED_TWICE if seeded else 0)
            _state.open[command] = found
        return found


def _to_wire(value: Any) -> Any:
    """Return an input as plain JSON values, as another language can read them."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return float_to_json(value)
        case Fraction():
            return str(value)
        case Mapping() if all(isinstance(key, str) for key in value):
            return {key: _to_wire(entry) for key, entry in value.items()}
        case list() | tuple():
            return _list_to_wire(value)
        case _:
            wanted = "numbers, texts, lists, arrays, dictionaries with texts as keys, or dataclasses of these"
            raise PreconditionError("data for a command", wanted, type(value).__name__)


def _list_to_wire(values: Iterable[Any]) -> list[Any]:
    return [_to_wire(entry) for entry in values]


def _from_wire(value: Any) -> Any:
    """Return a result with its infinities and NaN as floats."""
    if isinstance(value, str):
        return NOT_FINITE.get(value, value)
    if isinstance(value, list):
        return [_from_wire(entry) for entry in value]
    if isinstance(value, dict):
        return {name: _from_wire(entry) for name, entry in value.items()}
    return value
