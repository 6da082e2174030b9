"""Measure the gate: false alarms of its statistical checks with fresh seeds, and the time of a run.

    python benchmarks/gate.py [--repeat 200] [--target fast] [--first-seed 1] [--only PATTERN] [--workers N]
    python benchmarks/gate.py --profile mechanisms --target plain --record build/gate_repeats.jsonl
    python benchmarks/gate.py --time fast reference faulty:none

A false alarm is a check that rejects a correct implementation. Every repetition has its own seed. With
--record a finished repetition is a line of a file: the same command again makes those that are missing.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Collection, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from privboost.gate.check import Check
from privboost.gate.profiles import DEFAULT_PROFILE, MODULES, load_profile
from privboost.gate.run import every_check, run_gate
from privboost.gate.targets.naming import load_target
from privboost.tables import Format, Table, render


@dataclass(frozen=True, slots=True)
class Repetition:
    """A run of statistical checks."""

    profile: str
    target: str
    only: tuple[str, ...]
    seed: int
    checks: int
    alarms: tuple[str, ...]
    """The checks that rejected the target."""
    bound: float
    """A bound on the probability of any of them."""


def statistical(profile: str, patterns: Collection[str]) -> list[Check]:
    """Return the statistical checks whose ids match a pattern."""
    return [
        check
        for check in every_check(load_profile(profile))
        if check.false_alarm and any(fnmatchcase(check.id, pattern) for pattern in patterns)
    ]


def repeat_once(profile: str, target: str, seed: int, patterns: tuple[str, ...]) -> Repetition:
    """Run the statistical checks with a seed."""
    loaded, checks = load_profile(profile), statistical(profile, patterns)
    result = run_gate(load_target(target, loaded), profile=loaded, seed=seed, checks=checks)
    if result.broken:
        raise RuntimeError(result.broken[0])
    alarms = tuple(failure.check for failure in result.failures)
    return Repetition(profile, target, patterns, seed, len(checks), alarms, result.false_alarm)


def read_record(record: Path | None) -> list[Repetition]:
    """Return the repetitions of a file; none if there is no file."""
    if record is None or not record.is_file():
        return []
    lines = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    return [Repetition(**each | {name: tuple(each[name]) for name in ("only", "alarms")}) for each in lines]


def repeat_checks(
    profile: str,
    target: str,
    seeds: Sequence[int],
    patterns: tuple[str, ...],
    *,
    workers: int,
    record: Path | None,
) -> tuple[Table, list[str]]:
    """Return a table of the false alarms of statistical checks, and a list of them."""
    made = [
        each
        for each in read_record(record)
        if (each.profile, each.target, each.only) == (profile, target, patterns) and each.seed in seeds
    ]
    missing = sorted(set(seeds) - {each.seed for each in made})
    with ProcessPoolExecutor(workers) as pool:
        for done in as_completed(
            pool.submit(repeat_once, profile, target, seed, patterns) for seed in missing
        ):
            made.append(done.result())
            if record is not None:
                with record.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(made[-1])) + "\n")
            words = ", ".join(made[-1].alarms) or "no alarm"
            print(f"seed {made[-1].seed}: {words}; {len(made)} of {len(seeds)}", file=sys.stderr, flush=True)
    alarms = [f"seed {each.seed}: {check}" for each in made for check in each.alarms]
    counts = map(str, (len(made), max(each.checks for each in made), len(alarms)))
    row = (target, *counts, f"{math.fsum(each.bound for each in made):.1e}")
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
    parser.add_argument(
        "--profile", choices=tuple(MODULES), default=DEFAULT_PROFILE, help="profile of the gate"
    )
    parser.add_argument("--target", default="fast", help="a correct implementation")
    parser.add_argument("--record", type=Path, help="file of the finished repetitions, which are kept")
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
    patterns = tuple(options.only or ["*"])
    table, alarms = repeat_checks(
        options.profile, options.target, seeds, patterns, workers=options.workers, record=options.record
    )
    print(render(table, Format.TEXT), end="")
    print("".join(f"{alarm}\n" for alarm in alarms), end="")
    return 0 if table.conforming else 1


if __name__ == "__main__":
    sys.exit(main())
