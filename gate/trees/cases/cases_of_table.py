"""Cases made from the table of operations: each changes one argument of a valid request.

A wrong argument must be refused. A right one is another value, an end of a range, a great number, or an
integer in another spelling, which is read as the same number or refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.gate.profile import VectorCase
from privboost.gate.protocol.kinds import REPEATED, SPELLING
from privboost.gate.protocol.operation import Operation
from privboost.gate.trees.expected.ask import exact_answer
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.gate.vectors.files import number_of

from .cases_train import MARGIN, is_robust

SEEDED = "seeded "
"""The name of an example that only has a seed in place of a tape."""
FINER = 1 << 30
"""How much finer than the grid a number is computed to see whether its rounding is safe."""


def refused_cases() -> Iterator[VectorCase]:
    """Yield requests with a missing, an unknown or a wrong argument, and violated conditions."""
    for operation in OPERATIONS.values():
        for example in operation.examples:
            yield from _wrong_arguments(operation, example)
        for condition in operation.conditions:
            for name, change in condition.wrong.items():
                args = dict(operation.examples[0]) | dict(change)
                yield VectorCase(operation.name, f"refused {name}", args, (condition.flag,))


def _wrong_arguments(operation: Operation, example: Mapping[str, Any]) -> Iterator[VectorCase]:
    """Yield wrong changes of every argument of an example."""
    variant = _variant(operation, example)

    def case(name: str, args: Mapping[str, Any], flag: str) -> VectorCase:
        return VectorCase(operation.name, f"refused {variant}{name}", dict(args), (flag,))

    yield case("with temperature", dict(example) | {"temperature": "1"}, "unknown-argument")
    kinds, first = operation.arguments_of(example) | dict(operation.optional), operation.examples[0]
    for name, value in example.items():
        if variant == SEEDED and value == first.get(name):
            continue
        rest = {key: entry for key, entry in example.items() if key != name}
        yield case(f"without {name}", rest, "missing-argument")
        for wrong_name, wrong, flag in kinds[name].wrong(value):
            yield case(f"{name}={wrong_name}", rest | {name: wrong}, flag)


def repeated_cases() -> Iterator[VectorCase]:
    """Yield every example, and its right changes, one after the other: an answer that is kept is wrong."""
    for operation in OPERATIONS.values():
        for given in operation.examples:
            # Without draws a sample has an exact answer: an empty list.
            example = dict(given) | ({"count": "0"} if "count" in given else {})
            yield from _right_arguments(operation, example, _variant(operation, given))


def _right_arguments(operation: Operation, example: dict[str, Any], variant: str) -> Iterator[VectorCase]:
    if not is_answerable(operation.name, example):
        return
    yield VectorCase(operation.name, f"{REPEATED} {variant}example", example, (REPEATED,))
    kinds, sent = operation.arguments_of(example) | dict(operation.optional), [example]
    for name, value in example.items():
        for right_name, right, flag in kinds[name].right(value):
            args, identity = example | {name: right}, f"{flag} {variant}{name}={right_name}"
            if flag == SPELLING:
                yield VectorCase(operation.name, identity, args, (flag,), example)
            elif args not in sent and is_answerable(operation.name, args):
                sent.append(args)
                yield VectorCase(operation.name, identity, args, (flag,))


def _variant(operation: Operation, example: Mapping[str, Any]) -> str:
    """Return how an example is named in ids; the first one has no name."""
    if example is operation.examples[0]:
        return ""
    return f"rule={example['rule']} " if "rule" in example else SEEDED


def is_answerable(op: str, args: dict[str, Any]) -> bool:
    """Return whether a request has an exact answer, which doubles round to the same step of a grid."""
    try:
        if exact_answer(op, args) is None:
            return False
    except PreconditionError:
        return False
    if op == "train":
        return is_robust(args)
    if "grid" not in args or args.get("rule", "mirror") in ("noisy_masses", "mirror"):
        return True
    quiet = {"noise": {"value": "0"}, "bound": str(1 << 1000)} if "noise" in args else {}
    fine = exact_answer(op, args | quiet | {"grid": str(Fraction(args["grid"]) / FINER)})
    if fine is None:
        return False
    steps = number_of(fine) / Fraction(args["grid"])
    return steps.denominator == 1 or MARGIN < steps % 1 < 1 - MARGIN
