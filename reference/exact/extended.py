"""The extended real line: infinities, and closed intervals with exact or infinite ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final, NoReturn, TypeAlias

from privboost.errors import DivisionByZeroError, PreconditionError

from .functions import exact
from .ordering import Ordered
from .real import Exact, Number, operand, sign


class Infinity(Ordered, Enum):
    """Plus or minus infinity. Indeterminate forms such as infinity - infinity raise PreconditionError."""

    PLUS = 1
    MINUS = -1

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise PreconditionError("Infinity", "a direction of -1 or 1", value)

    @property
    def direction(self) -> int:
        """Return 1 or -1, the sign."""
        return self._value_

    def __neg__(self) -> Infinity:
        return Infinity(-self.direction)

    def __abs__(self) -> Infinity:
        return Infinity(1)

    def __add__(self, other: object) -> Infinity:
        value = _operand(other)
        if value is None:
            return NotImplemented
        if isinstance(value, Infinity) and value.direction != self.direction:
            raise PreconditionError("Infinity", "a sum without opposite infinities", f"{self} + {value}")
        return self

    __radd__ = __add__

    def __sub__(self, other: object) -> Infinity:
        value = _operand(other)
        return NotImplemented if value is None else self + -value

    def __rsub__(self, other: object) -> Infinity:
        value = _operand(other)
        return NotImplemented if value is None else -self + value

    def __mul__(self, other: object) -> Infinity:
        value = _operand(other)
        if value is None:
            return NotImplemented
        direction = value.direction if isinstance(value, Infinity) else sign(value)
        if direction == 0:
            raise PreconditionError("Infinity", "a product without 0 * infinity", f"{self} * 0")
        return Infinity(self.direction * direction)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Infinity:
        value = _operand(other)
        if value is None:
            return NotImplemented
        if isinstance(value, Infinity):
            raise PreconditionError("Infinity", "a finite divisor of infinity", value)
        if not value:
            raise DivisionByZeroError(f"{self} / 0")
        return self * (1 / value)

    def __rtruediv__(self, other: object) -> Fraction:
        value = _operand(other)
        return NotImplemented if value is None else Fraction(0)

    def __eq__(self, other: object) -> bool:
        value = _operand(other)
        if value is None:
            return NotImplemented
        return isinstance(value, Infinity) and value.direction == self.direction

    def __hash__(self) -> int:
        return hash(("Infinity", self.direction))

    def _order(self, other: object) -> int | None:
        """Return the sign of self - other, 0 for the same infinity, or None for another type."""
        value = _operand(other)
        return None if value is None else 0 if self == value else self.direction

    def exact_sqrt(self) -> Infinity:
        """Return the square root of plus infinity."""
        return self._positive("sqrt")

    def exact_log(self) -> Infinity:
        """Return the logarithm of plus infinity."""
        return self._positive("log")

    def _positive(self, function: str) -> Infinity:
        """Return plus infinity; raise PreconditionError for minus infinity, naming the function."""
        if self.direction < 0:
            raise PreconditionError(function, "an argument >= 0", self)
        return self

    def __str__(self) -> str:
        return "infinity" if self.direction > 0 else "-infinity"

    __repr__ = __str__


Extended: TypeAlias = Exact | Infinity
INFINITY: Final = Infinity.PLUS


def _operand(value: object) -> Number | Infinity | None:
    """Return an exact or infinite operand, or None for another type; refuse floats."""
    return value if isinstance(value, Infinity) else operand(value)


@dataclass(frozen=True, slots=True)
class ClosedInterval:
    """A closed interval of the extended real line."""

    lo: Extended
    hi: Extended

    def __post_init__(self) -> None:
        if not _end(self.lo, "lo") <= _end(self.hi, "hi"):
            raise PreconditionError("ClosedInterval", "lo <= hi", f"[{self.lo}, {self.hi}]")

    @property
    def is_point(self) -> bool:
        """Return whether the interval contains a single value."""
        return self.lo == self.hi

    def __contains__(self, value: Extended) -> bool:
        return self.lo <= _end(value, "value") <= self.hi

    def __neg__(self) -> ClosedInterval:
        return ClosedInterval(-self.hi, -self.lo)

    def __str__(self) -> str:
        return f"{{{self.lo}}}" if self.is_point else f"[{self.lo}, {self.hi}]"


def _end(value: Extended, name: str) -> Number | Infinity:
    """Return an exact number or an infinity."""
    return value if isinstance(value, Infinity) else exact(value, name)


def point(value: Extended) -> ClosedInterval:
    """Return the interval [value, value]."""
    return ClosedInterval(value, value)
