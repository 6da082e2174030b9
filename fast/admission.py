"""Admission: the only way from raw rows and labels to the learner.

Every row is admitted on its own. Its codes and its sign depend on the row and on public inputs alone: not on
other rows, or on the block in which they are read. No error depends on a row, unless this is asked for with
'raise_and_reveal'. A table that a caller has made by another library has the types which that library chose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from privboost.errors import PreconditionError

from .arrays import Codes, Signs
from .domain import Domain
from .features import Feature
from .labels import Labels

Invalid = Literal["lowest", "drop", "raise_and_reveal"]
RULES: tuple[Invalid, ...] = get_args(Invalid)
"""What happens to invalid rows: their entries count as missing, they are left out, or an error tells."""


@dataclass(frozen=True, slots=True)
class Admission:
    """The public inputs that admit rows: the domain, the two labels, and the rule for invalid rows."""

    domain: Domain
    labels: Labels
    invalid: Invalid = "lowest"

    def rows(self, X: Any, y: Any, most: int | None = None) -> tuple[Codes, Signs]:  # noqa: N803
        """Return the codes and signs of labelled rows; rows after the first `most` are left out."""
        columns = self.domain.columns_in(X)
        if getattr(y, "ndim", 1) != 1:
            raise PreconditionError("y", "one label for each row", f"{y.ndim} dimensions")
        if len(columns[0]) != len(y):
            raise PreconditionError("y", "as many labels as rows", "another number")
        codes, signs = self.domain.codes_of(columns)[:, :most], self.labels.signs(y)[:most]
        if self.invalid == "lowest":
            return codes, signs
        invalid = self.labels.is_invalid(y)
        for feature, column in self._without_missing(columns):
            invalid |= feature.is_invalid(column)
        invalid = invalid[:most]
        if self.invalid == "drop":
            return np.ascontiguousarray(codes[:, ~invalid]), signs[~invalid]
        self._reveal(columns)
        if invalid.any():
            wanted = f"labels among the public classes {(self.labels.negative, self.labels.positive)}"
            raise PreconditionError("y", wanted, f"another label in row {int(np.argmax(invalid))}")
        return codes, signs

    def codes(self, X: Any, names: Sequence[str] | None = None) -> Codes:  # noqa: N803
        """Return the codes of rows to predict, of which none is left out.

        `names` are those of the columns of the training data, if these have names.
        """
        columns = self.domain.columns_in(X, names)
        if self.invalid == "raise_and_reveal":
            self._reveal(columns)
        return self.domain.codes_of(columns)

    def _without_missing(self, columns: Sequence[Any]) -> list[tuple[Feature, Any]]:
        """Return the features, with their columns, that have no value for missing and invalid entries."""
        pairs = zip(self.domain.features, columns, strict=True)
        return [(feature, column) for feature, column in pairs if not feature.missing]

    def _reveal(self, columns: Sequence[Any]) -> None:
        """Raise an error that tells the first invalid entry of a feature without a value for it."""
        for feature, column in self._without_missing(columns):
            invalid = feature.is_invalid(column)
            if invalid.any():
                row = int(np.argmax(invalid))
                entry = column.iloc[row] if hasattr(column, "iloc") else column[row]
                raise PreconditionError(f"X, {feature.name}", feature.expected, f"{entry!r} in row {row}")
