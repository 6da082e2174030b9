"""Tests of what is shown on a terminal: the progress line, and tables as wide as the terminal."""

from __future__ import annotations

import contextlib
import fcntl
import io
import itertools
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
from types import SimpleNamespace

import pytest

from privboost import progress
from privboost.oracle_tests.support.waiting import wait_until
from privboost.progress import ProgressLine, counting, start_clock

COLUMNS = 80


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Return a clock that a test moves forward."""
    made = SimpleNamespace(now=1000.0)
    made.monotonic = lambda: made.now
    monkeypatch.setattr(progress, "time", made)
    return made


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Return that it is one."""
        return True


def test_progress__rewrites_one_line_on_a_terminal_and_clears_it(clock: SimpleNamespace) -> None:
    stream = Terminal()
    line = ProgressLine(stream)
    line.show(lambda: "long line")
    clock.now += progress.SECONDS_ON_A_TERMINAL / 2
    line.show(lambda: "too soon")
    line.close()
    assert stream.getvalue() == "\rlong line\r         \r"


def test_progress__elsewhere_counts_the_time_of_all_phases(
    clock: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    start_clock()
    for phase in ("tables", "plots", "pages"):
        with counting(phase) as watch:
            clock.now += 0.6 * progress.SECONDS_ELSEWHERE
            watch(1, 2)
    assert capsys.readouterr().err == "privboost: 1 of 2 plots, 3 s, about 3 s left\n"


@pytest.mark.parametrize("steady", [True, False])
def test_progress__of_a_long_step_is_shown_again(
    steady: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SECONDS_ELSEWHERE", 0.0)
    start_clock()
    before = set(threading.enumerate())
    with counting("steps", steady=steady) as watch:
        watch(0, 1)
        assert "0 of 1 steps" in capsys.readouterr().err
        assert bool(set(threading.enumerate()) - before) is steady
        assert not steady or wait_until(lambda: "0 of 1 steps" in capsys.readouterr().err)
    assert set(threading.enumerate()) <= before


def new_terminal() -> tuple[int, int]:
    """Return the two ends of a terminal of 80 columns: the user's and the program's."""
    user, program = pty.openpty()
    fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    return user, program


def read_all(user: int) -> str:
    """Return the output on a terminal whose other end is closed."""
    output = b""
    with os.fdopen(user, "rb", buffering=0) as stream, contextlib.suppress(OSError):
        while part := stream.read(65536):
            output += part
    return output.decode().replace("\r\n", "\n")


def test_progress__is_shortened_to_the_terminal() -> None:
    """A line that wraps would stay on the terminal: the carriage return goes back to its last part only."""
    user, program = new_terminal()
    with os.fdopen(program, "w", encoding="utf-8") as stream:
        ProgressLine(stream).show(lambda: "0123456789" * 12)
        assert os.read(user, 1000).decode() == "\r" + ("0123456789" * 12)[: COLUMNS - 2] + "…"
    os.close(user)


def test_audit__wraps_its_report_once() -> None:
    """Ensures: no line is too long, and each line of a cell but the last is filled."""
    user, program = new_terminal()
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    options = ("bank:randomised_response", "--calls", "20000", "--seed", "0")
    command = [sys.executable, "-m", "privboost", "audit", *options]
    with subprocess.Popen(command, stdout=program, stderr=subprocess.DEVNULL, env=environment):
        os.close(program)
        report = read_all(user).splitlines()
    commands = [line for line in report if line.startswith("reproduce")]
    assert len(commands) == 1, "a command to copy is not wrapped"
    assert max(len(line) for line in report if line not in commands) <= COLUMNS
    names = [line.partition("  ")[0] for line in report]
    cell = report[names.index("it means") : names.index("it does not mean")]
    assert len(cell) > 2
    for line, next_line in itertools.pairwise(cell):
        assert len(line) + 1 + len(next_line.split()[0]) > COLUMNS, line
