"""Public domains: the features of a table, and the coding of its rows. Nothing is read from the data."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError

from .cells import is_list, read_table
from .checks import DomainCheck, check_column
from .features import Categorical, Feature, Numeric, Spacing
from .observed import observe_feature
from .schema import entry_of, features_of, read_schema, template

CODED = 1 << 13
"""Number of rows that are coded at a time."""

Provenance = Literal["declared", "schema", "observed"]
PROVENANCES: tuple[Provenance, ...] = get_args(Provenance)
"""Where a domain comes from: written in code, read from a schema file, or read from the data."""


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
class Domain:
    """Public description of all features.

    Parameters
    ----------
    features : tuple of Numeric, Date and Categorical
        Features with distinct names, in the order of the columns.
    provenance : {'declared', 'schema', 'observed'}, default='declared'
        Where the domain comes from: written in code, read from a schema file, or read from the data, which
        voids the guarantee.

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
        is_listed = isinstance(self.features, tuple | list)
        if not is_listed or not all(isinstance(feature, Feature) for feature in self.features):
            raise PreconditionError("domain", "a tuple of Numeric, Date and Categorical", repr(self.features))
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
    def from_schema(cls, schema: Mapping[str, Any] | str | PathLike[str]) -> Domain:
        """Return the domain that a schema describes.

        A schema has an entry for each column, with one of ``lo`` and ``hi``, ``first`` and ``last``,
        ``categories``, ``integers`` and ``boolean``. Entries can also have ``values`` and ``spacing``, as for
        `Numeric` and `Date`, and ``missing``.

        Parameters
        ----------
        schema : mapping, str or path
            Schema, or the path of a TOML or JSON file that contains it.

        Returns
        -------
        domain : Domain
            Domain with one feature for each entry.

        Examples
        --------
        >>> from privboost.fast import Domain
        >>> schema = {
        ...     "age": {"lo": 0, "hi": 120, "values": 12, "missing": True},
        ...     "income": {"lo": 100, "hi": 1e6, "spacing": "ratio"},
        ...     "joined": {"first": "2020-01-01", "last": "2023-12-31"},
        ...     "children": {"integers": [0, 8]},
        ...     "smoker": {"categories": ["no", "yes"]},
        ...     "married": {"boolean": True},
        ... }
        >>> [feature.values for feature in Domain.from_schema(schema).features]
        [12, 10, 10, 9, 2, 2]
        """
        if isinstance(schema, Mapping):
            return cls(features_of(schema))
        return cls(features_of(read_schema(schema)), "schema")

    @staticmethod
    def template(frame: Any) -> str:
        """Return a schema in TOML to be filled in, from the names and types of columns alone.

        Parameters
        ----------
        frame : data frame
            Table whose columns are the features. Its entries are not read.

        Returns
        -------
        schema : str
            Text of a schema with a question mark in place of every public fact that is needed.

        Examples
        --------
        >>> import pandas as pd
        >>> from privboost.fast import Domain
        >>> print(Domain.template(pd.DataFrame({"age": [47.5], "smoker": [True]})))
        # What anybody may know about each column without seeing the rows. Replace every "?", and delete
        # the entries of columns that are not features.
        # missing = true gives missing and invalid entries a value of their own.
        <BLANKLINE>
        [age]  # float64
        lo = "?"
        hi = "?"
        missing = false
        <BLANKLINE>
        [smoker]  # bool
        boolean = true
        missing = false
        <BLANKLINE>
        """
        return template(zip(map(str, frame.columns), map(str, frame.dtypes), strict=True))

    @classmethod
    def observed(cls, X: Any, *, values: int = 10, spacing: Spacing | None = None) -> Domain:  # noqa: N803
        """Return a domain that is read from the columns, which is not private.

        A column of numbers has their smallest and largest as bounds, and a column of dates the first and the
        last. The categories of any other column are its distinct entries. Missing entries are left out.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to read the domain from.
        values : int, default=10
            Number of values of each feature that is not categorical.
        spacing : {'regular', 'ratio'}, default=None
            As for `Numeric`.

        Returns
        -------
        domain : Domain
            Domain whose `provenance` is ``'observed'``. A `NonPrivateWarning` is emitted.

        Examples
        --------
        >>> import warnings
        >>> from privboost.fast import Domain
        >>> warnings.simplefilter("ignore")
        >>> for feature in Domain.observed([[47, "no"], [31, "yes"]]).features:
        ...     print(feature)
        Numeric(name='x0', lo=31.0, hi=47.0, values=10, spacing='regular', missing=False)
        Categorical(name='x1', categories=('no', 'yes'), missing=False)
        """
        warn_not_private("the domain was read from the data")
        own, columns = read_table(np.asarray(X, dtype=object) if is_list(X) else X, ())
        names = [f"x{index}" for index in range(len(columns))] if own is None else own
        pairs = zip(names, columns, strict=True)
        features = tuple(observe_feature(name, column, values, spacing) for name, column in pairs)
        return cls(features, "observed")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the features."""
        return tuple(feature.name for feature in self.features)

    @property
    def bins(self) -> int:
        """Return the largest number of values of a feature."""
        return max(feature.values for feature in self.features)

    def codes(self, X: Any) -> NDArray[np.uint8]:  # noqa: N803
        """Return the codes of rows.

        Parameters
        ----------
        X : array-like, data frame or mapping from names to columns, of shape (n_samples, n_features)
            Rows to code. Every entry has a code: numbers outside the bounds are clipped, and missing and
            invalid entries count as missing.

        Returns
        -------
        codes : ndarray of shape (n_features, n_samples)
            Index of the value of each feature in each row. Note the order of the axes.
        """
        return self.codes_of(self.columns_in(X))

    def check(self, X: Any, y: Any = None, classes: Sequence[Any] | None = None) -> DomainCheck:  # noqa: N803
        """Count the entries that are outside of their declaration, for the owner of the data. Not private.

        The result tells about rows: do not publish it, and do not change the domain because of it, except to
        correct spellings, units and kinds of columns. No fit calls this method.

        Parameters
        ----------
        X : array-like, data frame or mapping from names to columns, of shape (n_samples, n_features)
            Rows to check.
        y : array-like of shape (n_samples,), default=None
            Labels to check.
        classes : sequence of two labels, default=None
            Public labels, as they are passed to a classifier. Required if `y` is given.

        Returns
        -------
        check : DomainCheck
            Counts and examples for each column and for the labels. Print it to see a table.

        Examples
        --------
        >>> from privboost.fast import Domain, Numeric
        >>> domain = Domain((Numeric("age", 18, 91),))
        >>> print(domain.check([[47], ["old"], [17]], ["ill", "ill", "healthy"], classes=("healthy", "sick")))
        NOT PRIVATE: this table tells about rows. It is for the owner of the data only.
        column  declared       rows  invalid  below  above  counted as  examples           used     unused
        ------  -------------  ----  -------  -----  -----  ----------  -----------------  -------  ------
        age     18 to 91       3     1        1             < 25.3      'old' (1), 17 (1)  2 of 10
        y       healthy, sick  3     2                      healthy     'ill' (2)          1 of 2   sick
        """
        columns = self.columns_in(X)
        pairs = zip(self.features, columns, strict=True)
        checks = tuple(check_column(feature, column) for feature, column in pairs)
        if y is None:
            return DomainCheck(checks)
        if classes is None or isinstance(classes, str | set | frozenset) or len(classes) != 2:
            raise PreconditionError("classes", "the two public labels, to check y", repr(classes))
        if type(classes[0]) is type(classes[1]) and classes[1] < classes[0]:
            raise PreconditionError("classes", f"the labels sorted, {tuple(sorted(classes))}", repr(classes))
        if len(y) != len(columns[0]):
            raise PreconditionError("y", "as many labels as rows", "another number")
        return DomainCheck(checks, check_column(Categorical("y", tuple(classes)), y))

    def columns_in(self, X: Any, names: Sequence[str] | None = None) -> list[Any]:  # noqa: N803
        """Return the columns of a table that belong to the features, in the order of the features.

        `names` are those of the columns of the training data, if these have names. Other tables are then read
        by these names. Tables without names are read in the order of the features.
        """
        order = [] if names is None else self.order_in(names, len(names))
        wanted = self.names if names is None else [str(names[index]) for index in order]
        own, columns = read_table(X, wanted)
        if own is None or names is None:
            return [columns[index] for index in self.order_in(own, len(columns))]
        # Of columns with the same name, the first one counts.
        by_name = dict(reversed(list(zip(own, columns, strict=True))))
        if missing := [name for name in wanted if name not in by_name]:
            raise PreconditionError("X", f"the columns {wanted}", f"a table without {missing}")
        return [by_name[name] for name in wanted]

    def order_in(self, names: Iterable[Any] | None, width: int) -> list[int]:
        """Return the column index of every feature in a table.

        Columns are matched by name if the table has names, and by order if it has none or if the features
        have the default names x0, x1, and so on.
        """
        columns = [] if names is None else [str(name) for name in names]
        if columns and set(columns) >= set(self.names):
            # Of columns with the same name, the first one counts.
            first = {name: index for index, name in reversed(list(enumerate(columns)))}
            return [first[name] for name in self.names]
        unnamed = self.names == tuple(f"x{index}" for index in range(len(self.features)))
        if columns and not unnamed:
            raise PreconditionError("X", f"the columns {list(self.names)}", columns)
        if width != len(self.features):
            raise PreconditionError("X", f"{len(self.features)} features, as in the domain", width)
        return list(range(width))

    def codes_of(self, columns: Sequence[Any]) -> NDArray[np.uint8]:
        """Return the codes of columns that are in the order of the features."""
        codes = np.empty((len(columns), len(columns[0])), dtype=np.uint8)
        pairs = list(zip(self.features, columns, strict=True))
        # Columns of numbers are coded together, block by block, so that the rows of a table are read once.
        cut = [
            (index, feature, feature.read(column))
            for index, (feature, column) in enumerate(pairs)
            if not isinstance(feature, Categorical)
        ]
        for start in range(0, codes.shape[1], CODED):
            part = slice(start, start + CODED)
            for index, feature, numbers in cut:
                feature.write_codes(numbers[part], codes[index, part])
        for index, (other, column) in enumerate(pairs):
            if isinstance(other, Categorical):
                codes[index] = other.codes(column)
        return codes

    def rename(self, names: Sequence[str] | None) -> Domain:
        """Return the domain with new names of its features; None keeps the names."""
        if names is None:
            return self
        pairs = zip(self.features, names, strict=True)
        return replace(self, features=tuple(replace(feature, name=str(name)) for feature, name in pairs))

    def to_schema(self) -> dict[str, Any]:
        """Return the domain as a schema that `from_schema` reads.

        Returns
        -------
        schema : dict
            Schema that can be written as JSON.
        """
        return {feature.name: entry_of(feature) for feature in self.features}
