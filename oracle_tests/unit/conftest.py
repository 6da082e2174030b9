"""Settings of hypothesis for the conformance suite: the same examples every time unless asked otherwise."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "privboost", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "privboost-fresh", print_blob=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def pytest_configure(config: pytest.Config) -> None:
    """Choose fixed or fresh examples before any test module is imported."""
    settings.load_profile("privboost-fresh" if config.getoption("--privboost-fresh") else "privboost")
