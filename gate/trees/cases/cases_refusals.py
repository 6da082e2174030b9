"""Cases that must be refused, made from the table: each changes one argument of a valid request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from privboost.gate.profile import VectorCase
from privboost.gate.protocol.operation import Operation
from privboost.gate.trees.operations.operations import OPERATIONS


def refused_cases() -> Iterator[VectorCase]:
    """Yield requests with a missing, an unknown or a wrong argument, and violated conditions."""
    for operation in OPERATIONS.values():
        for example in operation.examples:
            yield from _change_arguments(operation, example)
        for condition in operation.conditions:
            for name, change in condition.wrong.items():
                args = dict(operation.examples[0]) | dict(change)
                yield VectorCase(operation.name, f"refused {name}", args, (condition.flag,))


def _change_arguments(operation: Operation, example: Mapping[str, Any]) -> Iterator[VectorCase]:
    """Yield changes of every argument of an example."""
    variant = "" if example is operation.examples[0] else f"rule={example['rule']} "

    def case(name: str, args: Mapping[str, Any], flag: str) -> VectorCase:
        return VectorCase(operation.name, f"refused {variant}{name}", dict(args), (flag,))

    yield case("with temperature", dict(example) | {"temperature": "1"}, "unknown-argument")
    kinds = operation.arguments_of(example) | dict(operation.optional)
    for name, value in example.items():
        rest = {key: entry for key, entry in example.items() if key != name}
        yield case(f"without {name}", rest, "missing-argument")
        for wrong_name, wrong, flag in kinds[name].wrong(value):
            yield case(f"{name}={wrong_name}", rest | {name: wrong}, flag)
