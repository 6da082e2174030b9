"""Settings of all tests: fixed examples of hypothesis unless asked otherwise, signals as in a terminal."""

from __future__ import annotations

import itertools
import math
import os
import signal
from types import SimpleNamespace

# Before numpy is imported: each process of the tests has one core, and threads that wait for others spin.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import pytest
from hypothesis import HealthCheck, settings

from privboost.targets import conversation

settings.register_profile(
    "privboost", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "privboost-fresh", print_blob=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def pytest_configure(config: pytest.Config) -> None:
    """Choose fixed or fresh examples before any test module is imported, and heed signals.

    A shell lets programs in the background, or under nohup, ignore the signals that some tests send.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    settings.load_profile("privboost-fresh" if config.getoption("--privboost-fresh") else "privboost")


@pytest.fixture(autouse=True, scope="session")
def counterexamples_shrink_by_calls() -> None:
    """Let searches for smaller counterexamples end by their number of calls, never by the time they take."""
    from privboost.auditor import smallest
    from privboost.auditor.stability import search

    smallest.SECONDS = search.SHRINKING_SECONDS = math.inf


@pytest.fixture
def hangs_are_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the timeout of an answer expire when a program writes `hangs` to standard error, and not before."""
    read_line = conversation.Pipes.line

    def wait(pipes: conversation.Pipes, request_id: int, seconds: float) -> bytes:
        def hangs() -> bool:
            return pipes._stderr_tail.endswith(b"hangs")

        while not (pipes.lines or pipes._ended or hangs()):
            pipes._pump(seconds)
        with monkeypatch.context() as patch:
            if hangs():
                clock = SimpleNamespace(monotonic=itertools.count(0.0, seconds).__next__)
                patch.setattr(conversation, "time", clock)
            return read_line(pipes, request_id, seconds)

    monkeypatch.setattr(conversation.Pipes, "line", wait)
