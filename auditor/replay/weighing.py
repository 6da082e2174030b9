"""How much loss the recorded noise hides: outputs that are linear in their draws.

Runs on the same input with one draw moved show by which factors the numbers of the output follow the draw. If
these factors also predict a run with fresh coins, the output is linear in its draws. The moves of the draws
that make the outputs on both inputs equal are then a linear system. The cheapest solution is the loss that
the noise hides: the sum of move / scale for Laplace and exponential noise, by linear programming, and the
root of the sum of squares for Gaussian noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.special import ndtr

from .laws import ABSOLUTE, GAUSSIAN, LAWS, ONE_SIDED
from .outputs import Vector
from .recording import Moves, RecordedDraw

ONE_BY_ONE = 8
"""Draws of more values than this are moved together, each value by another amount."""

MOST_VALUES, MOST_DRAWS = 3_000, 100
TOLERANCE = 1e-6

Rerun = Callable[[Moves], Vector]
"""Run an input with frozen draws of which some are moved, and return the numbers of the output."""


@dataclass(frozen=True, slots=True)
class NoiseValue:
    """One value of a draw of noise."""

    draw: int
    element: int
    scale: float
    """The move that costs 1."""
    moves: str
    whole: bool
    """Whether it is an integer."""

    @property
    def step(self) -> float:
        """Return a move that shows what follows this value."""
        return 1.0 if self.whole else self.scale / 2


def noise_values(draws: Sequence[RecordedDraw]) -> list[NoiseValue] | None:
    """Return all values of draws of noise; None if there are too many, or noise whose moves have no cost."""
    values: list[NoiseValue] = []
    noise = [(index, draw) for index, draw in enumerate(draws) if draw.law in LAWS]
    if len(noise) > MOST_DRAWS or sum(draw.size for _, draw in noise) > MOST_VALUES:
        return None
    for index, draw in noise:
        law = LAWS[draw.law]
        if not law.moves or draw.value is None:
            return None
        scales = np.broadcast_to(law.scale_of(draw.parameters), np.shape(draw.value)).ravel()
        for element, scale in enumerate(scales.tolist()):
            values.append(NoiseValue(index, element, scale, law.moves, not law.step))
    return values


def drawn_vector(draws: Sequence[RecordedDraw], values: Sequence[NoiseValue]) -> Vector | None:
    """Return the drawn values of a run; None if it draws otherwise."""
    try:
        return np.array([float(np.ravel(draws[each.draw].value)[each.element]) for each in values])
    except (IndexError, TypeError, ValueError):
        return None


def follow(
    rerun: Rerun, base: Vector, draws: Sequence[RecordedDraw], values: Sequence[NoiseValue]
) -> Vector | None:
    """Return the factor by which each number of the output follows each value of noise.

    None if it is not linear.
    """
    factors = np.zeros((len(base), len(values)))
    columns: dict[int, list[int]] = {}
    for column, each in enumerate(values):
        columns.setdefault(each.draw, []).append(column)
    for draw, indices in columns.items():
        shape, steps = np.shape(draws[draw].value), np.array([values[column].step for column in indices])

        def move(
            times: Vector, draw: int = draw, shape: tuple[int, ...] = shape, steps: Vector = steps
        ) -> Vector:
            """Return by how much the output moves if the values of a draw are moved by multiples of steps."""
            return rerun({draw: (times * steps).reshape(shape)}) - base

        if len(indices) <= ONE_BY_ONE:
            found = _follow_each(move, len(indices), _rounding(base))
        else:
            found = _follow_all(move, values[indices[0]].whole, len(indices), _rounding(base))
        if found is None:
            return None
        factors[:, indices] = found / steps
    return factors if np.all(np.isfinite(factors)) else None


def _rounding(base: Vector) -> float:
    return 1e-12 * float(np.max(np.abs(base), initial=1.0))


def _follow_each(move: Callable[[Vector], Vector], count: int, rounding: float) -> Vector | None:
    """Return by how much the output moves with each value of a draw; None if it is not linear."""
    columns = []
    for times in np.eye(count):
        once, twice = move(times), move(2 * times)
        if not np.allclose(2 * once, twice, rtol=TOLERANCE, atol=rounding):
            return None
        columns.append(once)
    return np.transpose(columns)


def _follow_all(move: Callable[[Vector], Vector], whole: bool, count: int, rounding: float) -> Vector | None:
    """Return the same for a long draw of which each output follows one value; None if it is not so.

    All values are moved twice, by amounts whose ratio names the value.
    """
    times = np.random.default_rng(0).integers(1, 1 << 20, (2, count)) / (1.0 if whole else float(1 << 19))
    first, second = move(times[0]), move(times[1])
    factors, ratios = np.zeros((len(first), count)), times[0] / times[1]
    order = np.argsort(ratios)
    for output in np.flatnonzero(np.abs(first) > rounding).tolist():
        if not np.isfinite(first[output]) or second[output] == 0:
            return None
        ratio = first[output] / second[output]
        at = int(np.searchsorted(ratios[order], ratio))
        nearby = order[max(at - 1, 0) : at + 1]
        nearest = int(nearby[np.argmin(np.abs(ratios[nearby] - ratio))])
        if abs(ratios[nearest] - ratio) > 1e-7 * ratio:
            return None
        factors[output, nearest] = first[output] / times[0, nearest]
    return factors


@dataclass(frozen=True, slots=True)
class Weighed:
    """The loss that noise hides, or a sum of outputs from which the noise cancels."""

    loss: float | None
    is_gaussian: bool = False
    """Whether the loss is the parameter μ of Gaussian noise, and not an epsilon."""
    cancelled: Vector | None = None
    """Factors of the outputs whose sum has no noise and differs."""


def weigh(factors: Vector, moved: Vector, values: Sequence[NoiseValue]) -> Weighed:
    """Return the cheapest moves of noise that make up for a move of the output."""
    rows, used = _find_involved(factors, moved)
    if not len(rows):
        return Weighed(0.0)
    weighed = _weigh_involved(factors[np.ix_(rows, used)], moved[rows], [values[column] for column in used])
    if weighed.cancelled is None:
        return weighed
    cancelled = np.zeros(len(moved))
    cancelled[rows] = weighed.cancelled
    return replace(weighed, cancelled=cancelled)


def _find_involved(factors: Vector, moved: Vector) -> tuple[list[int], list[int]]:
    """Return the outputs that move, with all noise and outputs that are connected with them."""
    rows, columns = moved != 0, np.zeros(factors.shape[1], dtype=bool)
    count = -1
    while count != (count := int(rows.sum() + columns.sum())):
        columns |= np.any(factors[rows] != 0, axis=0)
        rows |= np.any(factors[:, columns] != 0, axis=1)
    return np.flatnonzero(rows).tolist(), np.flatnonzero(columns).tolist()


def _weigh_involved(factors: Vector, moved: Vector, involved: Sequence[NoiseValue]) -> Weighed:
    solution = np.linalg.lstsq(factors, moved, rcond=None)[0] if len(involved) else np.zeros(0)
    rest = moved - factors @ solution
    rest[np.abs(rest) <= TOLERANCE * np.max(np.abs(moved), initial=0.0)] = 0.0
    if np.any(rest):
        return Weighed(None, cancelled=rest / np.max(np.abs(rest)))
    scales = np.array([each.scale for each in involved])
    if all(each.moves == GAUSSIAN for each in involved):
        shift = np.linalg.lstsq(factors * scales, moved, rcond=None)[0]
        return Weighed(float(np.linalg.norm(shift)), is_gaussian=True)
    if any(each.moves == GAUSSIAN for each in involved):
        return Weighed(None)
    losses = [_cheapest(factors * scales, sign * moved, involved) for sign in (1.0, -1.0)]
    known = [loss for loss in losses if loss is not None]
    return Weighed(max(known) if len(known) == 2 else math.inf)


def _cheapest(factors: Vector, moved: Vector, involved: Sequence[NoiseValue]) -> float | None:
    """Return the least sum of moves over scales; None if no moves of one-sided noise make up for it."""
    count = len(involved)
    both = np.hstack([factors, -factors])
    bounds = [(0, None)] * count + [
        (0, None if each.moves == ABSOLUTE else 0 if each.moves == ONE_SIDED else None) for each in involved
    ]
    sizes = np.maximum(np.max(np.abs(both), axis=1), 1e-300)
    kept = np.any(both != 0, axis=1)
    unit = max(float(np.max(np.abs(moved / sizes))), 1e-300)
    done = linprog(
        np.ones(2 * count),
        A_eq=csr_array((both / sizes[:, None])[kept]),
        b_eq=(moved / sizes / unit)[kept],
        bounds=bounds,
        method="highs",
    )
    return float(done.fun) * unit if done.status == 0 else None


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Return the least delta of Gaussian noise with parameter mu at epsilon (Balle and Wang 2018)."""
    if mu <= 0:
        return 0.0
    return float(ndtr(mu / 2 - epsilon / mu) - math.exp(min(epsilon, 700.0)) * ndtr(-mu / 2 - epsilon / mu))
