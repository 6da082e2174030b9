"""A mix-in that derives the comparisons of a number type from the sign of a difference."""

from __future__ import annotations


class Ordered:
    """Derive <, <=, > and >= from `_order`."""

    __slots__ = ()

    def _order(self, other: object) -> int | None:
        """Return the sign of self - other, or None if other is not an exact number."""
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
