"""Talk with a program that speaks JSON lines, so that nothing it does can hang or kill whoever talks to it.

There are no threads here: all pipes are read and written by one loop with a deadline, so that a process that
talks may be forked. Requests are answered in their order; several may be in flight.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from multiprocessing.util import Finalize
from typing import Any

from privboost.errors import PreconditionError, UsageError
from privboost.strict_json import parse

from .errors import TargetError

CHUNK = 1 << 16
LAST_WORDS = 2000
"""Characters of the standard error that are kept for a message."""
SHOWN = 80
GRACE = 1.0
"""Seconds that a program has to end by itself when its input ends."""
SILENCE = "silence; does the program flush its output after every line?"


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


class Conversation:
    """A running program, and the requests that it has not answered yet."""

    def __init__(self, name: str, words: tuple[str, ...], folder: str, limits: Limits) -> None:
        self._name, self._limits = name, limits
        self._process = _start(name, words, folder)
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._process.stdout, selectors.EVENT_READ)  # type: ignore[arg-type]
        self._selector.register(self._process.stderr, selectors.EVENT_READ)  # type: ignore[arg-type]
        self._outgoing, self._writing = bytearray(), False
        self._lines: deque[bytes] = deque()
        self._rest, self._ended = b"", False
        self._last_words = b""
        self._next_id = 0
        self._lock = threading.Lock()
        # At the end of this object or of this process, whichever comes first; not in a forked child.
        self._end = Finalize(self, _end, args=(self._process, self._selector), exitpriority=10)

    @property
    def is_open(self) -> bool:
        """Return whether the program may still be asked."""
        return self._end.still_active()

    def close(self) -> None:
        """End the program: by the end of its input, and by force where that does not help."""
        self._end()

    def hello(self) -> Any:
        """Ask the first question, to which any answer will do: that the program does not know it, too."""
        (answer,) = self._ask("hello", ['{"protocol": 1}'], self._limits.start, any_answer=True)
        return answer

    def ask(self, operation: str, arguments: Iterable[str]) -> list[Any]:
        """Return the results for arguments in JSON, in their order.

        Ensures: TargetError for everything that is no result; the program is ended then.
        """
        return self._ask(operation, arguments, self._limits.answer, any_answer=False)

    def _ask(
        self, operation: str, arguments: Iterable[str], seconds: float, *, any_answer: bool
    ) -> list[Any]:
        with self._lock:
            try:
                return self._exchange(operation, iter(arguments), seconds, any_answer=any_answer)
            except BaseException:
                # What is still to be answered must not be taken for the answer to the next question.
                _kill(self._process)
                self._end()
                raise

    def _exchange(
        self, operation: str, arguments: Iterable[str], seconds: float, *, any_answer: bool
    ) -> list[Any]:
        results: list[Any] = []
        pending: deque[int] = deque()
        while True:
            if len(pending) <= self._limits.in_flight // 2:
                for argument in islice(arguments, self._limits.in_flight - len(pending)):
                    pending.append(self._send(operation, argument))
            if not pending:
                break
            answer = self._answer_to(pending, seconds)
            if not any_answer:
                self._refuse_failure(operation, answer)
            results.append(answer.get("result"))
        if self._lines:
            raise self._error("silence until something is asked", f"the line {_shown(self._lines[0])}")
        return results

    def _send(self, operation: str, argument: str) -> int:
        number, self._next_id = self._next_id, self._next_id + 1
        request = f'{{"id": {number}, "op": "{operation}", "args": {argument}}}\n'
        self._outgoing += request.encode("utf-8")
        return number

    def _answer_to(self, pending: deque[int], seconds: float) -> dict[str, Any]:
        """Return the next answer, which must be to the oldest request."""
        line = self._line(pending[0], seconds)
        try:
            answer = parse(line, "answer").found
        except PreconditionError as error:
            wanted = f"one JSON object per line ({error.requirement})"
            raise self._error(wanted, f"the line {_shown(line)}") from None
        if not isinstance(answer, dict):
            raise self._error("one JSON object per line", f"the line {_shown(line)}")
        number = answer.get("id")
        if isinstance(number, bool) or number != pending[0]:
            order = "answers in the order of the requests: " if number in pending else ""
            raise self._error(f"{order}an answer with the id {pending[0]}", f"the id {_shown(number)}")
        if len({"result", "unsupported", "error"} & set(answer)) != 1:
            wanted = "an answer with one of result, unsupported and error"
            raise self._error(wanted, f"the line {_shown(line)}")
        pending.popleft()
        return answer

    def _refuse_failure(self, operation: str, answer: dict[str, Any]) -> None:
        if "unsupported" in answer:
            raise self._error(f"the operation '{operation}'", "that the program does not support it")
        if "error" in answer:
            raise self._error("a result", f"the error {_shown(answer['error'])}")

    def _line(self, number: int, seconds: float) -> bytes:
        """Return the next line of the output."""
        deadline = time.monotonic() + seconds
        while not self._lines:
            if self._ended:
                raise self._end_of_output(number)
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._error(f"an answer to request {number} within {seconds:g} s", SILENCE)
            if not self._pump(min(left, GRACE)) and self._process.poll() is not None:
                # A child of the program may hold the pipe open for ever.
                self._ended = True
        return self._lines.popleft()

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
                self._read(key.fd)
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

    def _read(self, descriptor: int) -> None:
        chunk = self._chunk(self._selector.get_key(descriptor))
        if chunk is None:
            return
        self._ended = not chunk
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._lines.extend(lines)
        longest = max((len(line) for line in (*lines, self._rest)), default=0)
        if longest > self._limits.line:
            found = f"more, beginning with {_shown(max((*lines, self._rest), key=len))}"
            raise self._error(f"an answer of at most {self._limits.line} bytes", found)

    def _chunk(self, key: selectors.SelectorKey) -> bytes | None:
        """Return some bytes; no bytes at the end of a pipe, which is not looked at again; None for later."""
        try:
            chunk = os.read(key.fd, CHUNK)
        except BlockingIOError:
            return None
        if not chunk:
            self._selector.unregister(key.fileobj)
        return chunk

    def _end_of_output(self, number: int) -> TargetError:
        """Return what to say of a program that does not talk any more, with its last words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        for _ in range(LAST_WORDS):
            if not self._pump(0):
                break
        code = self._process.returncode
        if code is None:
            found = "the end of its output"
        elif code < 0:
            found = f"the end of the program by signal {signal_name(-code)}"
        else:
            found = f"the end of the program with exit code {code}"
        if self._rest:
            found += f" amid the line {_shown(self._rest)}"
        return self._error(f"an answer to request {number}", found)

    def _error(self, expected: str, found: str) -> TargetError:
        words = self._last_words.decode("utf-8", "replace").strip()
        if words:
            found += f"; its last words were:\n{words}"
        return TargetError(self._name, expected, found)


def _start(name: str, words: tuple[str, ...], folder: str) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own: Ctrl-C does not reach it, and it can be ended as a whole."""
    if sys.platform == "win32":
        raise UsageError("cmd: programs can be audited on systems with POSIX pipes only")
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            words, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, start_new_session=True
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TargetError(name, "a program that starts", str(reason)) from None


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


def signal_name(number: int) -> str:
    """Return the name of a signal, or its number if it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _shown(found: object) -> str:
    """Return the beginning of something as text in quotes."""
    text = found.decode("utf-8", "replace") if isinstance(found, bytes) else str(found)
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")
