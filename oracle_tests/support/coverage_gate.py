"""Require that enough lines, and enough branches, of the reference are covered.

Usage: python -m privboost.oracle_tests.support.coverage_gate COVERAGE_JSON PERCENT. The coverage tool has one
bound for lines and branches together; here each must reach it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

KINDS = (("lines", "num_statements", "covered_lines"), ("branches", "num_branches", "covered_branches"))


def check_coverage(totals: dict[str, Any], percent: Fraction) -> list[str]:
    """Return one complaint for each kind of coverage that is below the bound, or was not measured at all."""
    complaints = []
    for kind, total_key, covered_key in KINDS:
        total, covered = totals.get(total_key, 0), totals.get(covered_key, 0)
        if total == 0:
            complaints.append(f"{kind}: none were measured")
        elif 100 * Fraction(covered, total) < percent:
            found = f"{covered} of {total} ({100 * covered / total:.1f} %)"
            complaints.append(f"{kind}: expected at least {percent} % covered, got {found}")
    return complaints


def main(arguments: Sequence[str]) -> int:
    """Print the complaints and return 1 if there are any."""
    path, percent = arguments
    totals = json.loads(Path(path).read_text("utf-8"))["totals"]
    complaints = check_coverage(totals, Fraction(percent))
    for complaint in complaints:
        print(f"coverage of the reference: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
