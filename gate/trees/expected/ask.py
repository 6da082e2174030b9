"""Ask the reference: the exact answer to any request that needs no randomness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privboost.errors import PreconditionError
from privboost.gate.trees.operations.requests import Arguments
from privboost.reference.exact import ClosedInterval

from .learner import Excluded, predict, train
from .values import VALUES, Expected


def _exclude_draws(arguments: Arguments) -> Expected:
    """Raise Excluded for valid draws, which have no exact answer."""
    raise Excluded("op", "an operation with exact answers", arguments.op)


ANSWERS = VALUES | {
    "train": (train, "learners, as in transcripts.replay"),
    "predict": (predict, "learners.boosting.margin"),
    "sample_split": (_exclude_draws, "refusals only; draws have no exact answer"),
    "sample_laplace": (_exclude_draws, "refusals only; draws have no exact answer"),
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
