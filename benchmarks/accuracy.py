"""Measure the test error of private learners on the UCI domains, by cross-validation over several seeds.

    python benchmarks/accuracy.py --domains all --epsilons 0.1,1,10 --seeds 10 --folds 5 --jobs 2

Every result is appended to a CSV file, and results in the file are not computed again. So an interrupted run
can be resumed, and peers that need another Python environment can be added from there (`--methods
diffprivlib,dp_ebm`; they do not need privboost). Tables in Markdown are printed at the end. `--plot` draws
error against epsilon.

Seeds make splits and noise reproducible; a model fitted with a seed is not private. Bounds of features are
those of the data's manifest. Many of them are computed from the data and treated as public.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib
import json
import os
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

DATA = Path("../shared/data/uci")
CONTROL = 1e-6
"""The epsilon of the zero-budget control, with which a private learner can learn nothing."""

PRINTED_TREES, PRINTED_DEPTH = 10, 3
DELTA = 1e-6
"""The delta of peers that are only (epsilon, delta)-private."""

FIELDS = ("domain", "epsilon", "method", "seed", "folds", "error", "cpu_seconds")
FREE = 0.0
"""The epsilon in the results of methods that have none."""

Learner = Any


@dataclass(frozen=True, slots=True)
class Domain:
    """One data set: rows, labels 0 and 1 (diffprivlib fails with -1), public bounds of every feature."""

    rows: Any
    labels: Any
    bounds: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Task:
    """One cross-validation: all folds of one seed."""

    folder: str
    domain: str
    epsilon: float
    method: str
    seed: int
    folds: int

    @property
    def key(self) -> tuple[str, float, str, int, int]:
        """Return the key of the results."""
        return self.domain, self.epsilon, self.method, self.seed, self.folds


# Data ----------------------------------------------------------------------------------------------------


@cache
def manifest(folder: str) -> dict[str, Any]:
    """Return the descriptions of all data sets of a folder."""
    path = Path(folder) / "MANIFEST.json"
    if not path.is_file():
        sys.exit(f"--data: expected the folder of the UCI domains, got no file {path}")
    return {entry["name"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))["datasets"]}


@cache
def load(folder: str, name: str) -> Domain:
    """Load a data set; the upper bound of a constant feature is its value plus 1."""
    entry = manifest(folder)[name]
    with gzip.open(Path(folder) / entry["file"], "rt", encoding="utf-8") as lines:
        table = np.loadtxt(lines, delimiter=",", skiprows=1, ndmin=2)
    bounds = tuple((float(lo), float(hi) if hi > lo else float(lo) + 1) for lo, hi in entry["bounds"])
    return Domain(table[:, :-1], (table[:, -1] > 0).astype(int), bounds)


# Methods -------------------------------------------------------------------------------------------------


def sound_net(domain: Domain, epsilon: float, seed: int, spacing: str | None = None) -> Learner:
    """Return the project's learner with all of its defaults, or with another spacing of cuts."""
    fast = importlib.import_module("privboost.fast")
    public = fast.Domain.from_bounds(domain.bounds, spacing=spacing)
    return fast.PrivateBoostedTreesClassifier(epsilon, domain=public, classes=(0, 1), random_state=seed)


def sound_net_regular(domain: Domain, epsilon: float, seed: int) -> Learner:
    """Return the project's learner with equally spaced cuts, as in the paper."""
    return sound_net(domain, epsilon, seed, "regular")


def as_printed(domain: Domain, epsilon: float, seed: int) -> Learner:
    """Return the paper's learner, which is not private, with a fixed number of trees and depth."""
    return sound_net_regular(domain, epsilon, seed).set_params(
        protocol="as_printed", n_trees=PRINTED_TREES, depth=PRINTED_DEPTH
    )


def diffprivlib(domain: Domain, epsilon: float, seed: int) -> Learner:
    """Return diffprivlib's random forest with its defaults."""
    models = importlib.import_module("diffprivlib.models")
    lows, highs = (np.array(side) for side in zip(*domain.bounds, strict=True))
    return models.RandomForestClassifier(
        epsilon=epsilon, bounds=(lows, highs), classes=[0, 1], random_state=seed, n_jobs=1
    )


def dp_ebm(domain: Domain, epsilon: float, seed: int) -> Learner:
    """Return interpret's private explainable boosting machine with its defaults; it needs a delta."""
    privacy = importlib.import_module("interpret.privacy")
    bounds = dict(enumerate(domain.bounds))
    return privacy.DPExplainableBoostingClassifier(
        epsilon=epsilon, delta=DELTA, privacy_bounds=bounds, random_state=seed, n_jobs=1
    )


