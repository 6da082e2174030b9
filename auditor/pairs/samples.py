"""Samples over {0, 1}^k as lists of strings, and as the reference has them.

A string is one example: the values of its attributes, then its label. '01+' is ((0, 1), +1).
"""

from __future__ import annotations

from collections.abc import Sequence

from privboost.reference.data import Example, Sample

Rows = Sequence[str]


def sample_from(rows: Rows) -> Sample:
    """Return the reference's sample of some strings."""
    return tuple(Example(tuple(map(int, row[:-1])), 1 if row[-1] == "+" else -1) for row in rows)


def strings_of(sample: Sample) -> list[str]:
    """Return a sample of the reference as strings."""
    return [str(example) for example in sample]
