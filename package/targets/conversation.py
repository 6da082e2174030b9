"""Exchange JSON lines with a program that may crash, hang or send anything.

One loop with a deadline reads and writes all pipes. It uses no threads, so that the process can be forked.
Requests are answered in order; several may be in flight.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from multiprocessing.util import Finalize
from typing import Any

from privboost.errors import PreconditionError, PrivboostError, UsageError
from privboost.printing import format_value, make_printable
from privboost.strict_json import parse
from privboost.workers.descendants import adopt_orphans, end_wearers, environment, new_badge, wearers
from privboost.workers.endings import ending

from .programs import Program

CHUNK = 1 << 16
STDERR_TAIL = 2000
"""Number of bytes at the end of standard error that are kept for messages."""
GRACE = 1.0
"""Seconds to wait for a program to exit after its input is closed."""
SILENCE = "silence; does the program flush its output after every line?"
KINDS = ("result", "unsupported", "error")
"""Keys of an answer, of which it must have exactly one."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the time and output of a program."""

    start: float = 60.0
    """Timeout for the first answer, in seconds."""
    answer: float = 60.0
    """Timeout for each further answer, in seconds."""
    line: int = 1 << 24
    """Maximum length of an answer, in bytes."""
    in_flight: int = 64
    """Maximum number of unanswered requests."""


DEFAULT_LIMITS = Limits()


class FaultKind(StrEnum):
    """A kind of fault. The last two are no answers of the target: nothing was sent to it."""

    CRASH = "crash"
    HANG = "hang"
    FLOOD = "flood"
    GARBAGE = "garbage"
    WRONG_ID = "wrong id"
    NO_ID = "no id"
    OUT_OF_ORDER = "out of order"
    MISSING = "missing"
    """A Python object that could not be loaded."""
    NOT_ASKED = "nothing"
    """The operation is not asked again, after several faults of it."""
    GIVEN_UP = "given up"
    """Nothing is asked any more."""


HOSTED_FAULTS = (FaultKind.CRASH, FaultKind.GARBAGE)
"""Faults of a Python object that its host reports."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A missing or invalid answer."""

    kind: FaultKind
    got: str
    """The output or the error of the target, or the reason why it was not asked."""
    expected: str = ""

    def __str__(self) -> str:
        """Return the message of the fault."""
        got = f"expected {self.expected}, got {self.got}" if self.expected else self.got
        return f"{self.kind} {got}" if self.kind is FaultKind.GIVEN_UP else f"{self.kind}: {got}"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request: a result, which may be None, or one of the other three."""

    result: Any = None
    unsupported: str | None = None
    """Reason why the target does not implement the request."""
    error: str | None = None
    """Reason why the target refused the arguments."""
    fault: Fault | None = None
    """Why the answer is missing or invalid."""

    @property
    def has_result(self) -> bool:
        """Return whether there is a result to judge."""
        return self.unsupported is None and self.error is None and self.fault is None


class FaultError(PrivboostError, RuntimeError):
    """Report that a program did not send a valid answer."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(str(fault))


