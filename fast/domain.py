"""Public domains: what everybody may know of the features before seeing data, and the coding of rows by it.

A numeric feature is cut into a public number of values between public bounds, at equal distances or at equal
ratios; what lies outside is counted at the nearest bound. A categorical feature has a public list of
categories. Nothing is read from the data.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError
from privboost.fast.kernels import KERNELS
from privboost.strict_json import parse

MOST_VALUES = 256
"""A code is one byte."""

CODED = 1 << 13
"""Rows that are coded at a time."""

TWO_DECADES = 100
"""Bounds 0 < lo < hi with hi at least so many times lo are cut at equal ratios, unless the user says else."""

DIGITS = Context(prec=50, rounding=ROUND_HALF_EVEN, Emin=-9999, Emax=9999, traps=[])
"""Decimal arithmetic is rounded correctly, logarithms too, so that every machine finds the same cuts."""

Missing = Literal["refuse", "lowest"]
Spacing = Literal["regular", "ratio"]
SPACINGS: tuple[Spacing, ...] = get_args(Spacing)


class NonPrivateWarning(UserWarning):
    """Something was read from the data without being paid for."""


def warn_not_private(what: str) -> None:
    """Warn, at the line that called this package, of what the guarantee does not cover."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith("privboost.fast."):
        level, frame = level + 1, frame.f_back
    warnings.warn(f"{what}; the privacy guarantee does not cover it", NonPrivateWarning, stacklevel=level)


@dataclass(frozen=True, slots=True)
class Numeric:
    """A numeric feature: public bounds, the number of values it is cut into, and how.

    `regular` cuts at equal distances, as the paper does; `ratio` cuts at equal ratios, which needs lo > 0.
    Where nothing is chosen it is `ratio` if 0 < TWO_DECADES lo <= hi, and `regular` otherwise.
    """

    name: str
    lo: float
    hi: float
    values: int = 10
    spacing: Spacing | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "lo", float(self.lo))
        object.__setattr__(self, "hi", float(self.hi))
        if not (self.lo < self.hi and np.isfinite(self.hi - self.lo)):
            raise PreconditionError(f"domain, {self.name}", "finite bounds lo < hi", (self.lo, self.hi))
        _check_size(self.name, self.values)
        if self.spacing is None:
            wide = 0 < TWO_DECADES * self.lo <= self.hi
            object.__setattr__(self, "spacing", "ratio" if wide else "regular")
        elif self.spacing not in SPACINGS:
            raise PreconditionError(f"domain, {self.name}", f"one of {list(SPACINGS)}", repr(self.spacing))
        if self.spacing == "ratio" and self.lo <= 0:
            raise PreconditionError(f"domain, {self.name}", "lo > 0 for cuts at equal ratios", self.lo)
        ends = (self.lo, *self.edges.tolist(), self.hi)
        if any(low >= high for low, high in pairwise(ends)):
            raise PreconditionError(
                f"domain, {self.name}", f"bounds with {self.values} floats between them", (self.lo, self.hi)
            )

    @property
    def edges(self) -> NDArray[np.float64]:
        """Return where one value ends and the next begins, without the two bounds."""
        cut = _ratio_cuts if self.spacing == "ratio" else _regular_cuts
        return np.array(cut(self.lo, self.hi, self.values), dtype=np.float64)

    def codes(self, column: Any, missing: Missing) -> NDArray[np.uint8]:
        """Return the value of every row, bounds clipped."""
        numbers = _numbers_of(column)
        found = np.empty(numbers.size, dtype=np.uint8)
        self.check(self.write_codes(numbers, found), missing)
        return found

    def write_codes(self, numbers: NDArray[Any], found: NDArray[np.uint8]) -> int:
        """Write the value of every row, and return how many numbers are not finite.

        The edges decide, so that every machine agrees; NaN is below all of them.
        """
        if numbers.dtype not in (np.float64, np.float32):
            numbers = numbers.astype(np.float64)
        with np.errstate(over="ignore"):
            scale = float(np.float64(self.values) / (self.hi - self.lo)) if self.spacing == "regular" else 0.0
        return int(KERNELS["code"](numbers, self.lo, scale, self.edges, found))

    def check(self, strange: int, missing: Missing) -> None:
        """Refuse numbers that are not finite, unless missing ones are allowed."""
        if strange and missing == "refuse":
            raise PreconditionError(
                f"X, {self.name}", "no NaN or infinity (or missing='lowest')", f"{strange} of them"
            )


def _regular_cuts(lo: float, hi: float, values: int) -> tuple[float, ...]:
    """Return lo + (hi - lo) k / values for k = 1, ..., values - 1."""
    return tuple(lo + (hi - lo) * (cell / values) for cell in range(1, values))


@lru_cache(maxsize=1 << 12)
def _ratio_cuts(lo: float, hi: float, values: int) -> tuple[float, ...]:
    """Return lo (hi / lo)^(k / values) for k = 1, ..., values - 1."""
    start = DIGITS.ln(Decimal(lo))
    step = DIGITS.divide(DIGITS.subtract(DIGITS.ln(Decimal(hi)), start), Decimal(values))
    return tuple(float(DIGITS.exp(DIGITS.fma(step, Decimal(cell), start))) for cell in range(1, values))


