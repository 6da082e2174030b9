"""Measure how far the time of a draw or of a fit tells private values, before and after fixed work per draw.

    python benchmarks/timing.py [--quick]

*Before* are the samplers that the learner used earlier: a loop for noise (Canonne, Kamath and Steinke 2020),
and draws of splits whose path depends on the scores. They are kept here for comparison. Both kinds alternate.
Draws are timed by the wall clock and fits by CPU time, because other load disturbs long wall-clock times.

Distinguishing is the largest difference, over thresholds on time, between the probabilities of being slower
than the threshold if |noise| is above its median and if not: 0 tells nothing and 1 everything. The last
column is the value that chance exceeds in one of 100 runs.
"""

from __future__ import annotations

import argparse
import random
import time
import warnings
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from itertools import accumulate
from operator import lshift
from typing import Any

import numpy as np
from scipy.stats import chi2_contingency, ks_2samp, pearsonr, spearmanr

from fast import HGB, REPEATS, UNIFORM, make_data, make_learner, print_table, time_of
from privboost.fast import PrivateBoostedTreesClassifier
from privboost.fast.bits import Bits, bits_from, discrete_laplace
from privboost.fast.growth import draws as draws_module
from privboost.fast.growth import split_laws
from privboost.fast.protocol import SplitLaw

SCALES = {"boosted trees": Fraction(20 * 1024), "forest": Fraction(42)}
"""Scales of the noise of 20 boosted trees, in grid steps, and of 21 trees of a forest, at epsilon 1."""
Noise = Callable[[Fraction, Bits], int]
Splits = Callable[[SplitLaw, Any, float, Bits], list[int]]


# Before --------------------------------------------------------------------------------------------------


def old_uniform(count: int, bits: Bits) -> int:
    """Return an integer below the count, by rejection."""
    width = (count - 1).bit_length()
    while True:
        drawn = bits.getrandbits(width) if width else 0
        if drawn < count:
            return drawn


def old_coin(part: int, whole: int, bits: Bits) -> bool:
    """Return true with probability exp(-part / whole)."""
    count = 1
    while old_uniform(count * whole, bits) < part:
        count += 1
    return count % 2 == 1


def old_laplace(scale: Fraction, bits: Bits) -> int:
    """Return discrete Laplace noise by a loop whose number of rounds follows the noise."""
    t, s = scale.numerator, scale.denominator
    while True:
        start = old_uniform(t, bits)
        if not old_coin(start, t, bits):
            continue
        rounds = 0
        while old_coin(1, 1, bits):
            rounds += 1
        magnitude = (start + t * rounds) // s
        negative = bool(bits.getrandbits(1))
        if not (negative and magnitude == 0):
            return -magnitude if negative else magnitude


def old_splits(law: SplitLaw, scores: Any, per_score: float, bits: Bits) -> list[int]:
    """Return splits drawn in 64-bit or in long integers, or by visits, as the scores need it."""
    relative = split_laws.chances(scores, per_score)
    if law is SplitLaw.PERMUTE_AND_FLIP:
        return [old_visits(row, bits) for row in relative]
    mantissas, exponents = np.frexp(relative)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    shifts = exponents.astype(np.int64) - exponents.min(axis=1, keepdims=True)
    if int(shifts.max()) + relative.shape[1].bit_length() <= 63 - 53:
        ends = np.cumsum(whole << shifts, axis=1).tolist()
    else:
        pairs = zip(whole.tolist(), shifts.tolist(), strict=True)
        ends = [list(accumulate(map(lshift, *row))) for row in pairs]
    return [bisect_right(row, old_uniform(row[-1], bits)) for row in ends]


def old_visits(relative: Any, bits: Bits) -> int:
    """Return the first index, in random order, that its coin accepts."""
    left = list(range(relative.size))
    while True:
        index = left.pop(old_uniform(len(left), bits))
        part, whole = float(relative[index]).as_integer_ratio()
        if old_uniform(whole, bits) < part:
            return index


NOISE: dict[str, Noise] = {"before": old_laplace, "now": discrete_laplace}
SPLITS: dict[str, Splits] = {"before": old_splits, "now": split_laws.draw}


