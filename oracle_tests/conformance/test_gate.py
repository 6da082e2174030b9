"""The gate as tests: `pytest --pyargs privboost.oracle_tests --privboost-target T` is a test per check.

The plugin makes one parameter per check. Without the option there is nothing to ask, and one test is skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privboost.oracle_tests.conformance.session import GateSession


def test_gate(privboost_check: str, privboost_gate: GateSession) -> None:
    privboost_gate.judge(privboost_check)
