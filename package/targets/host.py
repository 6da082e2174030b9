"""A Python object as a program that speaks JSON lines: `python -m privboost.targets.host module:factory`.

The factory is called once and returns an object with a method `answer(op, args)`. What the object prints goes
to standard error, and its standard input is empty. An exception in the object ends the program. With
`--faults`, which the gate uses, an exception becomes an answer with the key `fault`, and an object that
cannot be loaded is reported in a line with the key `missing`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import FrameType
from typing import Any, BinaryIO

from privboost.errors import PreconditionError, TargetError, UsageError
from privboost.strict_json import parse

from .conversation import Answer, Fault, FaultKind
from .loading import describe_error, load_object, message_of
from .names import parse_named
from .values import to_json_values

USAGE = 2
"""Exit code if the object cannot be loaded."""
INTERRUPT_AGAIN = 0.25
"""Seconds between attempts to interrupt a Python object."""


def load_body(source: str) -> Any:
    """Return the object that `module:factory` creates.

    Ensures: UsageError if the factory does not exist; TargetError if it fails.
    """
    named = parse_named(source)
    if named is None or named.is_called:
        raise UsageError(f"target: expected module:factory or folder/file.py:factory, got {source!r}")
    kinds = "a file such as folder/file.py"
    body = load_object(replace(named, arguments=""), kinds=kinds, suits=callable)
    if not callable(getattr(body, "answer", None)):
        expected = "a function or class that returns an object with a method answer(op, args)"
        raise UsageError(f"target: expected {expected}, got {source!r}, which makes a {type(body).__name__}")
    return body


def answer_of(body: Any, op: str, args: Mapping[str, Any], seconds: float | None = None) -> Answer:
    """Return the answer of an object; its exceptions, output and changes to `args` are contained."""
    copied = json.loads(json.dumps(args))
    try:
        with _deadline(seconds), contextlib.redirect_stdout(sys.stderr):
            return _call(body, op, copied)
    except _Late:
        return Answer(fault=Fault(FaultKind.HANG, f"no answer within {seconds:g} s"))
    except KeyboardInterrupt:
        raise
    except PreconditionError as error:
        # Raised for the result; `_call` handles those that the object raises, since they are ValueErrors.
        got = f"{error.label}: expected {error.expected}, got {error.got}"
        return Answer(fault=Fault(FaultKind.GARBAGE, got))
    except BaseException as error:
        return Answer(fault=Fault(FaultKind.CRASH, describe_error(error)))


def serve(body: Any, requests: BinaryIO, answers: BinaryIO, *, faults: bool = False) -> None:
    """Answer every request line until the input ends; an invalid line is answered with an error.

    An exception in the object propagates, since an `error` answer would mean that it refused the arguments.
    With `faults`, it becomes an answer with the key `fault`.
    """
    for line in requests:
        answers.write(_line(_reply(body, line, faults=faults)))
        answers.flush()


def _reply(body: Any, line: bytes, *, faults: bool) -> dict[str, Any]:
    try:
        request = parse(line, "request").value
    except PreconditionError as error:
        return {"id": None, "error": f"expected one JSON object per line, got something else ({error})"}
    if not isinstance(request, Mapping):
        return {"id": None, "error": f"expected a JSON object, got a {type(request).__name__}"}
    number, op, args = request.get("id"), request.get("op"), request.get("args", {})
    if not isinstance(op, str) or not isinstance(args, Mapping):
        return {"id": number, "error": "expected 'op', a string, and 'args', an object"}
    answer = answer_of(body, op, args) if faults else _call(body, op, args)
    if answer.has_result:
        return {"id": number, "result": answer.result}
    if answer.fault is not None:
        return {"id": number, "fault": answer.fault.kind, "got": answer.fault.got}
    if answer.error is not None:
        return {"id": number, "error": answer.error}
    return {"id": number, "unsupported": answer.unsupported}


def _call(body: Any, op: str, args: Mapping[str, Any]) -> Answer:
    """Return the answer of an object; exceptions other than the two of the protocol propagate."""
    try:
        result = body.answer(op, args)
    except NotImplementedError as error:
        return Answer(unsupported=message_of(error))
    except ValueError as error:
        return Answer(error=message_of(error))
    return Answer(result=to_json_values(result))


def _line(members: Mapping[str, Any]) -> bytes:
    return (json.dumps(members) + "\n").encode("ascii")


class _Late(BaseException):
    """Interrupt a call that takes too long; no `except Exception` of the target can catch it."""


@contextlib.contextmanager
def _deadline(seconds: float | None) -> Iterator[None]:
    """Raise _Late in the block after some seconds, if this system and thread have timers.

    Exceptions in some callbacks, such as those of the garbage collector, are discarded, so it is raised
    repeatedly.
    """
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not usable:
        yield
        return
    armed = True

    def interrupt(_signal_number: int, _frame: FrameType | None) -> None:
        if armed:
            raise _Late

    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, INTERRUPT_AGAIN)
    try:
        try:
            yield
        finally:
            armed = False
    finally:
        # In case the alarm interrupted the line above; there is ample time until the next one.
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes of the protocol, and redirect those that the target sees."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def main(arguments: list[str], load: Callable[[str], Any] = load_body) -> int:
    """Answer requests until the input ends; the arguments are `[--faults] module:factory`.

    `load` returns the object that answers, given the last argument.
    """
    requests, answers = _private_pipes()
    *options, source = arguments or [""]
    faults = options == ["--faults"]
    try:
        if options and not faults:
            raise UsageError(f"host: expected module:factory, got {' '.join(arguments)}")
        body = load(source)
    except (UsageError, TargetError) as error:
        if faults:
            answers.write(_line({"missing": str(error)}))
            answers.flush()
        else:
            print(f"privboost: error: {error}", file=sys.stderr)
        return USAGE
    serve(body, requests, answers, faults=faults)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
