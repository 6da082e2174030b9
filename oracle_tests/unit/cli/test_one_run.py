"""`privboost audit --scores` and `--one-run`: verdicts, exit codes, files and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privboost.auditor.files import one_run_report
from privboost.oracle_tests.support.command_line import Run
from privboost.oracle_tests.support.json_schema import complaints

HEART = """
class Heart:
    epsilon = 1.0

    def __init__(self, forgets=False):
        self.forgets = forgets

    def get_params(self, deep=False):
        return {"forgets": self.forgets}

    def fit(self, X, y):
        self.rows_ = {} if self.forgets else {tuple(row): label for row, label in zip(X, y)}
        return self

    def predict(self, X):
        return [self.rows_.get(tuple(row), 0) for row in X]
"""
SCHEMA = "".join(f"[x{index}]\nlo = 0\nhi = 1\n" for index in range(9)) + "[y]\nintegers = [0, 1]\n"


@pytest.fixture
def check(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs `audit` in a folder with scores, an estimator and a schema."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    coins = rng.random(400) < 0.5
    scores = 2 * coins + rng.laplace(size=400)
    Path("in.csv").write_text("score\n" + "\n".join(map(repr, scores[coins].tolist())))
    Path("out.csv").write_text("\n".join(map(repr, scores[~coins].tolist())) + "\n")
    Path("few.csv").write_text("id,score\n1,0.5\n2,oops\n")
    Path("wide.csv").write_text("1,2\n")
    Path("heart.py").write_text(HEART)
    Path("schema.toml").write_text(SCHEMA)
    return lambda *arguments: run("audit", *arguments)


def report_of(out: str) -> dict[str, Any]:
    """Return the report in the JSON output of a command."""
    document: dict[str, Any] = json.loads(out)["report"]
    assert complaints(json.loads(one_run_report.SCHEMA.read_text("utf-8")), document) == []
    return document


@pytest.mark.parametrize(
    ("options", "code", "verdict"),
    [
        ([], 0, None),
        (["--epsilon", "0.5"], 1, "VIOLATION"),
        (["--epsilon", "3"], 4, "INCONCLUSIVE"),
        (["--epsilon", "0.1", "--delta", "1e-5"], 1, "VIOLATION"),
    ],
)
def test_scores__exit_codes_are_those_of_an_audit(
    check: Run, options: list[str], code: int, verdict: str | None
) -> None:
    exit_code, out, _ = check("--scores", "in.csv", "out.csv", "--seed", "1", "--format", "json", *options)
    assert exit_code == code
    report = report_of(out)
    assert report["verdict"] == verdict
    assert 0.5 < report["bound"] < 2.2


def test_scores__many_canaries_that_show_nothing_are_consistent(check: Run) -> None:
    for name, seed in (("a.csv", 1), ("b.csv", 2)):
        Path(name).write_text("\n".join(map(repr, np.random.default_rng(seed).normal(size=1_500).tolist())))
    code, out, _ = check("--scores", "a.csv", "b.csv", "--seed", "1", "--epsilon", "1")
    assert code == 0
    assert "CONSISTENT" in out
    assert "not such a split" in " ".join(out.split())


def test_scores__the_command_of_the_report_makes_it_again(check: Run, tmp_path: Path) -> None:
    code, out, _ = check("--scores", "in.csv", "out.csv", "--epsilon", "0.5", "-o", str(tmp_path / "made"))
    assert code == 1
    assert out.splitlines()[-1].startswith("VIOLATION: in.csv out.csv, claim ε ≤ 0.5, bound ε > ")
    first = json.loads((tmp_path / "made" / "report.json").read_text("utf-8"))
    _, again, _ = check(*first["reproduce"].split()[2:], "--format", "json")
    assert report_of(again)["bound"] == first["bound"]
    assert "Trade-off of errors" in (tmp_path / "made" / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scores", "in.csv", "none.csv"], "none.csv"),
        (["--scores", "in.csv", "few.csv"], "row 3 of 'few.csv'"),
        (["--scores", "in.csv", "wide.csv"], "one column"),
        (["--scores", "in.csv", "out.csv", "bank:laplace"], "unrecognized|no TARGET"),
        (["--scores", "in.csv", "out.csv", "--calls", "5"], "--calls"),
        (["--scores", "in.csv", "out.csv", "--claim", "gdp:1"], "--claim"),
        (["--scores", "in.csv", "out.csv", "--one-run"], "--one-run"),
        (["--canaries", "5", "bank:laplace"], "--canaries"),
        (["--one-run", "--estimator", "heart.py:Heart"], "--input"),
        (["--one-run", "--estimator", "heart.py:Heart", "--input", "vector:5"], "labels"),
    ],
)
def test_scores__wrong_calls_name_what_was_expected(check: Run, arguments: list[str], words: str) -> None:
    code, _, err = check(*arguments)
    assert code == 2
    assert any(word in err for word in words.split("|")), err


def test_one_run__an_estimator_that_learns_by_heart_is_refuted_and_its_twin_is_not(check: Run) -> None:
    common = ["--input", "table:schema.toml,label=y", "--canaries", "200", "--seed", "1"]
    code, out, _ = check("--one-run", "--estimator", "heart.py:Heart", *common, "--format", "json")
    assert code == 1
    assert report_of(out)["epsilon"] == 1.0
    code, out, _ = check("--one-run", "--estimator", "heart.py:Heart(forgets=True)", *common)
    assert code == 4
    assert "INCONCLUSIVE" in out
