"""A fast simulation of the learners, compiled by numba; `models` makes its parameters.

The distributions are those of `privboost.fast`, sampled in floating point from a seeded generator: a
simulation needs no exact sampling. What makes it fast:
    - All folds of a configuration run in one call, on the same tables.
    - Rows are kept sorted by node. The masses of a node are computed while its parent's rows are partitioned.
    - Where a node's budget is so small that most splits are accepted, its split is drawn by rejection from
      the uniform distribution: a few splits are scored, and no histogram is made.
    - Otherwise the histogram of the smaller child is counted, and that of the other is the difference; empty
      values are not scored.
    - Weights are multiples of WEIGHT, so sums are exact in any order.

Without numba the same loops are interpreted, hundreds of times slower. All of them are in one file because
the cache of numba is invalidated by changes of the file that defines a function, not of its imports.
"""

# ruff: noqa: PLR0917 - numba takes arrays, one by one

from __future__ import annotations

from collections.abc import Callable
from math import exp, floor, log, sqrt
from typing import Any, NamedTuple

import numpy as np

GRID = 1024.0
NET_STEP = GRID / 4
WEIGHT = 2.0**-36
"""The unit of weights that are not on the grid: sums of 2^17 of them are exact."""
LIFT = 2.0**-20
DEEPEST = 690.0
NEGLIGIBLE = -45.0
"""Splits that are exp(45) times less likely than the best are ignored."""
TRIES = 8
"""Maximum number of rejected splits before all probabilities are summed."""

FIXED, RAW, NOISY = 0, 1, 2
"""Rules for alpha: public, from raw errors, or estimated with noise."""
NOISE_CLAMP, CLAMP_NOISE, MASSES, NET, NO_NOISE = 0, 1, 2, 3, 4
"""Rules for the values of leaves."""
BETA_RAW, BETA_NOISY, BETA_ONE = 0, 1, 2
"""Rules for the coefficients of trees."""


class RowTable(NamedTuple):
    """All rows of a data set, by row and by feature, and its splits in order of features."""

    by_row: Any
    by_feature: Any
    signs: Any
    values: Any
    categorical: Any
    split_feature: Any
    split_value: Any
    bins: int


class Boosting(NamedTuple):
    """Parameters of a boosted ensemble; node budgets are by level."""

    trees: int
    depth: int
    alpha_rule: int
    alpha: float
    boost_alpha: float
    leaf_rule: int
    beta_rule: int
    bound: float
    zeta: float
    node_budgets: Any
    free: bool = False
    uniform: bool = False
    printed_sensitivity: bool = True
    alpha_budget: float = 1.0
    first_scale: float = 1.0
    later_scale: float = 1.0
    later_weight: float = 1.0


class ForestSettings(NamedTuple):
    """Parameters of a random forest."""

    trees: int
    depth: int
    laplace: bool
    scale: float
    budget: float


def _compiler() -> Callable[..., Any]:
    """Return the decorator of numba, or the identity if numba is not installed."""
    try:
        import numba
    except ImportError:
        return lambda function: function
    decorator: Callable[..., Any] = numba.njit(cache=True, nogil=True, error_model="numpy")
    return decorator


compile_ = _compiler()


