"""The two public labels of a classifier, and the conversion of labels to -1 and 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cells import INVALID, Categories


@dataclass(frozen=True, slots=True)
class Labels:
    """The two public labels; as in scikit-learn, the greater one is positive."""

    negative: Any
    positive: Any

    def signs(self, labels: Any) -> NDArray[np.int8]:
        """Return 1 for every positive label, and -1 for every negative label and for all others."""
        return np.where(self._indices(labels) == 1, 1, -1).astype(np.int8)

    def is_invalid(self, labels: Any) -> NDArray[np.bool_]:
        """Return which labels are neither of the two."""
        return np.equal(self._indices(labels), INVALID)

    def as_array(self) -> NDArray[Any]:
        """Return the two labels, the negative one first."""
        return np.array([self.negative, self.positive])

    def _indices(self, labels: Any) -> NDArray[np.int64]:
        return Categories((self.negative, self.positive), "classes").indices(labels)
