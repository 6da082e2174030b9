"""The result of running one configuration."""

from __future__ import annotations

from dataclasses import dataclass

from .grid import Configuration


@dataclass(frozen=True, slots=True)
class FoldErrors:
    """Misclassified test rows of each fold of a configuration, the mean size of its trees, and CPU time."""

    configuration: Configuration
    mistakes: tuple[int, ...]
    leaves: float
    depth: float
    seconds: float
