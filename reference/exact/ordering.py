"""A mix-in that derives the comparisons of a number type from the sign of a difference."""

from __future__ import annotations

import operator
from collections.abc import Callable


def comparison(holds: Callable[[int, int], bool]) -> Callable[[Ordered, object], bool]:
    """Return a method that compares the sign of a difference with 0."""

    def compare(self: Ordered, other: object) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else holds(order, 0)

    return compare


class Ordered:
    """Derive <, <=, > and >= from `_order`."""

    __slots__ = ()

    def _order(self, other: object) -> int | None:
        """Return the sign of self - other, or None if other is not an exact number."""
        raise NotImplementedError

    __lt__ = comparison(operator.lt)
    __le__ = comparison(operator.le)
    __gt__ = comparison(operator.gt)
    __ge__ = comparison(operator.ge)
