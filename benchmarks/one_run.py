"""Measure bounds from one training with many canaries: their size, false ones, and those of a peer.

    python benchmarks/one_run.py histogram [--seeds 200]
    python benchmarks/one_run.py null [--seeds 2000]
    python benchmarks/one_run.py refuted [--seeds 100]
    python benchmarks/one_run.py peer [--python JAXPRIVACY/bin/python] [--seeds 20]
    python benchmarks/one_run.py learner [--seeds 5]

`histogram` is one noisy count per canary with epsilon 1. `null` counts bounds that reach the exact epsilon of
randomised response, whose guesses are right as often as privacy allows; bounds of all lengths and times are
counted. `refuted` tests a claim of 1 where epsilon is 1.5 and 2. `peer` compares with jax-privacy 2.0.0 on
the same scores: a union over thresholds, splits, and a threshold that is fixed before; `from_gdp` is its
`epsilon_from_gdp`. `learner` fits PrivateBoostedTreesClassifier once with canaries and compares with 1,000
calls. Times are of the CPU.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.auditor import OneRunResult, audit_scores, one_run
from privboost.auditor.canaries.bounds import count_refuted_by_bet, make_guesses, reaches_limit
from privboost.auditor.canaries.guesses import ScoredRun
from privboost.auditor.claims import epsilon_claim

Rng = np.random.Generator
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
ERROR = 0.05
FIRST_SEED = 70_000

PEER = """
import json, sys
import numpy as np
from jax_privacy import auditing as a
cases = json.load(open(sys.argv[1]))
strategies = {
    "union": lambda case, seed: a.Bonferroni(),
    "split": lambda case, seed: a.Split(0.5, seed=seed),
    "splits": lambda case, seed: a.MultiSplit(20, 0.5, seed=seed),
    "fixed": lambda case, seed: a.Explicit(case["threshold"]),
}
for case in cases:
    rows = []
    for seed, (inside, outside) in enumerate(case["scores"]):
        auditor = a.CanaryScoreAuditor(np.array(inside), np.array(outside))
        rows.append({name: float(auditor.epsilon_one_run(0.05, 1e-12, threshold_strategy=make(case, seed)))
                     for name, make in strategies.items()})
        rows[-1]["from_gdp"] = float(auditor.epsilon_from_gdp(0.05, 1e-5))
    print(json.dumps({"name": case["name"], "rows": rows}))
