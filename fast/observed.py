"""Features that are read from the data, for experiments: this is not private."""

from __future__ import annotations

from datetime import date
from math import isnan
from typing import Any

import numpy as np

from privboost.errors import PreconditionError

from .cells import EPOCH, entry_of, float_of, read_column, read_days, read_numbers
from .features import MOST_VALUES, Categorical, Date, Feature, Numeric, Spacing


def observe_feature(name: str, column: Any, values: int, spacing: Spacing | None) -> Feature:
    """Return the feature that the entries of a column suggest, which is not private.

    Ensures: PreconditionError if a column of neither numbers nor dates has too many distinct entries.
    """
    numbers, days = read_numbers(column).astype(np.float64), read_days(column)
    entries = read_column(column)
    rows = enumerate(entries if isinstance(entries, list) else [])
    texts = {row: text for row, entry in rows if (text := _text_of(entry))}
    words = [row for row in texts if isnan(numbers[row])]
    known = days[(days >= date.min.toordinal() - EPOCH) & (days <= date.max.toordinal() - EPOCH)]
    if known.size and np.isnan(numbers).all() and not any(isnan(days[row]) for row in words):
        first, last = (date.fromordinal(EPOCH + int(day)) for day in (known.min(), known.max()))
        return Date(name, first, last, min(values, (last - first).days + 1))
    if not words:
        finite = numbers[np.isfinite(numbers)]
        lo, hi = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        return Numeric(name, lo, hi if hi > lo else lo + 1.0, values, spacing)
    categories = sorted(set(texts.values()))
    if len(categories) > MOST_VALUES:
        wanted = f"numbers, dates, or at most {MOST_VALUES} distinct entries, in a domain that is observed"
        raise PreconditionError(f"domain, {name}", wanted, f"{len(categories)} distinct entries")
    return Categorical(name, tuple(categories))


def _text_of(entry: Any) -> str:
    """Return an entry as the name of a category; an empty string if it is missing."""
    text = entry_of(entry)
    if not isinstance(text, str):
        number = float_of(text)
        text = str(int(number)) if number.is_integer() else str(number)
    return "" if text.strip().lower() in ("", "nan") else text