# Measurements --------------------------------------------------------------------------------------------


def telling(times: Any, noise: Any) -> list[str]:
    """Return how far times tell |noise|: two correlations, distinguishing, and its value by chance."""
    above = noise > np.median(noise)
    slow, fast = times[above], times[~above]
    chance = 1.63 * np.sqrt(1 / slow.size + 1 / fast.size)
    # Interrupted draws are longer by orders of magnitude; Pearson's correlation leaves the slowest 1 % out.
    usual = times <= np.quantile(times, 0.99)
    return [
        f"{pearsonr(times[usual], noise[usual]).statistic:+.4f}",
        f"{spearmanr(times, noise).statistic:+.4f}",
        f"{ks_2samp(slow, fast).statistic:.4f}",
        f"{chance:.4f}",
    ]


TOLD = ("Pearson", "Spearman", "distinguishing", "by chance")


def report_draws(learner: str, count: int) -> None:
    """Print the time of a draw of noise, by quarters of |noise|, and how far it tells |noise|."""
    source, scale = bits_from(None), SCALES[learner]
    times = {name: np.empty(count) for name in NOISE}
    noise = {name: np.empty(count) for name in NOISE}
    for index in range(count):
        for name, sampler in NOISE.items():
            start = time.perf_counter_ns()
            drawn = sampler(scale, source)
            times[name][index] = time.perf_counter_ns() - start
            noise[name][index] = drawn
    lines = []
    for name in NOISE:
        size = np.abs(noise[name])
        quarters = np.searchsorted(np.quantile(size, [0.25, 0.5, 0.75]), size)
        medians = [f"{np.median(times[name][quarters == quarter]) / 1000:.2f}" for quarter in range(4)]
        lines.append([name, ", ".join(medians), *telling(times[name], size)])
    # CPython keeps the integers from -5 to 256 ready, and takes another path for them.
    small = (noise["now"] >= -5) & (noise["now"] <= 256)
    later = np.median(times["now"][small]) - np.median(times["now"][~small])
    told = telling(times["now"][~small], np.abs(noise["now"][~small]))
    lines.append(["now, without −5 to 256", f"these: {later / 1000:+.2f}", *told])
    print(f"{count:,} draws of noise, scale {scale} ({learner}); median µs by quarters of |noise|:\n")
    print_table(("sampler", "µs", *TOLD), lines)
    edges = np.quantile(noise["before"], np.linspace(0, 1, 41)[1:-1])
    cells = [np.bincount(np.searchsorted(edges, noise[name]), minlength=40) for name in NOISE]
    print(f"same law, by a chi-square test on 40 cells: p = {chi2_contingency(cells).pvalue:.3f}\n")


@contextmanager
def replace_samplers(name: str, seen: list[int] | None = None) -> Iterator[None]:
    """Fit with the samplers of before or of now; append |noise| to a list."""
    sampler, splits = NOISE[name], SPLITS[name]

    def record_noise(scale: Fraction, bits: Bits) -> int:
        drawn = sampler(scale, bits)
        if seen is not None:
            seen.append(abs(drawn))
        return drawn

    usual = draws_module.discrete_laplace, draws_module.draw
    draws_module.discrete_laplace, draws_module.draw = record_noise, splits
    try:
        yield
    finally:
        draws_module.discrete_laplace, draws_module.draw = usual


def fit_seconds(model: PrivateBoostedTreesClassifier, table: Any, labels: Any) -> float:
    """Return the CPU seconds of a fit."""
    start = time.process_time_ns()
    model.fit(table, labels)
    return (time.process_time_ns() - start) / 1e9


def report_fits(count: int) -> None:
    """Print how far the time of a whole fit tells the sum of |noise| over its leaves."""
    table, labels = make_data(500, 5)
    times = {name: np.empty(count) for name in NOISE}
    sums = {name: np.empty(count) for name in NOISE}
    for index in range(-3, count):
        for name in NOISE:
            seen: list[int] = []
            with replace_samplers(name, seen):
                seconds = fit_seconds(make_learner(UNIFORM), table, labels)
            if index >= 0:
                times[name][index], sums[name][index] = seconds, sum(seen)
    lines = [
        [name, f"{1000 * np.median(times[name]):.1f}", *telling(times[name], sums[name])] for name in NOISE
    ]
    print(f"A fit of 500 × 5 with 1280 draws of noise, {count:,} fits; the sum of |noise| over all draws:\n")
    print_table(("sampler", "fit, CPU ms", *TOLD), lines)


