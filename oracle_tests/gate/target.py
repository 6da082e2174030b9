"""Targets of the gate: what a text stands for, and how to ask it without being hurt by it.

| text                     | what is asked                                                                   |
|--------------------------|---------------------------------------------------------------------------------|
| cmd:./impl --stdio       | a program that speaks JSON lines (`process`)                                    |
| module:factory           | what a function or class makes: its method `answer(op, args)`, in a             |
| folder/file.py:factory   | process of its own (`hosted`); the current folder can be imported from          |
| fast, reference          | the learners here (`bodies`)                                                    |
| faulty:NAME              | an implementation with one mistake                                              |

Nothing that a target does is an exception here: a crash, a hang or garbage is an answer with a `fault`.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import re
import shlex
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol

from privboost.errors import UsageError

from .wire import WireError, printable, shown, to_wire

if TYPE_CHECKING:
    from privboost.auditor.conversation import Limits

HANGS = 3
"""After so many hangs a target is given up."""

SECONDS = 60.0
"""For one answer."""
AGAIN = 0.25
"""Seconds from one attempt to interrupt a Python object in this process to the next."""
BODIES = ("fast", "reference")
NAMED = re.compile(r"(?P<module>[\w./\\~-]+):(?P<name>[^\W\d]\w*(\.[^\W\d]\w*)*)")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: a result (which may be None), or one of the three others."""

    result: Any = None
    unsupported: str | None = None
    """The target does not implement this."""
    error: str | None = None
    """The target refused the arguments."""
    fault: str | None = None
    """There was no answer: what the target did instead, by name, such as `hang: …`."""

    @property
    def has_result(self) -> bool:
        """Return whether there is a result to judge."""
        return self.unsupported is None and self.error is None and self.fault is None


