"""The coverage gate fails on what it should."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tools.coverage_gate import check_coverage

FULL = {"num_statements": 100, "covered_lines": 95, "num_branches": 40, "covered_branches": 38}


def test_gate__accepts_exactly_the_bound() -> None:
    assert check_coverage(FULL, Fraction(95)) == []


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"covered_lines": 94}, "lines"),
        ({"covered_branches": 37}, "branches"),
        ({"num_branches": 0, "covered_branches": 0}, "branches"),
        ({"num_statements": 0, "covered_lines": 0}, "lines"),
    ],
)
def test_gate__names_the_kind_that_is_not_covered(change: dict[str, int], kind: str) -> None:
    (complaint,) = check_coverage(FULL | change, Fraction(95))
    assert complaint.startswith(kind)
