"""Check the line coverage and the branch coverage of the reference separately.

Usage: python -m tools.coverage_gate COVERAGE_JSON PERCENT.
The threshold of coverage.py applies to lines and branches combined; many lines can hide missing branches.
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
    """Return a complaint for each kind of coverage that is below `percent` or was not measured."""
    complaints = []
    for kind, total_key, covered_key in KINDS:
        total, covered = totals.get(total_key, 0), totals.get(covered_key, 0)
        if total == 0:
            complaints.append(f"{kind}: none were measured")
        elif 100 * Fraction(covered, total) < percent:
            result = f"{covered} of {total} ({100 * covered / total:.1f} %)"
            complaints.append(f"{kind}: expected at least {percent} % covered, got {result}")
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
