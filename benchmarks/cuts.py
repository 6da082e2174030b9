"""Measure which features should be cut at equal ratios, on synthetic tasks that were not used for tuning.

    python benchmarks/cuts.py [--draws 8] [--rows 5000] [--epsilon 1]

A feature with public bounds 0 < lo < hi is cut at equal ratios where hi / lo reaches a threshold. Features
have a light tail, a heavy tail, or a light tail and a bound near 0, for which cuts at equal ratios are worse.
All thresholds use the same rows and seeds.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from functools import partial
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification, make_gaussian_quantiles, make_moons

from privboost.fast import Domain, PrivateBoostedTreesClassifier
from privboost.fast.features import Numeric
from privboost.tables import Format, Table, render

Array = NDArray[Any]

THRESHOLDS = (math.inf, 1000.0, 100.0, 10.0, 1.0)
VALUES = 10


def moons(rows: int, seed: int) -> tuple[Array, Array]:
    """Return two moons, and three features of noise."""
    points, labels = make_moons(rows, noise=0.3, random_state=seed)
    noise = np.random.default_rng(seed).normal(size=(rows, 3))
    return np.hstack([points, noise]), labels


def linear(rows: int, seed: int) -> tuple[Array, Array]:
    """Return eight features whose weighted sum, with noise, decides the label."""
    generator = np.random.default_rng(seed)
    points = generator.normal(size=(rows, 8))
    labels = points @ generator.normal(size=8) + generator.normal(size=rows) > 0
    return points, labels.astype(int)


TASKS: dict[str, Callable[[int, int], tuple[Array, Array]]] = {
    "classification": lambda rows, seed: make_classification(rows, 10, n_informative=5, random_state=seed),
    "quantiles": lambda rows, seed: make_gaussian_quantiles(
        n_samples=rows, n_features=5, n_classes=2, random_state=seed
    ),
    "moons": moons,
    "linear": linear,
}


def scale_from(start: float, points: Array) -> Array:
    """Return the features scaled to an interval of length 20."""
    low, high = points.min(axis=0), points.max(axis=0)
    scaled: Array = start + 20 * (points - low) / (high - low)
    return scaled


TAILS: dict[str, Callable[[Array], Array]] = {
    "light": partial(scale_from, 1),
    "heavy": np.exp,
    "near 0": partial(scale_from, 0.01),
}
"""Changes of the features: hi / lo is 21; in the hundreds or thousands; large, with few values near 0."""


def domain_of(points: Array, threshold: float) -> Domain:
    """Return the public domain, with the bounds of the rows."""
    bounds = zip(points.min(axis=0).tolist(), points.max(axis=0).tolist(), strict=True)
    return Domain(
        tuple(
            Numeric(f"x{index}", lo, hi, VALUES, "ratio" if 0 < lo * threshold <= hi else "regular")
            for index, (lo, hi) in enumerate(bounds)
        )
    )


def error(points: Array, labels: Array, threshold: float, epsilon: float, seed: int) -> float:
    """Return the test error in percent on the second half of the rows."""
    half = len(labels) // 2
    domain = domain_of(points, threshold)
    model = PrivateBoostedTreesClassifier(epsilon, domain=domain, classes=(0, 1), random_state=seed)
    model.fit(points[:half], labels[:half])
    return 100 * float(np.mean(model.predict(points[half:]) != labels[half:]))


def rows_of(rows: int, epsilon: float, draws: int) -> list[tuple[str, ...]]:
    """Return the mean errors of every task and tail by threshold, and the differences from the first one."""
    table: list[tuple[str, ...]] = []
    for tail, bend in TAILS.items():
        gaps: list[list[float]] = [[] for _ in THRESHOLDS]
        for name, make in TASKS.items():
            errors: list[list[float]] = [[] for _ in THRESHOLDS]
            for seed in range(draws):
                points, labels = make(2 * rows, seed)
                for index, threshold in enumerate(THRESHOLDS):
                    errors[index].append(error(bend(points), labels, threshold, epsilon, seed))
            table.append((tail, name, *(f"{fmean(some):.1f}" for some in errors)))
            for gap, some in zip(gaps, errors, strict=True):
                gap += [one - other for one, other in zip(some, errors[0], strict=True)]
        shown = (f"{fmean(gap):+.2f} ± {stdev(gap) / len(gap) ** 0.5:.2f}" for gap in gaps[1:])
        table.append((tail, "against never", "", *shown))
    return table


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--rows", type=int, default=5000, help="number of training rows, and of test rows")
    parser.add_argument("--epsilon", type=float, default=1.0)
    options = parser.parse_args()
    columns = ("tail", "task", "never", *(f"hi / lo ≥ {threshold:g}" for threshold in THRESHOLDS[1:]))
    table = Table("benchmarks/cuts.py", columns, tuple(rows_of(options.rows, options.epsilon, options.draws)))
    print(render(table, Format.MARKDOWN), end="")


if __name__ == "__main__":
    main()
