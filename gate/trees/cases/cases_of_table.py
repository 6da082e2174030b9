"""The cases that are made from the table of operations of this profile."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.gate.protocol.operation import Operation
from privboost.gate.trees.expected.ask import exact_answer
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.gate.vectors.files import number_of
from privboost.gate.vectors.table_cases import TableCases

from .cases_train import MARGIN, is_robust

SEEDED = "seeded "
"""The name of an example that only has a seed in place of a tape."""
FINER = 1 << 30
"""How much finer than the grid a number is computed to see whether its rounding is safe."""


def _variant(operation: Operation, example: Mapping[str, Any]) -> str:
    """Return how an example is named in ids."""
    if example is operation.examples[0]:
        return ""
    return f"rule={example['rule']} " if "rule" in example else SEEDED


def is_answerable(op: str, args: dict[str, Any]) -> bool:
    """Return whether a request has an exact answer, which doubles round to the same step of a grid."""
    try:
        if exact_answer(op, args) is None:
            return False
    except PreconditionError:
        return False
    if op == "train":
        return is_robust(args)
    if "grid" not in args or args.get("rule", "mirror") in ("noisy_masses", "mirror"):
        return True
    quiet = {"noise": {"value": "0"}, "bound": str(1 << 1000)} if "noise" in args else {}
    fine = exact_answer(op, args | quiet | {"grid": str(Fraction(args["grid"]) / FINER)})
    if fine is None:
        return False
    steps = number_of(fine) / Fraction(args["grid"])
    return steps.denominator == 1 or MARGIN < steps % 1 < 1 - MARGIN


TABLE_CASES = TableCases(OPERATIONS, _variant, is_answerable, frozenset({SEEDED}))
