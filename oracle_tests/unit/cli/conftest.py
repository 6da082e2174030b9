"""The command line as a fixture."""

from __future__ import annotations

import pytest

from privboost.oracle_tests.support.command_line import Run, exit_code


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command line in this process."""
    return lambda *arguments: (exit_code(*arguments), *capsys.readouterr())
