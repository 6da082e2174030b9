"""The error for a transcript: the line and field, the expected value and the actual one."""

from __future__ import annotations

from privboost.errors import PrivboostError, truncate


class TranscriptError(PrivboostError, ValueError):
    """Raised at the first wrong line of a transcript, with the field and both values."""

    def __init__(self, line: int, field: str, expected: str, actual: str) -> None:
        self.line = line
        self.field = field
        self.expected = expected
        self.actual = actual
        super().__init__(
            f"line {line}: {truncate(field)}: expected {truncate(expected)}, got {truncate(actual)}"
        )
