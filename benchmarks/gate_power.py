"""Measure what the bets of the gate win against known errors, in nats; 18.4 are needed.

    python benchmarks/gate_power.py --samplers     # mistakes of docs/faulty.md in samplers, three seeds each
    python benchmarks/gate_power.py --trainings    # splits of seeded trainings, by protocol

The second table is a mean: the Kullback-Leibler divergence of a rival law from the right one, summed over all
splits of the runs that the gate makes.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.trees.checks.histories import History
from privboost.gate.trees.checks.mechanisms import PooledCheck, mechanism_checks
from privboost.gate.trees.checks.trained import training
from privboost.gate.trees.checks.trained_laws import BATCHES, REQUESTS, ROWS, RUNS
from privboost.gate.trees.checks.trained_splits import RIVALS, laws_of
from privboost.gate.trees.faulty import load
from privboost.gate.trees.implementations.fast import FastImplementation
from privboost.tables import Format, Table, render

SEEDS = (0, 1, 2)
SAMPLED_RUNS = 60
SAMPLERS = {
    "sample_laplace": (
        *("none", "laplace-5-percent-small", "laplace-5-percent-large", "laplace-2-percent-small"),
        *("laplace-truncated-at-5", "laplace-truncated-at-6", "laplace-truncated-at-8"),
        *("laplace-clamped-at-5", "laplace-sign-bias"),
    ),
    "sample_split": (
        *("none", "draws-rate-10-percent", "draws-rate-5-percent", "draws-mixed-with-uniform"),
        "draws-last-missing",
    ),
}


def samplers() -> Table:
    """Return the log wealth of the checks of all requests together."""
    checks = {check.op: check for check in mechanism_checks() if isinstance(check, PooledCheck)}
    rows = []
    for op, names in SAMPLERS.items():
        for name in names:
            wealths = [log_wealth(checks[op], name, seed) for seed in SEEDS]
            rows.append((op, name, *(f"{wealth:.1f}" for wealth in wealths)))
    columns = ("operation", "mistake", *(f"seed {seed}" for seed in SEEDS))
    return Table("benchmarks/gate_power.py --samplers", columns, tuple(rows))


def log_wealth(check: PooledCheck, name: str, seed: int) -> float:
    """Return the log wealth of a check for one mistake."""
    target = PythonTarget(name, load(name))
    lists = []
    for part in check.parts:
        drawn = part.draws(target, seed)
        lists.append((part.case.args, [draw for draws in drawn for draw in draws]))
    return check.evidence(lists).log_wealth


def trainings() -> Table:
    """Return the mean growth of every bet on splits over all runs of a protocol."""
    implementation = FastImplementation()
    growth = []
    for protocol, parameters in REQUESTS.values():
        args = training(protocol, parameters, ROWS)
        history, total = History(args), np.zeros(len(RIVALS))
        for seed in range(SAMPLED_RUNS):
            trees = history.draws(implementation.answer("train", args | {"seed": str(seed)}))
            for draw in (split for tree in trees for split in tree.splits if split.known):
                law, rivals = laws_of(history, draw)
                ratios = np.log(np.maximum(rivals, 1e-300)) - np.log(law)
                total += (rivals * ratios).sum(axis=1)
        growth.append(total * BATCHES * RUNS / SAMPLED_RUNS)
    rows = [(rival, *(f"{wins[index]:.0f}" for wins in growth)) for index, rival in enumerate(RIVALS)]
    return Table("benchmarks/gate_power.py --trainings", ("bet on", *REQUESTS), tuple(rows))


def main() -> int:
    """Print the chosen table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--samplers", action="store_true", help="mistakes in samplers")
    chosen.add_argument("--trainings", action="store_true", help="bets on splits of seeded trainings")
    options = parser.parse_args()
    print(render(samplers() if options.samplers else trainings(), Format.MARKDOWN), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
