"""The cases that are made from the table of operations of this profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privboost.errors import PreconditionError
from privboost.gate.mechanisms.expected.ask import exact_answer
from privboost.gate.mechanisms.operations.table import OPERATIONS
from privboost.gate.protocol.operation import Operation
from privboost.gate.vectors.table_cases import TableCases


def _variant(operation: Operation, example: Mapping[str, Any]) -> str:
    """Return how an example is named in ids."""
    if example is operation.examples[0]:
        return ""
    return f"{example.get('rule') or example.get('step')} "


CLOSED = frozenset(
    {"basic_composition_epsilon", "zcdp_of_gaussian", "zcdp_composition", "gdp_of_gaussian"}
    | {"gdp_composition"}
)
"""Rules whose results are sums, products and roots, so that arguments of any size have an answer."""


def _is_answerable(op: str, args: dict[str, Any]) -> bool:
    """Return whether a request has a number as an answer; laws and distances have cases of their own."""
    try:
        return args.get("rule") in CLOSED and exact_answer(op, args) is not None
    except PreconditionError:
        return False


TABLE_CASES = TableCases(OPERATIONS, _variant, _is_answerable)
