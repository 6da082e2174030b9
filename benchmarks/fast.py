"""Time the fast learner against scikit-learn's histogram gradient boosting and private peers.

Times are CPU seconds of this process and its children, for 20 trees of depth 6 and 10 values per feature. A
fit includes the coding of rows. Learners alternate, and the least of three repeats is reported, because other
load can only add time. All learners use one thread, because the busy waiting of scikit-learn's threads would
count as CPU time.

Peers that can be imported are measured, each in its own process; `--peers` names another Python interpreter
that has them, and may be repeated. The time of compilation, which happens once, is reported separately.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

TREES, DEPTH, VALUES = 20, 6, 10
SEED, REPEATS = 5, 3
HGB, UNIFORM, EXPONENTIAL = "HistGradientBoosting", "SOUND_NET (default)", "SOUND_NET (exponential)"
WITH_DELTA = "default with delta = 1e-6"
PEERS = ("diffprivlib", "interpret", "dp_xgboost")


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    used = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(part.ru_utime + part.ru_stime for part in used)


def time_of(work: Callable[[], object]) -> float:
    """Return the CPU time of a call, in seconds."""
    start = cpu_seconds()
    work()
    return cpu_seconds() - start


def make_data(rows: int, features: int, rng: np.random.Generator | None = None) -> tuple[Any, Any]:
    """Return features in [0, 1] and labels that depend on two of them."""
    rng = rng or np.random.default_rng(SEED)
    table = rng.random((rows, features))
    noisy = table[:, 0] + table[:, 1] / 2 + 0.3 * rng.standard_normal(rows)
    return table, (noisy > 0.75).astype(np.int64)


def make_learner(name: str) -> Any:
    """Return an unfitted learner."""
    if name == HGB:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            max_iter=TREES, max_depth=DEPTH, max_bins=VALUES, early_stopping=False
        )
    from privboost.fast import PrivateBoostedTreesClassifier

    if name == WITH_DELTA:
        return PrivateBoostedTreesClassifier(1.0, delta=1e-6, domain=(0, 1), classes=(0, 1))
    law = "uniform" if name == UNIFORM else "exponential"
    return PrivateBoostedTreesClassifier(
        1.0, domain=(0, 1), classes=(0, 1), n_trees=TREES, depth=DEPTH, split_law=law
    )


@dataclass(frozen=True, slots=True)
class Timing:
    """Least CPU seconds of a learner on one table."""

    rows: int
    features: int
    learner: str
    fit: float
    predict: float

    @property
    def unit(self) -> float:
        """Return nanoseconds per row, feature and level."""
        return 1e9 * self.fit / (self.rows * self.features * TREES * DEPTH)


def time_learners(
    rows: int, features: int, names: Sequence[str] = (HGB, UNIFORM, EXPONENTIAL)
) -> list[Timing]:
    """Return the timings of learners on one table; the learners alternate."""
    from threadpoolctl import threadpool_limits

    table, labels = make_data(rows, features)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    with threadpool_limits(1):
        for _ in range(REPEATS):
            for name in names:
                learner = make_learner(name)
                fit = time_of(partial(learner.fit, table, labels))
                times[name].append((fit, time_of(partial(learner.predict, table))))
    return [Timing(rows, features, name, *map(min, zip(*times[name], strict=True))) for name in names]


def copy_speed() -> float:
    """Return the CPU nanoseconds per byte read from memory, measured by a copy."""
    source = np.ones(1 << 28, dtype=np.uint8)
    target = np.empty_like(source)
    np.copyto(target, source)
    return min(time_of(lambda: np.copyto(target, source)) for _ in range(5)) * 1e9 / (2 * source.size)


def compile_seconds() -> float:
    """Return the CPU seconds of compiling all kernels that fits and predictions need, in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--warm"]
        run = subprocess.run(
            command, env={**os.environ, "NUMBA_CACHE_DIR": folder}, capture_output=True, text=True, check=True
        )
    return float(run.stdout)


def warm_up() -> float:
    """Fit and predict a small table twice; return the extra time of the first call."""
    table, labels = make_data(2000, VALUES)

    def once() -> None:
        for name in (UNIFORM, EXPONENTIAL):
            make_learner(name).fit(table, labels).predict(table)

    return time_of(once) - time_of(once)


