"""The checks of the profile `trees`, and runs of some of them."""

from __future__ import annotations

from typing import Any

from privboost.gate.check import WIRE, Check
from privboost.gate.profiles import load_profile
from privboost.gate.result import GateResult
from privboost.gate.run import every_check, run_gate
from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.targets.naming import load_implementation

PROFILE = load_profile("trees")
CHECKS = tuple(check for check in every_check(PROFILE) if check.level != WIRE)


def choose_checks(*parts: str) -> list[Check]:
    """Return the checks whose ids contain one of some strings."""
    return [check for check in CHECKS if any(part in check.id for part in parts)]


def run_some(implementation: Any, *parts: str, seed: int = 0) -> GateResult:
    """Run the checks whose ids contain one of some strings; an implementation may be given by its name."""
    body = load_implementation(implementation, PROFILE) if isinstance(implementation, str) else implementation
    return run_gate(PythonTarget("x:y", body), checks=choose_checks(*parts), seed=seed)