@compile_
def uniform(state: Any) -> Any:
    """Return a uniform float in [0, 1): the upper 53 bits of SplitMix64 (Steele, Lea and Flood, 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return float(z >> np.uint64(11)) * 2.0**-53


@compile_
def below(bound: Any, state: Any) -> Any:
    """Return a uniform integer in [0, bound)."""
    return int(uniform(state) * bound)


@compile_
def discrete_laplace(scale: Any, state: Any) -> Any:
    """Return an integer k with probability proportional to exp(-|k| / scale)."""
    one = floor(-scale * log(1.0 - uniform(state)))
    return one - floor(-scale * log(1.0 - uniform(state)))


@compile_
def risk(p: Any, n: Any, alpha: Any) -> Any:
    """Return the risk of a leaf from its class masses."""
    return 2.0 * (alpha * sqrt(p * n) + (1.0 - alpha) * min(p, n))


@compile_
def link(u: Any, alpha: Any) -> Any:
    """Return the canonical link at u in (0, 1)."""
    lean = 2.0 * u - 1.0
    jump = 2.0 * (1.0 - alpha) * (1.0 if lean > 0.0 else (-1.0 if lean < 0.0 else 0.0))
    return alpha * lean / sqrt(u * (1.0 - u)) + jump


@compile_
def inverse_link(z: Any, alpha: Any) -> Any:
    """Return the inverse link, 1/2 on the plateau."""
    beyond = abs(z) / 2.0 - (1.0 - alpha)
    if beyond <= 0.0:
        return 0.5
    half = 0.5 * beyond / sqrt(alpha * alpha + beyond * beyond)
    return 0.5 + half if z > 0.0 else 0.5 - half


@compile_
def goes_right(code: Any, value: Any, equal: Any) -> Any:
    """Return whether a row goes to the right child of a split."""
    return code == value if equal else code >= value


@compile_
def count(rows: Any, listed: Any, weights: Any, table: Any) -> None:
    """Write the class masses of every value of every feature over the given rows."""
    features, bins = rows.by_row.shape[1], rows.bins
    table[:] = 0.0
    for k in range(listed.size):
        i = listed[k]
        weight, side = weights[i], 1 if rows.signs[i] > 0 else 0
        codes = rows.by_row[i]
        for f in range(features):
            table[2 * (f * bins + codes[f]) + side] += weight


@compile_
def score_all(rows: Any, table: Any, p: Any, n: Any, alpha: Any, scores: Any) -> Any:
    """Write minus the risk of every split, and return the index of the first best one."""
    bins, at, best = rows.bins, 0, 0
    for f in range(rows.values.size):
        base, values = 2 * f * bins, rows.values[f]
        if rows.categorical[f]:
            for v in range(values if values > 2 else values - 1):
                n1, p1 = table[base + 2 * v], table[base + 2 * v + 1]
                scores[at] = -risk(p1, n1, alpha) - risk(p - p1, n - n1, alpha)
                if scores[at] > scores[best]:
                    best = at
                at += 1
            continue
        n1, p1, score = 0.0, 0.0, -risk(p, n, alpha)
        for v in range(values - 1):
            dn, dp = table[base + 2 * v], table[base + 2 * v + 1]
            if dn != 0.0 or dp != 0.0:
                n1, p1 = n1 + dn, p1 + dp
                score = -risk(p1, n1, alpha) - risk(p - p1, n - n1, alpha)
            scores[at] = score
            if score > scores[best]:
                best = at
            at += 1
    return best


@compile_
def draw_scored(scores: Any, best: Any, rate: Any, state: Any) -> Any:
    """Return a split with probability proportional to exp(rate * score)."""
    top = scores[best]
    for _ in range(TRIES):
        choice = below(scores.size, state)
        if uniform(state) < exp(max(rate * (scores[choice] - top), -DEEPEST)):
            return choice
    total = 0.0
    for c in range(scores.size):
        exponent = rate * (scores[c] - top)
        if exponent > NEGLIGIBLE:
            total += exp(exponent)
    left = uniform(state) * total
    for c in range(scores.size):
        exponent = rate * (scores[c] - top)
        if exponent > NEGLIGIBLE:
            left -= exp(exponent)
            if left < 0.0:
                return c
    return best


@compile_
def draw_unscored(
    rows: Any, listed: Any, weights: Any, p: Any, n: Any, alpha: Any, rate: Any, state: Any
) -> Any:
    """Return a split with probability proportional to exp(rate * score), by rejection sampling."""
    while True:
        choice = below(rows.split_feature.size, state)
        f, value = rows.split_feature[choice], rows.split_value[choice]
        codes, equal = rows.by_feature[f], rows.categorical[f]
        p1, n1 = 0.0, 0.0
        for k in range(listed.size):
            i = listed[k]
            if goes_right(codes[i], value, equal):
                if rows.signs[i] > 0:
                    p1 += weights[i]
                else:
                    n1 += weights[i]
        if uniform(state) < exp(-rate * (risk(p1, n1, alpha) + risk(p - p1, n - n1, alpha))):
            return choice


@compile_
def raw_error(p: Any, n: Any) -> Any:
    """Return the error of a leaf by the paper's strict predicate, which is 0 at a tie."""
    return 0.0 if p == n else min(p, n)


