"""Shrink a failing request to simpler arguments that still fail."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from privboost.gate.protocol.wire import WireError, read_finite

from .check import Outcome, complexity

ATTEMPTS = 200
"""Maximum number of requests to shrink one failure."""

Judge = Callable[[dict[str, Any]], Outcome | None]


def shrink(outcome: Outcome, judge: Judge, attempts: int = ATTEMPTS) -> Outcome:
    """Return the failure at the simplest arguments that still fail.

    Requires: `judge` sends a request and returns its outcome, or None if the right answer is unknown.
    Ensures: the id and the status stay the same.
    """
    if outcome.request is None:
        return outcome
    best, tried = outcome, set[str]()
    left = attempts
    while left > 0:
        for request in simpler_requests(best.request or {}):
            key = json.dumps(request, sort_keys=True)
            if key in tried:
                continue
            tried.add(key)
            left -= 1
            simpler = judge(request)
            if simpler is not None and simpler.status is outcome.status:
                best = _keep_identity(simpler, outcome, request)
                break
            if left <= 0:
                break
        else:
            break
    return best


def simpler_requests(request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield requests in which one argument is simpler."""
    for args in _simpler(request.get("args", {})):
        yield {"op": request.get("op"), "args": args}


def _keep_identity(simpler: Outcome, origin: Outcome, request: dict[str, Any]) -> Outcome:
    first = origin.origin or origin.request
    return replace(
        origin,
        status=simpler.status,
        message=simpler.message,
        hints=simpler.hints,
        request=request,
        origin=first,
    )


def _simpler(value: Any) -> Iterator[Any]:
    """Yield simpler values: fewer entries first, then simpler entries, then simpler numbers."""
    if isinstance(value, list):
        size = len(value) // 2
        while size:
            for start in range(0, len(value), size):
                yield value[:start] + value[start + size :]
            size //= 2
        for index, entry in enumerate(value):
            yield from ([*value[:index], simple, *value[index + 1 :]] for simple in _simpler(entry))
    elif isinstance(value, dict):
        for name, entry in value.items():
            yield from (value | {name: simple} for simple in _simpler(entry))
    elif isinstance(value, str):
        yield from _simpler_numbers(value)


def _simpler_numbers(string: str) -> Iterator[str]:
    """Yield numbers with fewer digits, the simplest first.

    Ensures: the sign stays, integers stay integers, and other numbers stay fractions.
    """
    try:
        number = read_finite(string)
    except WireError:
        return
    nearest = (number.limit_denominator(most) for most in (1, 2, 3, 4, 5, 8, 10, 16, 100, 1000))
    usual = (Fraction(1), Fraction(2), Fraction(10), Fraction(1, 2), Fraction(1, 4), Fraction(3, 4))
    for simple in dict.fromkeys((*usual, *(-each for each in usual), *nearest)):
        if _kind(simple) == _kind(number) and complexity(simple) < complexity(number):
            yield str(simple)


def _kind(number: Fraction) -> tuple[bool, bool, bool]:
    return number == 0, number < 0, number.denominator == 1
