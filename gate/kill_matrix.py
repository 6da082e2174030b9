"""The kill matrix: which faulty implementations the gate rejects under the label that they violate.

A mistake is gated by the checks of its own label, the cheap ones first, until one rejects it. Only if none
does it is gated by all others. A mistake that is known to pass names the reason, and is listed as not caught.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

from privboost.gate.targets.in_process import PythonTarget
from privboost.gate.targets.target import Target
from privboost.gate.trees.faulty import MISTAKES, NONE, load
from privboost.progress import counting
from privboost.tables import Format, Table, render
from privboost.workers.spread import spread

from .check import Check, Level, Outcome
from .result import Progress
from .run import every_check, run_gate

COLUMNS = ("mistake", "label", "rejected by", "not caught", "what it does")


@dataclass(frozen=True, slots=True)
class Kill:
    """The result of gating one implementation: the labels that rejected it."""

    name: str
    failures: tuple[tuple[str, int], ...]
    """Labels with their number of failed cases, in the order of the run."""
    broken: tuple[str, ...]
    """Checks that raised an error."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels that rejected it."""
        return tuple(label for label, _ in self.failures)

    @property
    def is_caught(self) -> bool:
        """Return whether its own label rejected it."""
        return self.name != NONE and MISTAKES[self.name].label in self.labels

    @property
    def is_right(self) -> bool:
        """Return whether it was rejected by its own label, or by nothing if that is expected."""
        if self.broken:
            return False
        if self.name == NONE or MISTAKES[self.name].missed:
            return not self.failures
        return self.is_caught


@dataclass(frozen=True, slots=True)
class Unshrunk:
    """A check whose failures are counted but not shrunk."""

    check: Check

    @property
    def id(self) -> str:
        """Return the id of the check."""
        return self.check.id

    @property
    def label(self) -> str:
        """Return the label of the check."""
        return self.check.label

    @property
    def level(self) -> Level:
        """Return the level of the check."""
        return self.check.level

    @property
    def false_alarm(self) -> float:
        """Return the false-alarm probability of the check."""
        return self.check.false_alarm

    def run(self, target: Target, seed: int) -> Outcome | Iterable[Outcome]:
        """Run the check."""
        return self.check.run(target, seed)


@lru_cache(maxsize=2)
def _checks(seed: int) -> tuple[Check, ...]:
    """Return all checks in the order of their cost: deterministic ones, samples, trainings, audits."""
    return tuple(sorted((Unshrunk(check) for check in every_check(seed)), key=_cost))


def _cost(check: Check) -> int:
    if check.level is Level.PRIVACY:
        return 3
    return 0 if not check.false_alarm else 1 if check.level is Level.MECHANISMS else 2


def _stages(name: str, seed: int, levels: Collection[Level]) -> list[list[Check]]:
    """Return the checks of an implementation in the order in which they are run."""
    chosen = [check for check in _checks(seed) if check.level in levels]
    if name == NONE:
        return [chosen]
    own = [check for check in chosen if check.label == MISTAKES[name].label]
    others = [check for check in chosen if check not in own]
    if "seeded" in MISTAKES[name].implementation.__module__:
        # Only seeded trainings can show these mistakes.
        own.sort(key=lambda check: not check.id.startswith("learner/law"))
    stages = [[check] for check in own]
    if others and not MISTAKES[name].missed:
        stages.append(others)
    return stages


def judge(
    name: str,
    seed: int = 0,
    levels: Collection[Level] = tuple(Level),
    progress: Callable[[Progress], None] | None = None,
) -> Kill:
    """Gate one implementation, until its own label rejects it."""
    failures: dict[str, int] = {}
    broken: list[str] = []
    for stage in _stages(name, seed, levels):
        target = PythonTarget(name, load(name))
        result = run_gate(target, levels, progress=progress, seed=seed, checks=stage)
        broken += result.broken
        for failure in result.failures:
            failures[failure.label] = failures.get(failure.label, 0) + 1
        if name != NONE and MISTAKES[name].label in failures:
            break
    return Kill(name, tuple(failures.items()), tuple(broken))


