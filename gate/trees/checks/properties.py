"""The list of all properties."""

from __future__ import annotations

from collections.abc import Iterator

from privboost.gate.trees.operations.ranges import LOSSES

from .properties_of_losses import loss_properties
from .properties_of_trees import tree_properties
from .property import Property


def property_checks() -> Iterator[Property]:
    """Yield all properties."""
    for loss in LOSSES:
        yield from loss_properties(loss)
    yield from tree_properties()
