"""The benchmark of the exact numbers runs and prints its results; its speed is not tested."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from privboost.oracle_tests.support.checkout import ROOT

SCRIPT = ROOT / "benchmarks" / "exact.py"


@pytest.fixture(scope="module")
def run_quick() -> dict[str, str]:
    """Return the outputs of a quick run, as text and as JSON."""
    return {
        form: subprocess.run(
            [sys.executable, str(SCRIPT), "--quick", *options], capture_output=True, text=True, check=True
        ).stdout
        for form, options in (("text", []), ("json", ["--json"]))
    }


def test_benchmark__prints_a_header_and_one_line_per_task(run_quick: dict[str, str]) -> None:
    assert len(run_quick["text"].splitlines()) == 5


def test_benchmark__prints_json_with_positive_numbers(run_quick: dict[str, str]) -> None:
    results = json.loads(run_quick["json"])["results"]
    keys = ("ours_per_second", "peer_per_second", "ratio")
    assert [result[key] > 0 for result in results for key in keys] == [True] * 12
