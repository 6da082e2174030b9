"""Public domains: the bounds and categories of features, and the coding of rows with them.

A numeric feature is cut into a public number of values between public bounds, at equal distances or at equal
ratios; numbers outside the bounds count at the nearest bound. A categorical feature has a public list of
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
"""Largest number of values of a feature: a code is one byte."""

CODED = 1 << 13
"""Number of rows that are coded at a time."""

TWO_DECADES = 100
"""Smallest ratio hi / lo of positive bounds at which a feature is cut at equal ratios by default."""

DIGITS = Context(prec=50, rounding=ROUND_HALF_EVEN, Emin=-9999, Emax=9999, traps=[])
"""Correctly rounded decimal arithmetic, logarithms included: cuts are the same on every machine."""

Missing = Literal["refuse", "lowest"]
Spacing = Literal["regular", "ratio"]
SPACINGS: tuple[Spacing, ...] = get_args(Spacing)
Provenance = Literal["declared", "schema", "observed"]
PROVENANCES: tuple[Provenance, ...] = get_args(Provenance)


class NonPrivateWarning(UserWarning):
    """Warning that something was read from the data without privacy."""


def warn_not_private(what: str) -> None:
    """Warn that the guarantee does not cover `what`, at the line that called this package or scikit-learn."""
    level, frame = 1, sys._getframe(0)
    inner = ("privboost.fast.", "sklearn.", "joblib.")
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith(inner):
        level, frame = level + 1, frame.f_back
    warnings.warn(f"{what}; the privacy guarantee does not cover it", NonPrivateWarning, stacklevel=level)


@dataclass(frozen=True, slots=True)
class Numeric:
    """Numeric feature with public bounds, divided into a fixed number of values.

    Parameters
    ----------
    name : str
        Name of the feature.
    lo : float
        Public lower bound. Smaller numbers count as `lo`.
    hi : float
        Public upper bound. Larger numbers count as `hi`.
    values : int, default=10
        Number of values that the feature is divided into, at most 256.
    spacing : {'regular', 'ratio'}, default=None
        Whether cuts are at equal distances or at equal ratios; ratios require ``lo > 0``. None chooses
        ``'ratio'`` if ``0 < 100 * lo <= hi``, and ``'regular'`` otherwise.

    Attributes
    ----------
    edges : ndarray of shape (values - 1,)
        Cuts between values.

    Examples
    --------
    >>> from privboost.fast import Numeric
    >>> Numeric("age", 0, 100, values=4).edges
    array([25., 50., 75.])
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
        """Return the cuts between values, without the two bounds."""
        cut = _ratio_cuts if self.spacing == "ratio" else _regular_cuts
        return np.array(cut(self.lo, self.hi, self.values), dtype=np.float64)

    def codes(self, column: Any, missing: Missing) -> NDArray[np.uint8]:
        """Return the code of every number in a column.

        Parameters
        ----------
        column : array-like of shape (n_samples,)
            Numbers; those outside the bounds are clipped.
        missing : {'refuse', 'lowest'}
            Whether to reject NaN and infinities, or to code NaN as 0 and clip infinities.

        Returns
        -------
        codes : ndarray of shape (n_samples,)
            Integers from 0 to ``values - 1``.
        """
        numbers = _numbers_of(column)
        codes = np.empty(numbers.size, dtype=np.uint8)
        self.check(self.write_codes(numbers, codes), missing)
        return codes

    def write_codes(self, numbers: NDArray[Any], codes: NDArray[np.uint8]) -> int:
        """Write the code of every number to `codes`, and return how many numbers are not finite.

        Codes are computed by comparisons with the edges, so they are the same on every machine. NaN is coded
        as 0.
        """
        if numbers.dtype not in (np.float64, np.float32):
            numbers = numbers.astype(np.float64)
        with np.errstate(over="ignore"):
            scale = float(np.float64(self.values) / (self.hi - self.lo)) if self.spacing == "regular" else 0.0
        return int(KERNELS["code"](numbers, self.lo, scale, self.edges, codes))

    def check(self, not_finite: int, missing: Missing) -> None:
        """Raise an error if some numbers are not finite and `missing` is 'refuse'."""
        if not_finite and missing == "refuse":
            raise PreconditionError(
                f"X, {self.name}", "no NaN or infinity (or missing='lowest')", f"{not_finite} of them"
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
    """Feature with a public list of categories.

    Parameters
    ----------
    name : str
        Name of the feature.
    categories : tuple
        Distinct categories, at most 256.

    Attributes
    ----------
    values : int
        Number of categories.

    Examples
    --------
    >>> from privboost.fast import Categorical
    >>> Categorical("smoker", ("no", "yes")).values
    2
    """

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
        """Return the code of every entry of a column.

        Parameters
        ----------
        column : array-like of shape (n_samples,)
            Entries, all of them in `categories`.
        missing : {'refuse', 'lowest'}
            Whether to reject missing entries, or to code them as 0.

        Returns
        -------
        codes : ndarray of shape (n_samples,)
            Indices of the entries in `categories`.
        """
        index_of = {category: index for index, category in enumerate(self.categories)}
        unknown = -1
        if hasattr(column, "cat"):
            # Each declared category is looked up once. Missing entries have code -1: the last item.
            declared = [index_of.get(category, unknown) for category in column.cat.categories]
            indices = np.array([*declared, unknown], dtype=np.int64)[np.asarray(column.cat.codes)]
        else:
            entries = np.asarray(column, dtype=object).tolist()
            indices = np.array([index_of.get(entry, unknown) for entry in entries], dtype=np.int64)
        not_listed = np.flatnonzero(indices == unknown)
        for entry in np.asarray(column, dtype=object)[not_listed] if not_listed.size else ():
            if missing != "lowest" or not _is_missing(entry):
                raise PreconditionError(f"X, {self.name}", f"one of {self.categories}", repr(entry))
        indices[not_listed] = 0
        codes: NDArray[np.uint8] = indices.astype(np.uint8)
        return codes


Feature = Numeric | Categorical


def _numbers_of(column: Any) -> NDArray[Any]:
    """Return a column as an array of numbers; a numeric array is not copied."""
    numbers = np.asarray(column)
    return numbers if numbers.dtype.kind in "biuf" else np.asarray(column, dtype=np.float64)


def _is_missing(entry: Any) -> bool:
    """Return whether an entry is None, NaN, or pandas' NA or NaT."""
    return entry is None or type(entry).__name__ in ("NAType", "NaTType") or bool(entry != entry)  # noqa: PLR0124


def _check_size(name: str, size: int) -> None:
    if not 1 <= size <= MOST_VALUES:
        raise PreconditionError(f"domain, {name}", f"1 to {MOST_VALUES} values", size)


@dataclass(frozen=True, slots=True)
class Domain:
    """Public description of all features.

    Parameters
    ----------
    features : tuple of Numeric and Categorical
        Features with distinct names, in the order of the columns.
    provenance : {'declared', 'schema', 'observed'}, default='declared'
        Whether the features were given by the caller, read from a schema file, or read from the data. The
        last voids the guarantee.

    Attributes
    ----------
    names : tuple of str
        Names of the features.
    bins : int
        Largest number of values of a feature.

    Examples
    --------
    >>> from privboost.fast import Categorical, Domain, Numeric
    >>> domain = Domain((Numeric("age", 0, 120), Categorical("smoker", ("no", "yes"))))
    >>> domain.codes([[47, "yes"], [130, "no"]])
    array([[3, 9],
           [1, 0]], dtype=uint8)
    """

    features: tuple[Feature, ...]
    provenance: Provenance = "declared"

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
        """Return a domain of numeric features.

        Parameters
        ----------
        bounds : iterable of (float, float)
            Public bounds ``(lo, hi)`` of each feature.
        values : int, default=10
            Number of values of each feature.
        names : sequence of str, default=None
            Names of the features. None means x0, x1, and so on.
        spacing : {'regular', 'ratio'}, default=None
            As for `Numeric`.

        Returns
        -------
        domain : Domain
            Domain with one `Numeric` feature for each pair of bounds.

        Examples
        --------
        >>> from privboost.fast import Domain
        >>> Domain.from_bounds([(0, 120), (0, 250)], names=["age", "weight"]).names
        ('age', 'weight')
        """
        pairs = list(bounds)
        called = [f"x{index}" for index in range(len(pairs))] if names is None else list(map(str, names))
        return cls(
            tuple(
                Numeric(name, float(lo), float(hi), values, spacing)
                for name, (lo, hi) in zip(called, pairs, strict=True)
            )
        )

    @classmethod
    def from_schema(cls, schema: Mapping[str, Any] | str | Path) -> Domain:
        """Return the domain that a JSON document describes.

        Parameters
        ----------
        schema : mapping, str or Path
            Document with a list of features, or the path of a JSON file that contains it.

        Returns
        -------
        domain : Domain
            Domain with the features of the document.

        Examples
        --------
        >>> from privboost.fast import Domain
        >>> age = {"name": "age", "lo": 0, "hi": 120, "values": 12}
        >>> income = {"name": "income", "lo": 100, "hi": 1e6, "spacing": "ratio"}
        >>> smoker = {"name": "smoker", "categories": ["no", "yes"]}
        >>> Domain.from_schema({"features": [age, income, smoker]}).bins
        12
        """
        document = (
            schema if isinstance(schema, Mapping) else parse(Path(schema).read_bytes(), str(schema)).value
        )
        entries = document.get("features") if isinstance(document, Mapping) else None
        if not isinstance(entries, list) or not entries:
            raise PreconditionError("schema", 'a non-empty list under "features"', document)
        provenance: Provenance = "declared" if isinstance(schema, Mapping) else "schema"
        return cls(tuple(_feature_of(entry) for entry in entries), provenance)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        *,
        values: int = 10,
        spacing: Spacing | None = None,
    ) -> Domain:
        """Return a domain from the declared types of a data frame, without reading its values.

        Categorical columns have their declared categories, boolean columns have both values, and integers
        of 8 bits have the bounds of their type. All other columns need public bounds.

        Parameters
        ----------
        frame : data frame
            Table whose columns are the features.
        bounds : mapping from str to (float, float), default=None
            Public bounds of numeric columns, by name.
        values : int, default=10
            Number of values of each numeric feature.
        spacing : {'regular', 'ratio'}, default=None
            As for `Numeric`.

        Returns
        -------
        domain : Domain
            Domain with one feature for each column.
        """
        return cls(
            tuple(
                _declared(name, frame.dtypes[name], (bounds or {}).get(name), values, spacing)
                for name in frame.columns
            )
        )

    @classmethod
    def observed(cls, X: Any, *, values: int = 10, spacing: Spacing | None = None) -> Domain:  # noqa: N803
        """Return a domain with the smallest and largest value of each column, which is not private.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to read the bounds from.
        values : int, default=10
            Number of values of each feature.
        spacing : {'regular', 'ratio'}, default=None
            As for `Numeric`.

        Returns
        -------
        domain : Domain
            Domain whose `provenance` is ``'observed'``. A `NonPrivateWarning` is emitted.
        """
        warn_not_private("the domain was read from the data")
        table = np.asarray(X, dtype=np.float64)
        lows, highs = table.min(axis=0), table.max(axis=0)
        pairs = [(lo, hi if hi > lo else lo + 1.0) for lo, hi in zip(lows, highs, strict=True)]
        names = getattr(X, "columns", None)
        domain = cls.from_bounds(pairs, values=values, names=names, spacing=spacing)
        return replace(domain, provenance="observed")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the features."""
        return tuple(feature.name for feature in self.features)

    @property
    def bins(self) -> int:
        """Return the largest number of values of a feature."""
        return max(feature.values for feature in self.features)

    def codes(self, X: Any, missing: Missing = "refuse") -> NDArray[np.uint8]:  # noqa: N803
        """Return the codes of rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows to code.
        missing : {'refuse', 'lowest'}, default='refuse'
            Whether to reject NaN and infinities, or to count NaN as the lowest value and clip infinities.

        Returns
        -------
        codes : ndarray of shape (n_features, n_samples)
            Index of the value of each feature in each row. Note the order of the axes.
        """
        columns = _columns_of(X)
        order = self.order_in(getattr(X, "columns", None), len(columns))
        return self.codes_of([columns[index] for index in order], missing)

    def order_in(self, names: Iterable[Any] | None, width: int) -> list[int]:
        """Return the column index of every feature in a table.

        Columns are matched by name if the table has names, and by order if it has none or if the features
        have the default names x0, x1, and so on.
        """
        columns = [] if names is None else [str(name) for name in names]
        if columns and set(columns) >= set(self.names):
            return [columns.index(name) for name in self.names]
        unnamed = self.names == tuple(f"x{index}" for index in range(len(self.features)))
        if columns and not unnamed:
            raise PreconditionError("X", f"the columns {list(self.names)}", columns)
        if width != len(self.features):
            raise PreconditionError("X", f"{len(self.features)} features, as in the domain", width)
        return list(range(width))

    def codes_of(self, columns: Sequence[Any], missing: Missing = "refuse") -> NDArray[np.uint8]:
        """Return the codes of columns that are in the order of the features."""
        codes = np.empty((len(columns), len(columns[0])), dtype=np.uint8)
        pairs = list(zip(self.features, columns, strict=True))
        # Numeric columns are coded together, block by block, so that the rows of a table are read once.
        numeric = [
            (index, feature, _numbers_of(column))
            for index, (feature, column) in enumerate(pairs)
            if isinstance(feature, Numeric)
        ]
        not_finite = [0] * len(pairs)
        for start in range(0, codes.shape[1], CODED):
            part = slice(start, start + CODED)
            for index, feature, numbers in numeric:
                not_finite[index] += feature.write_codes(numbers[part], codes[index, part])
        for index, (other, column) in enumerate(pairs):
            if isinstance(other, Numeric):
                other.check(not_finite[index], missing)
            else:
                codes[index] = other.codes(column, missing)
        return codes

    def renamed(self, names: Sequence[str] | None) -> Domain:
        """Return the domain with new names of its features; None keeps the names."""
        if names is None:
            return self
        pairs = zip(self.features, names, strict=True)
        return replace(self, features=tuple(replace(feature, name=str(name)) for feature, name in pairs))

    def to_schema(self) -> dict[str, Any]:
        """Return the domain as a document that `from_schema` reads.

        Returns
        -------
        schema : dict
            Document that can be written as JSON if all categories can.
        """
        return {"features": [_entry_of(feature) for feature in self.features]}


def _columns_of(X: Any) -> list[Any]:  # noqa: N803
    """Return the columns of a data frame or of a table, in order."""
    if hasattr(X, "columns"):
        return [X[name] for name in X.columns]
    table = np.asarray(X)
    if table.ndim != 2:
        raise PreconditionError("X", "a table with rows and columns", f"{table.ndim} dimensions")
    return [table[:, index] for index in range(table.shape[1])]


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
    """Return the feature of a column with a declared type, and public bounds if it is numeric."""
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