def time_peer(name: str, rows: int, features: int) -> float:
    """Return the CPU seconds of a fit of a peer, with the same number of trees and depth."""
    table, labels = make_data(rows, features)
    if name == "diffprivlib":
        from diffprivlib.models import RandomForestClassifier

        learner = RandomForestClassifier(
            n_estimators=TREES, max_depth=DEPTH, epsilon=1.0, bounds=(0, 1), classes=(0, 1), n_jobs=1
        )
    elif name == "interpret":
        from interpret.privacy import DPExplainableBoostingClassifier

        # A round fits one tree per feature, so this fits TREES trees, or one per feature if that is more.
        learner = DPExplainableBoostingClassifier(
            epsilon=1.0,
            max_rounds=-(-TREES // features),
            max_leaves=1 << DEPTH,
            max_bins=VALUES,
            n_jobs=1,
            privacy_bounds=np.array([[0.0, 1.0]] * features),
        )
    else:
        import dp_xgboost

        # The settings of its classification example.
        settings = {
            "objective": "reg:squarederror",
            "tree_method": "approxDP",
            "dp_epsilon_per_tree": 1 / TREES,
            "max_depth": DEPTH,
            "min_child_weight": 500,
            "nthread": 1,
        }
        bounds = {"feature_min": [0.0] * features, "feature_max": [1.0] * features}

        def fit() -> None:
            matrix = dp_xgboost.DMatrix(table, label=labels, nthread=1, **bounds)
            dp_xgboost.train(settings, matrix, num_boost_round=TREES)

        return time_of(fit)
    return time_of(lambda: learner.fit(table, labels))


def ask_peer(name: str, rows: int, features: int, pythons: Sequence[str]) -> tuple[float | None, str]:
    """Return the CPU seconds of a peer in the first Python that has it, or the last line of the error."""
    error = ""
    for python in pythons:
        command = [python, __file__, "--peer", name, str(rows), str(features)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if not run.returncode:
            return float(run.stdout.splitlines()[-1]), ""
        error = (run.stderr.strip().splitlines() or ["no output"])[-1]
    return None, error


def print_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table in Markdown."""
    for line in (head, ["---"] * len(head), *lines):
        print("| " + " | ".join(line) + " |", flush=True)
    print(flush=True)


def report_learners(timings: Sequence[Timing], limit: float) -> None:
    """Print every timing with its ratio to scikit-learn's."""
    base = {(timing.rows, timing.features): timing for timing in timings if timing.learner == HGB}
    lines = []
    for timing in timings:
        other = base[timing.rows, timing.features]
        fit = (f"{timing.fit:.3f}", f"{timing.fit / other.fit:.2f}", f"{timing.unit:.2f}")
        predict = (f"{timing.predict:.3f}", f"{timing.predict / other.predict:.2f}")
        lines.append([f"{timing.rows:,} × {timing.features}", timing.learner, *fit, *predict])
    head = ("rows × features", "learner", "fit, CPU s", "ratio", "ns/row/feature/level", "predict", "ratio")
    print_table(head, lines)
    print(f"memory bandwidth: {limit:.3f} ns per byte, which is one code\n")


def report_delta(rows: int, features: int) -> None:
    """Print the time of a fit with a delta, whose trees are many, in all and for each of them."""
    trees = len(make_learner(WITH_DELTA).fit(*make_data(rows, features)).trees_)
    other, timing = time_learners(rows, features, (HGB, WITH_DELTA))
    ratios = (
        timing.fit / other.fit,
        timing.fit / trees / (other.fit / TREES),
        timing.predict / other.predict,
    )
    lines = [
        (HGB, str(TREES), f"{other.fit:.3f}", "1", "1", f"{other.predict:.3f}", "1"),
        (WITH_DELTA, str(trees), f"{timing.fit:.3f}", *(f"{ratio:.2f}" for ratio in ratios[:2]),
         f"{timing.predict:.3f}", f"{ratios[2]:.2f}"),
    ]  # fmt: skip
    print_table(("learner", "trees", "fit, CPU s", "ratio", "per tree", "predict", "ratio"), lines)


def report_growth(timings: Sequence[Timing]) -> None:
    """Print the growth of time with rows and features, relative to linear growth."""
    at = {(timing.learner, timing.rows, timing.features): timing.fit for timing in timings}
    rows = sorted({timing.rows for timing in timings})
    features = sorted({timing.features for timing in timings})
    lines = []
    for name in (UNIFORM, EXPONENTIAL):
        by_rows = [
            f"{at[name, rows[-1], width] / at[name, rows[0], width]:.1f}" if len(rows) > 1 else "not measured"
            for width in features
        ]
        by_width = [f"{at[name, size, features[-1]] / at[name, size, features[0]]:.1f}" for size in rows]
        lines.append([name, ", ".join(by_rows), ", ".join(by_width)])
    head = (
        "learner",
        f"rows × {rows[-1] // rows[0]}: time ×",
        f"features × {features[-1] // features[0]}: time ×",
    )
    print_table(head, lines)


def report_peers(timings: Sequence[Timing], pythons: Sequence[str]) -> None:
    """Print the times of peers on the same tables, and the peers that are missing."""
    lines, missing = [], {}
    for timing in timings:
        if timing.learner != UNIFORM:
            continue
        for name in PEERS:
            if name in missing:
                continue
            seconds, error = ask_peer(name, timing.rows, timing.features, pythons)
            if seconds is None:
                missing[name] = error
                continue
            size = f"{timing.rows:,} × {timing.features}"
            lines.append([size, name, f"{seconds:.2f}", f"{timing.fit / seconds:.3f}"])
    if lines:
        print_table(("rows × features", "peer", "fit, CPU s", "SOUND_NET (default) over peer"), lines)
    for name, error in missing.items():
        print(f"{name} was not measured: {error}")


def main() -> None:
    """Print the time and the error of fits of several sizes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="10^5 rows only")
    parser.add_argument("--delta", action="store_true", help="only a fit with a delta, at 10^5 rows")
    parser.add_argument(
        "--peers", action="append", metavar="PYTHON", help="another Python interpreter that has peers"
    )
    parser.add_argument("--warm", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--peer", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.peer:
        print(time_peer(options.peer[0], *map(int, options.peer[1:])))
        return
    slower = warm_up()
    if options.warm:
        print(slower)
        return
    if options.delta:
        report_delta(10**5, 10)
        return
    sizes = [10**5] if options.quick else [10**5, 10**6]
    timings = [timing for rows in sizes for features in (10, 50) for timing in time_learners(rows, features)]
    limit = copy_speed()
    started = time.strftime("%Y-%m-%d")
    print(f"{TREES} trees of depth {DEPTH}, {VALUES} values per feature, {started}, NumPy {np.__version__}\n")
    report_learners(timings, limit)
    report_growth(timings)
    print(f"compilation, once per installation: {compile_seconds():.1f} CPU s\n")
    report_peers(timings, [*(options.peers or []), sys.executable])


if __name__ == "__main__":
    main()
