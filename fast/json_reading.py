"""Strict reading of JSON: every value is asked for what it must be, and says where it is when it is not."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, NoReturn

from privboost.errors import PreconditionError

FRACTION = re.compile(r"-?[0-9]{1,400}(/[1-9][0-9]{0,399})?", re.ASCII)
"""Exact numbers, short enough that no arithmetic on them takes long."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A value of a document, and its place there."""

    found: Any
    place: str

    def refusal(self, wanted: str) -> PreconditionError:
        """Return the error that this value is not what is wanted."""
        shown = json.dumps(self.found) if isinstance(self.found, str | int | float | None) else None
        return PreconditionError(self.place, wanted, shown or f"a {type(self.found).__name__}")

    def has(self, name: str) -> bool:
        """Return whether an object has a member."""
        return name in self._names()

    def _names(self) -> list[str]:
        """Return the names of an object's members."""
        if not isinstance(self.found, dict):
            raise self.refusal("an object")
        return list(self.found)

    def member(self, name: str) -> Reader:
        """Return a member of an object."""
        if not self.has(name):
            raise PreconditionError(self.place, f'a member "{name}"', f"the members {self._names()}")
        return Reader(self.found[name], f"{self.place}.{name}")

    def __getitem__(self, name: str) -> Reader:
        return self.member(name)

    def object_with(self, *names: str) -> Reader:
        """Return this object, which must have these members and no others."""
        if sorted(self._names()) != sorted(names):
            raise PreconditionError(self.place, f"the members {sorted(names)}", sorted(self._names()))
        return self

    def items(self, count: int | None) -> list[Reader]:
        """Return the entries of a list, which must be so many, or one at least."""
        if not isinstance(self.found, list):
            raise self.refusal("a list")
        if not self.found or count not in (None, len(self.found)):
            wanted = "a list that is not empty" if count is None else f"a list of {count}"
            raise PreconditionError(self.place, wanted, f"a list of {len(self.found)}")
        return [Reader(entry, f"{self.place}[{number}]") for number, entry in enumerate(self.found)]

    def equal_to(self, wanted: str | int) -> None:
        """Refuse every other value."""
        if type(self.found) is not type(wanted) or self.found != wanted:
            raise self.refusal(json.dumps(wanted))

    def among(self, choices: Sequence[str]) -> Any:
        """Return one of some texts."""
        if not isinstance(self.found, str) or self.found not in choices:
            raise self.refusal(f"one of {list(choices)}")
        return self.found

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.found, str):
            raise self.refusal("a text")
        return self.found

    def truth(self) -> bool:
        """Return true or false."""
        if not isinstance(self.found, bool):
            raise self.refusal("true or false")
        return self.found

    def whole(self, least: int | None, most: int | None = None) -> int:
        """Return a whole number within bounds."""
        found = self.found
        if isinstance(found, bool) or not isinstance(found, int) or abs(found) >= 1 << 63:
            raise self.refusal("a whole number")
        if (least is not None and found < least) or (most is not None and found > most):
            raise self.refusal(f"a whole number from {least}" + ("" if most is None else f" to {most}"))
        return found

    def number(self, least: float | None = None, most: float | None = None) -> float:
        """Return a finite number within bounds, as a float."""
        found = self.found
        if isinstance(found, bool) or not isinstance(found, int | float) or abs(found) > 1e308:
            raise self.refusal("a finite number")
        if not isfinite(found) or (least is not None and most is not None and not least <= found <= most):
            raise self.refusal(f"a number from {least} to {most}" if least is not None else "a finite number")
        return float(found)

    def scalar(self) -> Any:
        """Return a text, a number or a truth value."""
        if not isinstance(self.found, str | bool | int):
            return self.number()
        return self.found

    def fraction(self) -> Fraction:
        """Return an exact number, written as text such as "3/8"."""
        if not FRACTION.fullmatch(self.text()):
            raise self.refusal('an exact number such as "3/8"')
        return Fraction(self.found)


def read_document(text: str, place: str) -> Reader:
    """Return the document of JSON text without repeated members, infinities and NaN."""
    try:
        found = json.loads(text, object_pairs_hook=_members, parse_constant=_no_constant)
    except PreconditionError:
        raise
    except (ValueError, RecursionError) as error:
        raise PreconditionError(place, "JSON text", error) from None
    return Reader(found, place)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        repeated = sorted(name for name in found if [key for key, _ in pairs].count(name) > 1)
        raise PreconditionError("model", "every member of an object once", repeated)
    return found


def _no_constant(name: str) -> NoReturn:
    raise PreconditionError("model", "finite numbers", name)
