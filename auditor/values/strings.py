"""Strings of outputs: the numbers in a string are read, and the rest is compared as a whole.

The frame of "sum 1.5 of x20" is "sum # of x20": a number is read unless letters touch it. A string is read if
its frame occurs again, so that calls can be compared; strings with frames that are nearly all different say
nothing about the sides.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from fractions import Fraction

_NUMBER_INSIDE = re.compile(r"(?<![\w.])[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?!\w)", re.ASCII)

_STRING_RANGE = re.compile(
    r"(?:(?P<low>-?[\d.e+-]+) <= )?(?P<name>(?:text|opaque|style)\(output[^ ]*\))"
    r"(?: (?P<sign><|>=|=) (?P<high>-?[\d.e+-]+))?"
)

_PARTS = re.compile(r"(?P<sign>[+-]?)(?P<whole>\d*)(?P<rest>(?:\.\d*)?)(?P<exponent>[eE][+-]?\d+)?", re.ASCII)

LONGEST_EXACT = 1_000
"""Number of digits from which numbers in strings are rounded."""

MOST_SHOWN = 4
"""Number of strings of one event that are shown."""

LONGEST_SHOWN = 60
"""Number of characters of one string that are shown."""

FEWEST_UNREAD, MOST_UNREAD = 3, 0.02
"""Number of strings with a frame of their own, and their share, up to which a column counts as read."""


def numbers_inside(string: str) -> list[str]:
    """Return the numbers in a string, in their order."""
    return _NUMBER_INSIDE.findall(string)


def too_many_alone(alone: int, total: int) -> bool:
    """Return whether too many of some strings or keys occur once, so that calls cannot be compared."""
    return alone > max(FEWEST_UNREAD, MOST_UNREAD * total)


def decimals_of(number: str) -> float:
    """Return the number of digits after the point."""
    return float(len(re.split("[eE]", number, maxsplit=1)[0].partition(".")[2]))


def style_of(number: str) -> str:
    """Return the spelling of a number as far as its value does not fix it; empty for the usual spelling.

    It has a plus, the minus of 0, the zeros that begin it, a point without digits, and the exponent.
    """
    parts = _PARTS.fullmatch(number)
    if parts is None:
        return f"written {number}"
    sign = parts["sign"] if parts["sign"] == "+" or not float(number) else ""
    whole, exponent = (re.sub("[1-9].*", "", parts[name] or "") for name in ("whole", "exponent"))
    begins = "point" if not parts["whole"] else whole if parts["whole"] != "0" else ""
    ends = "point" if parts["rest"] == "." else ""
    # Digits of a string would be read as numbers.
    return "/".join((sign, begins, ends, exponent)).replace("0", "z").strip("/")


def exact_number(number: str) -> float | Fraction:
    """Return the number that a string denotes; exactly, unless its exponent is large."""
    mantissa, _, exponent = number.lower().partition("e")
    is_plain = not set(mantissa) - set("+-.0123456789") and len(mantissa) < LONGEST_EXACT
    return Fraction(number) if is_plain and len(exponent.lstrip("+-0")) <= 3 else float(number)


class StringColumns:
    """The frames of the strings in every column, numbered by first appearance."""

    def __init__(self) -> None:
        self._frames: dict[str, int] = {}
        self._counts: dict[str, Counter[int]] = {}

    def index_of(self, path: str, string: str) -> int:
        """Return the index of the frame of a string, and count it in the column of the path."""
        frame = _NUMBER_INSIDE.sub("#", string)
        index = self._frames.setdefault(frame, len(self._frames))
        self._counts.setdefault(path, Counter())[index] += 1
        return index

    def in_words(self, event: str) -> str:
        """Return the description of an event with strings in place of their indices."""
        return _STRING_RANGE.sub(self._strings_in, event)

    def _strings_in(self, found: re.Match[str]) -> str:
        """Return the strings of a column whose indices are in a range, such as `1 <= text(output) < 3`."""
        name, sign = found["name"], found["sign"]
        low, high = (float(found[end]) if found[end] else None for end in ("low", "high"))
        path = re.sub(r"\(output", "(", name, count=1)
        if path not in self._counts or (low is None and high is None):
            return found[0]
        if sign == "=" or low == high:
            low, end = high, math.nextafter(high or 0.0, math.inf)
        elif sign == ">=":
            low, end = high, math.inf
        else:
            end = math.inf if high is None else high
        frames = list(self._frames)
        strings = [frames[k] for k in sorted(self._counts[path]) if (low is None or k >= low) and k < end]
        shown = " or ".join(map(_quote, strings[:MOST_SHOWN]))
        return f"{name} is {shown or 'no string so far'}" + (
            f" or one of {len(strings) - MOST_SHOWN} others" if len(strings) > MOST_SHOWN else ""
        )

    def unread(self) -> list[tuple[str, int, int]]:
        """Return columns whose frames are too different: path, strings with a frame of their own, strings."""
        columns = []
        for path, counts in self._counts.items():
            alone, total = sum(count == 1 for count in counts.values()), counts.total()
            if too_many_alone(alone, total):
                columns.append((path, alone, total))
        return columns


def _quote(string: str) -> str:
    return repr(string if len(string) <= LONGEST_SHOWN else f"{string[: LONGEST_SHOWN - 1]}…")
