"""Published mistakes of OpenDP are found in its own objects, by one command each; `make peers` runs this.

No pair and no value is named: objects say what their inputs are. The sound measurement is accused by chance
with probability at most 1e-4.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from privboost.oracle_tests.support.checkout import ROOT

pytest.importorskip("opendp", reason="not installed here: see `make peers`")
pytest.importorskip("polars", reason="not installed here: see `make peers`")

FILE = ROOT / "examples" / "audit" / "opendp_issues.py"
REFUTED, NOT_REFUTED, NO_VERDICT = 1, 0, 4

SOUND = """
import opendp.prelude as dp

dp.enable_features("contrib")
count = dp.t.make_count(dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance())
noisy_count = count >> dp.m.then_laplace(scale=1.0)
"""

FOUND = [
    ("stability", "deviations_2923", {"equal_rows", "at_bounds"}),
    ("stability", "tree_2924", {"integer_limits", "source_constant", "at_bounds", "ordinary"}),
    ("stability", "tree_2925", {"integer_limits", "at_bounds"}),
    ("stability", "metric_2926", {"another_order", "ordinary"}),
    ("audit", "sum_2935", {"nan"}),
    ("audit", "cast_2938", {"nan", "infinity", "magnitudes", "integer_limits"}),
    ("audit", "cut_2939", {"nan"}),
    ("audit", "modulo_2940", {"zero_divisor", "null"}),
    ("audit", "codes_2944", {"equal_rows", "first_category", "another_order"}),
    ("audit", "users_2949", {"no_rows", "at_bounds", "ordinary"}),
    ("audit", "eigenvalues_2952", {"equal_rows", "at_bounds", "zero_divisor"}),
]


def run(command: str, target: str, *options: str) -> tuple[int, str]:
    """Run a command on an object, and return its exit code and what it prints."""
    arguments = [sys.executable, "-m", "privboost", command, target, "--seed", "1", *options]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def classes_of(report: dict[str, Any]) -> set[str]:
    """Return the hostile classes of the inputs that refute a claim."""
    example = report.get("counterexample")
    pairs = [example] if example else [pair for pair in report["pairs"] if pair["refuted"]]
    return {key for pair in pairs for key in pair["classes"]}


@pytest.mark.slow
@pytest.mark.parametrize(("command", "name", "classes"), FOUND, ids=[name for _, name, _ in FOUND])
def test_issue__is_found_by_one_command_with_its_class(
    command: str, name: str, classes: set[str], tmp_path: Path
) -> None:
    code, printed = run(command, f"{FILE}:{name}", "-o", str(tmp_path))
    assert code == REFUTED, printed
    assert classes & classes_of(json.loads((tmp_path / "report.json").read_text())), printed


@pytest.mark.slow
def test_shuffle__has_no_verdict() -> None:
    """Issue 2927 is about a step that is random on purpose, and two calls of such a step prove nothing."""
    code, printed = run("stability", f"{FILE}:resize_2927")
    assert code == NO_VERDICT, printed
    assert "the same result on the same input" in printed


@pytest.mark.slow
def test_sound_objects__are_not_accused(tmp_path: Path) -> None:
    (tmp_path / "sound.py").write_text(SOUND)
    code, printed = run("stability", f"{tmp_path}/sound.py:count")
    assert code == NOT_REFUTED, printed
    code, printed = run(
        "audit", f"{tmp_path}/sound.py:noisy_count", "--calls", "20000", "--confidence", "0.9999"
    )
    assert code != REFUTED, printed
