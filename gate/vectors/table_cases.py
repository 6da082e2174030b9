"""Cases made from the table of operations: each changes one argument of a valid request.

A wrong argument must be refused. A right one is another value, an end of a range, a great number, or an
integer in another spelling, which is read as the same number or refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from privboost.gate.profile import VectorCase
from privboost.gate.protocol.kinds import REPEATED, SPELLING
from privboost.gate.protocol.operation import Operation


@dataclass(frozen=True, slots=True)
class TableCases:
    """The cases of one table of operations."""

    operations: Mapping[str, Operation]
    variant: Callable[[Operation, Mapping[str, Any]], str]
    """Return how an example is named in ids; the first one of an operation has no name."""
    is_answerable: Callable[[str, dict[str, Any]], bool]
    """Return whether a request has an answer that can be judged."""
    brief: frozenset[str] = frozenset()
    """Names of examples of which wrong arguments are made only where they differ from the first example."""
    variants: Callable[[Operation], Iterable[Mapping[str, Any]]] = lambda _: ()
    """Return examples of an operation with other words, of which wrong arguments are made as well."""

    def wrong_requests(self) -> Iterator[VectorCase]:
        """Yield requests with a missing, an unknown or a wrong argument, and violated conditions."""
        for operation in self.operations.values():
            for example in (*operation.examples, *self.variants(operation)):
                yield from self._wrong_arguments(operation, example)
            for condition in operation.conditions:
                for name, change in condition.wrong.items():
                    args = dict(operation.examples[0]) | dict(change)
                    yield VectorCase(operation.name, f"refused {name}", args, (condition.flag,))

    def _wrong_arguments(self, operation: Operation, example: Mapping[str, Any]) -> Iterator[VectorCase]:
        """Yield wrong changes of every argument of an example."""
        variant = self.variant(operation, example)

        def case(name: str, args: Mapping[str, Any], flag: str) -> VectorCase:
            return VectorCase(operation.name, f"refused {variant}{name}", dict(args), (flag,))

        yield case("with temperature", dict(example) | {"temperature": "1"}, "unknown-argument")
        kinds, first = operation.arguments_of(example) | dict(operation.optional), operation.examples[0]
        for name, value in example.items():
            if variant in self.brief and value == first.get(name):
                continue
            rest = {key: entry for key, entry in example.items() if key != name}
            yield case(f"without {name}", rest, "missing-argument")
            for wrong_name, wrong, flag in kinds[name].wrong(value):
                yield case(f"{name}={wrong_name}", rest | {name: wrong}, flag)

    def right_requests(self) -> Iterator[VectorCase]:
        """Yield every example, and its right changes, in turn: an answer that is kept is wrong."""
        for operation in self.operations.values():
            for given in operation.examples:
                # Without draws a sample has an exact answer: an empty list.
                example = dict(given) | ({"count": "0"} if "count" in given else {})
                if self.is_answerable(operation.name, example):
                    yield from self._right_arguments(operation, example, self.variant(operation, given))

    def _right_arguments(
        self, operation: Operation, example: dict[str, Any], variant: str
    ) -> Iterator[VectorCase]:
        yield VectorCase(operation.name, f"{REPEATED} {variant}example", example, (REPEATED,))
        kinds, sent = operation.arguments_of(example) | dict(operation.optional), [example]
        for name, value in example.items():
            for right_name, right, flag in kinds[name].right(value):
                args, identity = example | {name: right}, f"{flag} {variant}{name}={right_name}"
                if flag == SPELLING:
                    yield VectorCase(operation.name, identity, args, (flag,), example)
                elif args not in sent and self.is_answerable(operation.name, args):
                    sent.append(args)
                    yield VectorCase(operation.name, identity, args, (flag,))