class Conversation:
    """A running program and its unanswered requests.

    With `string_reasons`, the values of `unsupported` and `error` must be strings, as the gate's protocol
    requires; otherwise they may be any JSON value, such as `true`. With `faults`, the program is the host of
    a Python object (`host`), which may answer with a fault.
    """

    def __init__(
        self, program: Program, limits: Limits, *, string_reasons: bool = True, faults: bool = False
    ) -> None:
        self._limits, self._string_reasons, self._faults = limits, string_reasons, faults
        self._pipes = Pipes(program, limits.line)
        self._next_id = 0
        self._has_answered = False
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Return whether the program can still receive requests."""
        return self._pipes.is_open

    def close(self, grace: float = GRACE) -> bool:
        """Close the input of the program; return whether it exits within `grace` seconds, else kill it."""
        return self._pipes.close(grace)

    def kill(self) -> None:
        """Kill the program, so that none of its later output is taken for an answer."""
        self._pipes.kill()

    def answers(self, requests: Iterable[tuple[str, str]]) -> Iterator[Answer]:
        """Yield one answer per request; a request is an operation and its arguments as JSON.

        Ensures: FaultError for anything that is not a valid answer. The program is killed then, and also if
        the caller stops before the last answer.
        """
        with self._lock:
            try:
                yield from self._exchange(iter(requests))
            except BaseException:
                self.kill()
                raise

    def _exchange(self, requests: Iterator[tuple[str, str]]) -> Iterator[Answer]:
        pending: deque[int] = deque()
        while True:
            if len(pending) <= self._limits.in_flight // 2:
                for operation, arguments in islice(requests, self._limits.in_flight - len(pending)):
                    pending.append(self._send(operation, arguments))
            if not pending:
                break
            seconds = self._limits.answer if self._has_answered else self._limits.start
            answer = self._read(self._pipes.line(pending[0], seconds), pending)
            self._has_answered = True
            yield answer
        if self._pipes.lines:
            extra = f"also the line {format_value(self._pipes.lines[0])}"
            raise _invalid(FaultKind.FLOOD, "one answer per request", extra)

    def _send(self, operation: str, arguments: str) -> int:
        request_id, self._next_id = self._next_id, self._next_id + 1
        request = f'{{"id": {request_id}, "op": {json.dumps(operation)}, "args": {arguments}}}\n'
        self._pipes.send(request.encode("utf-8"))
        return request_id

    def _read(self, line: bytes, pending: deque[int]) -> Answer:
        """Return the answer in a line, which must belong to the oldest request."""
        members = _parse(line)
        if not isinstance(members, dict):
            raise _invalid(FaultKind.GARBAGE, "one JSON object per line", f"the line {format_value(line)}")
        if self._faults and isinstance(members.get("missing"), str):
            missing = make_printable(members["missing"])
            raise _invalid(FaultKind.MISSING, "a target that can be loaded", missing)
        answered = members.get("id")
        if isinstance(answered, bool) or answered != pending[0]:
            raise self._wrong_id(members, line, pending)
        pending.popleft()
        if self._faults and members.get("fault") in HOSTED_FAULTS and isinstance(members.get("got"), str):
            return Answer(fault=Fault(FaultKind(members["fault"]), make_printable(members["got"])))
        return self._of_one_kind(members, line)

    def _wrong_id(self, members: dict[str, Any], line: bytes, pending: deque[int]) -> FaultError:
        answered, expected = members.get("id"), f"the answer with the id {pending[0]}"
        if not isinstance(answered, bool) and isinstance(answered, int | float) and answered in pending:
            expected += ", since answers come in the order of the requests"
            return _invalid(FaultKind.OUT_OF_ORDER, expected, f"the line {format_value(line)}")
        kind = FaultKind.WRONG_ID if "id" in members else FaultKind.NO_ID
        return _invalid(kind, expected, f"the line {format_value(line)}")

    def _of_one_kind(self, members: dict[str, Any], line: bytes) -> Answer:
        kinds = [kind for kind in KINDS if kind in members]
        if len(kinds) != 1:
            names = " and ".join(kinds) or "none of them"
            got = f"{names} in the line {format_value(line)}"
            raise _invalid(FaultKind.GARBAGE, f"one of {', '.join(KINDS)}", got)
        (kind,) = kinds
        if kind == "result":
            return Answer(result=members["result"])
        reason = members[kind]
        if self._string_reasons and not isinstance(reason, str):
            raise _invalid(FaultKind.GARBAGE, f"a string for {kind}", f"the line {format_value(line)}")
        reason = make_printable(reason) if isinstance(reason, str) else format_value(reason)
        return Answer(unsupported=reason) if kind == "unsupported" else Answer(error=reason)


class Pipes:
    """A running program with pipes for lines to its standard input and from its standard output."""

    def __init__(self, program: Program, longest_line: int) -> None:
        self._longest_line = longest_line
        self._badge = new_badge()
        self._process = _start(program, self._badge)
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._process.stdout, selectors.EVENT_READ)  # type: ignore[arg-type]
        self._selector.register(self._process.stderr, selectors.EVENT_READ)  # type: ignore[arg-type]
        self._outgoing, self._writing = bytearray(), False
        self.lines: deque[bytes] = deque()
        """Lines that have been read from the program and not yet been returned."""
        self._rest, self._ended = bytearray(), False
        self._stderr_tail = b""
        self._seen: set[tuple[int, str]] = set()
        """The program and its descendants, before it was asked to exit."""
        # Runs when this object or this process ends, whichever comes first, but not in a forked child.
        arguments = (self._process, self._selector, self._badge, self._seen)
        self._end = Finalize(self, _end, args=arguments, exitpriority=10)

    @property
    def is_open(self) -> bool:
        """Return whether the program has not been stopped."""
        return self._end.still_active()

    def close(self, grace: float) -> bool:
        """Close the input of the program; return whether it exits within `grace` seconds, else kill it."""
        _close_input(self._process, self._badge, self._seen)
        try:
            self._process.wait(grace)
        except subprocess.TimeoutExpired:
            return False
        else:
            return True
        finally:
            self._end()

    def kill(self) -> None:
        """Kill the program."""
        _close_input(self._process, self._badge, self._seen)
        _kill(self._process)
        self._end()

    def send(self, line: bytes) -> None:
        """Queue a line, which is written while output is read."""
        self._outgoing += line

    def line(self, request_id: int, seconds: float) -> bytes:
        """Return the next line of the output, which should answer request `request_id`.

        Ensures: FaultError if no line arrives in time, it is too long, or the program has exited.
        """
        deadline = time.monotonic() + seconds
        while not self.lines:
            if self._ended:
                raise self._end_of_output(f"an answer to request {request_id}")
            left = deadline - time.monotonic()
            if left <= 0:
                expected = f"an answer to request {request_id} within {seconds:g} s"
                raise self._fault(FaultKind.HANG, expected, SILENCE)
            if not self._pump(min(left, GRACE)) and self._process.poll() is not None:
                # A child of the program may keep the pipe open.
                self._ended = True
        return self.lines.popleft()

    def read_all(self, seconds: float) -> bytes:
        """Return the output of a program that gets no input and ends by itself.

        Ensures: FaultError if it does not end in time, prints too much, or has an exit code other than 0.
        """
        assert self._process.stdin is not None
        self._process.stdin.close()
        deadline = time.monotonic() + seconds
        while not self._ended or self._process.poll() is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._fault(FaultKind.HANG, f"the end of the program within {seconds:g} s", "none")
            if self._ended:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(left)
            elif not self._pump(min(left, GRACE)) and self._process.poll() is not None:
                # A child of the program may keep the pipe open.
                self._ended = True
            if sum(map(len, self.lines)) + len(self._rest) > self._longest_line:
                expected = f"an output of at most {self._longest_line} bytes"
                raise self._fault(FaultKind.FLOOD, expected, "more")
        if self._process.returncode:
            raise self._end_of_output("the exit code 0")
        return b"\n".join([*self.lines, bytes(self._rest)])

    def _pump(self, seconds: float) -> bool:
        """Write and read as much as is possible now; return whether any pipe was ready."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if self._outgoing and not self._writing:
            self._selector.register(stdin, selectors.EVENT_WRITE)  # type: ignore[arg-type]
            self._writing = True
        ready = self._selector.select(seconds)
        for key, _ in ready:
            if key.fileobj is stdin:
                self._write(key.fd)
            elif key.fileobj is stdout:
                self._read(key)
            else:
                self._stderr_tail = (self._stderr_tail + (self._chunk(key) or b""))[-STDERR_TAIL:]
        return bool(ready)

    def _write(self, descriptor: int) -> None:
        try:
            del self._outgoing[: os.write(descriptor, self._outgoing[:CHUNK])]
        except BlockingIOError:
            return
        except OSError:
            # The program has closed its input; its earlier output is still read.
            self._outgoing.clear()
        if not self._outgoing:
            self._selector.unregister(descriptor)
            self._writing = False

    def _read(self, key: selectors.SelectorKey) -> None:
        chunk = self._chunk(key)
        if chunk is None:
            return
        self._ended = not chunk
        first, *others = chunk.split(b"\n")
        # Appending to a bytearray takes no time for what is there already.
        self._rest += first
        lines = [bytes(self._rest), *others] if others else []
        if others:
            self._rest = bytearray(lines.pop())
        self.lines.extend(lines)
        longest = max((*lines, self._rest), key=len)
        if len(longest) > self._longest_line:
            expected = f"an answer of at most {self._longest_line} bytes"
            start = format_value(bytes(longest[:CHUNK]))
            raise self._fault(FaultKind.FLOOD, expected, f"more, beginning with {start}")

    def _chunk(self, key: selectors.SelectorKey) -> bytes | None:
        """Return the bytes that are available: empty at the end of the pipe, None if there are none yet."""
        try:
            chunk = os.read(key.fd, CHUNK)
        except BlockingIOError:
            return None
        if not chunk:
            self._selector.unregister(key.fileobj)
        return chunk

    def _end_of_output(self, expected: str) -> FaultError:
        """Return the fault of a program whose output has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        for _ in range(STDERR_TAIL):
            if not self._pump(0):
                break
        code = self._process.returncode
        got = "the end of its output" if code is None else ending(code)
        if self._rest:
            got += f" amid the line {format_value(bytes(self._rest))}"
        return self._fault(FaultKind.CRASH, expected, got)

    def _fault(self, kind: FaultKind, expected: str, got: str) -> FaultError:
        stderr = make_printable(self._stderr_tail.decode("utf-8", "replace").strip())
        return _invalid(kind, expected, f"{got}; its standard error ends with:\n{stderr}" if stderr else got)


def _invalid(kind: FaultKind, expected: str, got: str) -> FaultError:
    return FaultError(Fault(kind, got, expected))


def _parse(line: bytes) -> Any:
    """Return the value of a line of strict JSON.

    Ensures: FaultError if the line is not valid.
    """
    try:
        return parse(line, "answer").value
    except PreconditionError as error:
        expected = f"one JSON object per line ({error.expected})"
        got = f"{error.got} in the line {format_value(line)}"
        raise _invalid(FaultKind.GARBAGE, expected, got) from None


def _start(program: Program, badge: str) -> subprocess.Popen[bytes]:
    """Start a program in its own session, so that Ctrl-C does not reach it and its children can be killed."""
    if sys.platform == "win32":
        raise UsageError("cmd: programs can be run only on systems with POSIX pipes")
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            program.command,
            bufsize=0,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=program.folder,
            env=environment(badge),
            start_new_session=True,
            # It calls the kernel once and takes no lock that another thread may hold.
            preexec_fn=adopt_orphans,  # noqa: PLW1509
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _invalid(FaultKind.CRASH, "a program that starts", make_printable(str(reason))) from None


def _close_input(process: subprocess.Popen[bytes], badge: str, seen: set[tuple[int, str]]) -> None:
    """Close the input of a program, which exits then, and note what it has started."""
    assert process.stdin is not None
    if not process.stdin.closed:
        seen |= wearers(badge)
        process.stdin.close()


def _end(
    process: subprocess.Popen[bytes],
    selector: selectors.BaseSelector,
    badge: str,
    seen: set[tuple[int, str]],
) -> None:
    """Close the input of a program, kill it if it does not exit, and end all processes that it started."""
    assert process.stdout is not None
    assert process.stderr is not None
    selector.close()
    _close_input(process, badge, seen)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    _kill(process)
    process.wait()
    end_wearers(badge, seen)
    process.stdout.close()
    process.stderr.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group of a program; where there is no /proc, also what is left of the group."""
    if process.poll() is not None and sys.platform == "linux":
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
