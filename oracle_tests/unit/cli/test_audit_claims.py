"""The claims of `privboost audit`: those of the target, of the options, and curves."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from privboost.auditor.claims import gaussian_delta
from privboost.oracle_tests.support.command_line import Run


@pytest.fixture
def audit(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs `privboost audit` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: run("audit", *arguments, "--seed", "1")


class GaussianAnalytic:
    """A stand-in for the class of diffprivlib: noise of scale 1.12 is (1, 0.1)-private."""

    def __init__(self, *, epsilon: float, delta: float, sensitivity: float, random_state: Any) -> None:
        assert (epsilon, delta, sensitivity) == (1, 0.1, 1)
        self._random_state = random_state

    def randomise(self, value: float) -> float:
        """Return one sample."""
        return value + float(self._random_state.normal(scale=1.12))


def test_delta__of_another_project_is_read_from_its_arguments(
    audit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 0.09 < gaussian_delta(np.array(1 / 1.12), np.array(1.0)) <= 0.1
    package, module = ModuleType("diffprivlib"), ModuleType("diffprivlib.mechanisms")
    module.GaussianAnalytic = GaussianAnalytic  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "diffprivlib", package)
    monkeypatch.setitem(sys.modules, "diffprivlib.mechanisms", module)
    target = "diffprivlib:GaussianAnalytic(epsilon=1, delta=0.1)"
    code, out, _ = audit(target, "--calls", "4000")
    assert code == 0
    assert "claim ε ≤ 1 with δ = 0.1, " in out.splitlines()[-1]
    # The control: without its delta the claim is false.
    assert audit(target, "--calls", "4000", "--delta", "0")[0] == 1


def test_delta__of_the_bank_is_read_by_the_command(audit: Run) -> None:
    # Before, delta was 0 unless it was given, and the claim was refuted after 14,320 calls.
    code, out, _ = audit("bank:gaussian", "--calls", "16000")
    assert code == 0
    assert "claim ε ≤ 2 with δ = 0.02092, " in out.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--claim", "gdp:0.7"), 1, "claim μ ≤ 0.7 (Gaussian DP), bound μ > "),
        (("--claim", "gdp:1"), 0, "claim μ ≤ 1 (Gaussian DP), bound μ > "),
        (("--claim", "gdp:0.5", "--group", "2"), 0, "claim μ ≤ 0.5 (Gaussian DP), groups of 2, bound μ > "),
        (("--claim", "zcdp:0.1"), 1, "claim ρ ≤ 0.1 (zCDP), bound ρ > "),
        (("--claim", "rdp:2=0.2,8=0.8"), 1, "claim s ≤ 1 (s times the Rényi ε at 2 orders), bound s > "),
        (("--claim", "curve.json"), 1, "claim s ≤ 1 (s times the ε of 2 points), bound s > "),
        (("--claim", "delta:0.05,eps:1"), 1, "claim δ ≤ 0.05 at ε = 1, bound δ > "),
        (("--claim", "eps:0.5,delta:0.01"), 1, "claim ε ≤ 0.5 with δ = 0.01, bound ε > "),
    ],
)
def test_claim__of_every_kind_is_tested(audit: Run, arguments: tuple[str, ...], code: int, said: str) -> None:
    """Gaussian noise of mu = 1; false alarms: none, since the seed is fixed."""
    Path("curve.json").write_text("[[0.5, 0.1], [1, 0.02]]")
    exit_code, out, _ = audit("bank:gaussian", *arguments, "--calls", "20000")
    assert exit_code == code
    assert said in out.splitlines()[-1]


def test_claim__is_repeated_by_the_command_and_replayed_from_the_file(audit: Run, run: Run) -> None:
    Path("curve.json").write_text("[[0.5, 0.1], [1, 0.02]]")
    options = ("--claim", "curve.json", "--calls", "2000", "--envelope", "-o", "made")
    code, out, _ = audit("bank:gaussian", *options)
    assert code == 1
    report = json.loads(Path("made/report.json").read_text("utf-8"))
    assert (report["claim"], report["parameter"], report["claimed"]) == ("curve:0.5=0.1,1.0=0.02", "s", 1.0)
    assert len(report["envelope"]) == 8
    assert "--claim curve:0.5=0.1,1.0=0.02 " in out
    assert "--envelope" in report["reproduce"]
    assert run("audit", "--replay", "made/witness.json")[0] == 0
    assert "Lower bounds on δ" in Path("made/report.html").read_text("utf-8")