@compile_
def rate_of(plan: Any, size: Any, weight_bound: Any, alpha: Any, budget: Any) -> Any:
    """Return the factor of scores: the budget over twice the sensitivity."""
    if plan.printed_sensitivity:
        return budget / (2.0 * (3.0 + 2.0 * alpha * (sqrt(size) - 1.0)))
    if size < 2:
        return 0.0
    return budget / (2.0 * weight_bound * 2.0 * (alpha * sqrt(size - 1.0) + (1.0 - alpha)))


class Growth(NamedTuple):
    """Buffers for growing a tree, reused for the next tree."""

    order: Any
    other: Any
    start: Any
    stop: Any
    mass: Any
    tables: Any
    counted: Any
    scores: Any
    feature: Any
    value: Any


@compile_
def make_growth(rows: Any, depth: Any) -> Any:
    """Allocate the buffers for trees of a depth."""
    size, features = rows.by_row.shape
    nodes = 1 << depth
    return Growth(
        np.empty(size, dtype=np.int32),
        np.empty(size, dtype=np.int32),
        np.empty(2 * nodes, dtype=np.int64),
        np.empty(2 * nodes, dtype=np.int64),
        np.empty((2 * nodes, 2), dtype=np.float64),
        np.empty((nodes, 2 * features * rows.bins), dtype=np.float64),
        np.empty(nodes, dtype=np.bool_),
        np.empty(rows.split_feature.size, dtype=np.float64),
        np.empty(nodes, dtype=np.int32),
        np.empty(nodes, dtype=np.int32),
    )


@compile_
def listed_of(growth: Any, node: Any) -> Any:
    """Return the rows of a node; nodes are numbered from 1, children of i are 2i and 2i + 1."""
    return growth.order[growth.start[node] : growth.stop[node]]


@compile_
def table_of(rows: Any, weights: Any, growth: Any, node: Any) -> Any:
    """Return the histogram of a node: counted, or that of its parent minus that of its lighter sibling."""
    if growth.counted[node]:
        return growth.tables[node]
    sibling, parent = node ^ 1, node >> 1
    here = growth.stop[node] - growth.start[node]
    there = growth.stop[sibling] - growth.start[sibling]
    if node > 1 and growth.counted[parent] and here > rows.bins and (growth.counted[sibling] or there < here):
        if not growth.counted[sibling]:
            count(rows, listed_of(growth, sibling), weights, growth.tables[sibling])
            growth.counted[sibling] = True
        growth.tables[node][:] = growth.tables[parent] - growth.tables[sibling]
    else:
        count(rows, listed_of(growth, node), weights, growth.tables[node])
    growth.counted[node] = True
    return growth.tables[node]


@compile_
def choose(
    rows: Any, weights: Any, growth: Any, node: Any, alpha: Any, rate: Any, plan: Any, state: Any
) -> Any:
    """Return the split of a node, or -1 for a pure leaf that is not split."""
    n, p = growth.mass[node]
    splits, listed = rows.split_feature.size, listed_of(growth, node)
    if plan.free:
        if p == 0.0 or n == 0.0:
            return -1
        return score_all(rows, table_of(rows, weights, growth, node), p, n, alpha, growth.scores)
    if plan.uniform or rate == 0.0 or listed.size == 0:
        return below(splits, state)
    # Approximate nanoseconds: scoring one split costs its rows; a histogram costs codes and all splits.
    most = rate * risk(p, n, alpha)
    tried = exp(min(most, DEEPEST)) * 2.0 * (listed.size + 10)
    made = 1.2 * listed.size * rows.values.size + 8.0 * splits
    if tried < made:
        return draw_unscored(rows, listed, weights, p, n, alpha, rate, state)
    best = score_all(rows, table_of(rows, weights, growth, node), p, n, alpha, growth.scores)
    return draw_scored(growth.scores, best, rate, state)


