"""Candidates: tests of one attribute, as strings such as 'x0 >= 1'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from privboost.errors import PreconditionError
from privboost.gate.protocol.kinds import REPEATED, ArgumentKind, Right, Schema, Wrong

CANDIDATE = re.compile(r"x(0|[1-9]\d*) (>=|=) (0|[1-9]\d*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A test of one attribute: code >= value, or code = value if `equal`."""

    attribute: int
    equal: bool
    value: int

    @classmethod
    def read(cls, value: Any, name: str) -> Candidate:
        """Parse a string such as 'x0 >= 1'; `name` is the argument it belongs to."""
        match = CANDIDATE.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise PreconditionError(name, "a candidate such as 'x0 >= 1' or 'x1 = 0'", repr(value))
        return cls(int(match[1]), match[2] == "=", int(match[3]))

    def __str__(self) -> str:
        return f"x{self.attribute} {'=' if self.equal else '>='} {self.value}"


@dataclass(frozen=True, slots=True)
class CandidateKind(ArgumentKind):
    """A candidate as a string."""

    @property
    def words(self) -> str:
        """Return the form of a candidate."""
        return "candidate"

    def read(self, value: Any, name: str) -> Candidate:
        """Return the candidate."""
        return Candidate.read(value, name)

    def schema(self) -> Schema:
        """Return the pattern of a candidate."""
        return {"type": "string", "pattern": "^x[0-9]+ (>=|=) [0-9]+$"}

    def wrong(self, valid: Any) -> Iterator[Wrong]:
        """Yield a candidate with another comparison, and one of an attribute that does not exist."""
        yield "x0 > 1", "x0 > 1", "unknown-word"
        yield "x9 >= 1", "x9 >= 1", "domain"

    def right(self, valid: Any) -> Iterator[Right]:
        """Yield the next cut or value of the same attribute."""
        test = Candidate.read(valid, "candidate")
        yield str(changed := replace(test, value=test.value + 1)), str(changed), REPEATED
