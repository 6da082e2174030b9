"""The gate as tests, one per check: `pytest --pyargs privboost.oracle_tests --privboost-target TARGET`.

The plugin makes one parameter per check. Without --privboost-target, a single test is skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privboost.oracle_tests.conformance.session import GateSession


def test_gate(privboost_check: str, privboost_gate: GateSession) -> None:
    privboost_gate.judge(privboost_check)