@compile_
def send(rows: Any, weights: Any, growth: Any, node: Any, split: Any) -> None:
    """Partition the rows of a node, and compute the masses of its children; without a split all go left."""
    first, last = growth.start[node], growth.stop[node]
    low, high = first, last
    p1, n1 = 0.0, 0.0
    if split >= 0:
        f, value = rows.split_feature[split], rows.split_value[split]
        codes, equal = rows.by_feature[f], rows.categorical[f]
        for k in range(first, last):
            i = growth.order[k]
            if goes_right(codes[i], value, equal):
                high -= 1
                growth.other[high] = i
                if rows.signs[i] > 0:
                    p1 += weights[i]
                else:
                    n1 += weights[i]
            else:
                growth.other[low] = i
                low += 1
        growth.feature[node], growth.value[node] = f, value
    else:
        for k in range(first, last):
            growth.other[k] = growth.order[k]
        low = last
        growth.feature[node] = -1
    growth.start[2 * node], growth.stop[2 * node] = first, low
    growth.start[2 * node + 1], growth.stop[2 * node + 1] = low, last
    growth.mass[2 * node + 1, 0], growth.mass[2 * node + 1, 1] = n1, p1
    growth.mass[2 * node, 0], growth.mass[2 * node, 1] = growth.mass[node, 0] - n1, growth.mass[node, 1] - p1


@compile_
def begin(rows: Any, weights: Any, growth: Any, training: Any) -> None:
    """Assign all training rows to the root."""
    growth.order[: training.size] = training
    growth.start[1], growth.stop[1] = 0, training.size
    growth.mass[1, 0], growth.mass[1, 1] = 0.0, 0.0
    for i in training:
        growth.mass[1, 1 if rows.signs[i] > 0 else 0] += weights[i]


@compile_
def grow(
    rows: Any, weights: Any, growth: Any, training: Any, weight_bound: Any, plan: Any, state: Any
) -> None:
    """Grow a tree level by level; alpha is public, per level, or computed from the tree at every node."""
    begin(rows, weights, growth, training)
    growth.counted[:] = False
    size = float(training.size)
    at_root = raw_error(growth.mass[1, 1], growth.mass[1, 0])
    error = at_root
    alpha = plan.alpha if plan.alpha_rule == FIXED else 1.0
    for level in range(plan.depth):
        first = 1 << level
        if plan.alpha_rule == NOISY and level > 0:
            minority = 0.0
            for node in range(first, 2 * first):
                minority += min(growth.mass[node, 0], growth.mass[node, 1])
            noise = discrete_laplace(GRID * weight_bound / plan.alpha_budget, state) / GRID
            alpha = min(max((minority + noise) / (weight_bound * size / 2.0), 0.0), 1.0)
        for node in range(first, 2 * first):
            if plan.alpha_rule == RAW and at_root > 0.0:
                alpha = min(max(error / at_root, 0.0), 1.0)
            rate = rate_of(plan, size, weight_bound, alpha, plan.node_budgets[level])
            split = choose(rows, weights, growth, node, alpha, rate, plan, state)
            send(rows, weights, growth, node, split)
            if plan.alpha_rule == RAW:
                error -= raw_error(growth.mass[node, 1], growth.mass[node, 0])
                for child in (2 * node, 2 * node + 1):
                    error += raw_error(growth.mass[child, 1], growth.mass[child, 0])
        growth.order[: training.size] = growth.other[: training.size]


