"""The cases that are made from the table of operations of this profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from privboost.errors import PreconditionError
from privboost.gate.mechanisms.expected.ask import exact_answer
from privboost.gate.mechanisms.operations.table import OPERATIONS
from privboost.gate.protocol.kinds import WordKind
from privboost.gate.protocol.operation import Operation
from privboost.gate.vectors.table_cases import TableCases

WORDS = ("noise", "relation", "monotonic")
"""Arguments of which a library may have some words only; with each of them it must refuse what is wrong."""


def _variants(operation: Operation) -> Iterator[Mapping[str, Any]]:
    """Yield the only example of an operation with each other word of one argument."""
    example = operation.examples[0]
    for name, kind in operation.arguments_of(example).items():
        if name in WORDS and isinstance(kind, WordKind) and len(operation.examples) == 1:
            yield from (dict(example) | {name: word} for word in kind.choices if word != example[name])


def _variant(operation: Operation, example: Mapping[str, Any]) -> str:
    """Return how an example is named in ids."""
    if example is operation.examples[0]:
        return ""
    first = operation.examples[0]
    changed = next((f"{name}={example[name]}" for name in WORDS if example.get(name) != first.get(name)), "")
    return f"{example.get('rule') or example.get('step') or changed} "


CLOSED = frozenset(
    {"basic_composition_epsilon", "zcdp_of_gaussian", "zcdp_composition", "gdp_of_gaussian"}
    | {"gdp_composition"}
)
"""Rules whose results are sums, products and roots, so that arguments of any size have an answer."""


def _is_answerable(op: str, args: dict[str, Any]) -> bool:
    """Return whether a request has a number as an answer; laws and distances have cases of their own."""
    try:
        return args.get("rule") in CLOSED and exact_answer(op, args) is not None
    except PreconditionError:
        return False


TABLE_CASES = TableCases(OPERATIONS, _variant, _is_answerable, variants=_variants)
