"""The two public labels of a classifier, and the conversion of labels to -1 and 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError


@dataclass(frozen=True, slots=True)
class Labels:
    """The two public labels; as in scikit-learn, the greater one is positive."""

    negative: Any
    positive: Any

    def __call__(self, labels: Any) -> NDArray[np.int8]:
        """Return -1 for every negative label and 1 for every positive one.

        Requires: no other labels.
        """
        array = np.asarray(labels)
        is_positive, is_negative = _equals(array, self.positive), _equals(array, self.negative)
        unknown = np.flatnonzero(~(is_positive | is_negative))
        if unknown.size:
            wanted = f"labels among the public classes {(self.negative, self.positive)}"
            raise PreconditionError("y", wanted, repr(plain(array[unknown[0]])))
        return np.where(is_positive, 1, -1).astype(np.int8)

    def as_array(self) -> NDArray[Any]:
        """Return the two labels, the negative one first."""
        return np.array([self.negative, self.positive])


def plain(value: Any) -> Any:
    """Return a NumPy scalar as a Python scalar, and other values unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def _equals(labels: NDArray[Any], label: Any) -> NDArray[np.bool_]:
    """Return which labels equal a label; strings and bytes never equal a label of another type."""
    kinds = {"U": str, "S": bytes}
    if labels.dtype.kind in kinds and not isinstance(label, kinds[labels.dtype.kind]):
        return np.zeros(labels.shape, dtype=np.bool_)
    return np.broadcast_to(np.asarray(labels == label, dtype=np.bool_), labels.shape)
