"""Settings of all tests: fixed examples of hypothesis unless asked otherwise, signals as in a terminal."""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, settings

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
