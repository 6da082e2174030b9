"""Features of the numbers of outputs, and their moments on both sides.

Every number is centred, scaled and clipped; a feature is this number, its sign, or its distance from the
centre.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.values.events import Feature

from .partitions import Cells, Floats

Features = NDArray[np.floating]

CLIP = 4.0
QUANTILE_CALLS = 2_048
"""Number of latest calls from which centres and scales are learned."""

EXACT_COLUMNS = 256
"""Up to this number of columns features are doubles, and single floats beyond."""


FEATURES: dict[Feature, Callable[[Features], Features]] = {
    Feature.NUMBER: np.asarray,
    Feature.SIGN: np.sign,
    Feature.DISTANCE: np.abs,
}
"""Functions of the scaled columns."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """Centres and scales of all columns."""

    centre: Floats
    scale: Floats

    def apply(self, columns: Floats) -> Features:
        """Return columns centred, scaled and clipped; a missing number is 0."""
        kind = np.float64 if columns.shape[1] <= EXACT_COLUMNS else np.float32
        with np.errstate(invalid="ignore", over="ignore"):
            table: Features = ((columns - self.centre) / self.scale).astype(kind)
        np.nan_to_num(table, copy=False, nan=0.0, posinf=CLIP, neginf=-CLIP)
        return np.clip(table, -CLIP, CLIP, out=table)


def learn_scaling(columns: Floats) -> Scaling:
    """Return the median and the range of the middle 80 % of every column, as far as it is finite."""
    late = columns[-QUANTILE_CALLS:]
    finite = np.isfinite(late)
    low, centre, high = np.zeros(late.shape[1]), np.zeros(late.shape[1]), np.ones(late.shape[1])
    levels = [0.1, 0.5, 0.9]
    whole = finite.all(axis=0)
    low[whole], centre[whole], high[whole] = np.quantile(late[:, whole], levels, axis=0)
    partly = ~whole & finite.any(axis=0)
    if partly.any():
        known = np.where(finite[:, partly], late[:, partly], np.nan)
        low[partly], centre[partly], high[partly] = np.nanquantile(known, levels, axis=0)
    with np.errstate(over="ignore"):
        return Scaling(centre, np.where(high > low, np.minimum(high - low, np.finfo(np.float64).max), 1.0))


@dataclass(frozen=True, slots=True)
class Moments:
    """Counts, sums and sums of squares of features, by side; products of columns, over both sides."""

    counts: Floats
    """Shape (2,)."""
    sums: Floats
    """Shape (2, columns)."""
    squares: Floats
    products: Floats | None

    def without(self, part: Moments) -> Moments:
        """Return the moments of all calls but those of a part."""
        products = None
        if self.products is not None and part.products is not None:
            products = self.products - part.products
        return Moments(
            self.counts - part.counts, self.sums - part.sums, self.squares - part.squares, products
        )

    @property
    def shift(self) -> Floats:
        """Return the difference of the means of the sides in every column."""
        means = self.sums / self.counts[:, None]
        difference: Floats = means[1] - means[0]
        return difference

    @property
    def variance(self) -> Floats:
        """Return the variance within the sides, at least a small number."""
        within = self.squares.sum(axis=0) - (self.sums**2 / self.counts[:, None]).sum(axis=0)
        variance: Floats = np.maximum(within / self.counts.sum(), 1e-6)
        return variance

    @property
    def standard_shift(self) -> Floats:
        """Return the shift in units of its standard error."""
        errors: Floats = np.sqrt(self.variance * (1 / self.counts).sum())
        return self.shift / errors

    @property
    def covariance(self) -> Floats:
        """Return the covariance within the sides."""
        assert self.products is not None
        means = self.sums / np.sqrt(self.counts[:, None])
        covariance: Floats = (self.products - means.T @ means) / self.counts.sum()
        return covariance


def moments_of(features: Features, sides: Cells, products: bool) -> Moments:
    """Return the moments of features."""
    parts = [features[sides == side] for side in (0, 1)]
    sums = np.stack([part.sum(axis=0, dtype=np.float64) for part in parts])
    squares = np.stack([np.einsum("ij,ij->j", part, part, dtype=np.float64) for part in parts])
    counts = np.array([len(part) for part in parts], dtype=np.float64)
    return Moments(counts, sums, squares, (features.T @ features).astype(float) if products else None)


def total(parts: list[Moments]) -> Moments:
    """Return the moments of all parts together."""
    products = [part.products for part in parts if part.products is not None]
    return Moments(
        np.sum([part.counts for part in parts], axis=0),
        np.sum([part.sums for part in parts], axis=0),
        np.sum([part.squares for part in parts], axis=0),
        np.sum(products, axis=0) if products else None,
    )
