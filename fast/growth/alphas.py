"""The alpha of the loss that scores splits: public, estimated with noise, or computed from raw data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.fast.arrays import Array
from privboost.fast.budgets import alpha_budget
from privboost.fast.protocol import GRID, AlphaRule
from privboost.fast.rows.parts import Rows, class_masses

from .draws import DrawsOfTree
from .leaves import in_steps, in_units, proportion
from .setting import Recorder, Setting


def calibrated_alpha(error: Any, root_error: Any) -> float:
    """Return err(h) / err(h_1), clamped to [0, 1], and 1 if the root has no error.

    Paper: fixALPHA.
    """
    if not root_error:
        return 1.0
    return min(max(float(error) / float(root_error), 0.0), 1.0)


@dataclass(slots=True)
class Alphas:
    """The alphas of the nodes of one tree, in the order in which the nodes are split."""

    setting: Setting
    rows: Rows
    draws: DrawsOfTree
    record: Recorder | None
    tree_index: int
    _released: Fraction | float = Fraction(1)
    _error: Any = None
    _root_error: Any = None

    def open_level(self, level: int) -> None:
        """Estimate the alpha of a level below the root, if the protocol estimates alphas."""
        setting = self.setting
        if setting.protocol.alpha is not AlphaRule.NOISY_MINORITY or level == 0:
            return
        masses = self.rows.ask(class_masses, 1 << level)
        bound = setting.weight_bound(self.tree_index)
        scale = bound / alpha_budget(setting.parameters)
        noise = self.draws.noise(scale * GRID)
        minority = in_steps(masses).min(axis=1).sum().item()
        share = Fraction(minority + noise) / (GRID * bound * setting.size / 2)
        clamped = min(max(share, Fraction(0)), Fraction(1))
        self._released = clamped if isinstance(minority, int) else float(clamped)
        if self.record is None:
            return
        self.record(
            {
                "kind": "alpha",
                "tree": self.tree_index,
                "level": level,
                "minority": in_units(minority),
                "scale": scale,
                "noise": in_units(noise),
                "noisy": in_units(minority + noise),
                "value": self._released,
            }
        )

    @property
    def is_of_level(self) -> bool:
        """Return whether all nodes of a level have the same alpha."""
        return self.setting.protocol.alpha in (AlphaRule.SCHEDULE, AlphaRule.NOISY_MINORITY)

    def of_node(self, level: int) -> Any:
        """Return the alpha of the next node of a level."""
        rule = self.setting.protocol.alpha
        if rule is AlphaRule.SCHEDULE:
            return self.setting.parameters.alpha_of_level(level)
        if rule is AlphaRule.NOISY_MINORITY:
            return self._released
        if self._error is None:
            root = self.rows.ask(class_masses, 1)
            self._error = self._root_error = self._error_of(root[0])
        return calibrated_alpha(self._error, self._root_error)

    def split(self, histogram: Array, left: Array, right: Array) -> None:
        """Replace the error of a leaf by the errors of its children, after a split."""
        leaf = histogram[0].sum(axis=0)
        self._error = self._error - self._error_of(leaf) + self._error_of(left) + self._error_of(right)

    def _error_of(self, masses: Array) -> Any:
        """Return the error of a leaf: its minority mass, or 0 at a tie under the strict reading."""
        strict = self.setting.protocol.alpha is AlphaRule.RAW_STRICT
        return 0 if strict and proportion(*masses.tolist()) == Fraction(1, 2) else masses.min()
