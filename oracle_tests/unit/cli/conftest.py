"""The command line as a fixture."""

from __future__ import annotations

import json
from typing import Any

import pytest

from privboost.oracle_tests.support.command_line import Report, Run, exit_code


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command line in this process."""
    return lambda *arguments: (exit_code(*arguments), *capsys.readouterr())


@pytest.fixture
def report_of(audit: Run) -> Report:
    """Return a function that runs `privboost audit`, as the fixture `audit` of a module does, for its report.

    The time that it took is left out.
    """

    def read(*arguments: str) -> dict[str, Any]:
        code, out, _ = audit(*arguments, "--format", "json")
        report = json.loads(out)["report"]
        assert (code == 1) == (report["verdict"] == "VIOLATION")
        return {**report, "seconds": 0}

    return read
