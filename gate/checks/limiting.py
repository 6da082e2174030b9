"""Recognise wrong numbers behind which is a limit: results that are clipped, arguments that are saturated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.gate.protocol.wire import WireError, read_finite

from .remembering import Answered

ENDS = tuple(
    (bits, end)
    for bits in (64, 32, 16)
    for end in ((1 << bits) - 1, (1 << bits - 1) - 1, -(1 << bits - 1), 1 - (1 << bits - 1))
)
"""The ends of unsigned and signed integers, each with the number of bits; 0 is no end that shows."""
LEAST_END = min(abs(end) for _, end in ENDS)


@dataclass(frozen=True, slots=True)
class Saturated:
    """An argument whose numbers beyond the end of an integer type become that end."""

    path: tuple[str, ...]
    """Names of the argument and of members in it; entries of lists are alike."""
    bits: int
    end: int

    @property
    def note(self) -> str:
        """Return what a complaint says about it."""
        name = ".".join(self.path)
        return (
            f"; it is the answer to the same request with `{name}` cut at {self.end}, an end of the integers "
            f"of {self.bits} bits"
        )

    def cut(self, args: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return a request with the argument cut; None if nothing is beyond the end."""
        cut: Mapping[str, Any] = self._cut(args, self.path)
        return None if cut == args else cut

    def _cut(self, value: Any, path: tuple[str, ...]) -> Any:
        """Return a value with all numbers behind a path cut."""
        if isinstance(value, list):
            return [self._cut(entry, path) for entry in value]
        if isinstance(value, Mapping):
            chosen = path[:1] or tuple(value)
            return {
                name: self._cut(entry, path[1:]) if name in chosen else entry for name, entry in value.items()
            }
        if path or _number(value) / self.end <= 1:
            return value
        return str(self.end) if isinstance(value, str) else self.end


def _number(value: Any) -> Fraction:
    """Return an exact string or a JSON integer as a number; 0 for any other value."""
    try:
        return read_finite(value) if isinstance(value, int | str) else Fraction(0)
    except WireError:
        return Fraction(0)


def _great_paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of numbers that are beyond some end, and of the objects that have them."""
    for entry in value if isinstance(value, list) else ():
        yield from _great_paths(entry, path)
    for name, entry in value.items() if isinstance(value, Mapping) else ():
        yield from _great_paths(entry, (*path, name))
    if abs(_number(value)) > LEAST_END:
        yield from (path[:length] for length in range(1, len(path) + 1))


def saturated_arguments(
    wrong: Sequence[Answered], right: Sequence[Answered], is_right: Callable[[Mapping[str, Any], Any], bool]
) -> list[Saturated]:
    """Return the arguments that are saturated, those at great integers first.

    Requires: `is_right` says whether a result is right for a request.
    Ensures: all answers to requests with numbers beyond the end are right for requests with the end.
    """
    great = [each for each in (*wrong, *right) if any(_great_paths(each[0]))]
    paths = dict.fromkeys(path for args, _ in wrong for path in _great_paths(args))

    def is_consistent(each: Saturated, args: Mapping[str, Any], result: Any) -> bool:
        cut = each.cut(args)
        return cut is None or is_right(cut, result)

    return [
        each
        for each in (Saturated(path, bits, end) for bits, end in ENDS for path in paths)
        if any(each.cut(args) for args, _ in wrong) and all(is_consistent(each, *known) for known in great)
    ]


@dataclass(frozen=True, slots=True)
class Number:
    """A number that was expected and the result, both finite or not."""

    exact: Fraction | float
    value: Fraction
    is_right: bool


def clipped_results(numbers: Sequence[Number]) -> set[Fraction]:
    """Return the numbers to which all greater ones are clipped, for positive and for negative ones.

    A number that several requests have in common is no limit if others exceed it, or if a greater one became
    something else: a factor or an argument is missing then.
    """
    return {
        limit
        for sign in (1, -1)
        if (limit := _limit_of([each for each in numbers if sign * each.exact > 0])) is not None
    }


def _limit_of(numbers: Sequence[Number]) -> Fraction | None:
    """Return the result of all numbers of one sign that are wrong, if it is a limit of their size."""
    wrong = [each for each in numbers if not each.is_right]
    right = [each for each in numbers if each.is_right]
    results = {each.value for each in wrong}
    if len(results) != 1 or 0 in results or not right or len({each.exact for each in wrong}) < 2:
        return None
    limit = results.pop()
    is_least = all(each.exact / limit > 1 for each in wrong)
    return limit if is_least and all(each.value / limit <= 1 for each in right) else None