@dataclass(frozen=True, slots=True)
class Categorical:
    """A feature with a public list of categories."""

    name: str
    categories: tuple[Any, ...]

    def __post_init__(self) -> None:
        if len(set(self.categories)) != len(self.categories):
            raise PreconditionError(f"domain, {self.name}", "distinct categories", self.categories)
        _check_size(self.name, len(self.categories))

    @property
    def values(self) -> int:
        """Return the number of categories."""
        return len(self.categories)

    def codes(self, column: Any, missing: Missing) -> NDArray[np.uint8]:
        """Return the number of every row's category."""
        numbers = {category: number for number, category in enumerate(self.categories)}
        unknown = -1
        if hasattr(column, "cat"):
            # Each declared category is looked up once; missing entries have code -1, the last.
            kept = [numbers.get(category, unknown) for category in column.cat.categories]
            found = np.array([*kept, unknown], dtype=np.int64)[np.asarray(column.cat.codes)]
        else:
            listed = np.asarray(column, dtype=object).tolist()
            found = np.array([numbers.get(entry, unknown) for entry in listed], dtype=np.int64)
        strange = np.flatnonzero(found == unknown)
        entries = np.asarray(column, dtype=object)[strange] if strange.size else ()
        for entry in entries:
            if missing != "lowest" or not _is_missing(entry):
                raise PreconditionError(f"X, {self.name}", f"one of {self.categories}", repr(entry))
        found[strange] = 0
        codes: NDArray[np.uint8] = found.astype(np.uint8)
        return codes


Feature = Numeric | Categorical


def _numbers_of(column: Any) -> NDArray[Any]:
    """Return a column of plain numbers as it is, so that nothing is copied, and any other one as floats."""
    numbers = np.asarray(column)
    return numbers if numbers.dtype.kind in "biuf" else np.asarray(column, dtype=np.float64)


def _is_missing(entry: Any) -> bool:
    """Return whether an entry stands for nothing: None, NaN, or a data frame's own marker."""
    return entry is None or type(entry).__name__ in ("NAType", "NaTType") or bool(entry != entry)  # noqa: PLR0124


def _check_size(name: str, size: int) -> None:
    if not 1 <= size <= MOST_VALUES:
        raise PreconditionError(f"domain, {name}", f"1 to {MOST_VALUES} values", size)


