"""The test vectors: exact values of the reference as JSON that any language can read.

A file holds the cases of one operation. A case has an `id`, the arguments `args`, and one of

| key        | meaning                                                                       |
|------------|-------------------------------------------------------------------------------|
| `value`    | one number                                                                    |
| `interval` | the two ends of a closed interval, `lo` and `hi`                              |
| `refused`  | true: the arguments are outside the domain, so there is no value to return    |

A number has `decimal`, correctly rounded to 40 places (half to even), and `exact` where it is rational or a
sum of rational multiples of square roots. Infinities are the strings "infinity" and "-infinity". The bytes
depend on the values alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from privboost.errors import PreconditionError
from privboost.reference import losses as ref
from privboost.reference.exact import ClosedInterval, Extended, Infinity, Real, decimal

FORMAT = 1
DIGITS = 40

FIXED_LOSSES = {"square": ref.SQUARE, "log": ref.LOG, "zero_one": ref.ZERO_ONE, "matsushita": ref.MATSUSHITA}
ALPHAS = ("0", "1/10", "1/2", "9/10", "1")
PROBABILITIES = (
    "0",
    "1/1000",
    "1/10",
    "1/4",
    "1/3",
    "49/100",
    "1/2",
    "51/100",
    "3/5",
    "3/4",
    "9/10",
    "999/1000",
    "1",
)
MARGINS = ("-100", "-5", "-4", "-2", "-1", "-1/2", "-1/5", "0", "1/5", "1/2", "1", "2", "4", "5", "100")
PAIRS = (("0", "0"), ("0", "1"), ("1", "1"), ("1", "2"), ("1", "3"), ("2", "3"), ("1", "100"), ("7/3", "5/2"))
OUTSIDE_PAIRS = (("1", "0"), ("2", "1"), ("-1", "1"), ("0", "-1"))
OUTSIDE = ("-1/10", "11/10")

Arguments = dict[str, str]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation with the label of its definition, what it is, its arguments and how to evaluate them."""

    name: str
    label: str
    meaning: str
    arguments: tuple[Arguments, ...]
    evaluate: Callable[[ref.Loss, Arguments], Extended | ClosedInterval]


def _at(name: str, values: tuple[str, ...]) -> tuple[Arguments, ...]:
    return tuple({name: value} for value in values)


OPERATIONS = (
    Operation(
        "partial_loss",
        "eqpartialloss",
        "the loss of predicting the probability u when the label is y; corrected where the paper is wrong",
        tuple({"y": y, "u": u} for y in ("1", "-1") for u in PROBABILITIES + OUTSIDE),
        lambda loss, a: ref.partial_loss(loss, int(a["y"]), Fraction(a["u"])),
    ),
    Operation(
        "bayes_risk",
        "pbr",
        "the pointwise Bayes risk L(u), normalised to L(1/2) = 1",
        _at("u", PROBABILITIES + OUTSIDE),
        lambda loss, a: ref.bayes_risk(loss, Fraction(a["u"])),
    ),
    Operation(
        "link",
        "f-alphaM",
        "the canonical link, all subgradients of -L at u",
        _at("u", PROBABILITIES + OUTSIDE),
        lambda loss, a: ref.link(loss, Fraction(a["u"])),
    ),
    Operation(
        "inverse_link",
        "f-alphaM",
        "all probabilities u whose link holds z",
        _at("z", MARGINS),
        lambda loss, a: ref.inverse_link(loss, Fraction(a["z"])),
    ),
    Operation(
        "surrogate",
        "f-alphaM",
        "the convex surrogate, the conjugate of -L at -z",
        _at("z", MARGINS),
        lambda loss, a: ref.surrogate(loss, Fraction(a["z"])),
    ),
    Operation(
        "perspective",
        "defpt",
        "the perspective v L(u/v), 0 at (0, 0) and -infinity outside 0 <= u <= v",
        tuple({"u": u, "v": v} for u, v in PAIRS + OUTSIDE_PAIRS),
        lambda loss, a: ref.perspective(loss, Fraction(a["u"]), Fraction(a["v"])),
    ),
)


