"""Measure the gate: false alarms of its statistical checks with fresh seeds, and the time of a run.

    python benchmarks/gate.py [--repeat 200] [--target fast] [--first-seed 1] [--only PATTERN] [--workers N]
    python benchmarks/gate.py --time fast reference faulty:none

A false alarm is a check that rejects a correct implementation. Every repetition has its own seed.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Collection, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatchcase

from privboost.gate.check import Check
from privboost.gate.profiles import load_profile
from privboost.gate.run import every_check, run_gate
from privboost.gate.targets.naming import load_target
from privboost.tables import Format, Table, render


def statistical(patterns: Collection[str]) -> list[Check]:
    """Return the statistical checks whose ids match a pattern."""
    return [
        check
        for check in every_check(load_profile())
        if check.false_alarm and any(fnmatchcase(check.id, pattern) for pattern in patterns)
    ]


def alarms_of(target: str, seed: int, patterns: Collection[str]) -> tuple[int, list[str], float]:
    """Return a seed, the statistical checks that reject a target, and a bound on the probability of any."""
    result = run_gate(load_target(target), seed=seed, checks=statistical(patterns))
    if result.broken:
        raise RuntimeError(result.broken[0])
    return seed, [failure.check for failure in result.failures], result.false_alarm


def repeat_checks(
    target: str, seeds: Sequence[int], patterns: Collection[str], workers: int
) -> tuple[Table, list[str]]:
    """Return a table of the false alarms of statistical checks, and a list of them."""
    alarms: list[str] = []
    bounds: list[float] = []
    with ProcessPoolExecutor(workers) as pool:
        for done in as_completed(pool.submit(alarms_of, target, seed, patterns) for seed in seeds):
            seed, checks, bound = done.result()
            alarms += [f"seed {seed}: {check}" for check in checks]
            bounds.append(bound)
            words = ", ".join(checks) or "no alarm"
            print(f"seed {seed}: {words}; {len(bounds)} of {len(seeds)}", file=sys.stderr, flush=True)
    counts = map(str, (len(seeds), len(statistical(patterns)), len(alarms)))
    row = (target, *counts, f"{math.fsum(bounds):.1e}")
    columns = ("target", "repetitions", "checks", "false alarms", "probability of any, at most")
    return Table("benchmarks/gate.py --repeat", columns, (row,), not alarms), alarms


def time_targets(targets: Sequence[str]) -> Table:
    """Return the time of the whole gate for some targets."""
    rows = []
    for name in targets:
        start = time.perf_counter()
        result = run_gate(load_target(name))
        seconds = time.perf_counter() - start
        counts = [
            sum(outcome.status.value == status for outcome in result.outcomes) for status in ("pass", "skip")
        ]
        verdict = "passes" if result.passed else f"FAILS in {len(result.failures)} cases"
        rows.append((name, verdict, *map(str, counts), f"{seconds:.0f} s"))
    return Table("benchmarks/gate.py --time", ("target", "verdict", "passed", "skipped", "time"), tuple(rows))


def main() -> int:
    """Run the chosen measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeat", type=int, default=200, help="repetitions, each with a fresh seed")
    parser.add_argument("--target", default="fast", help="a correct implementation")
    parser.add_argument("--first-seed", type=int, default=1, help="the first of consecutive seeds")
    parser.add_argument(
        "--only",
        action="append",
        metavar="PATTERN",
        help="checks to repeat, such as 'learner/*'; may be repeated",
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--time", nargs="+", metavar="TARGET", help="time the whole gate instead")
    options = parser.parse_args()
    if options.time:
        print(render(time_targets(options.time), Format.TEXT), end="")
        return 0
    seeds = range(options.first_seed, options.first_seed + options.repeat)
    table, alarms = repeat_checks(options.target, seeds, options.only or ["*"], options.workers)
    print(render(table, Format.TEXT), end="")
    print("".join(f"{alarm}\n" for alarm in alarms), end="")
    return 0 if table.conforming else 1


if __name__ == "__main__":
    sys.exit(main())
