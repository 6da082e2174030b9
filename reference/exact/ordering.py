"""A mix-in for numbers that can say the sign of their difference to another."""

from __future__ import annotations


class Ordered:
    """Give a number its four comparisons from `_order`."""

    __slots__ = ()

    def _order(self, other: object) -> int | None:
        """Return the sign of self - other, or None where other is no number of ours."""
        raise NotImplementedError

    def __lt__(self, other: object) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order < 0

    def __le__(self, other: object) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order <= 0

    def __gt__(self, other: object) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order > 0

    def __ge__(self, other: object) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order >= 0