@dataclass
class DpXgboost:
    """Sarus' private XGBoost: 20 trees of depth 6 for the squared error, as in its classification example.

    It is epsilon-private without a delta.
    Of nine settings, these have the least mean error over all domains at epsilon = 1.
    """

    domain: Domain
    epsilon: float
    seed: int

    def fit(self, rows: Any, labels: Any) -> None:
        """Fit without subsampling; a leaf has at least a sixth of the rows."""
        self.package = importlib.import_module("dp_xgboost")
        self.bounds = dict(
            zip(("feature_min", "feature_max"), zip(*self.domain.bounds, strict=True), strict=True)
        )
        trees = 20
        settings = {
            "objective": "reg:squarederror",
            "tree_method": "approxDP",
            "dp_epsilon_per_tree": self.epsilon / trees,
            "max_depth": 6,
            "learning_rate": 0.2,
            "min_child_weight": len(labels) / 6,
            "base_score": 0.5,
            "seed": self.seed,
            "nthread": 1,
            "verbosity": 0,
        }
        table = self.package.DMatrix(rows, label=labels, nthread=1, **self.bounds)
        self.booster = self.package.train(settings, table, num_boost_round=trees)

    def predict(self, rows: Any) -> Any:
        """Return the nearest class."""
        return self.booster.predict(self.package.DMatrix(rows, nthread=1)) >= 0.5


def majority(_domain: Domain, _epsilon: float, _seed: int) -> Learner:
    """Return the classifier of the most frequent class, which is not private."""
    return importlib.import_module("sklearn.dummy").DummyClassifier(strategy="most_frequent")


def non_private(_domain: Domain, _epsilon: float, seed: int) -> Learner:
    """Return scikit-learn's boosted trees with their defaults, not private."""
    return importlib.import_module("sklearn.ensemble").HistGradientBoostingClassifier(random_state=seed)


METHODS: dict[str, Callable[[Domain, float, int], Learner]] = {
    "sound_net": sound_net,
    "sound_net_regular": sound_net_regular,
    "as_printed": as_printed,
    "diffprivlib": diffprivlib,
    "dp_xgboost": DpXgboost,
    "dp_ebm": dp_ebm,
    "majority": majority,
    "non_private": non_private,
}
NEEDS = {
    "diffprivlib": "diffprivlib.models",
    "dp_ebm": "interpret.privacy",
    "dp_xgboost": "dp_xgboost",
    "majority": "sklearn",
    "non_private": "sklearn",
}
"""What the methods need that are not our own."""
WITHOUT_EPSILON = ("majority", "non_private")
CONTROLLED = ("sound_net", "as_printed")


def runnable(methods: Iterable[str]) -> list[str]:
    """Return the methods whose packages can be imported, and print the others."""
    available = []
    for method in methods:
        try:
            importlib.import_module(NEEDS.get(method, "privboost.fast"))
        except Exception as error:
            # The import of an old package may raise anything.
            print(f"skipped {method}: {type(error).__name__}: {error}", file=sys.stderr)
        else:
            available.append(method)
    return available


