"""Ask the reference: what is expected of any request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privboost.errors import PreconditionError, PrivboostError
from privboost.gate.mechanisms.operations.table import OPERATIONS
from privboost.gate.vectors.encoding import encode_value
from privboost.reference.exact import INFINITY, ClosedInterval

from .laws import LAWS
from .numbers import NUMBERS
from .steps import map_vector
from .vectors import law_vector

UNKNOWN = (PrivboostError, ValueError, TypeError, ArithmeticError)
"""Errors that the reference raises for a request that it cannot answer."""


def exact_answer(op: str, args: Mapping[str, Any]) -> Any | None:
    """Return what is expected of a request as JSON; None if it is not known.

    Ensures: PreconditionError for arguments that must be refused.
    """
    if op not in OPERATIONS:
        raise PreconditionError("op", f"one of {', '.join(OPERATIONS)}", op)
    a = OPERATIONS[op].read(args)
    try:
        return _answer(op, a)
    except UNKNOWN:
        return None


def _answer(op: str, a: Mapping[str, Any]) -> Any | None:
    if op == "map":
        return map_vector(a)
    if op == "accounting":
        return encode_value(ClosedInterval(NUMBERS[a["rule"]](a), INFINITY))
    if a["count"] == 0:
        return []
    return law_vector(op, a)


def provenance() -> dict[str, str]:
    """Return the parts of the reference that answer each operation."""
    return {op: f"privboost.reference.mechanisms: the law of {op}" for op in LAWS} | {
        "map": "the greatest distance is a formula of the page",
        "accounting": "privboost.reference.mechanisms: the least number that is right",
    }