def shuffle_keys(keys: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return keys in random order: what ran before has an effect on the time of a call."""
    return random.sample(list(keys), len(keys))


def report_splits(repeats: int) -> None:
    """Print the time of the splits of a level by how far apart the scores of candidates are."""
    generator, source = np.random.default_rng(0), bits_from(None)
    shape = generator.random((16, 90))
    spreads = {"equal scores": 0.0, "e-fold apart": 1.0, "far apart": 100.0, "as far as possible": 1000.0}
    lines = []
    for law in (SplitLaw.EXPONENTIAL, SplitLaw.PERMUTE_AND_FLIP):
        times: dict[tuple[str, str], list[int]] = {(n, s): [] for n in SPLITS for s in spreads}
        for _ in range(repeats):
            for name, spread in shuffle_keys(times):
                scores = -spreads[spread] * shape
                start = time.perf_counter_ns()
                SPLITS[name](law, scores, 1.0, source)
                times[name, spread].append(time.perf_counter_ns() - start)
        for name in SPLITS:
            medians = [np.median(times[name, spread]) / 16_000 for spread in spreads]
            lines.append([law.value, name, *(f"{median:.1f}" for median in medians)])
    print("Median µs of one split among 90 candidates, by the scores of its candidates:\n")
    print_table(("law", "sampler", *spreads), lines)


def report_labels(repeats: int) -> None:
    """Print the time of fits that differ in all their labels."""
    table, follows = make_data(20_000, 10)
    coins = np.random.default_rng(1).integers(0, 2, follows.size)
    kinds = {"all alike": np.zeros_like(follows), "random": coins, "follow two features": follows}
    lines = []
    for law in ("uniform", "exponential", "permute_and_flip"):
        times: dict[tuple[str, str], list[float]] = {(n, k): [] for n in NOISE for k in kinds}
        for _ in range(repeats):
            for name, kind in shuffle_keys(times):
                model = make_learner(UNIFORM).set_params(split_law=law)
                with replace_samplers(name):
                    times[name, kind].append(1000 * fit_seconds(model, table, kinds[kind]))
        lines += [[law, n, *(f"{np.median(times[n, kind]):.1f}" for kind in kinds)] for n in NOISE]
    print("Median CPU ms of a fit of 20,000 × 10, by what all its labels are:\n")
    print_table(("splits", "sampler", *kinds), lines)


def report_speed(sizes: Sequence[int]) -> None:
    """Print the time of a default fit relative to scikit-learn's, as benchmarks/fast.py does."""
    from threadpoolctl import threadpool_limits

    lines = []
    for features in sizes:
        table, labels = make_data(100_000, features)
        times: dict[str, list[float]] = {name: [] for name in (HGB, *NOISE)}
        with threadpool_limits(1):
            for _ in range(2 * REPEATS):
                for name, seen in times.items():
                    fit = partial(make_learner(HGB if name == HGB else UNIFORM).fit, table, labels)
                    with replace_samplers("now" if name == HGB else name):
                        seen.append(time_of(fit))
        for name, seen in times.items():
            ratio = min(seen) / min(times[HGB])
            lines.append([f"100,000 × {features}", name, f"{min(seen):.3f}", f"{ratio:.2f}"])
    print("A default fit, 20 trees of depth 6, least of six:\n")
    print_table(("rows × features", "learner", "fit, CPU s", "ratio"), lines)


def main() -> None:
    """Print how far times tell noise, for draws and for fits."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the draws and fits")
    fewer = 10 if parser.parse_args().quick else 1
    warnings.simplefilter("ignore")
    for learner in SCALES:
        report_draws(learner, 120_000 // fewer)
    report_fits(2_000 // fewer)
    report_splits(1_000 // fewer)
    report_labels(40 // fewer)
    report_speed([10] if fewer > 1 else [10, 50])


if __name__ == "__main__":
    main()
