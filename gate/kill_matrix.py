"""The kill matrix: which faulty implementations the gate rejects under the label that they violate.

A mistake is gated by the checks of its own label, the cheap ones first, until one rejects it. Only if none
does it is gated by all others. A mistake that is known to pass names the reason, and is listed as not caught.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

from privboost.gate.targets.in_process import PythonTarget
from privboost.progress import counting
from privboost.tables import Format, Table, render
from privboost.workers.spread import spread

from .check import Check
from .mistakes import NONE
from .profile import FaultyImplementation, Profile
from .profiles import DEFAULT_PROFILE, MODULES, load_profile
from .result import Progress
from .run import every_check, run_gate

TITLE = "kill matrix"
COLUMNS = ("mistake", "label", "rejected by", "not caught", "what it does")


@dataclass(frozen=True, slots=True)
class Kill:
    """The result of gating one implementation: the labels that rejected it."""

    label: str
    """The label that should reject it; empty if it has no mistake."""
    failures: tuple[tuple[str, int], ...]
    """Labels with their number of failed cases, in the order of the run."""
    broken: tuple[str, ...]
    """Checks that raised an error."""
    missed: str = ""
    """Why its mistake is known to pass; empty if it is not."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels that rejected it."""
        return tuple(label for label, _ in self.failures)

    @property
    def is_caught(self) -> bool:
        """Return whether its own label rejected it."""
        return self.label in self.labels

    @property
    def is_right(self) -> bool:
        """Return whether it was rejected by its own label, or by nothing if that is expected."""
        if self.broken:
            return False
        return self.is_caught if self.label and not self.missed else not self.failures


@lru_cache(maxsize=2)
def _checks(profile: Profile) -> tuple[Check, ...]:
    """Return all checks in the order of their cost: deterministic ones, then by level."""

    def cost(check: Check) -> int:
        return profile.levels.index(check.level) if check.false_alarm else -1

    return tuple(sorted(every_check(profile), key=cost))


def _stages(
    profile: Profile, mistake: FaultyImplementation | None, levels: Collection[str]
) -> list[list[Check]]:
    """Return the checks of an implementation in the order in which they are run."""
    chosen = [check for check in _checks(profile) if not levels or check.level in levels]
    if mistake is None:
        return [chosen]
    own = [check for check in chosen if check.label == mistake.label]
    others = [check for check in chosen if check not in own]
    own.sort(key=lambda check: not check.id.startswith(mistake.first_checks))
    stages = [[check] for check in own]
    if others and not mistake.missed:
        stages.append(others)
    return stages


def judge(
    name: str,
    profile_name: str,
    seed: int = 0,
    levels: Collection[str] = (),
    progress: Callable[[Progress], None] | None = None,
) -> Kill:
    """Gate one implementation of a profile, until its own label rejects it."""
    profile = load_profile(profile_name)
    mistake = None if name == NONE else profile.faulty()[name]
    failures: dict[str, int] = {}
    broken: list[str] = []
    for stage in _stages(profile, mistake, levels):
        target = PythonTarget(name, profile.load_faulty(name))
        result = run_gate(target, levels, (), progress, seed, profile=profile, checks=stage, shrinks=False)
        broken += result.broken
        for failure in result.failures:
            failures[failure.label] = failures.get(failure.label, 0) + 1
        if mistake is not None and mistake.label in failures:
            break
    label, missed = (mistake.label, mistake.missed) if mistake else ("", "")
    return Kill(label, tuple(failures.items()), tuple(broken), missed)


