"""A Python object as a program that speaks JSON lines: `python -m privboost.targets.host module:factory`.

The factory is called once; the object that it returns has a method `answer(op, args)`. Its own prints go to
standard error, and it cannot read the requests. A crash of the object ends the program; with `--faults`, as
the gate starts it, a crash is an answer with the member `fault`, and an object that cannot be loaded is
reported in a line with the member `missing`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import FrameType
from typing import Any, BinaryIO

from privboost.errors import PreconditionError, TargetError, UsageError

from .conversation import Answer
from .loading import described, load_object, message_of
from .names import parse_named
from .values import to_lines

USAGE = 2
"""The exit code for an object that cannot be loaded."""
INTERRUPT_AGAIN = 0.25
"""Seconds from one attempt to interrupt a Python object to the next."""


def load_body(text: str) -> Any:
    """Return the object that `module:factory` makes.

    Ensures: UsageError if there is none; TargetError if the code that makes it fails.
    """
    named = parse_named(text)
    if named is None or named.called:
        raise UsageError(f"target: expected module:factory or folder/file.py:factory, got {text!r}")
    kinds = "a file such as folder/file.py"
    body = load_object(replace(named, called=True), kinds=kinds, suits=callable)
    if not callable(getattr(body, "answer", None)):
        wanted = "a function or class that makes an object with a method answer(op, args)"
        raise UsageError(f"target: expected {wanted}, got {text!r}, which makes a {type(body).__name__}")
    return body


def answer_of(body: Any, op: str, args: Mapping[str, Any], seconds: float | None = None) -> Answer:
    """Return what an object answers; nothing that it raises, prints or changes does harm here."""
    copied = json.loads(json.dumps(args))
    try:
        with _deadline(seconds), contextlib.redirect_stdout(sys.stderr):
            return _called(body, op, copied)
    except _Late:
        return Answer(fault=f"hang: no answer within {seconds:g} s")
    except KeyboardInterrupt:
        raise
    except PreconditionError as error:
        # That of a result; one that the object raises is a ValueError, and hence an error of the arguments.
        return Answer(fault=f"garbage: {error.label}: expected {error.expected}, got {error.got}")
    except BaseException as error:
        return Answer(fault=f"crash: {described(error)}")


def serve(body: Any, requests: BinaryIO, answers: BinaryIO, *, faults: bool = False) -> None:
    """Answer every line at once, until there are no more; a line that is no request is answered by an error.

    A crash of the object is raised, since as an error it would pass for a refusal; with `faults` it is an
    answer of its own kind.
    """
    for line in requests:
        answers.write(_line(_reply(body, line, faults=faults)))
        answers.flush()


def _reply(body: Any, line: bytes, *, faults: bool) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return {"id": None, "error": "expected one JSON object per line, got something else"}
    if not isinstance(request, Mapping):
        return {"id": None, "error": f"expected a JSON object, got a {type(request).__name__}"}
    number, op, args = request.get("id"), request.get("op"), request.get("args", {})
    if not isinstance(op, str) or not isinstance(args, Mapping):
        return {"id": number, "error": "expected 'op', a string, and 'args', an object"}
    answer = answer_of(body, op, args) if faults else _called(body, op, args)
    if answer.has_result:
        return {"id": number, "result": answer.result}
    reasons = {"unsupported": answer.unsupported, "error": answer.error, "fault": answer.fault}
    return {"id": number} | {kind: reason for kind, reason in reasons.items() if reason is not None}


def _called(body: Any, op: str, args: Mapping[str, Any]) -> Answer:
    """Return what an object answers; what it raises besides the two errors of the protocol is raised."""
    try:
        result = body.answer(op, args)
    except NotImplementedError as error:
        return Answer(unsupported=message_of(error))
    except ValueError as error:
        return Answer(error=message_of(error))
    return Answer(result=to_lines(result))


def _line(members: Mapping[str, Any]) -> bytes:
    return (json.dumps(members) + "\n").encode("ascii")


class _Late(BaseException):
    """Interrupt a call that takes too long; no `except Exception` of the target can catch it."""


@contextlib.contextmanager
def _deadline(seconds: float | None) -> Iterator[None]:
    """Raise _Late in the body after some seconds, where this system and thread have timers.

    An error in a callback, such as one of the garbage collector, is lost; hence it is raised again and again.
    """
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not usable:
        yield
        return
    armed = True

    def ring(_number: int, _frame: FrameType | None) -> None:
        if armed:
            raise _Late

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, INTERRUPT_AGAIN)
    try:
        try:
            yield
        finally:
            armed = False
    finally:
        # Also where the alarm rang within the line above; the next one is far away then.
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes of the protocol; what the target takes for them is nothing, and standard error."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def main(words: list[str]) -> int:
    """Answer requests until they end; the words are the name of a factory, after `--faults` or not."""
    requests, answers = _private_pipes()
    *options, text = words or [""]
    faults = options == ["--faults"]
    try:
        if options and not faults:
            raise UsageError(f"host: expected [--faults] module:factory, got {' '.join(words)}")
        body = load_body(text)
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
