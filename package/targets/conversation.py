"""Talk with a program that speaks JSON lines, so that nothing it does can hang or kill this process.

There are no threads here: all pipes are read and written by one loop with a deadline, so that a process that
talks may be forked. Requests are answered in their order; several may be in flight.
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
from itertools import islice
from multiprocessing.util import Finalize
from typing import Any

from privboost.errors import PreconditionError, PrivboostError, UsageError
from privboost.printing import printable, shown
from privboost.strict_json import parse
from privboost.workers.endings import ending

from .programs import Program

CHUNK = 1 << 16
LAST_WORDS = 2000
"""Characters of the standard error that are kept for a message."""
GRACE = 1.0
"""Seconds that a program has to end by itself when its input ends."""
SILENCE = "silence; does the program flush its output after every line?"
KINDS = ("result", "unsupported", "error")
"""Members of an answer, of which there must be exactly one."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may take before it is given up."""

    start: float = 60.0
    """Seconds until the first answer."""
    answer: float = 60.0
    """Seconds from one answer to the next."""
    line: int = 1 << 24
    """Bytes of one answer."""
    in_flight: int = 64
    """Requests that are sent ahead of their answers."""


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: a result (which may be None), or one of the three others."""

    result: Any = None
    unsupported: str | None = None
    """The target does not implement this."""
    error: str | None = None
    """The target refused the arguments."""
    fault: str | None = None
    """There was no answer: what the target did instead, by kind, such as `hang: …`."""

    @property
    def has_result(self) -> bool:
        """Return whether there is a result to judge."""
        return self.unsupported is None and self.error is None and self.fault is None


class Fault(PrivboostError, RuntimeError):
    """Report what a program did instead of an answer.

    Its kind is crash, hang, flood, garbage, wrong id, no id or out of order; of a hosted Python object also
    missing, which means that there is no such object and `got` says why.
    """

    def __init__(self, kind: str, expected: str, got: str) -> None:
        self.kind = kind
        self.expected = expected
        self.got = got
        super().__init__(f"{kind}: expected {expected}, got {got}")


class Conversation:
    """A running program, and the requests that it has not answered yet.

    With `texts`, reasons in `unsupported` and `error` must be strings, as the gate's protocol says; without,
    they may be any JSON, such as `true`. With `faults`, the program is the host of a Python object (`host`),
    which may answer with a fault.
    """

    def __init__(self, program: Program, limits: Limits, *, texts: bool = True, faults: bool = False) -> None:
        self._limits, self._texts, self._faults = limits, texts, faults
        self._pipes = Pipes(program, limits.line)
        self._next_id = 0
        self._has_answered = False
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Return whether the program may still be asked."""
        return self._pipes.is_open

    def close(self) -> None:
        """End the program: by the end of its input, and by force where that does not help."""
        self._pipes.close()

    def kill(self) -> None:
        """End the program at once: what it still says must not be taken for an answer."""
        self._pipes.kill()

    def answers(self, requests: Iterable[tuple[str, str]]) -> Iterator[Answer]:
        """Yield one answer per request, which is an operation and its arguments in JSON.

        Ensures: Fault for everything that is no answer. The program is ended then, and whenever the answers
        are not read to their end.
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
            found = f"also the line {shown(self._pipes.lines[0])}"
            raise Fault("flood", "one answer per request", found)

    def _send(self, operation: str, arguments: str) -> int:
        number, self._next_id = self._next_id, self._next_id + 1
        request = f'{{"id": {number}, "op": {json.dumps(operation)}, "args": {arguments}}}\n'
        self._pipes.send(request.encode("utf-8"))
        return number

    def _read(self, line: bytes, pending: deque[int]) -> Answer:
        """Return the answer on a line, which must be to the oldest request."""
        members = _parsed(line)
        if not isinstance(members, dict):
            raise Fault("garbage", "one JSON object per line", f"the line {shown(line)}")
        if self._faults and isinstance(members.get("missing"), str):
            raise Fault("missing", "a target that can be loaded", printable(members["missing"]))
        number = members.get("id")
        if isinstance(number, bool) or number != pending[0]:
            raise self._wrong_id(members, line, pending)
        pending.popleft()
        if self._faults and isinstance(members.get("fault"), str):
            return Answer(fault=printable(members["fault"]))
        return self._of_one_kind(members, line)

    def _wrong_id(self, members: dict[str, Any], line: bytes, pending: deque[int]) -> Fault:
        number, expected = members.get("id"), f"the answer with the id {pending[0]}"
        if not isinstance(number, bool) and isinstance(number, int | float) and number in pending:
            expected += ", since answers come in the order of the requests"
            return Fault("out of order", expected, f"the line {shown(line)}")
        return Fault("wrong id" if "id" in members else "no id", expected, f"the line {shown(line)}")

    def _of_one_kind(self, members: dict[str, Any], line: bytes) -> Answer:
        kinds = [kind for kind in KINDS if kind in members]
        if len(kinds) != 1:
            names = " and ".join(kinds) or "none of them"
            raise Fault("garbage", f"one of {', '.join(KINDS)}", f"{names} in the line {shown(line)}")
        (kind,) = kinds
        if kind == "result":
            return Answer(result=members["result"])
        reason = members[kind]
        if self._texts and not isinstance(reason, str):
            raise Fault("garbage", f"a string for {kind}", f"the line {shown(line)}")
        reason = printable(reason) if isinstance(reason, str) else shown(reason)
        return Answer(unsupported=reason) if kind == "unsupported" else Answer(error=reason)


class Pipes:
    """A running program: lines to its standard input, and lines from its standard output."""

    def __init__(self, program: Program, longest_line: int) -> None:
        self._longest_line = longest_line
        self._process = _start(program)
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._process.stdout, selectors.EVENT_READ)  # type: ignore[arg-type]
        self._selector.register(self._process.stderr, selectors.EVENT_READ)  # type: ignore[arg-type]
        self._outgoing, self._writing = bytearray(), False
        self.lines: deque[bytes] = deque()
        """Lines that have been read from the program and not been asked for."""
        self._rest, self._ended = b"", False
        self._last_words = b""
        # At the end of this object or of this process, whichever comes first; not in a forked child.
        self._end = Finalize(self, _end, args=(self._process, self._selector), exitpriority=10)

    @property
    def is_open(self) -> bool:
        """Return whether the program has not been ended."""
        return self._end.still_active()

    def close(self) -> None:
        """End the program by the end of its input, or by force."""
        self._end()

    def kill(self) -> None:
        """End the program by force."""
        _kill(self._process)
        self._end()

    def send(self, line: bytes) -> None:
        """Let a line be written while lines are read."""
        self._outgoing += line

    def line(self, number: int, seconds: float) -> bytes:
        """Return the next line of the output, which should answer request `number`.

        Ensures: Fault if there is none in time, if it is too long, or if the program has ended.
        """
        deadline = time.monotonic() + seconds
        while not self.lines:
            if self._ended:
                raise self._end_of_output(number)
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._fault("hang", f"an answer to request {number} within {seconds:g} s", SILENCE)
            if not self._pump(min(left, GRACE)) and self._process.poll() is not None:
                # A child of the program may hold the pipe open for ever.
                self._ended = True
        return self.lines.popleft()

    def _pump(self, seconds: float) -> bool:
        """Write what can be written and read what can be read; return whether anything was."""
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
                self._last_words = (self._last_words + (self._chunk(key) or b""))[-LAST_WORDS:]
        return bool(ready)

    def _write(self, descriptor: int) -> None:
        try:
            del self._outgoing[: os.write(descriptor, self._outgoing[:CHUNK])]
        except BlockingIOError:
            return
        except OSError:
            # Nobody reads any more; what the program has said before is still worth reading.
            self._outgoing.clear()
        if not self._outgoing:
            self._selector.unregister(descriptor)
            self._writing = False

    def _read(self, key: selectors.SelectorKey) -> None:
        chunk = self._chunk(key)
        if chunk is None:
            return
        self._ended = not chunk
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self.lines.extend(lines)
        longest = max((*lines, self._rest), key=len)
        if len(longest) > self._longest_line:
            expected = f"an answer of at most {self._longest_line} bytes"
            raise self._fault("flood", expected, f"more, beginning with {shown(longest)}")

    def _chunk(self, key: selectors.SelectorKey) -> bytes | None:
        """Return some bytes; no bytes at the end of a pipe, which is not looked at again; None for later."""
        try:
            chunk = os.read(key.fd, CHUNK)
        except BlockingIOError:
            return None
        if not chunk:
            self._selector.unregister(key.fileobj)
        return chunk

    def _end_of_output(self, number: int) -> Fault:
        """Return the fault of a program that does not talk any more, with its last words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        for _ in range(LAST_WORDS):
            if not self._pump(0):
                break
        code = self._process.returncode
        found = "the end of its output" if code is None else ending(code)
        if self._rest:
            found += f" amid the line {shown(self._rest)}"
        return self._fault("crash", f"an answer to request {number}", found)

    def _fault(self, kind: str, expected: str, found: str) -> Fault:
        words = printable(self._last_words.decode("utf-8", "replace").strip())
        return Fault(kind, expected, f"{found}; its last words were:\n{words}" if words else found)


def _parsed(line: bytes) -> Any:
    """Return the value of a line of strict JSON.

    Ensures: Fault for anything else.
    """
    try:
        return parse(line, "answer").value
    except PreconditionError as error:
        expected = f"one JSON object per line ({error.expected})"
        raise Fault("garbage", expected, f"{error.got} in the line {shown(line)}") from None


def _start(program: Program) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own: Ctrl-C does not reach it, and it can be ended as a whole."""
    if sys.platform == "win32":
        raise UsageError("cmd: programs can be asked on systems with POSIX pipes only")
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            program.words,
            bufsize=0,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=program.folder,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Fault("crash", "a program that starts", printable(str(reason))) from None


def _end(process: subprocess.Popen[bytes], selector: selectors.BaseSelector) -> None:
    """Close the pipes of a program, wait a little, and end it by force; it is waited for in any case."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    selector.close()
    process.stdin.close()
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        _kill(process)
        process.wait()
    process.stdout.close()
    process.stderr.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and its children at once."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