class Target(Protocol):
    """Whatever can be asked."""

    @property
    def name(self) -> str:
        """Return what a user writes for it."""

    def ask(self, op: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""

    def ask_many(self, requests: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Answer]:
        """Yield the answers to requests, each an operation and its arguments, in their order."""

    def close(self) -> None:
        """Let it end."""


class PythonTarget:
    """An object in this process with a method `answer(op, args)`."""

    def __init__(self, name: str, body: Any, seconds: float = SECONDS) -> None:
        if not callable(getattr(body, "answer", None)):
            found = f"a {type(body).__name__}"
            raise UsageError(f"target: expected an object with a method answer(op, args), found {found}")
        self.name = name
        self.ended: str | None = None
        """Why nothing is asked any more."""
        self._body, self._seconds, self._hangs = body, seconds, 0

    def ask(self, op: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""
        if self.ended is not None:
            return Answer(fault=self.ended)
        answer = answer_of(self._body, op, args, self._seconds)
        if answer.fault is not None and answer.fault.startswith("hang"):
            self._hangs += 1
            if self._hangs >= HANGS:
                self.ended = f"given up after {HANGS} hangs"
        return answer

    def ask_many(self, requests: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Answer]:
        """Yield the answers to requests."""
        for op, args in requests:
            yield self.ask(op, args)

    def close(self) -> None:
        """Leave the object alone."""


def load_target(text: str, limits: Limits | None = None) -> Target:
    """Return the target that a text stands for.

    Ensures: UsageError, with what is known, for a text that stands for nothing.
    """
    kind, _, rest = text.partition(":")
    if text in BODIES or kind == "faulty":
        return PythonTarget(text, _known_body(text), SECONDS if limits is None else limits.answer)
    if kind == "cmd":
        return _program(rest, limits)
    return _hosted(text, limits)


def answer_of(body: Any, op: str, args: Mapping[str, Any], seconds: float | None) -> Answer:
    """Return what an object answers; whatever it raises or prints does no harm."""
    copied = json.loads(json.dumps(args))
    try:
        with _deadline(seconds), contextlib.redirect_stdout(sys.stderr):
            found = body.answer(op, copied)
    except _Late:
        return Answer(fault=f"hang: no answer within {seconds:g} s")
    except NotImplementedError as error:
        return Answer(unsupported=_said(error))
    except ValueError as error:
        return Answer(error=_said(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Answer(fault=f"crash: {described(error)}")
    try:
        return Answer(result=to_wire(found))
    except WireError as error:
        return Answer(fault=f"garbage: {error}")


def described(error: BaseException) -> str:
    """Return an error in one line, with the file and the line that raised it."""
    said = " ".join(_said(error).split())
    # A syntax error says its place itself.
    return f"{type(error).__name__}: {said}{'' if isinstance(error, SyntaxError) else _place(error)}"


def _said(error: BaseException) -> str:
    try:
        return printable(str(error))
    except Exception:
        return "an error that cannot be shown"


def _place(error: BaseException) -> str:
    """Return the file and the line that raised an error, leaving out Python's own machinery of imports."""
    place, trace = "", error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not name.startswith("<frozen"):
            place = f" ({Path(name).name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return place


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
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
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


def _known_body(text: str) -> Any:
    """Return one of the implementations that come with privboost."""
    from .bodies import body_of

    return body_of(text)


def _program(command_line: str, limits: Limits | None) -> Target:
    from privboost.auditor.commands import command_of

    from .process import ProcessTarget

    command = command_of(command_line)
    return ProcessTarget(f"cmd:{command_line.strip()}", command.words, command.folder, limits)


def _hosted(text: str, limits: Limits | None) -> Target:
    """Return a Python object in a process of its own, which may hang, print and die as it likes."""
    from .process import ProcessTarget

    parts = NAMED.fullmatch(text)
    if parts is None:
        kinds = "module:factory, 'cmd:./program --flag', faulty:NAME or one of " + ", ".join(BODIES)
        raise UsageError(f"target: expected {kinds}, found {shown(text)}")
    _refuse_missing(parts["module"], text)
    words = (sys.executable, "-m", f"{__package__}.hosted", text)
    return ProcessTarget(text, words, str(Path.cwd()), limits, hosted=True)


def _refuse_missing(module: str, text: str) -> None:
    """Refuse a module that is not there, without running any of its code."""
    if module.endswith(".py"):
        if not Path(module).expanduser().is_file():
            raise UsageError(f"target: expected a file, found no '{module}' for {text!r}")
        return
    top = module.partition(".")[0]
    here = Path.cwd()
    if (here / f"{top}.py").is_file() or (here / top).is_dir():
        return
    try:
        found = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        found = None
    if found is None:
        own = ", ".join(sorted(path.stem for path in here.glob("*.py") if path.stem.isidentifier())) or "none"
        wanted = f"an installed module or one of this folder ({own})"
        raise UsageError(f"target: expected {wanted}, found no module {top!r} for {text!r}")


def reproduction(name: str, request: Mapping[str, Any]) -> str:
    """Return one line for a shell that asks a target the same request."""
    op, args = request["op"], request["args"]
    if name.startswith("cmd:"):
        line = json.dumps({"id": 1, "op": op, "args": args})
        return f"echo {shlex.quote(line)} | {name.removeprefix('cmd:')}"
    asked = f"({_literal(op)}, {_literal(args)})"
    parts, prefix = NAMED.fullmatch(name), ""
    if parts is None or parts["module"] == "faulty":
        target = f"load_target({_literal(name)})"
        program = f"from {__package__}.target import load_target; print({target}.ask{asked})"
    else:
        path = Path(parts["module"])
        module = path.stem if path.suffix == ".py" else parts["module"]
        prefix = f"PYTHONPATH={shlex.quote(str(path.parent))} " if path.suffix == ".py" else ""
        program = f"import {module}; print({module}.{parts['name']}().answer{asked})"
    return f"{prefix}python -c {shlex.quote(program)}"


def _literal(value: Any) -> str:
    """Return a value as Python writes it, with double quotes, since the shell takes the single ones."""
    if isinstance(value, str):
        return printable(json.dumps(value, ensure_ascii=False))
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_literal(name)}: {_literal(entry)}' for name, entry in value.items())}}}"
    return repr(value)