def judge_all(
    names: Sequence[str],
    seed: int,
    levels: Collection[Level],
    workers: int | None,
    done: Callable[[int, int], None] | None,
) -> dict[str, Kill]:
    """Return the results of several implementations by name, gated in parallel."""
    # Made before the processes are forked, which then share the checks.
    _checks(seed)
    kills = spread(partial(judge, seed=seed, levels=levels), names, workers or os.cpu_count() or 1, done)
    if len(kills) < len(names):
        raise KeyboardInterrupt
    return kills


def kill_matrix(
    progress: Callable[[int, int], None] | None = None,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    levels: Collection[Level] = tuple(Level),
    workers: int | None = None,
) -> Table:
    """Gate every mistake and the implementation without one; return the labels that reject each."""
    chosen = (NONE, *MISTAKES) if names is None else tuple(names)
    kills: dict[str, Kill] = {}
    if NONE in chosen:
        # If the correct implementation is rejected, other rejections prove nothing.
        kills[NONE] = judge(NONE, seed, levels, progress and (lambda _: progress(0, len(chosen) - 1)))
        if not kills[NONE].is_right:
            void = "the implementation without a mistake does not pass, so nothing else was gated"
            return Table("gate --kill-matrix", COLUMNS, (_row(kills[NONE]),), False, void)
    kills |= judge_all([name for name in chosen if name not in kills], seed, levels, workers, progress)
    rows = tuple(_row(kills[name]) for name in chosen)
    mistakes = [name for name in chosen if name != NONE]
    caught = sum(kills[name].is_caught for name in mistakes)
    summary = f"{caught} of {len(mistakes)} mistakes rejected by the label that they violate"
    summary += f", {len(mistakes) - caught} not caught"
    if NONE in kills:
        summary += "; the implementation without a mistake passes"
    conforming = all(kill.is_right for kill in kills.values())
    failed = {name: dict(kills[name].failures) for name in chosen}
    return Table("gate --kill-matrix", COLUMNS, rows, conforming, summary, document={"failed": failed})


def _row(kill: Kill) -> tuple[str, ...]:
    """Return the row of an implementation."""
    if kill.name == NONE:
        verdict = (
            "nothing" if kill.is_right else f"BROKEN CHECK: {kill.broken[0]}" if kill.broken else "AN ERROR"
        )
        return NONE, "", verdict, ", ".join(kill.labels), "The implementation without a mistake."
    mistake = MISTAKES[kill.name]
    rejected_by = ", ".join(kill.labels)
    if kill.broken:
        rejected_by = f"BROKEN CHECK: {kill.broken[0]}"
    missed = "" if kill.is_caught else mistake.missed or "UNEXPECTED"
    return kill.name, mistake.label, rejected_by, missed, mistake.description


PAGE = """# Faulty implementations

Each of these implementations has one mistake that people make. The gate should reject it under the label of
the formula that it violates, and must accept the implementation without a mistake. Mistakes that the gate
does not catch are listed with the reason.

    privboost gate --kill-matrix                          # gate all of them
    privboost gate faulty:zeta-missing                    # gate one, and read what its author would read
    python -m privboost.gate.kill_matrix docs/faulty.md   # gate all of them and write this page

SUMMARY.

The folder `gate/trees/faulty` holds an implementation of the whole [protocol](gate_protocol.md), written from
that page alone. A mistake overrides one of its methods, or two. To gate your own implementation, read
[Gate your implementation](gate.md).

A mistake is gated by the checks of its own label until one rejects it, and by all others only if none does.

"""


def page_of(table: Table) -> str:
    """Return the page of the documentation."""
    summary = table.summary[:1].upper() + table.summary[1:]
    return PAGE.replace("SUMMARY", summary) + render(replace(table, summary=""), Format.MARKDOWN)


if __name__ == "__main__":
    with counting("faulty implementations tested") as watch:
        matrix = kill_matrix(watch)
    Path(sys.argv[1]).write_text(page_of(matrix), encoding="utf-8")
    sys.exit(0 if matrix.conforming else 1)
