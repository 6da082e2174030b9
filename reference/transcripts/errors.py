"""The error of a transcript: where it is wrong, what should be there, and what is."""

from __future__ import annotations

from privboost.errors import PrivboostError


class TranscriptError(PrivboostError, ValueError):
    """Report the first line of a transcript that is wrong, by field, with both sides."""

    def __init__(self, line: int, field: str, expected: str, found: str) -> None:
        self.line = line
        self.field = field
        self.expected = expected
        self.found = found
        super().__init__(f"line {line}: {field}: expected {expected}, got {found}")
