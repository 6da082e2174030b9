"""The operation `hello`: what a target says about itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from privboost.printing import make_printable

from .kinds import NumberKind
from .operation import Operation, Variant
from .wire import LONGEST_NUMBER, WireError, read_integer, read_list, read_object, read_string

PROTOCOL = 1
"""Version of the protocol."""
HELLO = Operation(
    "hello",
    "",
    "wire",
    "name, version, protocol, operations; optionally limits",
    {"protocol": NumberKind(Fraction(0), is_integer=True, is_json=True)},
    ({"protocol": 1},),
)
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit that a target may state, on the argument with its name."""

    name: str
    description: str
    lists: str = ""
    """The name of a list whose length is limited in requests without that argument."""

    def exceeds(self, args: Mapping[str, object], greatest: int) -> bool:
        """Return whether the arguments of a request are beyond the limit."""
        rows = args.get(self.lists)
        value = args.get(self.name, len(rows) if isinstance(rows, list) else None)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= LONGEST_NUMBER:
            value = int(value)
        return isinstance(value, int) and value > greatest


@dataclass(frozen=True, slots=True)
class Hello:
    """What a target says about itself."""

    name: str
    version: str
    operations: frozenset[str]
    limits: Mapping[str, int] = field(default_factory=dict)
    variants: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """The words that it takes, by operation and argument; where nothing is said, it takes all."""
    claims: frozenset[str] = frozenset()
    """The properties that its documentation claims."""

    def leaves_out(self, variant: Variant) -> bool:
        """Return whether it says that it does not take a variant."""
        stated = self.variants.get(variant.operation, {})
        return variant.argument in stated and variant.word not in stated[variant.argument]

    def left_out(self, operations: Iterable[Operation]) -> tuple[Variant, ...]:
        """Return the variants of operations that it says it does not take."""
        variants = (
            Variant(operation.name, argument, word)
            for operation in operations
            for argument, words in operation.variants().items()
            for word in words or ("",)
        )
        return tuple(filter(self.leaves_out, variants))


def read_hello(
    result: object,
    operations: Mapping[str, Operation],
    limits: Collection[Limit],
    claims: Collection[str] = (),
) -> Hello:
    """Return the result of `hello`, given the operations, the limits and the properties of the profile.

    Ensures: WireError if it is not valid.
    """
    members = read_object(result, "hello", ("name", "version", "protocol", "operations"))
    if members["protocol"] != PROTOCOL or isinstance(members["protocol"], bool):
        raise WireError("hello.protocol", f"the number {PROTOCOL}", members["protocol"])
    listed = read_list(members["operations"], "hello.operations")
    names = frozenset(read_string(name, f"hello.operations[{index}]") for index, name in enumerate(listed))
    if unknown := sorted(names - {HELLO.name, *operations}):
        raise WireError("hello.operations", f"operations of the protocol ({', '.join(operations)})", unknown)
    stated = read_object(members.get("limits", {}), "hello.limits")
    return Hello(
        _one_line(members["name"], "hello.name"),
        _one_line(members["version"], "hello.version"),
        names - {HELLO.name},
        {
            limit.name: read_integer(stated[limit.name], f"hello.limits.{limit.name}", least=1)
            for limit in limits
            if limit.name in stated
        },
        _read_variants(members.get("variants", {}), operations),
        _read_claims(members.get("claims", []), claims) if claims else frozenset(),
    )


def _read_claims(result: object, known: Collection[str]) -> frozenset[str]:
    """Return the properties that a target claims."""
    stated = {read_string(name, "hello.claims") for name in read_list(result, "hello.claims")}
    if unknown := sorted(stated - set(known)):
        raise WireError("hello.claims", f"properties of the protocol ({', '.join(known)})", unknown)
    return frozenset(stated)


def _read_variants(
    result: object, operations: Mapping[str, Operation]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the variants that a target takes, by operation and argument."""
    path, variants = "hello.variants", {}
    for name, stated in read_object(result, path).items():
        if name not in operations:
            raise WireError(path, f"operations of the protocol ({', '.join(operations)})", name)
        known = operations[name].variants()
        variants[name] = {
            argument: _read_words(words, f"{path}.{name}.{argument}", known.get(argument))
            for argument, words in read_object(stated, f"{path}.{name}").items()
        }
    return variants


def _read_words(result: object, path: str, known: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the words of an argument; none for an optional argument that the target does not take."""
    if known is None:
        raise WireError(path, "an argument that selects a variant", result)
    words = tuple(read_string(word, path) for word in read_list(result, path))
    if set(words) - set(known) or (known and not words):
        raise WireError(path, f"words of {', '.join(known)}" if known else "an empty list", result)
    return words


def usable_hello(result: object, operations: Collection[str]) -> Hello | None:
    """Return the usable part of an invalid result of `hello`; None if it lists no operations."""
    members = result if isinstance(result, dict) else {}
    listed = members.get("operations")
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        return None
    strings = (members.get(name) for name in ("name", "version"))
    name, version = (_one_line(value, "hello") if isinstance(value, str) else "" for value in strings)
    return Hello(name, version, frozenset(operations) & frozenset(listed))


def _one_line(result: object, path: str) -> str:
    return " ".join(make_printable(read_string(result, path)).split())[:LONGEST_NAME]
