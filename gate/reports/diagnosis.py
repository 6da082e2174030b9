"""Patterns in the failures of a label: arguments at which all answers are right, or all wrong."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice

from privboost.gate.check import Outcome, Status
from privboost.gate.protocol.wire import WireError, read_finite
from privboost.gate.result import GateResult

FEWEST = 3
"""Minimum number of cases that make a pattern."""
MOST_SHOWN = 4


def diagnosis(result: GateResult, label: str) -> list[str]:
    """Return one line for every operation that fails under a label."""
    by_operation: dict[str, list[Outcome]] = defaultdict(list)
    levels = {outcome.level for outcome in result.failures if outcome.label == label}
    for outcome in result.outcomes:
        judged = outcome.status is not Status.SKIP and outcome.request is not None
        if judged and outcome.label == label and outcome.level in levels:
            by_operation[outcome.request["op"]].append(outcome)  # type: ignore[index]
    return [
        _line(op, outcomes) for op, outcomes in by_operation.items() if any(each.is_bad for each in outcomes)
    ]


def most_informative_first(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return failures without repeated requests, the most informative first.

    Ensures: short and ordinary arguments first; one failure of each kind before more of the same kind.
    """
    ranked = sorted(outcomes, key=_rank)
    distinct: dict[object, Outcome] = {}
    for outcome in ranked:
        request = json.dumps(outcome.request) if outcome.request else outcome.check
        distinct.setdefault((outcome.level, request), outcome)
    kinds: dict[object, Outcome] = {}
    for outcome in distinct.values():
        kinds.setdefault(((outcome.request or {}).get("op"), outcome.status, outcome.flags), outcome)
    first = list(kinds.values())
    return [
        *first,
        *(outcome for outcome in distinct.values() if not any(outcome is other for other in first)),
    ]


def examples(failures: Sequence[Outcome], most: int) -> list[Outcome]:
    """Return the most informative failures, at least one of every level and operation.

    Ensures: no more than `most` of them, unless there are more levels and operations.
    """
    ranked = most_informative_first(failures)
    kinds = [(outcome.level, (outcome.request or {}).get("op")) for outcome in ranked]
    needed = {kinds.index(kind) for kind in kinds}
    others = (index for index in range(len(ranked)) if index not in needed)
    chosen = needed | set(islice(others, max(0, most - len(needed))))
    return [ranked[index] for index in sorted(chosen)]


def _rank(outcome: Outcome) -> tuple[bool, bool, int, int]:
    args = (outcome.request or {}).get("args", {})
    special = sum(
        value in ("0", "1", "infinity", "-infinity", "nan")
        for value in args.values()
        if isinstance(value, str)
    )
    return outcome.is_derived, outcome.status is Status.ERROR, special, len(json.dumps(args))


def _line(op: str, outcomes: Sequence[Outcome]) -> str:
    bad = sum(outcome.is_bad for outcome in outcomes)
    if bad == len(outcomes):
        return f"{op} is wrong in all of {bad} cases" if bad > 1 else f"{op} is wrong in the only case"
    right = _always(outcomes, bad=False)
    pattern = f"; right wherever {', '.join(right[:MOST_SHOWN])}" if right else ""
    wrong = [] if right else _always(outcomes, bad=True)
    pattern += f"; wrong wherever {', '.join(wrong[:MOST_SHOWN])}" if wrong else ""
    return f"{op} is wrong in {bad} of {len(outcomes)} cases{pattern}"


def _always(outcomes: Sequence[Outcome], *, bad: bool) -> list[str]:
    """Return the arguments at which all cases are wrong, or all are right, the most frequent first."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for outcome in outcomes:
        for name, value in (outcome.request or {}).get("args", {}).items():
            if isinstance(value, str) and len(value) <= 20:
                counts[name, _value(value)][outcome.is_bad] += 1
    uniform = [(sum(count), name, value) for (name, value), count in counts.items() if count[not bad] == 0]
    ranked = sorted((entry for entry in uniform if entry[0] >= FEWEST), key=lambda entry: -entry[0])
    return [f"{name} = {value} ({count} cases)" for count, name, value in ranked]


def _value(string: str) -> str:
    """Return a number in its normal form, so that 0.5 and 1/2 agree; other strings unchanged."""
    try:
        return str(read_finite(string))
    except WireError:
        return string
