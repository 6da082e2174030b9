"""The cases of the test vectors."""

from __future__ import annotations

from collections.abc import Iterator

from privboost.gate.profile import VectorCase


def all_cases() -> Iterator[VectorCase]:
    """Yield every case of every operation."""
    from .laws import law_cases
    from .maps import map_cases
    from .numbers import number_cases
    from .of_table import TABLE_CASES

    yield from law_cases()
    yield from map_cases()
    yield from number_cases()
    yield from TABLE_CASES.wrong_requests()
    yield from TABLE_CASES.right_requests()