@compile_
def leaf_value(p: Any, n: Any, noise: Any, other: Any, scale: Any, size: Any, plan: Any) -> Any:
    """Return the value of a leaf from its masses and noise on the grid."""
    bound, alpha = plan.bound, plan.boost_alpha
    if plan.leaf_rule == NET:
        divisor = size / float(2 << plan.depth) + scale
        steps = floor((p - n + noise) * NET_STEP / divisor)
        return min(max(steps, -NET_STEP), NET_STEP) / GRID
    if plan.leaf_rule == MASSES:
        up, down = max(p + noise, 0.0), max(n + other, 0.0)
        if up == 0.0 and down == 0.0:
            return 0.0
        if up == 0.0 or down == 0.0:
            return bound if up > 0.0 else -bound
        jump = 2.0 * (1.0 - alpha) * (1.0 if up > down else (-1.0 if up < down else 0.0))
        return min(max(alpha * (up - down) / sqrt(up * down) + jump, -bound), bound)
    centre = 0.0
    if p + n > 0.0:
        centre = link(min(max(p / (p + n), plan.zeta), 1.0 - plan.zeta), alpha)
    if plan.leaf_rule != NO_NOISE:
        centre = floor(GRID * centre + LIFT) / GRID
        if plan.leaf_rule == CLAMP_NOISE:
            centre = min(max(centre, -bound), bound)
        centre += noise
    return min(max(centre, -bound), bound)


@compile_
def release(growth: Any, size: Any, scale: Any, plan: Any, values: Any, state: Any) -> Any:
    """Write the values of all leaves, and return the coefficient of the tree."""
    leaves, total = 1 << plan.depth, 0.0
    for leaf in range(leaves):
        n, p = growth.mass[leaves + leaf]
        noise, other = 0.0, 0.0
        if plan.leaf_rule != NO_NOISE:
            noise = discrete_laplace(GRID * scale, state) / GRID
            if plan.leaf_rule == MASSES:
                other = discrete_laplace(GRID * scale, state) / GRID
        values[leaf] = leaf_value(p, n, noise, other, scale, size, plan)
        if plan.beta_rule == BETA_NOISY:
            total += values[leaf] * (p + noise - n - other)
        else:
            total += values[leaf] * (p - n)
    if plan.beta_rule == BETA_ONE:
        return 1.0
    return plan.boost_alpha / (plan.bound * plan.bound) * total / size


@compile_
def advance(rows: Any, weights: Any, margins: Any, growth: Any, values: Any, beta: Any, plan: Any) -> None:
    """Set the weights of all training rows for the next tree."""
    leaves, alpha = 1 << plan.depth, plan.boost_alpha
    for leaf in range(leaves):
        move = beta * values[leaf]
        for k in range(growth.start[leaves + leaf], growth.stop[leaves + leaf]):
            i = growth.order[k]
            y = float(rows.signs[i])
            if plan.beta_rule == BETA_RAW:
                # The literal update, through the link of the weight itself.
                updated = inverse_link(link(weights[i], alpha) - y * move, alpha)
                weights[i] = min(max(np.rint(updated / WEIGHT), 1.0), 1.0 / WEIGHT - 1.0) * WEIGHT
            else:
                margins[i] += move
                steps = floor(GRID * inverse_link(-y * margins[i], alpha))
                weights[i] = min(max(steps, 1.0), GRID * plan.later_weight) / GRID


@compile_
def leaf_of(rows: Any, growth: Any, depth: Any, i: Any) -> Any:
    """Return the leaf that a row reaches."""
    node = 1
    for _ in range(depth):
        f = growth.feature[node]
        right = 0
        if f >= 0 and goes_right(rows.by_feature[f, i], growth.value[node], rows.categorical[f]):
            right = 1
        node = 2 * node + right
    return node - (1 << depth)


@compile_
def measure_tree(growth: Any, depth: Any) -> Any:
    """Return the number of leaves and the depth of a tree, ignoring nodes that were not split."""
    leaves, deepest = 1, 0
    for level in range(depth):
        for node in range(1 << level, 2 << level):
            if growth.feature[node] >= 0:
                leaves += 1
                deepest = level + 1
    return leaves, deepest


