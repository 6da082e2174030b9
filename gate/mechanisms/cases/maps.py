"""The cases of steps: neighbours of the hostile classes, for every step and relation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from privboost.errors import PreconditionError
from privboost.gate.mechanisms.expected.ask import exact_answer
from privboost.gate.mechanisms.operations.steps import STEPS
from privboost.gate.profile import VectorCase

Rows = list[Any]
NUMBERS: Mapping[str, tuple[Rows, Rows]] = {
    "nan": (["1/4", "3/4"], ["nan"]),
    "infinity": (["1/4", "3/4"], ["infinity"]),
    "minus infinity": (["1/4", "3/4"], ["-infinity"]),
    "null": (["1/4", None, "3/4"], [None]),
    "negative zero": (["1/4", "3/4"], ["-0.0"]),
    "subnormal": (["1/4", "3/4"], [f"1/{1 << 1074}"]),
    "2^31": (["2147483647"] * 3, ["2147483647"]),
    "2^31 below": (["-2147483648"] * 3, ["-2147483648"]),
    "2^53": (["9007199254740992"] * 3, ["9007199254740993"]),
    "2^63": (["9223372036854775807"] * 3, ["9223372036854775807"]),
    "one at 2^31": (["2147483647"], ["2147483647"]),
    "one at 2^63": (["9223372036854775807"], ["9223372036854775807"]),
    "magnitudes": (["1" + "0" * 300, "1/3", "-1" + "0" * 300], ["1" + "0" * 300]),
    "at the bounds": (["0", "1", "1", "0"], ["1"]),
    "outside": (["-1000", "1000"], ["1000000"]),
    "equal rows": (["1/3"] * 9, ["1/3"]),
    "no rows": ([], ["1/2"]),
    "one row": (["1/2"], ["1"]),
    "odd rows": (["1", "0", "1/2", "1", "0"], ["1"]),
    "even rows": (["1", "0", "1/2", "1"], ["1"]),
    "distinct odd rows": ([f"{index}/8" for index in range(9)], ["1/16"]),
    "distinct even rows": ([f"{index}/8" for index in range(8)], ["1/16"]),
}
"""By class: rows, and a row that is added or that replaces another one."""
STRINGS: Mapping[str, tuple[Rows, Rows]] = {
    "empty string": (["a", "b"], [""]),
    "odd string": (["a", "b"], [" a\t"]),
    "not ASCII": (["a", "b"], ["é𝕏"]),
    "like a number": (["1", "2"], ["1e400"]),
    "2^31 as a string": (["1", "2"], ["2147483648"]),
    "undeclared": (["a", "b"], ["z"]),
    "comes first": (["b", "b"], ["a"]),
    "another case": (["a", "A"], ["A"]),
    "lone group": (["a", "a", "b"], ["c"]),
    "no rows": ([], ["a"]),
    "one row": (["a"], ["b"]),
    "equal rows": (["a"] * 7, ["a"]),
}
CLASSES: Mapping[str, str] = {
    **dict.fromkeys(("infinity", "minus infinity"), "infinity"),
    **dict.fromkeys(
        ("2^31", "2^31 below", "2^53", "2^63", "one at 2^31", "one at 2^63", "2^31 as a string"),
        "integer_limits",
    ),
    **dict.fromkeys(("odd string", "not ASCII", "like a number", "another case"), "odd_string"),
    "distinct odd rows": "odd_rows",
    "distinct even rows": "even_rows",
    "at the bounds": "at_bounds",
    "outside": "outside_bounds",
    "undeclared": "undeclared_category",
    "comes first": "first_category",
}
"""The key of a class in the table of hostile classes, where it is not the name of the case."""
BOUNDS: Mapping[str, Mapping[str, str]] = {
    "unit": {"lower": "0", "upper": "1"},
    "32 bits": {"lower": "-2147483648", "upper": "2147483647"},
    "62 bits": {"lower": "0", "upper": "4611686018427387904"},
    "negative": {"lower": "-3", "upper": "-1"},
    "a point": {"lower": "1/2", "upper": "1/2"},
}
WITH_STRINGS = ("count_distinct", "histogram", "cast")
"""Steps whose rows are strings."""
ANOTHER_ORDER = "in another order"
OTHERS: Mapping[str, Mapping[str, Any]] = {
    "impute": {"constant": "1/2"},
    "resize": {"size": "3", "constant": "0"},
    "scores": {"candidates": ["0", "1/2", "1"], "quantile": "1/2"},
    "histogram": {"names": ["a", "b", "c"]},
}


def flag_of(name: str) -> str:
    """Return the flag of the class of a case."""
    return f"row-{CLASSES.get(name, name).replace(' ', '-').replace('_', '-')}"


def map_cases() -> Iterator[VectorCase]:
    """Yield neighbours of every class for every step."""
    for step, kinds in STEPS.items():
        table = STRINGS if step in WITH_STRINGS else NUMBERS
        for bounds, given in (BOUNDS if "lower" in kinds else {"": OTHERS.get(step, {})}).items():
            for name, rows in table.items():
                for place, args in _neighbours(step, *rows, _ends(step, given)):
                    flag = flag_of("another order" if ANOTHER_ORDER in place else name)
                    identity = f"{step} {name} {bounds}".rstrip() + f" {place}"
                    yield from _case(identity, args | dict(given), flag)


def _ends(step: str, given: Mapping[str, Any]) -> tuple[str, str]:
    """Return two ordinary rows that are as far apart as rows may be."""
    return ("a", "b") if step in WITH_STRINGS else (given.get("lower", "0"), given.get("upper", "1"))


def _neighbours(
    step: str, rows: Rows, changed: Rows, ends: tuple[str, str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield pairs in which one row differs, by how it differs.

    A row is added or exchanged at either end, or the other rows stand in another order as well; it is added
    to equal rows; or an ordinary row goes from end to end beside rows of the class alone.
    """
    low, high = ends
    pairs = {
        "added last": ("add_remove", rows, [*rows, *changed]),
        "added first": ("add_remove", rows, [*changed, *rows]),
        f"added {ANOTHER_ORDER}": ("add_remove", rows, [*changed, *rows][::-1]),
        "exchanged last": ("exchange", rows, [*rows[:-1], *changed]),
        "exchanged first": ("exchange", rows, [*changed, *rows[1:]]),
        f"exchanged {ANOTHER_ORDER}": ("exchange", rows, [*changed, *rows[1:]][::-1]),
        "added to equal rows": ("add_remove", [low] * 5, [*[low] * 5, *changed]),
        "beside its like": ("exchange", [*changed * 3, low], [*changed * 3, high]),
    }
    seen: list[tuple[str, Rows, Rows]] = []
    for place, pair in pairs.items():
        relation, left, right = pair
        if pair not in seen and left != right and (left or relation == "add_remove"):
            seen.append(pair)
            size = {"size": str(len(left))} if step == "mean" else {}
            yield place, {"step": step, "relation": relation, "left": left, "right": right} | size


def _case(identity: str, args: dict[str, Any], flag: str) -> Iterator[VectorCase]:
    """Yield a case, unless the step is not defined for it."""
    try:
        answer = exact_answer("map", args)
    except PreconditionError:
        return
    if answer is not None:
        yield VectorCase("map", identity, args, (flag,))
