"""The command `privboost replay`: verdicts, exit codes, files, and targets that end or cannot be replayed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from privboost.auditor.files import replay_report
from privboost.auditor.pairs.file import pairs_from_file
from privboost.oracle_tests.support.command_line import Run
from privboost.oracle_tests.support.json_schema import complaints

MODULE = """
import os
from random import expovariate

from numpy.random import laplace


def noisy_sum(rows, rng):
    return sum(min(max(row, 0), 1) for row in rows) + rng.laplace()

def half(rows, rng):
    return sum(min(max(row, 0), 1) for row in rows) + rng.laplace(scale=0.5)

def forgets(rows, rng):
    return sum(rows) + rng.laplace() if rows else 0.0

def noisy_max(rows, rng):
    return int(sum(rows) + rng.laplace() > rng.laplace())

def imported(rows, rng):
    return [sum(rows) + laplace(scale=2), sum(rows) + 2 * (expovariate(1) - expovariate(1))]

def ends(rows, rng):
    os._exit(7)

def refuses(rows, rng):
    raise ValueError("no rows")


class Means:
    def __init__(self, scale=1.0):
        self.scale = scale

    def get_params(self, deep=False):
        return {"scale": self.scale}

    def fit(self, X, y=None):
        import numpy as np
        noise = np.random.laplace(scale=self.scale, size=X.shape[1])
        self.mean_ = (np.clip(X, 0, 1).sum(axis=0) + noise) / 10
        return self
"""
PAIRS = [[[0.5, 1.0], [0.5]], {"name": "none", "left": [0.25], "right": []}]
TABLES = [[{"X": [[0.5], [1.0]], "probes": []}, {"X": [[0.5]], "probes": []}]]


@pytest.fixture
def check(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that replays a target in a folder with the targets and the pairs."""
    monkeypatch.chdir(tmp_path)
    Path("redrawn.py").write_text(MODULE)
    Path("pairs.json").write_text(json.dumps(PAIRS))
    Path("tables.json").write_text(json.dumps(TABLES))
    return lambda *arguments: run("replay", *arguments)


def report_of(out: str) -> dict[str, Any]:
    """Return the report in the JSON output of a command."""
    document: dict[str, Any] = json.loads(out)["report"]
    assert complaints(json.loads(replay_report.SCHEMA.read_text("utf-8")), document) == []
    return document


@pytest.mark.parametrize(
    ("target", "code", "said"),
    [
        (
            "redrawn.py:noisy_sum",
            0,
            "NOTHING FOUND: redrawn.py:noisy_sum, epsilon 1; 2 pairs; greatest loss 1",
        ),
        ("redrawn.py:imported", 0, "NOTHING FOUND: redrawn.py:imported, epsilon 1; 2 pairs; greatest loss 1"),
        ("redrawn.py:half", 1, "FINDING: redrawn.py:half, epsilon 1; 2 pairs; suspicion loss"),
        ("redrawn.py:forgets", 1, "proof unnoised_output, suspicion number_of_draws"),
        ("redrawn.py:noisy_max", 4, "UNDECIDED: redrawn.py:noisy_max, epsilon 1; 2 pairs; not_linear"),
        ("redrawn.py:ends", 4, "UNDECIDED: redrawn.py:ends, epsilon 1; 1 pair; ended"),
        ("redrawn.py:refuses", 4, "UNDECIDED: redrawn.py:refuses, epsilon 1; 2 pairs; no_output"),
    ],
)
def test_verdict__has_its_exit_code_and_kind(check: Run, target: str, code: int, said: str) -> None:
    exit_code, out, _ = check(target, "--pairs", "pairs.json", "--epsilon", "1", "--seed", "1")
    assert exit_code == code, out
    assert out.splitlines()[-1].endswith(said), out


def test_suspicion__comes_with_the_command_that_audits_it(check: Run) -> None:
    code, out, _ = check("redrawn.py:half", "--pairs", "pairs.json", "--seed", "1", "--format", "json")
    report = report_of(out)
    assert code == 1
    assert not report["proved"]
    assert shlex.split(report["audit"]) == shlex.split(
        "privboost audit redrawn.py:half --pairs pairs.json --only 'pair 1' --epsilon 1.0"
    )
    code, again, _ = check(*shlex.split(report["reproduce"])[2:], "--format", "json")
    assert code == 1
    kept = [[finding["text"] for finding in pair["findings"]] for pair in report_of(again)["pairs"]]
    assert kept == [[finding["text"] for finding in pair["findings"]] for pair in report["pairs"]]


def test_estimator__is_replayed_on_tables(check: Run) -> None:
    for scale, code in ((1, 0), (0.5, 1)):
        estimator = f"redrawn.Means(scale={scale})"
        arguments = ("--estimator", estimator, "--pairs", "tables.json", "--epsilon", "1", "--seed", "1")
        exit_code, out, _ = check(*arguments)
        assert exit_code == code, out


def test_files__are_a_page_and_a_report(check: Run, tmp_path: Path) -> None:
    code, _, _ = check("redrawn.py:forgets", "--input", "vector:3,low=0,high=1", "--seed", "1", "-o", "made")
    assert code == 1
    report = json.loads((tmp_path / "made" / "report.json").read_text())
    assert complaints(json.loads(replay_report.SCHEMA.read_text("utf-8")), report) == []
    assert len(report["pairs"]) == 20
    page = (tmp_path / "made" / "report.html").read_text()
    assert "never met in" in page
    assert shlex.split(report["audit"])[:5] == [
        "privboost",
        "audit",
        "redrawn.py:forgets",
        "--pairs",
        "made/pair.json",
    ]
    (pair,) = pairs_from_file(tmp_path / "made" / "pair.json")
    assert sorted([len(pair.left), len(pair.right)]) == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "TARGET: expected what to replay"),
        (("exec:./program", "--pairs", "pairs.json"), "expected a target whose draws can be recorded"),
        (("redrawn.py:half",), "brings no pairs"),
        (
            ("redrawn.py:half", "--pairs", "pairs.json", "--input", "vector:3"),
            "--input: expected no other pairs",
        ),
        (("redrawn.py:half", "--pairs", "pairs.json", "--tries", "3"), "--tries: expected --input"),
        (("redrawn.py:half", "--input", "vector:x"), "--input"),
        (("redrawn.py:half", "--input", "vector:3", "--relation", "as_given"), "--relation: expected one of"),
        (("redrawn.py:half", "--estimator", "redrawn.Means"), "--estimator: expected no TARGET"),
        (("redrawn.py:half", "--pairs", "pairs.json", "--epsilon", "-1"), "--epsilon"),
    ],
)
def test_wrong_call__names_the_option(check: Run, arguments: tuple[str, ...], said: str) -> None:
    code, _, err = check(*arguments)
    assert code == 2
    assert said in err
