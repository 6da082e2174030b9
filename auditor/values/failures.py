"""Calls without an output: an error, the end of the process, or no answer; they are outputs, too.

A failed call is the dictionary {"failed": kind, "error": name, "message": string}; kinds are in `KINDS`. An
error that says more, by notes, attributes, a cause or members, has it under "details".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.errors import TargetEndedError, TargetHungError
from privboost.printing import truncate
from privboost.targets.loading import message_of

from .objects import details_of, type_name
from .plain_values import plain_value

RAISED, EXITED, HUNG = "raised", "exited", "hung"
KINDS = {RAISED: 8, EXITED: 3, HUNG: 1}
"""Kinds of failures, and the number of each on either side after which an audit without outputs gives up."""

LONGEST_MESSAGE, LONGEST_SHOWN = 10_000, 200
_MEMBERS = {"failed", "error", "message"}


def failure(kind: str, error: str, message: str) -> dict[str, Any]:
    """Return the output of a failed call."""
    return {"failed": kind, "error": error, "message": " ".join(message.split())[:LONGEST_MESSAGE]}


def failure_of_error(error: BaseException) -> dict[str, Any]:
    """Return the output of a call that raised an error."""
    kind, details = type(error), details_of(error)
    if kind.__module__ != "builtins":
        details["__class__"] = type_name(kind)
    output = failure(RAISED, kind.__name__, message_of(error))
    return output | {"details": plain_value(details)} if details else output


def failure_string(output: Any) -> str | None:
    """Return a failed call in words; None for any other output."""
    if not isinstance(output, dict) or output.keys() - {"details"} != _MEMBERS:
        return None
    if not isinstance(output["failed"], str) or output["failed"] not in KINDS:
        return None
    shown = truncate(str(output["message"]), LONGEST_SHOWN)
    return f"{output['error']}: {shown}" if output["failed"] == RAISED else shown


def failure_of_end(error: TargetEndedError) -> dict[str, Any]:
    """Return the output of a call that ended its process or did not answer."""
    hung = isinstance(error, TargetHungError)
    message = f"expected {error.expected}, got {error.got}" if hung else error.got
    return failure(HUNG if hung else EXITED, type(error).__name__, message)


class FailureCounts:
    """How often each side failed, and in which way."""

    def __init__(self) -> None:
        self.by_string: dict[str, list[int]] = {}
        """Counts of the left and the right side, by the failure in words."""
        self.calls = [0, 0]
        self._by_kind: dict[str, Counter[int]] = {kind: Counter() for kind in KINDS}

    def add(self, outputs: Sequence[Any] | NDArray[Any], sides: NDArray[np.int64]) -> None:
        """Count the failures among some outputs."""
        right = int(np.count_nonzero(sides))
        self.calls[0] += len(sides) - right
        self.calls[1] += right
        if isinstance(outputs, np.ndarray) and outputs.dtype.kind != "O":
            return
        for output, side in zip(outputs, sides.tolist(), strict=True):
            string = failure_string(output)
            if string is not None:
                self.by_string.setdefault(string, [0, 0])[side] += 1
                self._by_kind[output["failed"]][side] += 1

    @property
    def n_failed(self) -> list[int]:
        """Return the number of failed calls on the left and on the right side."""
        return [sum(counts[side] for counts in self.by_string.values()) for side in (0, 1)]

    def is_hopeless(self) -> bool:
        """Return whether no call has an output, after enough failures of one kind on each side."""
        return self.n_failed == self.calls and any(
            min(counts[0], counts[1]) >= KINDS[kind] for kind, counts in self._by_kind.items()
        )

    @property
    def has_ended(self) -> bool:
        """Return whether a call has ended its process or did not answer."""
        return any(self._by_kind[kind] for kind in (EXITED, HUNG))

    @property
    def note(self) -> str:
        """Return a note if most calls on both sides failed; the empty string if they did not."""
        if not all(2 * failed > calls for failed, calls in zip(self.n_failed, self.calls, strict=True)):
            return ""
        return f"{sum(self.n_failed):,} of {sum(self.calls):,} calls failed: {self.first}"

    @property
    def first(self) -> str:
        """Return the first failure in words."""
        return next(iter(self.by_string), "")
