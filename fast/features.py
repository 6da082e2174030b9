"""Features with public bounds or categories, and the codes of their entries.

A numeric feature is cut into a public number of values between public bounds, at equal distances or at equal
ratios; numbers outside the bounds count at the nearest bound. Dates are cut in the same way, at whole days. A
categorical feature has a public list of categories.

Coding is total: every entry has a code, whatever it is. An invalid entry, which is not a number, a date or
one of the categories, counts as missing. Missing entries have a value of their own if the feature declares
one; otherwise they count as the lowest value or as the first category.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from itertools import pairwise
from math import isfinite
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError
from privboost.fast.kernels import KERNELS

from .cells import EPOCH, INVALID, Categories, day_of, plain, read_days, read_numbers

MOST_VALUES = 256
"""Largest number of values of a feature: a code is one byte."""

TWO_DECADES = 100
"""Smallest ratio hi / lo of positive bounds at which a feature is cut at equal ratios by default."""

DIGITS = Context(prec=50, rounding=ROUND_HALF_EVEN, Emin=-9999, Emax=9999, traps=[])
"""Correctly rounded decimal arithmetic, logarithms included: cuts are the same on every machine."""

MISSING = "(missing)"
"""Name of the value for missing entries."""

Spacing = Literal["regular", "ratio"]
SPACINGS: tuple[Spacing, ...] = get_args(Spacing)


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
        Whether cuts are at equal distances or at equal ratios, which are those of ``1 + x`` if ``lo = 0``;
        ratios require ``lo >= 0``. None chooses ``'ratio'`` if ``0 < 100 * lo <= hi``, and ``'regular'``
        otherwise.
    missing : bool, default=False
        Whether the first of the values is for missing and invalid entries. They count as `lo` otherwise.

    Attributes
    ----------
    edges : ndarray of shape (values - 1,)
        Cuts between values. The cut above missing entries is minus infinity.

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
    missing: bool = False

    def __post_init__(self) -> None:
        _check_name(self.name)
        argument = f"domain, {self.name}"
        for end in ("lo", "hi"):
            bound = getattr(self, end)
            try:
                object.__setattr__(self, end, float(bound))
            except (TypeError, ValueError, OverflowError):
                wanted = "a public number" + ". For dates use Date" * isfinite(day_of(bound))
                raise PreconditionError(f"{argument}, {end}", wanted, repr(bound)) from None
        if not (self.lo < self.hi and np.isfinite(self.hi - self.lo)):
            wanted = "finite bounds lo < hi" + " with a finite difference" * (self.lo < self.hi)
            raise PreconditionError(argument, wanted, (self.lo, self.hi))
        _check_size(self.name, self.values, 2 if self.missing else 1)
        if self.spacing is None:
            wide = 0 < TWO_DECADES * self.lo <= self.hi
            object.__setattr__(self, "spacing", "ratio" if wide else "regular")
        elif self.spacing not in SPACINGS:
            raise PreconditionError(argument, f"one of {list(SPACINGS)}", repr(self.spacing))
        if self.spacing == "ratio" and self.lo < 0:
            raise PreconditionError(argument, "lo >= 0 for cuts at equal ratios", self.lo)
        ends = (self.lo, *self.edges[int(self.missing) :].tolist(), self.hi)
        if any(low >= high for low, high in pairwise(ends)):
            wanted = f"bounds with {self.values} floats between them"
            raise PreconditionError(argument, wanted, (self.lo, self.hi))

    @property
    def edges(self) -> NDArray[np.float64]:
        """Return the cuts between values, without the two bounds."""
        n_cells, above_missing = self.values - self.missing, (-np.inf,) if self.missing else ()
        if self.spacing == "ratio":
            return np.array((*above_missing, *_ratio_cuts(self.lo, self.hi, n_cells)))
        cuts = (self.lo + (self.hi - self.lo) * (cell / n_cells) for cell in range(1, n_cells))
        return np.array((*above_missing, *cuts))

    @property
    def is_regular(self) -> bool:
        """Return whether codes are those of equal parts of [lo, hi], without a value for missing entries."""
        return self.spacing == "regular" and not self.missing

    def codes(self, column: Any) -> NDArray[np.uint8]:
        """Return the code of every entry of a column.

        Parameters
        ----------
        column : array-like of shape (n_samples,)
            Entries; numbers outside the bounds are clipped.

        Returns
        -------
        codes : ndarray of shape (n_samples,)
            Integers from 0 to ``values - 1``. Missing and invalid entries have the code 0.
        """
        return _codes_of(self, column)

    def read(self, column: Any) -> NDArray[Any]:
        """Return a column as numbers, with NaN for invalid entries."""
        return read_numbers(column)

    @property
    def expected(self) -> str:
        """Describe valid entries: any number."""
        return "a number"

    def is_invalid(self, column: Any) -> NDArray[np.bool_]:
        """Return which entries of a column are not numbers."""
        invalid: NDArray[np.bool_] = np.isnan(self.read(column))
        return invalid

    def format_cut(self, cut: int) -> str:
        """Return a cut as a string."""
        return f"{self.edges[cut]:.6g}"

    @property
    def value_names(self) -> tuple[str, ...]:
        """Return the ranges of the values as strings."""
        return _range_names(self)

    def write_codes(self, numbers: NDArray[Any], codes: NDArray[np.uint8]) -> None:
        """Write the code of every number to `codes`.

        Codes are computed by comparisons with the edges, so they are the same on every machine. NaN is coded
        as 0.
        """
        with np.errstate(over="ignore"):
            scale = float(np.float64(self.values) / (self.hi - self.lo)) if self.is_regular else 0.0
        KERNELS["code"](numbers, self.lo, scale, self.edges, codes)


@lru_cache(maxsize=1 << 12)
def _ratio_cuts(lo: float, hi: float, values: int) -> tuple[float, ...]:
    """Return lo (hi / lo)^(k / values) for k = 1, ..., values - 1, or (1 + hi)^(k / values) - 1 if lo = 0."""
    shift = Decimal(0 if lo else 1)
    start = DIGITS.ln(DIGITS.add(Decimal(lo), shift))
    step = DIGITS.divide(DIGITS.subtract(DIGITS.ln(DIGITS.add(Decimal(hi), shift)), start), Decimal(values))
    cuts = (DIGITS.exp(DIGITS.fma(step, Decimal(cell), start)) for cell in range(1, values))
    return tuple(float(DIGITS.subtract(cut, shift)) for cut in cuts)


@dataclass(frozen=True, slots=True)
class Date:
    """Feature of dates with a public first and last day, divided into a fixed number of values.

    Parameters
    ----------
    name : str
        Name of the feature.
    first : date or str
        Public first day, as a date or as a string such as ``'2020-01-31'``. Earlier days count as this day.
    last : date or str
        Public last day. Later days count as this day.
    values : int, default=10
        Number of values that the feature is divided into, at most 256 and at most one for each day. All have
        the same number of days, up to one.
    missing : bool, default=False
        Whether the first of the values is for missing and invalid entries. They count as `first` otherwise.

    Attributes
    ----------
    edges : ndarray of shape (values - 1,)
        First days of all values but the lowest, counted from 1970-01-01. The cut above missing entries is
        minus infinity.

    Examples
    --------
    >>> from privboost.fast import Date
    >>> joined = Date("joined", "2020-01-01", "2023-12-31", values=4)
    >>> joined.value_names
    ('< 2020-12-31', '2020-12-31 to 2021-12-31', '2021-12-31 to 2022-12-31', '>= 2022-12-31')
    >>> joined.codes(["2021-06-30", "2022-12-31T08:00", "1999-01-01", "soon"]).tolist()
    [1, 3, 0, 0]
    """

    name: str
    first: Any
    last: Any
    values: int = 10
    missing: bool = False

    def __post_init__(self) -> None:
        _check_name(self.name)
        for end in ("first", "last"):
            day = day_of(getattr(self, end))
            if not isfinite(day):
                wanted = "a public date such as '2020-01-31'"
                raise PreconditionError(f"domain, {self.name}, {end}", wanted, repr(getattr(self, end)))
            object.__setattr__(self, end, date.fromordinal(EPOCH + int(day)))
        if self.first > self.last:
            raise PreconditionError(
                f"domain, {self.name}", "a first day that is not after the last", f"{self.first}, {self.last}"
            )
        _check_size(self.name, self.values, 2 if self.missing else 1)
        if self.values - self.missing > self.hi - self.lo:
            wanted = f"values= at most {int(self.hi - self.lo) + self.missing}, one for each day"
            raise PreconditionError(f"domain, {self.name}", wanted, self.values)

    @property
    def lo(self) -> float:
        """Return the first day, counted from 1970-01-01."""
        return float(self.first.toordinal() - EPOCH)

    @property
    def hi(self) -> float:
        """Return the day after the last, counted from 1970-01-01."""
        return float(self.last.toordinal() + 1 - EPOCH)

    @property
    def edges(self) -> NDArray[np.float64]:
        """Return the cuts between values, which are whole days."""
        n_cells, n_days = self.values - self.missing, int(self.hi - self.lo)
        cuts = (self.lo + n_days * cell // n_cells for cell in range(1, n_cells))
        return np.array((*((-np.inf,) if self.missing else ()), *cuts))

    @property
    def is_regular(self) -> bool:
        """Return whether codes are those of equal parts of [lo, hi]; cuts at whole days need not be."""
        return False

    @property
    def value_names(self) -> tuple[str, ...]:
        """Return the ranges of the values as strings."""
        return _range_names(self)

    def format_cut(self, cut: int) -> str:
        """Return a cut as a string."""
        return date.fromordinal(EPOCH + int(self.edges[cut])).isoformat()

    def codes(self, column: Any) -> NDArray[np.uint8]:
        """Return the code of every entry of a column.

        Parameters
        ----------
        column : array-like of shape (n_samples,)
            Entries: dates and times of Python, NumPy and pandas, and strings such as ``'2020-01-31'`` or
            ``'2020-01-31T08:00'``. Times and time zones are not used.

        Returns
        -------
        codes : ndarray of shape (n_samples,)
            Integers from 0 to ``values - 1``. Missing and invalid entries have the code 0.
        """
        return _codes_of(self, column)

    def read(self, column: Any) -> NDArray[Any]:
        """Return a column as days counted from 1970-01-01, with NaN for invalid entries."""
        return read_days(column)

    @property
    def expected(self) -> str:
        """Describe valid entries: any date."""
        return "a date such as '2020-01-31'"

    def is_invalid(self, column: Any) -> NDArray[np.bool_]:
        """Return which entries of a column are not dates."""
        return np.isnan(read_days(column))

    def write_codes(self, days: NDArray[Any], codes: NDArray[np.uint8]) -> None:
        """Write the code of every day to `codes`. NaN is coded as 0."""
        KERNELS["code"](days, self.lo, 0.0, self.edges, codes)


@dataclass(frozen=True, slots=True)
class Categorical:
    """Feature with a public list of categories.

    Parameters
    ----------
    name : str
        Name of the feature.
    categories : tuple
        Distinct categories, at most 256: strings, booleans and numbers below 2^53.
    missing : bool, default=False
        Whether there is a value for missing and invalid entries, after the categories. They count as the
        first category otherwise.

    Attributes
    ----------
    values : int
        Number of values: the categories, and one for missing entries if there is one.

    Examples
    --------
    >>> from privboost.fast import Categorical
    >>> Categorical("smoker", ("no", "yes")).codes(["yes", None, "no", 3]).tolist()
    [1, 0, 0, 0]
    >>> Categorical("smoker", ("no", "yes"), missing=True).codes(["yes", None, "no", 3]).tolist()
    [1, 2, 0, 2]
    """

    name: str
    categories: tuple[Any, ...]
    missing: bool = False

    def __post_init__(self) -> None:
        _check_name(self.name)
        given: Any = self.categories
        if not isinstance(given, Iterable) or isinstance(given, str | bytes | set | frozenset):
            wanted = "categories in an order, such as ('no', 'yes')"
            raise PreconditionError(f"domain, {self.name}", wanted, repr(given))
        object.__setattr__(self, "categories", tuple(map(plain, given)))
        _check_size(self.name, self.values, 2 if self.missing else 1)
        self._lookup()

    def _lookup(self) -> Categories:
        return Categories(self.categories, f"domain, {self.name}")

    @property
    def values(self) -> int:
        """Return the number of values."""
        return len(self.categories) + self.missing

    @property
    def value_names(self) -> tuple[str, ...]:
        """Return the categories as strings, and the name of the value for missing entries if there is one."""
        return (*map(str, self.categories), *([MISSING] if self.missing else []))

    def codes(self, column: Any) -> NDArray[np.uint8]:
        """Return the code of every entry of a column.

        Parameters
        ----------
        column : array-like of shape (n_samples,)
            Entries. They match a category by its text or by its number: 1, 1.0 and "1" are the same.

        Returns
        -------
        codes : ndarray of shape (n_samples,)
            Indices of the entries in `categories`. Missing and invalid entries have the last code if
            `missing`, else 0.
        """
        indices = self._lookup().indices(column)
        otherwise = len(self.categories) if self.missing else 0
        return np.where(indices == INVALID, otherwise, indices).astype(np.uint8)

    @property
    def expected(self) -> str:
        """Describe valid entries: the categories."""
        return f"one of {self.categories}"

    def is_invalid(self, column: Any) -> NDArray[np.bool_]:
        """Return which entries of a column are none of the categories."""
        return np.equal(self._lookup().indices(column), INVALID)


Cut = Numeric | Date
"""A feature whose values are ranges."""
Feature = Cut | Categorical


def _codes_of(feature: Cut, column: Any) -> NDArray[np.uint8]:
    numbers = feature.read(column)
    codes = np.empty(numbers.size, dtype=np.uint8)
    feature.write_codes(numbers, codes)
    return codes


def _range_names(feature: Cut) -> tuple[str, ...]:
    cuts = [feature.format_cut(cut) for cut in range(int(feature.missing), feature.values - 1)]
    ranges = [f"{low} to {high}" for low, high in pairwise(cuts)]
    names = [f"< {cuts[0]}", *ranges, f">= {cuts[-1]}"] if cuts else ["any"]
    return (*([MISSING] if feature.missing else []), *names)


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        raise PreconditionError("domain", "a name that is a string", repr(name))


def _check_size(name: str, size: Any, least: int) -> None:
    if not isinstance(size, int | np.integer) or not least <= size <= MOST_VALUES:
        raise PreconditionError(f"domain, {name}", f"{least} to {MOST_VALUES} values", size)
