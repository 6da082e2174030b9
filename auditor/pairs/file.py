"""Read pairs from a JSON file."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from privboost.auditor.values.objects import Opaque
from privboost.auditor.values.tagged_json import from_json
from privboost.errors import PreconditionError
from privboost.limits import PAIR_RELATIONS
from privboost.strict_json import JsonValue, read

from .pair import Pair

MOST_PAIRS = 10_000
SIDES = ("left", "right")
FIELDS = (*SIDES, "name", "relation", "exact")
WANTED = "[left, right] or an object with left, right and optionally name, relation and exact"


def pairs_from_file(path: Path | str) -> tuple[Pair, ...]:
    """Return the pairs of a JSON file: a list of {"left", "right", "name"?, "relation"?, "exact"?}.

    An entry may also be a list [left, right]. Without a name a pair is named by its position, and without a
    relation it has that of `Pair`. Inputs are encoded as in a witness file: lists, objects, numbers,
    "infinity", {"$tuple": [...]}.
    Ensures: PreconditionError with the file and the field, or with line and column of a JSON error.
    """
    entries = read(Path(path), str(path)).items()
    if not 0 < len(entries) <= MOST_PAIRS:
        raise PreconditionError(str(path), f"1 to {MOST_PAIRS} pairs", len(entries))
    pairs = tuple(_read_pair(entry, f"pair {index}") for index, entry in enumerate(entries, start=1))
    repeated, count = Counter(pair.name for pair in pairs).most_common(1)[0]
    if count > 1:
        raise PreconditionError(str(path), "pairs with different names", repr(repeated))
    return pairs


def _read_pair(entry: JsonValue, position: str) -> Pair:
    if isinstance(entry.value, list):
        sides = entry.items()
        if len(sides) != len(SIDES):
            raise PreconditionError(entry.path, WANTED, f"a list of {len(sides)}")
        fields = dict(zip(SIDES, sides, strict=True))
    elif isinstance(entry.value, dict):
        unknown = sorted(set(entry.value) - set(FIELDS))
        missing = [name for name in SIDES if name not in entry.value]
        if unknown or missing:
            raise PreconditionError(entry.path, WANTED, f"no {missing[0]}" if missing else unknown[0])
        fields = dict(zip(entry.value, entry.members(*entry.value), strict=True))
    else:
        raise entry.refusal(WANTED)
    name = fields["name"].text() if "name" in fields else position
    left, right = from_json(fields["left"]), from_json(fields["right"])
    if fields["left"].value == fields["right"].value:
        raise PreconditionError(fields["right"].path, "an input other than the left one", "the same")
    if isinstance(left, Opaque) or isinstance(right, Opaque):
        raise PreconditionError(entry.path, "inputs that can be read back", "an opaque one")
    pair = Pair(name, left, right)
    if "relation" in fields:
        relation = fields["relation"].text()
        if relation not in PAIR_RELATIONS:
            raise fields["relation"].refusal(f"one of {', '.join(PAIR_RELATIONS)}")
        pair = replace(pair, relation=relation)
    if "exact" in fields:
        pair = replace(pair, exact=fields["exact"].number(0, finite=False))
    return pair
