"""The one error hierarchy of privboost.

Every leaf also inherits the built-in exception that a stranger would catch, and
carries what it knows as attributes.
"""

from __future__ import annotations

import math
from fractions import Fraction


class PrivboostError(Exception):
    """Base of every error that privboost raises on purpose."""


class InexactInputError(PrivboostError, TypeError):
    """Refuse a number that is not exact, and say what to write instead."""

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self.value = value
        super().__init__(
            f"{name}: expected an exact number (int, Fraction, Surd, Real or a string such as '3/8'), "
            f"got {type(value).__name__} {value!r}{_advice(value)}"
        )


class PreconditionError(PrivboostError, ValueError):
    """Report a failed assumption of a statement of the paper, by its label."""

    def __init__(self, label: str, requirement: str, found: object) -> None:
        self.label = label
        self.requirement = requirement
        self.found = found
        super().__init__(f"{label}: expected {requirement}, got {_shown(found)}")


class DivisionByZeroError(PrivboostError, ZeroDivisionError):
    """Refuse to divide an exact number by zero."""


class Undecided(PrivboostError, ArithmeticError):
    """Report a question about real numbers that refinement did not settle."""

    def __init__(self, question: str, limit_bits: int) -> None:
        self.question = question
        self.limit_bits = limit_bits
        super().__init__(f"undecided at {limit_bits} bits: {question}")


class UsageError(PrivboostError, ValueError):
    """Report a command line that cannot be carried out (exit code 2)."""


class NoVerdictError(PrivboostError, RuntimeError):
    """Report a subject that could not be judged, which says nothing for or against it (exit code 4)."""


class TargetError(NoVerdictError):
    """Report a target that cannot be judged: it crashed, hung, answered nonsense or repeated itself."""

    def __init__(self, target: str, expected: str, found: str) -> None:
        self.target = target
        self.expected = expected
        self.found = found
        super().__init__(f"{target}: expected {expected}, got {found}")

    def __reduce__(self) -> tuple[type[TargetError], tuple[str, str, str]]:
        # Workers send errors by pickle, which would call the class with the message alone.
        return type(self), (self.target, self.expected, self.found)


class HarnessError(PrivboostError, RuntimeError):
    """Report that privboost itself is broken, not the subject under test (exit code 3)."""


def _shown(value: object) -> str:
    """Return a value as text; Python refuses to print integers of more than 4300 digits."""
    try:
        return str(value)
    except ValueError:
        return f"a {type(value).__name__} too long to print"


def _advice(value: object) -> str:
    """Return what to write in place of an inexact number, where that is known."""
    if isinstance(value, float) and math.isfinite(value):
        nearest = Fraction(repr(value))
        return f"; write Fraction({nearest.numerator}, {nearest.denominator}) or '{nearest}'"
    if isinstance(value, float):
        return "; infinities are written INFINITY or -INFINITY, and there is no exact NaN"
    return ""