def run(task: Task) -> tuple[Task, float, float]:
    """Return the mean test error over all folds of a seed, and the CPU time."""
    selection = importlib.import_module("sklearn.model_selection")
    domain = load(task.folder, task.domain)
    start, errors = time.process_time(), []
    folds = selection.StratifiedKFold(task.folds, shuffle=True, random_state=task.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for fold, (train, test) in enumerate(folds.split(domain.rows, domain.labels)):
            learner = METHODS[task.method](domain, task.epsilon, task.folds * task.seed + fold)
            learner.fit(domain.rows[train], domain.labels[train])
            errors.append(float(np.mean(learner.predict(domain.rows[test]) != domain.labels[test])))
    return task, fmean(errors), time.process_time() - start


# Results -------------------------------------------------------------------------------------------------

Results = dict[tuple[str, float, str, int, int], float]


def read_results(path: Path) -> Results:
    """Return the results of the file."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as stream:
        return {
            (
                row["domain"],
                float(row["epsilon"]),
                row["method"],
                int(row["seed"]),
                int(row["folds"]),
            ): float(row["error"])
            for row in csv.DictReader(stream)
        }


def run_all(tasks: Sequence[Task], path: Path, jobs: int) -> None:
    """Run tasks in parallel, and append every result to the file."""
    fresh = not path.is_file()
    with path.open("a", encoding="utf-8", newline="") as stream, ProcessPoolExecutor(jobs) as pool:
        writer = csv.writer(stream)
        if fresh:
            writer.writerow(FIELDS)
        pending = {pool.submit(run, task): task for task in tasks}
        for count, future in enumerate(as_completed(pending), 1):
            task = pending[future]
            try:
                _, error, seconds = future.result()
            except Exception as problem:
                # A peer may fail on one domain; continue with the others.
                print(f"failed {task.method} on {task.domain}: {problem!r}"[:200], file=sys.stderr)
                continue
            writer.writerow([*task.key, f"{error:.6f}", f"{seconds:.3f}"])
            stream.flush()
            if count % 20 == 0 or count == len(tasks):
                print(f"{count} of {len(tasks)}: {task.method}, {task.domain}", file=sys.stderr)


@dataclass(frozen=True, slots=True)
class Cell:
    """Mean error over seeds, its spread, and the number of seeds."""

    mean: float
    spread: float
    seeds: int

    def __str__(self) -> str:
        spread = f" ± {100 * self.spread:.1f} ({self.seeds})" if self.seeds > 1 else ""
        return f"{100 * self.mean:.1f}{spread}"


def cells_of(results: Results, folds: int) -> dict[tuple[str, float, str], Cell]:
    """Return the mean over seeds by domain, epsilon and method."""
    errors = defaultdict(list)
    for (domain, epsilon, method, _, of), error in results.items():
        if of == folds:
            errors[domain, epsilon, method].append(error)
    return {
        key: Cell(fmean(seeds), stdev(seeds) if len(seeds) > 1 else 0.0, len(seeds))
        for key, seeds in errors.items()
    }


def table(cells: dict[tuple[str, float, str], Cell], domains: Sequence[str], epsilon: float) -> str:
    """Return one table in Markdown: a row for every domain, a column for every method that was run."""
    methods = [
        method
        for method in METHODS
        if any((domain, _epsilon_of(method, epsilon), method) in cells for domain in domains)
    ]
    lines = [
        f"ε = {epsilon:g}: test error in %; ± standard deviation over seeds (number of seeds)",
        "",
        f"| domain | {' | '.join(methods)} |",
        f"|---|{'---|' * len(methods)}",
    ]
    for domain in domains:
        shown = [str(cells.get((domain, _epsilon_of(method, epsilon), method), "")) for method in methods]
        lines.append(f"| {domain} | {' | '.join(shown)} |")
    return "\n".join(lines)


def _epsilon_of(method: str, epsilon: float) -> float:
    return FREE if method in WITHOUT_EPSILON else epsilon


def plot(cells: dict[tuple[str, float, str], Cell], domains: Sequence[str], path: Path) -> None:
    """Draw error against epsilon, a line for every domain, one panel for each controlled protocol."""
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "privboost"
    pyplot = importlib.import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(1, len(CONTROLLED), figsize=(9, 4), sharey=True)
    titles = {"sound_net": "SOUND_NET (default)", "as_printed": "AS_PRINTED, which is not private"}
    for method, axis in zip(CONTROLLED, axes, strict=True):
        for domain in domains:
            points = sorted(
                (key[1], cell.mean) for key, cell in cells.items() if key[::2] == (domain, method)
            )
            axis.plot([e for e, _ in points], [error for _, error in points], color="0.4", linewidth=0.8)
        axis.axhline(0.5, color="C3", linestyle="--", linewidth=1)
        axis.set(xscale="log", xlabel="epsilon", title=titles[method], ylim=(0, 0.75))
    axes[0].set_ylabel("test error, one line per domain")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


# Command -------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--data", default=str(DATA), help="folder of the UCI domains, with MANIFEST.json")
    options.add_argument("--domains", default="all", help="names separated by commas, or all")
    options.add_argument("--epsilons", default="0.1,1,10")
    options.add_argument("--methods", default="all", help=f"some of {','.join(METHODS)}, or all")
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--folds", type=int, default=5)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument(
        "--zero-budget", action="store_true", help=f"also run the control, epsilon = {CONTROL:g}"
    )
    options.add_argument(
        "--results",
        type=Path,
        default=Path("accuracy.csv"),
        help="CSV file; results in it are not computed again",
    )
    options.add_argument("--table", type=Path, help="also write the tables to this file")
    options.add_argument("--plot", type=Path, help="draw error against epsilon to this file")
    return options


def tasks_of(options: argparse.Namespace, domains: Sequence[str], epsilons: Sequence[float]) -> list[Task]:
    """Return all tasks in the order of seeds, so that a partial run has the same seeds everywhere."""
    chosen = list(METHODS) if options.methods == "all" else options.methods.split(",")
    unknown = sorted(set(chosen) - set(METHODS))
    if unknown:
        sys.exit(f"--methods: expected some of {', '.join(METHODS)}, got {', '.join(unknown)}")
    methods = runnable(chosen)
    tasks = []
    for seed in range(options.seeds):
        for method in methods:
            budgets = [FREE] if method in WITHOUT_EPSILON else list(epsilons)
            if options.zero_budget and method in CONTROLLED:
                budgets = [CONTROL, *budgets]
            tasks += [
                Task(options.data, domain, epsilon, method, seed, options.folds)
                for domain in domains
                for epsilon in budgets
            ]
    return tasks


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the missing tasks, and print the tables."""
    options = parser().parse_args(arguments)
    known = manifest(options.data)
    domains = list(known) if options.domains == "all" else options.domains.split(",")
    unknown = sorted(set(domains) - set(known))
    if unknown:
        sys.exit(f"--domains: expected some of {', '.join(known)}, got {', '.join(unknown)}")
    epsilons = [float(epsilon) for epsilon in options.epsilons.split(",")]
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    done = read_results(options.results)
    missing = [task for task in tasks_of(options, domains, epsilons) if task.key not in done]
    if missing:
        run_all(missing, options.results, options.jobs)
    cells = cells_of(read_results(options.results), options.folds)
    shown = [*([CONTROL] if options.zero_budget else []), *epsilons]
    tables = "\n\n".join(table(cells, domains, epsilon) for epsilon in shown)
    print(tables)
    if options.table is not None:
        options.table.write_text(tables + "\n", encoding="utf-8", newline="\n")
    if options.plot is not None:
        plot(cells, domains, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
