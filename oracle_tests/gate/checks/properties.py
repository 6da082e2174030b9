"""The list of all properties."""

from __future__ import annotations

from collections.abc import Iterator

from privboost.oracle_tests.gate.operations import LOSSES

from .property import Property
from .property_losses import loss_properties
from .property_trees import tree_properties


def property_checks() -> Iterator[Property]:
    """Yield all properties."""
    for loss in LOSSES:
        yield from loss_properties(loss)
    yield from tree_properties()