def vector_files() -> dict[str, bytes]:
    """Return the content of every vector file by name."""
    return {f"{operation.name}.json": _canonical(_document(operation)) for operation in OPERATIONS}


def compare_vectors(directory: Path) -> dict[str, str]:
    """Return, for every file that is or should be in a folder, how it differs; nothing where it does not."""
    expected = vector_files()
    names = sorted({*expected, *(path.name for path in directory.glob("*.json"))})
    return {name: _difference(directory / name, expected.get(name)) for name in names}


def _difference(path: Path, expected: bytes | None) -> str:
    """Return how a file differs from what it should hold, naming the first case that does."""
    if expected is None:
        return "not a vector file of this version"
    if not path.is_file():
        return "missing"
    found = path.read_bytes()
    if found == expected:
        return ""
    try:
        cases = {case["id"]: case for case in json.loads(found)["cases"]}
    except (ValueError, KeyError, TypeError):
        return "not a vector file: it cannot be read as JSON with a list of cases"
    right = {case["id"]: case for case in json.loads(expected)["cases"]}
    for key in [*right, *cases]:
        want, have = right.get(key), cases.get(key)
        if want != have:
            return f"first difference at case {key}: expected {_short(want)}, found {_short(have)}"
    return "the cases agree but the bytes do not: the header or the layout differs"


def _short(case: Mapping[str, Any] | None) -> str:
    if case is None:
        return "no such case"
    return json.dumps({key: case[key] for key in case if key not in ("id", "args")}, sort_keys=True)


def _document(operation: Operation) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "op": operation.name,
        "label": operation.label,
        "meaning": operation.meaning,
        "digits": DIGITS,
        "cases": list(_cases(operation)),
    }


def _cases(operation: Operation) -> Iterator[dict[str, Any]]:
    """Yield every case of an operation: each loss with each argument, and one for each refused alpha."""
    everything = [{"loss": name} | more for name in FIXED_LOSSES for more in operation.arguments]
    for alpha in ALPHAS + OUTSIDE:
        chosen = operation.arguments if alpha in ALPHAS else operation.arguments[:1]
        everything += [{"loss": "m_alpha", "alpha": alpha} | more for more in chosen]
    for arguments in everything:
        name = " ".join(f"{key}={value}" for key, value in arguments.items())
        yield {"id": name, "args": arguments, **_result(operation, arguments)}


def _result(operation: Operation, arguments: Arguments) -> dict[str, Any]:
    """Return the value of a case, or that it must be refused."""
    try:
        value = operation.evaluate(_loss(arguments), arguments)
    except PreconditionError:
        return {"refused": True}
    if isinstance(value, ClosedInterval):
        return {"interval": {"lo": _number(value.lo), "hi": _number(value.hi)}}
    return {"value": _number(value)}


def _loss(arguments: Arguments) -> ref.Loss:
    """Return the loss that the arguments name."""
    if arguments["loss"] == "m_alpha":
        return ref.m_alpha(Fraction(arguments["alpha"]))
    return FIXED_LOSSES[arguments["loss"]]


def _number(value: Extended) -> str | dict[str, str]:
    """Return a number as text that depends on its value alone.

    The text of a lazy real depends on the way it was computed, so only its decimals are given.
    """
    if isinstance(value, Infinity):
        return str(value)
    digits = {"decimal": decimal(value, DIGITS)}
    return digits if isinstance(value, Real) else {"exact": str(value)} | digits


def _canonical(document: dict[str, Any]) -> bytes:
    """Return JSON with one case on each line."""
    cases = document.pop("cases")
    head = json.dumps(document, indent=1)[:-2]
    lines = ",\n".join("  " + json.dumps(case) for case in cases)
    return f'{head},\n "cases": [\n{lines}\n ]\n}}\n'.encode("ascii")