@compile_
def boost(rows: Any, training: Any, testing: Any, plan: Any, growth: Any, state: Any) -> Any:
    """Fit an ensemble; return its mistakes on the test rows, and its mean number of leaves and depth."""
    size = float(training.size)
    weights = np.full(rows.signs.size, 0.5)
    margins, scores = np.zeros(rows.signs.size), np.zeros(testing.size)
    values = np.empty(1 << plan.depth)
    leaves, depths = 0, 0
    for tree in range(plan.trees):
        weight_bound = plan.later_weight if tree else 0.5
        scale = plan.later_scale if tree else plan.first_scale
        grow(rows, weights, growth, training, weight_bound, plan, state)
        beta = release(growth, size, scale, plan, values, state)
        for k in range(testing.size):
            scores[k] += beta * values[leaf_of(rows, growth, plan.depth, testing[k])]
        if tree + 1 < plan.trees:
            advance(rows, weights, margins, growth, values, beta, plan)
        here, deep = measure_tree(growth, plan.depth)
        leaves, depths = leaves + here, depths + deep
    return mistakes(rows, testing, scores), leaves / plan.trees, depths / plan.trees


@compile_
def mistakes(rows: Any, testing: Any, scores: Any) -> Any:
    """Return the number of test rows whose score has the wrong sign; a score of 0 is positive."""
    wrong = 0
    for k in range(testing.size):
        wrong += (scores[k] >= 0.0) != (rows.signs[testing[k]] > 0)
    return wrong


@compile_
def vote(p: Any, n: Any, plan: Any, state: Any) -> Any:
    """Return the private class of a leaf of a random tree, 1 or -1."""
    if plan.laplace:
        net = p + discrete_laplace(plan.scale, state) - n - discrete_laplace(plan.scale, state)
        return 1.0 if net >= 0.0 else -1.0
    behind = exp(-min(plan.budget * abs(p - n) / 2.0, DEEPEST))
    leader = 1.0 if p >= n else -1.0
    return leader if uniform(state) * (1.0 + behind) < 1.0 else -leader


@compile_
def plant(rows: Any, training: Any, testing: Any, plan: Any, growth: Any, state: Any) -> Any:
    """Fit a random forest; return its mistakes on the test rows."""
    scores, leaves = np.zeros(testing.size), 1 << plan.depth
    votes = np.empty(leaves)
    for _ in range(plan.trees):
        for node in range(1, leaves):
            split = below(rows.split_feature.size, state)
            growth.feature[node], growth.value[node] = rows.split_feature[split], rows.split_value[split]
        growth.mass[:] = 0.0
        for i in training:
            growth.mass[leaf_of(rows, growth, plan.depth, i), 1 if rows.signs[i] > 0 else 0] += 1.0
        for leaf in range(leaves):
            votes[leaf] = vote(growth.mass[leaf, 1], growth.mass[leaf, 0], plan, state)
        for k in range(testing.size):
            scores[k] += votes[leaf_of(rows, growth, plan.depth, testing[k])]
    return mistakes(rows, testing, scores)


@compile_
def fold_of(by_fold: Any, ends: Any, k: Any) -> Any:
    """Return the training and test rows of a fold; `by_fold` has the rows in the order of folds."""
    first, last = ends[k], ends[k + 1]
    return np.concatenate((by_fold[:first], by_fold[last:])), by_fold[first:last]


@compile_
def boost_folds(rows: Any, by_fold: Any, ends: Any, plan: Any, seeds: Any, out: Any) -> None:
    """Write mistakes, mean number of leaves and mean depth for every fold."""
    growth = make_growth(rows, plan.depth)
    state = np.empty(1, dtype=np.uint64)
    for k in range(seeds.size):
        state[0] = seeds[k]
        training, testing = fold_of(by_fold, ends, k)
        out[k, 0], out[k, 1], out[k, 2] = boost(rows, training, testing, plan, growth, state)


@compile_
def plant_folds(rows: Any, by_fold: Any, ends: Any, plan: Any, seeds: Any, out: Any) -> None:
    """Write mistakes, number of leaves and depth for every fold."""
    growth = make_growth(rows, plan.depth)
    state = np.empty(1, dtype=np.uint64)
    for k in range(seeds.size):
        state[0] = seeds[k]
        training, testing = fold_of(by_fold, ends, k)
        out[k, 0] = plant(rows, training, testing, plan, growth, state)
        out[k, 1], out[k, 2] = 1 << plan.depth, plan.depth
