"""Read the files of test vectors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from privboost.gate.check import REFUSAL, Case
from privboost.gate.profile import Profile

FOLDER = "vectors"
FORMS = ("value", "interval", "law", "map")
"""What may be expected of a result: a number, any number of an interval, a law of draws, or the distance of
two results."""


@dataclass(frozen=True, slots=True)
class Vector:
    """A case of a file with what is expected: one of FORMS, or a refusal."""

    case: Case
    group: str
    expected: Any
    refused: bool
    may_refuse: bool = False
    """Whether an error is right, too."""


@lru_cache(maxsize=4)
def all_vectors(profile: Profile) -> tuple[Vector, ...]:
    """Return every case of the vector files of a profile."""
    vectors: list[Vector] = []
    for path in sorted(profile.folder(FOLDER).iterdir(), key=lambda path: path.name):
        if path.name.endswith(".json"):
            document = json.loads(path.read_text("ascii"))
            vectors += (_vector(profile, document, entry) for entry in document["cases"])
    return tuple(vectors)


def _vector(profile: Profile, document: Mapping[str, Any], entry: Mapping[str, Any]) -> Vector:
    op, args, refused = document["op"], entry["args"], "refused" in entry
    variants = profile.vectors.variants
    group = next((str(args[name]) for name in variants if name in args and not refused), "")
    level = REFUSAL if refused else profile.operations[op].level
    check = "/".join(part for part in (level, op, group) if part)
    label = entry.get("label", document["label"])
    case = Case(f"{check}/{entry['id']}", op, args, label, level, tuple(entry["flags"]))
    value = next((entry[form] for form in FORMS if form in entry), None)
    return Vector(case, check, value, refused, entry.get("may_refuse", False))


def number_of(number: str | dict[str, str]) -> Fraction:
    """Return a finite number of a vector: exactly if it is rational, else to 40 digits."""
    if isinstance(number, str):
        return Fraction(number)
    try:
        return Fraction(number.get("exact", number["decimal"]))
    except ValueError:
        return Fraction(number["decimal"])


def is_number(expected: Any) -> bool:
    """Return whether a part of a vector is one number."""
    return isinstance(expected, str) or (isinstance(expected, dict) and "decimal" in expected)


def is_interval(expected: Any) -> bool:
    """Return whether a part of a vector is an interval."""
    return isinstance(expected, dict) and set(expected) == {"lo", "hi"}
