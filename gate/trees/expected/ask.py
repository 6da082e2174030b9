"""Ask the reference: the exact answer to any request that needs no randomness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privboost.errors import PreconditionError, PrivboostError
from privboost.gate.trees.operations.requests import Arguments
from privboost.gate.vectors.encoding import encode_value
from privboost.reference.exact import ClosedInterval

from .learner import Excluded, predict, train
from .values import VALUES, Expected


def _no_draws(arguments: Arguments) -> Expected:
    """Return no draws; raise Excluded for valid draws, which have no exact answer."""
    if not arguments["count"]:
        return []
    raise Excluded("op", "an operation with exact answers", arguments.op)


UNKNOWN = (PrivboostError, ValueError, TypeError, ArithmeticError)
"""Errors that the reference raises for a request that it cannot answer."""

ANSWERS = VALUES | {
    "train": (train, "learners, as in transcripts.replay"),
    "predict": (predict, "learners.boosting.margin"),
    "sample_split": (_no_draws, "refusals and no draws only; draws have no exact answer"),
    "sample_laplace": (_no_draws, "refusals and no draws only; draws have no exact answer"),
}
"""Every operation: the function, and the parts of `privboost.reference` it uses."""


def expected_of(op: str, args: Mapping[str, Any]) -> Expected:
    """Return the exact answer to a request.

    Ensures: PreconditionError for arguments that must be refused; its subclass Excluded for arguments that
        the protocol allows and the reference does not.
    """
    if op not in ANSWERS:
        raise PreconditionError("op", f"one of {', '.join(ANSWERS)}", op)
    answer = ANSWERS[op][0](Arguments(op, args))
    return answer.lo if isinstance(answer, ClosedInterval) and answer.lo == answer.hi else answer


def exact_answer(op: str, args: Mapping[str, Any]) -> Any | None:
    """Return the exact answer to a request as JSON; None if the reference has none.

    Ensures: PreconditionError for arguments that must be refused.
    """
    try:
        return encode_value(expected_of(op, args))
    except Excluded:
        return None
    except PreconditionError:
        raise
    except UNKNOWN:
        return None


def provenance() -> dict[str, str]:
    """Return the parts of the reference that answer each operation."""
    return {op: f"privboost.reference: {parts}" for op, (_, parts) in ANSWERS.items()}
