"""`privboost calibrate --auditor` judges another auditor, and refuses wrong arguments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privboost.oracle_tests.support.command_line import Run

WRONG = """
def bound(left, right, level, delta):
    return 17.0
"""


def test_command__judges_a_wrong_auditor_and_writes_three_files(tmp_path: Path, run: Run) -> None:
    (tmp_path / "theirs.py").write_text(WRONG)
    arguments = ("laplace", "--auditor", f"{tmp_path}/theirs.py:bound", "--runs", "8", "--calls", "60")
    code, out, _ = run("calibrate", *arguments, "--jobs", "1", "-o", str(tmp_path / "out"))
    assert code == 1
    assert "FALSE BOUNDS: at level 0.05, 100% of the bounds" in out
    document = json.loads((tmp_path / "out" / "calibration.json").read_text())
    assert [each["false_bounds"] for each in document["auditors"]] == [True, False]
    assert [each["false"] for each in document["auditors"][0]["cases"]] == [8, 8]
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"calibration.json", "calibration.md", "calibration.html"}
    page = (tmp_path / "out" / "calibration.html").read_text("utf-8")
    assert "theirs.py:bound" in page.replace("<wbr>", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--auditor", "mine.py:bound"), "--auditor"),
        (("--auditor", "no"), "--auditor: expected module:bound"),
        (("--level", "0.1"), "--level: expected --auditor with it"),
        (("--delta", "0.1"), "--delta: expected --auditor with it"),
        (("word", "--auditor", "cmd:true"), "MECHANISM: expected some of laplace"),
        (("--auditor", "cmd:true", "--level", "0"), "--level: expected a number above 0"),
        (("--auditor", "cmd:true", "--long-runs", "3"), "--long-runs: expected no number of long runs"),
    ],
)
def test_command__refuses_wrong_arguments(
    arguments: tuple[str, ...], words: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run("calibrate", *arguments)
    assert code == 2
    assert words in err