def kill_matrix(
    profile: Profile,
    progress: Callable[[int, int], None] | None = None,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    levels: Collection[str] = (),
    workers: int | None = None,
) -> Table:
    """Gate every mistake and the implementation without one; return the labels that reject each."""
    mistakes = profile.faulty()
    chosen = (NONE, *mistakes) if names is None else tuple(names)
    kills: dict[str, Kill] = {}
    if NONE in chosen:
        # If the correct implementation is rejected, other rejections prove nothing.
        kills[NONE] = judge(NONE, profile.name, seed, levels, progress and partial(_report, progress, chosen))
        if not kills[NONE].is_right:
            void = "the implementation without a mistake does not pass, so nothing else was gated"
            return Table(TITLE, COLUMNS, (_row(NONE, kills[NONE]),), False, void)
    # Made before the processes are forked, which then share the checks.
    _checks(profile)
    gate_one = partial(judge, profile_name=profile.name, seed=seed, levels=levels)
    remaining = [name for name in chosen if name not in kills]
    kills |= spread(gate_one, remaining, workers or os.cpu_count() or 1, progress)
    if len(kills) < len(chosen):
        raise KeyboardInterrupt
    rows = tuple(_row(name, kills[name], mistakes.get(name)) for name in chosen)
    caught = sum(kill.is_caught for kill in kills.values())
    n_mistakes = len(chosen) - (NONE in chosen)
    summary = f"{caught} of {n_mistakes} mistakes rejected by the label that they violate"
    summary += f", {n_mistakes - caught} not caught"
    if NONE in kills:
        summary += "; the implementation without a mistake passes"
    conforming = all(kill.is_right for kill in kills.values())
    failed = {name: dict(kills[name].failures) for name in chosen}
    return Table(TITLE, COLUMNS, rows, conforming, summary, document={"failed": failed})


def _report(progress: Callable[[int, int], None], chosen: Sequence[str], _: Progress) -> None:
    progress(0, len(chosen) - 1)


def _row(name: str, kill: Kill, mistake: FaultyImplementation | None = None) -> tuple[str, ...]:
    """Return the row of an implementation."""
    rejected_by = f"BROKEN CHECK: {kill.broken[0]}" if kill.broken else ", ".join(kill.labels)
    if mistake is None:
        verdict = "nothing" if kill.is_right else rejected_by if kill.broken else "AN ERROR"
        return name, "", verdict, ", ".join(kill.labels), "The implementation without a mistake."
    missed = "" if kill.is_caught else kill.missed or "UNEXPECTED"
    return name, kill.label, rejected_by, missed, mistake.description


PAGE = """# {title}

Each of these implementations has one mistake that people make. The gate should reject it under the label of
the formula that it violates, and must accept the implementation without a mistake. Mistakes that the gate
does not catch are listed with the reason.

{commands}

{summary}.

The folder `gate/{profile}/faulty` holds an implementation of the whole [protocol]({protocol}){origin}. \
A mistake replaces one of its methods. To gate your own implementation, read
[Gate your implementation](gate.md).

A mistake is gated by the checks of its own label until one rejects it, and by all others only if none does.

"""
EXAMPLE = "zeta-missing"
"""The mistake of the command on the page, if the profile has it; else it is the first one."""


def page_of(table: Table, profile: Profile, path: str) -> str:
    """Return the page of the documentation, which is written to a path."""
    is_default, mistakes = profile.name == DEFAULT_PROFILE, profile.faulty()
    option = "" if is_default else f" --profile {profile.name}"
    example = EXAMPLE if EXAMPLE in mistakes else next(iter(mistakes))
    commands = {
        f"privboost gate --kill-matrix{option}": "gate all of them",
        f"privboost gate faulty:{example}{option}": "gate one, and read what its author would read",
        f"python -m privboost.gate.kill_matrix{option} {path}": "gate all of them and write this page",
    }
    width = max(map(len, commands))
    head = PAGE.format(
        title="Faulty implementations" + ("" if is_default else f" of the profile {profile.name}"),
        commands="\n".join(f"    {line:<{width}}  # {what}" for line, what in commands.items()),
        summary=table.summary[:1].upper() + table.summary[1:],
        profile=profile.name,
        protocol=profile.page.path.removeprefix("docs/"),
        origin=", written\nfrom that page alone" if is_default else "",
    )
    return head + render(replace(table, summary=""), Format.MARKDOWN)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description="Gate every faulty implementation, and write the page of results."
    )
    parser.add_argument("page", type=Path, help="file to write, such as docs/faulty.md")
    parser.add_argument("--profile", choices=tuple(MODULES), default=DEFAULT_PROFILE)
    options = parser.parse_args()
    chosen_profile = load_profile(options.profile)
    with counting("faulty implementations tested") as watch:
        matrix = kill_matrix(chosen_profile, watch)
    options.page.write_text(page_of(matrix, chosen_profile, options.page.as_posix()), encoding="utf-8")
    sys.exit(0 if matrix.conforming else 1)
