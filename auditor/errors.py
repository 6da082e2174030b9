"""Errors of targets: what another program did wrong, which is no verdict about its privacy."""

from __future__ import annotations

from privboost.errors import PrivboostError


class TargetError(PrivboostError, RuntimeError):
    """Report a target that cannot be audited: it crashed, hung, answered nonsense or repeated itself."""

    def __init__(self, target: str, expected: str, found: str) -> None:
        self.target = target
        self.expected = expected
        self.found = found
        super().__init__(f"{target}: expected {expected}, found {found}")

    def __reduce__(self) -> tuple[type[TargetError], tuple[str, str, str]]:
        # Workers send errors by pickle, which would call the class with the message alone.
        return type(self), (self.target, self.expected, self.found)
