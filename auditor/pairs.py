"""Pairs of neighbouring inputs on which a mechanism, if it leaks, tends to leak most.

For a vector of query answers the patterns of the literature (Ding et al. 2018, Bichsel et al. 2021); from a
file whatever its author knows. `search` ranks candidates by calls.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

from privboost.errors import PreconditionError, UsageError
from privboost.strict_json import Place, parse

from .json_values import Opaque, from_json
from .subject import Pair

EXCHANGE, ADD_REMOVE = "exchange", "add_remove"
RELATIONS = (EXCHANGE, ADD_REMOVE)
FIELDS = ("name", "left", "right", "relation", "exact")


def check_relation(relation: str) -> str:
    """Return the name of a relation between neighbours."""
    if relation not in RELATIONS:
        raise PreconditionError("relation", f"one of {', '.join(RELATIONS)}", relation)
    return relation


def vector_pairs(
    length: int, relation: str = EXCHANGE, *, histogram: bool = False, base: float = 1, step: float = 1
) -> tuple[Pair, ...]:
    """Return the patterns for a vector of query answers, as lists of numbers around `base`.

    One example changes every answer of a list of queries by at most `step`. With add/remove the answers are
    counts, and all that change go the same way. In a histogram one example is in one cell: one cell changes
    when it is added or removed, and two, one up and one down, when it is exchanged.
    """
    if length < 1:
        raise PreconditionError("length", "at least one answer", length)
    check_relation(relation)
    patterns = _histogram_patterns(length, relation) if histogram else _query_patterns(length, relation)
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], Pair] = {}
    for name, left, right in patterns:
        sides = [[base + step * sign for sign in signs] for signs in (left, right)]
        if left != right:
            found.setdefault((left, right), Pair(name, sides[0], sides[1], relation))
    return tuple(found.values())


_Signs = tuple[int, ...]
_Pattern = tuple[str, _Signs, _Signs]


def _query_patterns(length: int, relation: str) -> list[_Pattern]:
    """Return signs of the left and the right answers."""
    flat, half = (0,) * length, length // 2
    rest = length - 1
    patterns = [
        ("one above", flat, (1, *(0,) * rest)),
        ("one below", flat, (-1, *(0,) * rest)),
        ("last above", flat, (*(0,) * rest, 1)),
        ("all above", flat, (1,) * length),
        ("all below", flat, (-1,) * length),
        ("half above", flat, (1,) * half + (0,) * (length - half)),
        ("half below", flat, (-1,) * half + (0,) * (length - half)),
    ]
    if relation == ADD_REMOVE:
        return patterns
    # The x shape starts from answers that are not all the same: what was above is below afterwards.
    return [
        *patterns,
        ("one above, rest below", flat, (1, *(-1,) * rest)),
        ("one below, rest above", flat, (-1, *(1,) * rest)),
        ("half above, half below", flat, (1,) * half + (-1,) * (length - half)),
        ("x shape", (0,) * half + (-1,) * (length - half), (-1,) * half + (0,) * (length - half)),
        ("one flipped", (0, *(-1,) * rest), (-1, *(-1,) * rest)),
    ]


def _histogram_patterns(length: int, relation: str) -> list[_Pattern]:
    flat, rest = (0,) * length, length - 1
    if relation == ADD_REMOVE:
        return [
            ("first above", flat, (1, *(0,) * rest)),
            ("first below", flat, (-1, *(0,) * rest)),
            ("last above", flat, (*(0,) * rest, 1)),
            ("last below", flat, (*(0,) * rest, -1)),
        ]
    if length == 1:
        raise PreconditionError("length", "at least two cells, or relation add_remove", length)
    return [
        ("first to last", flat, (-1, *(0,) * (length - 2), 1)),
        ("last to first", flat, (1, *(0,) * (length - 2), -1)),
        ("first to second", flat, (-1, 1, *(0,) * (length - 2))),
    ]


def pairs_from_file(path: Path | str) -> tuple[Pair, ...]:
    """Return the pairs of a JSON file: a list of {"name", "left", "right", "relation"?, "exact"?}.

    Inputs are written as in a witness file: lists, objects, numbers, "infinity", {"$tuple": [...]}.
    Ensures: PreconditionError that names the file and the field, or the line and column of what is no JSON.
    """
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"pairs: expected a file of pairs, found '{path}' ({reason})") from None
    entries = parse(text, str(path)).items()
    if not entries:
        raise PreconditionError(str(path), "at least one pair", "none")
    pairs = tuple(_pair_from(entry) for entry in entries)
    for one, other in combinations(pairs, 2):
        if one.name == other.name:
            raise PreconditionError(str(path), "pairs with different names", repr(one.name))
    return pairs


def _pair_from(entry: Place) -> Pair:
    if not isinstance(entry.found, dict):
        raise entry.refusal(f"an object with {', '.join(FIELDS[:3])}")
    unknown = sorted(set(entry.found) - set(FIELDS))
    missing = [name for name in FIELDS[:3] if name not in entry.found]
    if unknown or missing:
        wanted = f"an object with {', '.join(FIELDS[:3])} and perhaps {' and '.join(FIELDS[3:])}"
        raise PreconditionError(entry.path, wanted, f"no {missing[0]}" if missing else unknown[0])
    fields = dict(zip(entry.found, entry.members(*entry.found), strict=True))
    name = fields["name"].text()
    left, right = from_json(fields["left"]), from_json(fields["right"])
    if entry.found["left"] == entry.found["right"]:
        raise PreconditionError(f"{entry.path}.right", "an input other than the left one", "the same")
    if isinstance(left, Opaque) or isinstance(right, Opaque):
        raise PreconditionError(entry.path, "inputs that can be read back", "an opaque one")
    pair = Pair(name, left, right)
    if "relation" in fields:
        relation = fields["relation"].text()
        if relation not in RELATIONS:
            raise fields["relation"].refusal(f"one of {', '.join(RELATIONS)}")
        pair = replace(pair, relation=relation)
    if "exact" in fields:
        pair = replace(pair, exact=fields["exact"].number(0, finite=False))
    return pair
