"""Read pairs from a JSON file."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

from privboost.auditor.values.plain_values import Opaque
from privboost.auditor.values.tagged_json import from_json
from privboost.errors import PreconditionError, UsageError
from privboost.strict_json import JsonValue, parse

from .pair import Pair
from .patterns import RELATIONS

FIELDS = ("name", "left", "right", "relation", "exact")


def pairs_from_file(path: Path | str) -> tuple[Pair, ...]:
    """Return the pairs of a JSON file: a list of {"name", "left", "right", "relation"?, "exact"?}.

    Inputs are encoded as in a witness file: lists, objects, numbers, "infinity", {"$tuple": [...]}.
    Ensures: PreconditionError with the file and the field, or with line and column of a JSON error.
    """
    try:
        content = Path(path).read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"pairs: expected a file of pairs, got '{path}' ({reason})") from None
    entries = parse(content, str(path)).items()
    if not entries:
        raise PreconditionError(str(path), "at least one pair", "none")
    pairs = tuple(_read_pair(entry) for entry in entries)
    for one, other in combinations(pairs, 2):
        if one.name == other.name:
            raise PreconditionError(str(path), "pairs with different names", repr(one.name))
    return pairs


def _read_pair(entry: JsonValue) -> Pair:
    if not isinstance(entry.value, dict):
        raise entry.refusal(f"an object with {', '.join(FIELDS[:3])}")
    unknown = sorted(set(entry.value) - set(FIELDS))
    missing = [name for name in FIELDS[:3] if name not in entry.value]
    if unknown or missing:
        wanted = f"an object with {', '.join(FIELDS[:3])} and optionally {' and '.join(FIELDS[3:])}"
        raise PreconditionError(entry.path, wanted, f"no {missing[0]}" if missing else unknown[0])
    fields = dict(zip(entry.value, entry.members(*entry.value), strict=True))
    name = fields["name"].text()
    left, right = from_json(fields["left"]), from_json(fields["right"])
    if entry.value["left"] == entry.value["right"]:
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