@dataclass(frozen=True, slots=True)
class Domain:
    """The public features, in order."""

    features: tuple[Feature, ...]
    is_public: bool = True
    """False where the bounds were read from the data."""

    def __post_init__(self) -> None:
        names = [feature.name for feature in self.features]
        if not names or len(set(names)) != len(names):
            raise PreconditionError("domain", "at least one feature, and distinct names", names)

    @classmethod
    def from_bounds(
        cls,
        bounds: Iterable[tuple[float, float]],
        *,
        values: int = 10,
        names: Sequence[str] | None = None,
        spacing: Spacing | None = None,
    ) -> Domain:
        """Return a domain of numeric features from their public bounds."""
        pairs = list(bounds)
        called = [f"x{number}" for number in range(len(pairs))] if names is None else list(map(str, names))
        return cls(
            tuple(
                Numeric(name, float(lo), float(hi), values, spacing)
                for name, (lo, hi) in zip(called, pairs, strict=True)
            )
        )

    @classmethod
    def from_schema(cls, schema: Mapping[str, Any] | str | Path) -> Domain:
        """Return the domain that a JSON document describes, given as a mapping or as the path of a file.

        {"features": [{"name": "age", "lo": 0, "hi": 120, "values": 12},
                      {"name": "income", "lo": 100, "hi": 1e6, "spacing": "ratio"},
                      {"name": "sex", "categories": ["f", "m"]}]}
        """
        document = (
            schema if isinstance(schema, Mapping) else parse(Path(schema).read_bytes(), str(schema)).value
        )
        entries = document.get("features") if isinstance(document, Mapping) else None
        if not isinstance(entries, list) or not entries:
            raise PreconditionError("schema", 'a non-empty list under "features"', document)
        return cls(tuple(_feature_of(entry) for entry in entries))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        *,
        values: int = 10,
        spacing: Spacing | None = None,
    ) -> Domain:
        """Return a domain from a data frame's declared types; its values are not looked at.

        Categories come from categorical types, both values of booleans are assumed, small integers span their
        type, and every other number needs public bounds.
        """
        return cls(
            tuple(
                _declared(name, frame.dtypes[name], (bounds or {}).get(name), values, spacing)
                for name in frame.columns
            )
        )

    @classmethod
    def observed(cls, X: Any, *, values: int = 10, spacing: Spacing | None = None) -> Domain:  # noqa: N803
        """Return a domain with the bounds of the data themselves, which is not private."""
        warn_not_private("the domain was read from the data")
        table = np.asarray(X, dtype=np.float64)
        lows, highs = table.min(axis=0), table.max(axis=0)
        pairs = [(lo, hi if hi > lo else lo + 1.0) for lo, hi in zip(lows, highs, strict=True)]
        names = getattr(X, "columns", None)
        return replace(cls.from_bounds(pairs, values=values, names=names, spacing=spacing), is_public=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the features."""
        return tuple(feature.name for feature in self.features)

    @property
    def bins(self) -> int:
        """Return the largest number of values of a feature."""
        return max(feature.values for feature in self.features)

    def codes(self, X: Any, missing: Missing = "refuse") -> NDArray[np.uint8]:  # noqa: N803
        """Return the codes of a table of rows, one line per feature: shape (features, rows)."""
        columns = _columns_of(X)
        order = self.order_in(getattr(X, "columns", None), len(columns))
        return self.codes_of([columns[place] for place in order], missing)

    def order_in(self, names: Iterable[Any] | None, width: int) -> list[int]:
        """Return where the features are among the columns of a table: by name if it has names, else in order.

        Features called x0, x1, ... have no names of their own, so they too are taken in order.
        """
        columns = [] if names is None else [str(name) for name in names]
        if columns and set(columns) >= set(self.names):
            return [columns.index(name) for name in self.names]
        unnamed = self.names == tuple(f"x{number}" for number in range(len(self.features)))
        if columns and not unnamed:
            raise PreconditionError("X", f"the columns {list(self.names)}", columns)
        if width != len(self.features):
            raise PreconditionError("X", f"{len(self.features)} features, as in the domain", width)
        return list(range(width))

    def codes_of(self, columns: Sequence[Any], missing: Missing = "refuse") -> NDArray[np.uint8]:
        """Return the codes of columns that are in the order of the features."""
        found = np.empty((len(columns), len(columns[0])), dtype=np.uint8)
        pairs = list(zip(self.features, columns, strict=True))
        # All numeric columns of some rows, then of the next: the rows of a table are read once.
        numeric = [
            (number, feature, _numbers_of(column))
            for number, (feature, column) in enumerate(pairs)
            if isinstance(feature, Numeric)
        ]
        strange = [0] * len(pairs)
        for start in range(0, found.shape[1], CODED):
            part = slice(start, start + CODED)
            for number, feature, numbers in numeric:
                strange[number] += feature.write_codes(numbers[part], found[number, part])
        for number, (other, column) in enumerate(pairs):
            if isinstance(other, Numeric):
                other.check(strange[number], missing)
            else:
                found[number] = other.codes(column, missing)
        return found

    def renamed(self, names: Sequence[str] | None) -> Domain:
        """Return the domain with other names of its features, or as it is."""
        if names is None:
            return self
        pairs = zip(self.features, names, strict=True)
        return replace(self, features=tuple(replace(feature, name=str(name)) for feature, name in pairs))

    def to_schema(self) -> dict[str, Any]:
        """Return the JSON document that `from_schema` reads."""
        return {"features": [_entry_of(feature) for feature in self.features]}


def _columns_of(X: Any) -> list[Any]:  # noqa: N803
    """Return the columns of a data frame or of a table, in order."""
    if hasattr(X, "columns"):
        return [X[name] for name in X.columns]
    table = np.asarray(X)
    if table.ndim != 2:
        raise PreconditionError("X", "a table with rows and columns", f"{table.ndim} dimensions")
    return [table[:, number] for number in range(table.shape[1])]


def _feature_of(entry: Any) -> Feature:
    """Return the feature that an entry of a schema describes."""
    if isinstance(entry, Mapping) and isinstance(entry.get("name"), str):
        if set(entry) == {"name", "categories"} and isinstance(entry["categories"], list):
            return Categorical(entry["name"], tuple(entry["categories"]))
        if {"name", "lo", "hi"} <= set(entry) <= {"name", "lo", "hi", "values", "spacing"}:
            lo, hi, values = float(entry["lo"]), float(entry["hi"]), int(entry.get("values", 10))
            return Numeric(entry["name"], lo, hi, values, entry.get("spacing"))
    raise PreconditionError("schema", 'features with "name" and either "categories" or "lo" and "hi"', entry)


def _entry_of(feature: Feature) -> dict[str, Any]:
    if isinstance(feature, Categorical):
        return {"name": feature.name, "categories": list(feature.categories)}
    return {
        "name": feature.name,
        "lo": feature.lo,
        "hi": feature.hi,
        "values": feature.values,
        "spacing": feature.spacing,
    }


def _declared(
    name: str, declared: Any, bounds: tuple[float, float] | None, values: int, spacing: Spacing | None
) -> Feature:
    """Return the feature that a declared type and public bounds describe."""
    if hasattr(declared, "categories"):
        return Categorical(name, tuple(declared.categories))
    if bounds is not None:
        return Numeric(name, float(bounds[0]), float(bounds[1]), values, spacing)
    kind = np.dtype(declared) if not hasattr(declared, "numpy_dtype") else declared.numpy_dtype
    if kind == np.bool_:
        return Categorical(name, (False, True))
    if kind.kind in "iu" and kind.itemsize == 1:
        limits = np.iinfo(kind)
        return Numeric(name, float(limits.min), float(limits.max), values, spacing)
    raise PreconditionError(f"domain, {name}", "public bounds for a numeric column", str(declared))
