"""Marks of single parameters of tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def slow(values: Iterable[Any]) -> list[Any]:
    """Return parameters that `make thorough` tests and `make test` does not."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


def keep_every(step: int, values: Iterable[Any]) -> list[Any]:
    """Return parameters of which `make test` tests one in `step`, and `make thorough` the others."""
    marks = ((), (pytest.mark.slow,))
    return [pytest.param(value, marks=marks[index % step > 0]) for index, value in enumerate(values)]
