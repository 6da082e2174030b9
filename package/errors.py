"""Exceptions of privboost.

Every leaf class also inherits the matching built-in exception. The parts of a message are attributes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

LONGEST_QUOTED = 600
"""Maximum length of each part of a message that quotes what it got."""


class PrivboostError(Exception):
    """Base class of every error that privboost raises deliberately."""


class InexactInputError(PrivboostError, TypeError):
    """Reject a number that is not exact, and suggest what to write instead."""

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self.value = value
        super().__init__(
            f"{name}: expected an exact number (int, Fraction, Surd, Real or a string such as '3/8'), "
            f"got {type(value).__name__} {truncate(_format_value(value, repr))}{_advice(value)}"
        )


class PreconditionError(PrivboostError, ValueError):
    """Report an argument that does not satisfy an assumption.

    The label is that of the statement in the paper, or the name of the argument or the path of the value.
    """

    def __init__(self, label: str, expected: str, got: object) -> None:
        self.label = label
        self.expected = expected
        self.got = got
        super().__init__(
            f"{truncate(label)}: expected {truncate(expected)}, got {truncate(_format_value(got))}"
        )


class DivisionByZeroError(PrivboostError, ZeroDivisionError):
    """Report a division of an exact number by zero."""


class Undecided(PrivboostError, ArithmeticError):
    """Report a question about real numbers that is still open at the precision limit."""

    def __init__(self, question: str, limit_bits: int) -> None:
        self.question = question
        self.limit_bits = limit_bits
        super().__init__(f"undecided at {limit_bits} bits: {question}")


class UsageError(PrivboostError, ValueError):
    """Report an argument that cannot be used (exit code 2).

    The command line prints the name of the argument as an option: `max_calls` as `--max-calls`.
    """

    def __init__(self, message: str, *, argument: str | None = None) -> None:
        self.message = message
        self.argument = argument
        super().__init__(message if argument is None else f"{argument}: {message}")


class MissingExtraError(UsageError, ImportError):
    """Report modules that are not installed, and the extras of privboost that install them (exit code 2)."""

    def __init__(self, wanted_by: str, missing: Sequence[str], install: str) -> None:
        self.wanted_by = wanted_by
        self.missing = tuple(missing)
        self.install = install
        verb = "is" if len(self.missing) == 1 else "are"
        modules = ", ".join(self.missing)
        super().__init__(f"{wanted_by}: expected {modules}, which {verb} not installed; run: {install}")


class ExtractedProgramError(UsageError, OSError):
    """Report that the program extracted from Coq is missing, or ended without a result (exit code 2)."""


class NoVerdictError(PrivboostError, RuntimeError):
    """Report that there is no verdict, so that nothing is known about the target (exit code 4)."""


class TargetError(NoVerdictError):
    """Report a target that cannot be judged: it crashed, hung, sent invalid answers or repeated itself."""

    def __init__(self, target: str, expected: str, got: str) -> None:
        self.target = target
        self.expected = expected
        self.got = got
        super().__init__(f"{target}: expected {expected}, got {got}")

    def __reduce__(self) -> tuple[type[TargetError], tuple[str, str, str]]:
        # Workers pickle errors; by default, unpickling calls the class with the message alone.
        return type(self), (self.target, self.expected, self.got)


class TargetEndedError(TargetError):
    """Report a target whose process ended or did not answer in time."""


class TargetHungError(TargetEndedError):
    """Report a target that did not answer in time."""


class WorkersLostError(NoVerdictError):
    """Report that the workers that were to make the calls are gone."""


class HarnessError(PrivboostError, RuntimeError):
    """Report an error of privboost itself, not of the target (exit code 3)."""


def truncate(string: str) -> str:
    """Return a string that fits a message."""
    return string if len(string) <= LONGEST_QUOTED else f"{string[:LONGEST_QUOTED]}…"


def _format_value(value: object, show: Callable[[object], str] = str) -> str:
    """Return a value as a string; Python does not print integers of more than 4300 digits."""
    try:
        return show(value)
    except ValueError:
        return f"a {type(value).__name__} too long to print"


def _advice(value: object) -> str:
    """Return a suggestion for replacing an inexact number, or an empty string."""
    if isinstance(value, float) and math.isfinite(value):
        nearest = Fraction(repr(value))
        return f"; write Fraction({nearest.numerator}, {nearest.denominator}) or '{nearest}'"
    if isinstance(value, float):
        return "; infinities are written INFINITY or -INFINITY, and there is no exact NaN"
    return ""