"""


def make_histogram(cells: int, epsilon: float) -> Callable[[list[int], Rng], Floats]:
    """Return the histogram of rows with Laplace noise."""

    def histogram(rows: list[int], rng: Rng) -> Floats:
        return np.bincount(rows, minlength=cells) + rng.laplace(scale=1 / epsilon, size=cells)

    return histogram


def run_histogram(cells: int, loss: float, seed: int, **options: Any) -> OneRunResult:
    """Return the result of one noisy histogram."""
    return one_run(make_histogram(cells, loss), range(cells), lambda counts, _: counts, seed=seed, **options)


def measure_histogram(seeds: int) -> None:
    """Print mean bounds by the number of cells."""
    for cells in (100, 300, 1_000, 3_000):
        start = time.process_time()
        results = [run_histogram(cells, 1.0, FIRST_SEED + seed) for seed in range(seeds)]
        seconds = (time.process_time() - start) / seeds
        bounds, times = [result.bound for result in results], [result.anytime or 0.0 for result in results]
        above = sum(bound > 1 for bound in bounds)
        print(
            f"{cells:6,} cells: bound {np.mean(bounds):.3f} ± {2 * np.std(bounds) / seeds**0.5:.3f}, "
            f"at any time {np.mean(times):.3f}, above 1: {above} of {seeds}, {seconds:.2f} s",
            flush=True,
        )


def measure_null_runs(seeds: int) -> None:
    """Print how often the exact epsilon of randomised response is refuted, as every false bound does."""
    for canaries, epsilon in ((1_000, 1.0), (200, 0.5), (1_000, 0.0)):
        counts = {"bound": 0, "at any time": 0}
        for seed in range(seeds):
            rng = np.random.default_rng(FIRST_SEED + seed)
            coins = rng.random(canaries) < 0.5
            shown = coins == (rng.random(canaries) < 1 / (1 + np.exp(-epsilon)))
            # Distinct scores, so that no tie is broken.
            guesses = make_guesses([ScoredRun(np.where(shown, 1.0, -1.0) * rng.random(canaries), coins)], rng)
            counts["bound"] += reaches_limit(guesses, epsilon, ERROR)
            counts["at any time"] += any(
                count_refuted_by_bet(each, np.array([epsilon]), each.share * ERROR)
                for each in guesses.sequences
            )
        print(f"{canaries:,} canaries, epsilon {epsilon:g}: false of {seeds:,}: {counts}", flush=True)


def measure_refutations(seeds: int) -> None:
    """Print how often a claim of 1 is refuted in one run with 1,000 cells."""
    for epsilon in (1.5, 2.0):
        verdicts = [
            run_histogram(1_000, epsilon, FIRST_SEED + seed, epsilon=1.0).verdict for seed in range(seeds)
        ]
        print(
            f"epsilon {epsilon}: VIOLATION {sum(v == 'VIOLATION' for v in verdicts)} of {seeds}", flush=True
        )


Law = Callable[[Bools, Rng], Floats]


def make_laplace_law(epsilon: float) -> Law:
    """Return scores of a noisy histogram."""
    return lambda coins, rng: coins + rng.laplace(scale=1 / epsilon, size=coins.size)


def make_gaussian_law(mu: float) -> Law:
    """Return scores with Gaussian noise."""
    return lambda coins, rng: mu * coins + rng.normal(size=coins.size)


def draw_memory_scores(coins: Bools, rng: Rng) -> Floats:
    """Return scores that show a seventh of the canaries that are in, and nothing of the others."""
    return np.where(coins & (rng.random(coins.size) < 0.15), 4.0, 0.0) + rng.normal(size=coins.size)


CASES: tuple[tuple[str, Law, int, float, tuple[int, int]], ...] = (
    ("Laplace 1", make_laplace_law(1), 1_000, 1.0, (342, 342)),
    ("Laplace 1, 300 canaries", make_laplace_law(1), 300, 1.0, (102, 102)),
    ("Laplace 3", make_laplace_law(3), 1_000, 1.0, (262, 262)),
    ("Laplace 0.5", make_laplace_law(0.5), 1_000, 1.0, (401, 401)),
    ("Gaussian 1", make_gaussian_law(1), 1_000, 2.0, (91, 91)),
    ("Gaussian 3", make_gaussian_law(3), 1_000, 3.0, (250, 250)),
    ("one in seven", draw_memory_scores, 1_000, 3.0, (64, 0)),
    ("null", make_gaussian_law(0), 1_000, 0.5, (300, 300)),
)
"""Name, scores, canaries, and what is fixed before: a threshold for the peer, numbers of guesses for us."""


def compare_with_peer(seeds: int, python: Path | None) -> None:
    """Print mean bounds of ours and of the peer on the same scores."""
    written, ours = [], {}
    for name, law, canaries, threshold, fixed in CASES:
        scores, rows = [], []
        for seed in range(seeds):
            rng = np.random.default_rng(FIRST_SEED + seed)
            coins = rng.random(canaries) < 0.5
            values = law(coins, rng)
            inside, outside = values[coins], values[~coins]
            scores.append((inside.tolist(), outside.tolist()))
            result = audit_scores(inside, outside, seed=seed)
            known = audit_scores(inside, outside, seed=seed, guesses=fixed)
            rows.append((result.bound, known.bound, result.anytime or 0.0, result.mu))
        written.append({"name": name, "threshold": threshold, "scores": scores})
        ours[name] = np.array(rows)
    peers: dict[str, list[dict[str, float]]] = {}
    if python is not None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scores.json"
            path.write_text(json.dumps(written), "utf-8")
            done = subprocess.run([python, "-c", PEER, path], check=True, capture_output=True, text=True)
        peers = {line["name"]: line["rows"] for line in map(json.loads, done.stdout.splitlines())}
    for name, rows in ours.items():
        bound, known, anytime, mu = rows.mean(axis=0)
        text = f"{name}: ours {bound:.3f}, fixed {known:.3f}, any time {anytime:.3f}, mu {mu:.3f}"
        other = peers.get(name, [])
        for strategy in other[0] if other else ():
            values = [row[strategy] for row in other]
            text += f"; {strategy} {np.mean(values):.3f} (> 0: {sum(value > 0 for value in values)})"
        print(text, flush=True)


def measure_learner(seeds: int) -> None:
    """Print bounds and CPU seconds of one training with canaries, and of an audit by 1,000 calls."""
    from privboost.auditor import audit_estimator
    from privboost.auditor.canaries.corners import run_estimator
    from privboost.auditor.inputs.description import parse_description
    from privboost.auditor.mechanisms.estimators import claimed_estimator
    from privboost.fast import Domain, PrivateBoostedTreesClassifier

    columns = 10
    domain = Domain.from_bounds([(0, 1)] * columns)
    rng = np.random.default_rng(0)
    rows, labels = rng.random((200, columns)), rng.integers(2, size=200)
    with tempfile.TemporaryDirectory() as folder:
        schema = Path(folder) / "schema.toml"
        entries = [f"[x{index}]\nlo = 0\nhi = 1\n" for index in range(columns)]
        schema.write_text("\n".join([*entries, "[y]\ncategories = [0, 1]\n"]), "utf-8")
        description = parse_description(f"table:{schema},label=y,rows=200")
        for epsilon in (1.0, 10.0, 100.0):
            model = PrivateBoostedTreesClassifier(epsilon=epsilon, domain=domain, classes=(0, 1))
            for canaries in (100, 1_000):
                start, bounds = time.process_time(), []
                for seed in range(seeds):
                    target = claimed_estimator(model, "PrivateBoostedTreesClassifier")
                    bounds.append(run_estimator(target, description, canaries=canaries, seed=seed))
                seconds = (time.process_time() - start) / seeds
                means = [np.mean([getattr(each, name) for each in bounds]) for name in ("bound", "anytime")]
                area = np.mean([each.statistics.auroc for each in bounds])
                print(
                    f"epsilon {epsilon:g}, one run, {canaries:,} canaries: bound {means[0]:.3f}, at any time "
                    f"{means[1]:.3f}, AUROC {area:.3f}, {seconds:.2f} s",
                    flush=True,
                )
            start = time.process_time()
            options: dict[str, Any] = {
                "calls": 1_000,
                "seconds": None,
                "seed": 0,
                "only": ["last label flipped"],
            }
            audited = audit_estimator(model, rows, labels, claim=epsilon_claim(min(epsilon, 16.0)), **options)
            seconds = time.process_time() - start
            print(f"epsilon {epsilon:g}, 1,000 calls: bound {audited.bound:.3f}, {seconds:.2f} s", flush=True)


def main() -> None:
    """Run one measurement."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("histogram", "null", "refuted", "peer", "learner"))
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--python", type=Path)
    options = parser.parse_args()
    if options.what == "peer":
        compare_with_peer(options.seeds or 20, options.python)
        return
    measure, usual = {
        "histogram": (measure_histogram, 200),
        "null": (measure_null_runs, 2_000),
        "refuted": (measure_refutations, 100),
        "learner": (measure_learner, 5),
    }[options.what]
    measure(options.seeds or usual)


if __name__ == "__main__":
    main()
