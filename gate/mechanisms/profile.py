"""The profile `mechanisms`: noise, choices, aggregates, steps and accounting of any library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

from privboost.gate.check import WIRE, Check
from privboost.gate.checks.vectors import vector_checks
from privboost.gate.checks.wire import wire_checks
from privboost.gate.mechanisms.cases.flags import BUGS, FLAGS
from privboost.gate.mechanisms.operations.table import MEANINGS, OPERATIONS
from privboost.gate.profile import CheckGroup, FaultyImplementation, Profile, ProtocolPage, VectorSource
from privboost.gate.protocol.hello import Limit

from .levels import Level


def _later(module: str, name: str) -> Callable[..., Any]:
    """Return a function that imports another one of this package when it is called, and calls it."""

    def call(*arguments: Any) -> Any:
        return getattr(import_module(f"{__package__}.{module}"), name)(*arguments)

    return call


def _number_checks() -> Iterable[Check]:
    return vector_checks(PROFILE, (Level.NUMBERS, Level.REFUSAL))


def _law_checks() -> Iterable[Check]:
    from privboost.gate.mechanisms.checks.laws import law_checks

    return law_checks(PROFILE)


def _request_checks() -> Iterable[Check]:
    from privboost.gate.mechanisms.checks.repeats import repeat_checks
    from privboost.gate.mechanisms.checks.requests import request_checks

    yield from request_checks(PROFILE)
    yield from repeat_checks(PROFILE)


def _low_bit_checks() -> Iterable[Check]:
    from privboost.gate.mechanisms.checks.low_bits import low_bit_checks

    return low_bit_checks()


def _map_checks() -> Iterable[Check]:
    from privboost.gate.mechanisms.checks.maps import map_checks

    return map_checks(PROFILE)


def _plausible_flags(flags: Sequence[str], *_: object) -> Sequence[str]:
    """Return the flags of a case: each may explain a wrong number."""
    return flags


def _faulty() -> dict[str, FaultyImplementation]:
    from privboost.gate.mechanisms.faulty import MISTAKES

    return {name: mistake.describe() for name, mistake in MISTAKES.items()}


LOW_BITS = "low-bits"
LABELS = frozenset(
    label
    for operation in OPERATIONS.values()
    for label in (operation.label, *operation.label_by_word.values())
)
LABEL_NAMES = {
    WIRE: "requests and answers",
    LOW_BITS: "floating-point digits of noisy numbers",
} | {label: label.replace("-", " ") for label in LABELS}
_OF = {
    level: frozenset(
        label
        for operation in OPERATIONS.values()
        if operation.level == level
        for label in (operation.label, *operation.label_by_word.values())
    )
    for level in (Level.NUMBERS, Level.MAPS, Level.LAWS)
}

PROFILE = Profile(
    name="mechanisms",
    version="1",
    package="privboost.gate.mechanisms",
    levels=tuple(Level),
    operations=OPERATIONS,
    core=None,
    label_names=LABEL_NAMES,
    limits=(Limit("count", "Largest number of draws in one request."),),
    flags=FLAGS,
    flags_of_points=frozenset(),
    plausible_flags=_plausible_flags,
    groups=(
        CheckGroup(frozenset({WIRE}), frozenset({Level.WIRE}), wire_checks),
        CheckGroup(LABELS, frozenset({Level.NUMBERS, Level.REFUSAL}), _number_checks),
        CheckGroup(_OF[Level.MAPS], frozenset({Level.MAPS}), _map_checks),
        CheckGroup(_OF[Level.LAWS], frozenset({Level.LAWS}), _law_checks),
        CheckGroup(_OF[Level.LAWS], frozenset({Level.LAWS}), _request_checks),
        CheckGroup(frozenset({LOW_BITS}), frozenset({Level.LAWS}), _low_bit_checks),
    ),
    vectors=VectorSource(
        cases=_later("cases", "all_cases"),
        answer=_later("expected.ask", "exact_answer"),
        provenance=_later("expected.ask", "provenance"),
        variants=("rule", "step"),
        choices=("rule", "step", "relation"),
        release="2026.11.19",
        bugs=BUGS,
    ),
    implementations={"plain": _later("faulty.model", "PlainLibrary")},
    faulty=_faulty,
    load_faulty=_later("faulty", "load"),
    page=ProtocolPage(
        path="docs/mechanisms_protocol.md", meanings=MEANINGS, records={}, complete="accounting"
    ),
    claims={"low_bits": "the floating-point digits of a noisy number do not depend on the exact one"},
)
