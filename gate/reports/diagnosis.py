"""Patterns in the failures of a label: arguments at which all answers are right, or all wrong."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice

from privboost.gate.check import REFUSAL, Outcome, Status
from privboost.gate.protocol.wire import WireError, read_finite
from privboost.gate.result import GateResult

FEWEST = 3
"""Minimum number of cases that make a pattern."""
MOST_SHOWN = 4


def diagnosis(result: GateResult, label: str) -> list[str]:
    """Return one line for every level and operation that fails under a label."""
    groups: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for outcome in result.outcomes:
        if outcome.label == label and outcome.status is not Status.SKIP and outcome.request is not None:
            groups[outcome.level, outcome.request["op"]].append(outcome)
    return [
        _describe_unrefused(op, outcomes) if level == REFUSAL else _line(op, outcomes)
        for (level, op), outcomes in sorted(groups.items(), key=lambda group: group[0][0] == REFUSAL)
        if any(each.is_bad for each in outcomes)
    ]


def most_informative_first(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return failures without repeated requests, the most informative first.

    Ensures: wrong values before missing refusals; short and ordinary arguments first; one failure of each
        kind before more of the same kind.
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


def _rank(outcome: Outcome) -> tuple[bool, bool, bool, int, int]:
    args = (outcome.request or {}).get("args", {})
    special = sum(
        value in ("0", "1", "infinity", "-infinity", "nan")
        for value in args.values()
        if isinstance(value, str)
    )
    is_refusal = outcome.level == REFUSAL
    return outcome.is_derived, is_refusal, outcome.status is Status.ERROR, special, len(json.dumps(args))


def _describe_unrefused(op: str, outcomes: Sequence[Outcome]) -> str:
    """Describe the kinds of wrong requests that are not refused."""
    bad = [outcome for outcome in outcomes if outcome.is_bad]
    kinds = dict.fromkeys(flag.replace("-", " ") for outcome in bad for flag in outcome.flags)
    names = f" ({', '.join(kinds)})" if kinds else ""
    return f"{op} does not refuse {len(bad)} of {len(outcomes)} wrong requests{names}"


def _line(op: str, outcomes: Sequence[Outcome]) -> str:
    bad = sum(outcome.is_bad for outcome in outcomes)
    if bad == len(outcomes):
        return f"{op} is wrong in all of {bad} cases" if bad > 1 else f"{op} is wrong in the only case"
    right = _uniform_arguments(outcomes, bad=False)
    pattern = f"; right wherever {', '.join(right[:MOST_SHOWN])}" if right else ""
    wrong = [] if right else _uniform_arguments(outcomes, bad=True)
    pattern += f"; wrong wherever {', '.join(wrong[:MOST_SHOWN])}" if wrong else ""
    return f"{op} is wrong in {bad} of {len(outcomes)} cases{pattern}"


def _uniform_arguments(outcomes: Sequence[Outcome], *, bad: bool) -> list[str]:
    """Return the arguments at which all cases are wrong, or all are right, the most frequent first.

    Failures count with the arguments that were sent first, as passes do, not with simplified ones.
    """
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for outcome in outcomes:
        request = outcome.origin or outcome.request or {}
        for name, value in request.get("args", {}).items():
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
