"""Schemas: the public facts about every column of a table, by name, as a mapping or a TOML or JSON file."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Any

from privboost.errors import PreconditionError
from privboost.files import read_file
from privboost.strict_json import read

from .features import MOST_VALUES, SPACINGS, Categorical, Date, Feature, Numeric

UNKNOWN = "?"
"""Stands for a fact that is still to be filled in."""

KINDS: dict[tuple[str, ...], set[str]] = {
    ("lo", "hi"): {"values", "spacing", "missing"},
    ("first", "last"): {"values", "missing"},
    ("categories",): {"missing"},
    ("integers",): {"missing"},
    ("boolean",): {"missing"},
}
"""Members that an entry must have, and those that it can have besides."""

LARGEST_TOML = 1 << 20
"""Maximum size of a TOML file, in bytes; Python reads TOML slowly."""

MOST_INTEGER = 1 << 53
"""Largest absolute value of an integer that floats represent exactly, as all below it."""

HEADER = """\
# What anybody may know about each column without seeing the rows. Replace every "?", and delete
# the entries of columns that are not features.
# missing = true gives missing and invalid entries a value of their own.
"""


def read_schema(path: str | PathLike[str]) -> Mapping[str, Any]:
    """Return the schema in a TOML or JSON file.

    Ensures: PreconditionError if the file cannot be read or is not valid.
    """
    file = Path(path)
    if file.suffix == ".toml":
        return _read_toml(file)
    if file.suffix != ".json":
        raise PreconditionError("schema", "a file with the ending .toml or .json", f"'{file}'")
    document = read(file, "schema")
    if not isinstance(document.value, Mapping):
        raise document.refusal("an object with an entry for each column")
    return document.value


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_file(file, LARGEST_TOML).decode("utf-8"))
    except OSError as error:
        raise PreconditionError("schema", "a file", f"'{file}' ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise PreconditionError("schema", f"TOML in '{file}'", error) from None


def features_of(schema: Mapping[str, Any]) -> tuple[Feature, ...]:
    """Return the features that a schema describes, in its order."""
    if not schema:
        raise PreconditionError("schema", "an entry for each column", "none")
    return tuple(feature_of(str(name), entry) for name, entry in schema.items())


def feature_of(name: str, entry: Any) -> Feature:
    """Return the feature that an entry of a schema describes."""
    if not isinstance(entry, Mapping):
        raise _refusal(name, "a mapping such as {'lo': 0, 'hi': 1}", entry)
    kind = next((kind for kind in KINDS if set(kind) <= set(entry) <= set(kind) | KINDS[kind]), None)
    if kind is None:
        wanted = "lo and hi, with values and spacing if wanted; or first and last, with values if wanted; or "
        wanted += "categories; or integers; or boolean"
        raise _refusal(name, f"{wanted}; and missing if wanted", list(entry))
    missing = entry.get("missing", False)
    if not isinstance(missing, bool):
        raise _refusal(f"{name}, missing", "true or false", missing)
    if kind == ("categories",):
        return Categorical(name, tuple(_categories(name, entry["categories"])), missing)
    if kind == ("boolean",):
        if entry["boolean"] is not True:
            raise _refusal(f"{name}, boolean", "true", entry["boolean"])
        return Categorical(name, (False, True), missing)
    if kind == ("integers",):
        return _integers(name, entry["integers"], missing)
    values, spacing = entry.get("values", 10), entry.get("spacing")
    if not isinstance(values, int) or isinstance(values, bool):
        raise _refusal(f"{name}, values", f"an integer from 1 to {MOST_VALUES}", values)
    if kind == ("first", "last"):
        return Date(name, entry["first"], entry["last"], values, missing)
    lo, hi = (_number(f"{name}, {end}", entry[end]) for end in ("lo", "hi"))
    if spacing is not None and spacing not in SPACINGS:
        raise _refusal(f"{name}, spacing", f"one of {list(SPACINGS)}", spacing)
    return Numeric(name, lo, hi, values, spacing, missing)


def entry_of(feature: Feature) -> dict[str, Any]:
    """Return a feature as an entry of a schema, without its name."""
    if isinstance(feature, Categorical):
        return {"categories": list(feature.categories), "missing": feature.missing}
    if isinstance(feature, Date):
        ends = {"first": feature.first.isoformat(), "last": feature.last.isoformat()}
        return {**ends, "values": feature.values, "missing": feature.missing}
    return {
        "lo": feature.lo,
        "hi": feature.hi,
        "values": feature.values,
        "spacing": feature.spacing,
        "missing": feature.missing,
    }


def template(columns: Iterable[tuple[str, str]]) -> str:
    """Return a schema in TOML to be filled in, for columns given by name and type."""
    lines = [HEADER]
    for name, declared in columns:
        kind = declared.lower()
        if kind.startswith("bool"):
            facts = "boolean = true"
        elif kind in ("int8", "uint8"):
            facts = "integers = [-128, 127]" if kind == "int8" else "integers = [0, 255]"
        elif re.match(r"(u?int|float|double|decimal)(\d|\[|\(|$)", kind):
            facts = f'lo = "{UNKNOWN}"\nhi = "{UNKNOWN}"'
        elif re.match(r"datetime64|timestamp|date", kind):
            facts = f'first = "{UNKNOWN}"\nlast = "{UNKNOWN}"'
        else:
            facts = f'categories = ["{UNKNOWN}"]'
        is_bare = re.fullmatch(r"[A-Za-z0-9_-]+", name)
        key = name if is_bare else json.dumps(name, ensure_ascii=False)
        lines.append(f"[{key}]  # {declared}\n{facts}\nmissing = false\n")
    return "\n".join(lines)


def _categories(name: str, listed: Any) -> list[Any]:
    if not isinstance(listed, list | tuple) or not listed or UNKNOWN in listed:
        raise _refusal(f"{name}, categories", "a list of all possible categories", listed)
    return list(listed)


def _integers(name: str, ends: Any, missing: bool) -> Numeric:
    """Return a feature with one value for each integer from the first to the last."""
    is_pair = isinstance(ends, list | tuple) and len(ends) == 2
    if not is_pair or not all(isinstance(end, int) and not isinstance(end, bool) for end in ends):
        raise _refusal(f"{name}, integers", "the smallest and the largest integer", ends)
    first, last = ends
    values = last - first + 1 + missing
    if not 1 <= last - first + 1 <= MOST_VALUES - missing:
        wanted = f"1 to {MOST_VALUES - missing} integers, or lo and hi for more of them"
        raise _refusal(f"{name}, integers", wanted, ends)
    if max(-first, last) > MOST_INTEGER:
        raise _refusal(f"{name}, integers", f"integers of at most {MOST_INTEGER}", ends)
    return Numeric(name, first, last + 1, values, "regular", missing)


def _number(path: str, value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            if isfinite(value):
                return float(value)
        except OverflowError:
            pass
    raise _refusal(path, "a public bound, a finite number", value)


def _refusal(path: str, expected: str, got: Any) -> PreconditionError:
    return PreconditionError(f"schema, {path}", expected, f"{got!r}"[:80])
