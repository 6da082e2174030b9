"""What all targets share: a count of faults, and requests that are not sent because of `hello`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from privboost.gate.check import Request, Target
from privboost.gate.protocol.hello import Hello, Limit
from privboost.gate.protocol.operation import Operation
from privboost.targets.conversation import GRACE, Answer, Fault, FaultKind

HANGS = 3
"""Number of hangs after which an operation is not asked again."""
FAULTS = 25
"""Number of other faults after which it is not asked again: in all for a program, in a row for an object.

A Python object survives an exception and needs no restart, so single exceptions do not count.
"""


class Faults:
    """Count faults by operation.

    An operation is not asked again after HANGS hangs or FAULTS other faults. The target is given up when two
    operations are not and it has answered nothing but `hello`: the fault is not a matter of the operation.
    """

    def __init__(self) -> None:
        self._hangs: Counter[str] = Counter()
        self._others: Counter[str] = Counter()
        self._answers = False

    def add_answer(self, op: str) -> None:
        """Count an answer."""
        self._answers = self._answers or op != "hello"

    def add(self, op: str, fault: Fault, *, says_last: bool = True) -> Fault | None:
        """Count a fault; return the fault of giving the target up, or None if it goes on."""
        is_hang = fault.kind is FaultKind.HANG
        counts, most = (self._hangs, HANGS) if is_hang else (self._others, FAULTS)
        counts[op] += 1
        unasked = [each for each in self._hangs | self._others if self.refuse(each)]
        if self._answers or len(unasked) < 2:
            return None
        kind = "hangs" if is_hang else "faults"
        reason = f"after {most} {kind} of each of the operations {' and '.join(unasked)}"
        return Fault(FaultKind.GIVEN_UP, f"{reason}; the last one: {fault}" if says_last else reason)

    def forget(self, op: str) -> None:
        """Forget the faults of an operation that are not hangs."""
        del self._others[op]

    def refuse(self, op: str) -> Answer | None:
        """Return the answer to an operation that is not asked any more; None if it is."""
        hangs = self._hangs[op] >= HANGS
        if not hangs and self._others[op] < FAULTS:
            return None
        number = f"{HANGS} hangs (a longer timeout gives more time)" if hangs else f"{FAULTS} faults"
        return Answer(fault=Fault(FaultKind.NOT_ASKED, f"{op} was not asked again after {number}"))


class Announced:
    """A target; requests beyond its `hello` are answered with `unsupported` without being sent."""

    def __init__(
        self, target: Target, hello: Hello, operations: Mapping[str, Operation], limits: Collection[Limit]
    ) -> None:
        self.hello = hello
        self._target, self._operations = target, operations
        self._limits = [(limit, hello.limits[limit.name]) for limit in limits if limit.name in hello.limits]

    @property
    def name(self) -> str:
        """Return the name of the target on the command line."""
        return self._target.name

    @property
    def ended(self) -> Fault | None:
        """Return why the target was given up; None if it was not."""
        return self._target.ended

    def ask(self, op: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer to one request."""
        return self.skip(op, args) or self._target.ask(op, args)

    def ask_many(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """Yield the answers to requests."""
        sent = [(request, self.skip(*request)) for request in requests]
        answers = self._target.ask_many([request for request, skipped in sent if skipped is None])
        for _, skipped in sent:
            yield skipped or next(answers)

    def close(self, grace: float = GRACE) -> bool:
        """Close the target; return whether it ends by itself."""
        return self._target.close(grace)

    def skip(self, op: str, args: Mapping[str, Any]) -> Answer | None:
        """Return the answer to a request that is not sent; None if it is to be sent."""
        if op in self._operations and op not in self.hello.operations:
            return Answer(unsupported=f"hello does not list {op!r}")
        for limit, greatest in self._limits:
            if limit.exceeds(args, greatest):
                return Answer(unsupported=f"hello limits {limit.name} to {greatest}")
        if op in self.hello.variants:
            for variant in filter(self.hello.leaves_out, self._operations[op].variants_of(args)):
                return Answer(unsupported=f"hello leaves out {variant.argument}={variant.word}".rstrip("="))
        return None
