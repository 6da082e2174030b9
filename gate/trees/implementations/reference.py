"""The reference as an implementation: exact answers written on the wire, and samples.

Rational numbers are written as exact strings, others as the nearest float.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from privboost import __version__
from privboost.errors import Undecided
from privboost.gate.protocol.hello import PROTOCOL
from privboost.gate.protocol.wire import LONGEST_NUMBER
from privboost.gate.trees.expected.ask import expected_of
from privboost.gate.trees.expected.learner import Excluded, setting_and_sample
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.gate.trees.operations.requests import Arguments
from privboost.gate.trees.operations.training import read_training, result_of
from privboost.reference import losses
from privboost.reference.exact import ClosedInterval, Extended, Infinity, enclose
from privboost.reference.learners import records
from privboost.reference.learners.ensemble import sample_private_ensemble
from privboost.reference.privacy import samplers
from privboost.reference.privacy.bits import SeededBits

LIMITS = {"count": 10000}
"""Limits that exact arithmetic meets in reasonable time."""

MOST_BITS = 1 << 13
"""Precision, in bits, beyond which a number is treated as the midpoint of two floats and rounded up."""


class ReferenceImplementation:
    """The reference."""

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return the result of an operation; raise ValueError for invalid arguments."""
        if op != "hello" and op not in OPERATIONS:
            raise NotImplementedError(f"there is no operation {op!r}")
        arguments = Arguments(op, args)
        try:
            if op in _RANDOM and "tape" not in arguments:
                return _RANDOM[op](arguments)
            return encode_value(expected_of(op, args))
        except Excluded as error:
            raise NotImplementedError(f"the reference does not allow this: {error}") from None
        except Undecided as error:
            raise NotImplementedError(f"exact arithmetic gives up: {error}") from None


def encode_value(value: Any) -> Any:
    """Return an exact result as JSON values."""
    if isinstance(value, Mapping):
        return {name: encode_value(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [encode_value(entry) for entry in value]
    return value if isinstance(value, str) else _number(value)


def _number(value: Extended | ClosedInterval) -> str | float:
    if isinstance(value, ClosedInterval):
        value = losses.select(value)
    if isinstance(value, Infinity):
        return str(value)
    if isinstance(value, int | Fraction) and len(string := str(value)) <= LONGEST_NUMBER:
        return string
    bits = 160
    while True:
        part = enclose(value, bits)
        if float(part.lo) == float(part.hi) or bits > MOST_BITS:
            return float(part.hi) + 0.0
        bits *= 2


def _hello(_: Arguments) -> dict[str, Any]:
    return {
        "name": "privboost.reference",
        "version": __version__,
        "protocol": PROTOCOL,
        "operations": list(OPERATIONS),
        "limits": LIMITS,
    }


def _sample_split(a: Arguments) -> list[str]:
    bits, count = SeededBits(a["seed"]), _count(a)
    names, numbers = list(a["scores"]), list(a["scores"].values())
    sample = samplers.sample_permute_and_flip
    if a["law"] == "exponential":
        sample = samplers.sample_exponential_mechanism
    return [names[sample(numbers, a["epsilon"], a["sensitivity"], bits)] for _ in range(count)]


def _sample_laplace(a: Arguments) -> list[str]:
    bits, count = SeededBits(a["seed"]), _count(a)
    return [str(samplers.sample_discrete_laplace(a["scale"], a["grid"], bits)) for _ in range(count)]


def _count(a: Arguments) -> int:
    if a["count"] > LIMITS["count"]:
        raise NotImplementedError(f"at most {LIMITS['count']} draws in one request")
    return int(a["count"])


def _train(a: Arguments) -> dict[str, Any]:
    training = read_training(a)
    assert training.seed is not None
    setting, sample = setting_and_sample(training)
    fit: list[records.Record] = []
    sample_private_ensemble(setting, sample, SeededBits(training.seed), record=fit.append)
    return result_of(fit, encode_value)


_RANDOM: dict[str, Callable[[Arguments], Any]] = {
    "hello": _hello,
    "sample_split": _sample_split,
    "sample_laplace": _sample_laplace,
    "train": _train,
}
"""Operations that the exact answers do not cover; `train` with a tape is covered."""
