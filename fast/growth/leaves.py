"""The leaves of a tree, from raw class masses to private values, and the coefficient of the tree.

Masses and noise are in grid steps. Masses are integers while weights are on the grid, and floats after a
mirror update.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from privboost.fast.arrays import Array, Indices
from privboost.fast.budgets import leaf_scale, leaf_variance
from privboost.fast.loss import link, link_steps, weight_table
from privboost.fast.protocol import GRID, BetaRule, LeafRule

from .draws import DrawsOfTree
from .setting import Record, Setting

NET_STEP = GRID // 4
"""Largest absolute leaf value of noisy nets, in grid steps: one tree changes a margin by at most this."""

CONSTANT_FROM = 34 * GRID
"""From this margin on, on either side, the weight of a net is constant: one grid step, or 1/2."""

NOISY_NAMES: dict[LeafRule, tuple[str, ...]] = {
    LeafRule.NOISY_MASSES: ("positive", "negative"),
    LeafRule.NOISY_NET: ("net",),
}
"""The noisy quantities of a leaf, for the rules that do not add noise to its value."""

MOST_STEPS = 1 << 500
"""Values are computed from noisy masses up to this many grid steps, so that products are floats."""

LIFT = 2.0**-20
"""Fraction of a grid step above all rounding errors: a value this close below a grid point is on it."""


def net_weights(setting: Setting) -> Array:
    """Return the weight of every signed margin that noisy nets can reach, or up to where it is constant."""
    parameters, most = setting.parameters, int(setting.weight_bound(1) * GRID)
    reach = parameters.trees * NET_STEP
    return weight_table(
        min(reach, CONSTANT_FROM) if parameters.delta else reach, parameters.boost_alpha, most
    )


class Leaf(NamedTuple):
    """A leaf: raw masses (negative, positive), noise, noisy quantities and value."""

    masses: tuple[Any, Any]
    noise: tuple[int, ...]
    noisy: tuple[Any, ...]
    value: Any


def _clamp(steps: float) -> float:
    return min(max(steps, -MOST_STEPS), MOST_STEPS)


def in_steps(masses: Array) -> Array:
    """Return masses in grid steps: integers are in grid steps already, floats are in units."""
    return masses * GRID if masses.dtype.kind == "f" else masses


def in_units(steps: int | float) -> Fraction | float:
    """Return grid steps in units: an integer as an exact fraction, a float as a float."""
    return Fraction(steps, GRID) if isinstance(steps, int) else steps / GRID


def proportion(negative: Any, positive: Any) -> Fraction | None:
    """Return the proportion of positive mass in a leaf, and None for an empty leaf.

    Rounding errors change ratios of floats such as 1/2, so a ratio within 2^-44 of a fraction with a small
    denominator is replaced by that fraction.
    """
    if not negative + positive:
        return None
    if isinstance(positive, int):
        return Fraction(positive, positive + negative)
    share = Fraction(positive / (positive + negative))
    simple = share.limit_denominator(1 << 16)
    return simple if abs(simple - share) < Fraction(1, 1 << 44) else share


def release_leaves(setting: Setting, masses: Array, scale: Fraction, draws: DrawsOfTree) -> list[Leaf]:
    """Return the leaves of a tree from left to right, with noise of the given scale, in units.

    For Gaussian noise, which is drawn already, the scale is the variance.
    """
    rule, noise_scale = _Rule(setting), scale * GRID
    count = len(NOISY_NAMES.get(setting.protocol.leaf, ("value",)))
    return [
        rule.leaf(negative, positive, tuple([draws.noise(noise_scale) for _ in range(count)]))
        for negative, positive in in_steps(masses).tolist()
    ]


def net_values(setting: Setting, noisy: Indices) -> Indices:
    """Return the values of leaves with the given noisy nets, all integers of grid steps."""
    return _Rule(setting).net_values(noisy)


def leaf_value(setting: Setting, masses: tuple[Any, Any], noise: tuple[int, ...]) -> Any:
    """Return the value of a leaf with masses (negative, positive) and given noise, all in grid steps.

    The value of a noisy net is an integer of grid steps; other values are floats in units.
    """
    return _Rule(setting).leaf(*masses, noise).value


class _Rule:
    """The leaf rule of a setting, with precomputed constants."""

    def __init__(self, setting: Setting) -> None:
        p = setting.parameters
        self._kind, self._parameters = setting.protocol.leaf, p
        self._bound = int(p.bound * GRID)
        if p.delta:
            variance = leaf_variance(setting.protocol, p, setting.weight_bound(0))
            unit = max(isqrt(int(variance * GRID**2 * p.trees)), 1)
            self._net_factor, self._net_divisor, self._net_offset = 2 * GRID, 2 * unit, unit
            return
        # Used for nets only; their weight bound and noise scale are the same for all trees.
        scale = leaf_scale(setting.protocol, p, setting.weight_bound(0))
        mass = GRID * (Fraction(setting.size, 2 << p.depth) + scale)
        self._net_factor, self._net_divisor = mass.denominator * NET_STEP, mass.numerator
        self._net_offset = 0

    def leaf(self, negative: Any, positive: Any, noise: tuple[int, ...]) -> Leaf:
        """Return a leaf; its value is a function of its noisy quantities alone."""
        if self._kind is LeafRule.NOISY_NET:
            noisy: tuple[Any, ...] = (positive - negative + noise[0],)
            value: Any = self._net_value(noisy[0])
        elif self._kind is LeafRule.NOISY_MASSES:
            noisy = (positive + noise[0], negative + noise[1])
            value = self._mass_value(*map(_clamp, noisy))
        else:
            noisy = (self._centre(negative, positive) + noise[0],)
            value = min(max(noisy[0], -self._bound), self._bound) / GRID
        return Leaf((negative, positive), noise, noisy, value)

    def _net_value(self, noisy: int) -> int:
        """Return the value of a noisy net, an integer of grid steps.

        With Laplace noise it is floor of GRID / 4 clamp(net / (mass + scale)). With Gaussian noise it is
        GRID net / (sigma sqrt(T)), rounded to the nearest and clamped to GRID / 4: the noise of all values of
        a row adds up to a standard deviation of 1 unit.
        """
        steps = (noisy * self._net_factor + self._net_offset) // self._net_divisor
        return min(max(steps, -NET_STEP), NET_STEP)

    def net_values(self, noisy: Indices) -> Indices:
        """Return the values of noisy nets."""
        steps = (noisy * self._net_factor + self._net_offset) // self._net_divisor
        values: Indices = np.clip(steps, -NET_STEP, NET_STEP)
        return values

    def _mass_value(self, positive: float, negative: float) -> float:
        """Return the clamped link of the noisy proportion, and 0 if no noisy mass is positive."""
        up, down = max(positive, 0), max(negative, 0)
        bound = float(self._parameters.bound)
        if not up + down:
            return 0.0
        if not up or not down:
            return bound if up else -bound
        alpha = float(self._parameters.boost_alpha)
        value = alpha * (up - down) / np.sqrt(float(up) * float(down)) + 2 * (1 - alpha) * np.sign(up - down)
        return float(min(max(value, -bound), bound))

    def _centre(self, negative: Any, positive: Any) -> int:
        """Return the raw value of a leaf on the grid, rounded down."""
        share, p = proportion(negative, positive), self._parameters
        if share is None:
            return 0
        inner = min(max(share, p.zeta), 1 - p.zeta)
        if isinstance(positive, float):
            # LIFT undoes rounding errors of values that are on the grid.
            steps = int(np.floor(GRID * link(np.array(float(inner)), float(p.boost_alpha)) + LIFT))
        else:
            steps = link_steps(inner, p.boost_alpha)
        if self._kind is LeafRule.LINK_CLAMP_NOISE:
            return min(max(steps, -self._bound), self._bound)
        return steps


def leaf_record(setting: Setting, index: int, leaf: Leaf, scale: Fraction) -> Record:
    """Return the record of a leaf, given by its index from the left."""
    rule = setting.protocol.leaf
    names = NOISY_NAMES.get(rule, ("value",))
    negative, positive = leaf.masses
    return {
        "leaf": format(index, f"0{setting.parameters.depth}b"),
        "masses": {"positive": in_units(positive), "negative": in_units(negative)},
        "scale": scale,
        "noise": {name: in_units(steps) for name, steps in zip(names, leaf.noise, strict=True)},
        "noisy": {name: in_units(steps) for name, steps in zip(names, leaf.noisy, strict=True)},
        "value": in_units(leaf.value) if rule is LeafRule.NOISY_NET else leaf.value,
    }


def tree_coefficient(setting: Setting, leaves: Sequence[Leaf]) -> float:
    """Return the coefficient of a tree: from raw or noisy masses, or 1, by the rule of the protocol."""
    if setting.protocol.beta is BetaRule.RAW:
        steps = [positive - negative for negative, positive in (leaf.masses for leaf in leaves)]
    elif setting.protocol.beta is BetaRule.NOISY_MASSES and setting.protocol.leaf is LeafRule.NOISY_MASSES:
        steps = [_clamp(positive - negative) for positive, negative in (leaf.noisy for leaf in leaves)]
    else:
        return 1.0
    return coefficient(setting, [leaf.value for leaf in leaves], np.array(steps) / GRID)


def coefficient(setting: Setting, values: Sequence[float], nets: Sequence[float] | Array) -> float:
    """Return beta = (a / m) sum of values times net masses, in units, with a = alpha / M^2."""
    step = float(setting.parameters.boost_alpha / setting.parameters.bound**2)
    products = np.dot(np.array(values, dtype=np.float64), np.asarray(nets))
    return float(step * products / setting.size)
