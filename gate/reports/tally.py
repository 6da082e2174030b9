"""Counts by level and by label, and sentences that all reports share."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from privboost.gate.check import Outcome, Status
from privboost.gate.plan import GatePlan
from privboost.gate.profile import Profile
from privboost.gate.protocol.operation import Variant
from privboost.gate.result import Coverage, Ending, GateResult
from privboost.gate.targets.naming import reproduction

LONGEST_LINE = 2000
"""Maximum length of a reproduction command."""


class Verdict(StrEnum):
    """Verdict on a label, a level or a run."""

    PASS = "pass"
    FAIL = "FAIL"
    KNOWN = "known failures"
    SKIPPED = "skipped"
    NOT_ASKED = "not asked"
    EMPTY = "NOTHING JUDGED"
    PARTIAL = "PARTIAL"
    BROKEN = "BROKEN"
    INTERRUPTED = "INTERRUPTED"


SIGNS = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✗",
    Verdict.KNOWN: "!",
    Verdict.SKIPPED: "–",
    Verdict.NOT_ASKED: " ",
    Verdict.EMPTY: "?",
    Verdict.PARTIAL: "◐",
    Verdict.BROKEN: "?",
    Verdict.INTERRUPTED: "?",
}


WORDS = {
    Verdict.FAIL: "NOT CONFORMING",
    Verdict.INTERRUPTED: "INTERRUPTED",
    Verdict.PARTIAL: "PARTIAL",
}


NEARLY_LEAST = 1 + 1e-6
"""Numbers up to this factor above the least right one are not reported as larger."""
ADVICE = "For a verdict on a part, choose the operations that are meant, and declare their variants in hello."
"""What to do about a partial answer."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of cases of a label, a level or an operation."""

    level: str
    label: str
    passed: int
    failed: int
    """Failures and errors that are not known failures."""
    known: int
    """Known failures."""
    skipped: int

    @property
    def judged(self) -> int:
        """Return the number of cases that were judged."""
        return self.passed + self.failed + self.known

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on the cases."""
        if self.failed:
            return Verdict.FAIL
        if self.known:
            return Verdict.KNOWN
        if self.passed:
            return Verdict.PASS
        return Verdict.SKIPPED if self.skipped else Verdict.NOT_ASKED


def by_level(result: GateResult) -> tuple[Tally, ...]:
    """Return one tally for every level, including levels that were not run."""
    return tuple(_tally(result, level) for level in result.plan.profile.levels)


def by_label(result: GateResult) -> tuple[Tally, ...]:
    """Return one tally for every label of every level, in the order of the levels."""
    keys = dict.fromkeys((outcome.level, outcome.label) for outcome in result.outcomes)
    ordered = sorted(keys, key=lambda key: result.plan.profile.levels.index(key[0]))
    return tuple(_tally(result, level, label) for level, label in ordered)


def by_operation(result: GateResult) -> dict[str, Tally]:
    """Return one tally for every operation that was requested, in the order of the profile."""
    outcomes: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in result.outcomes:
        outcomes[(outcome.request or {}).get("op", "")].append(outcome)
    return {
        name: _count_outcomes(result, outcomes[name])
        for name in result.plan.profile.operations
        if name in outcomes
    }


def verdict_of(result: GateResult) -> Verdict:
    """Return the verdict on the target."""
    if result.broken:
        return Verdict.BROKEN
    if result.ended is Ending.INTERRUPTED:
        return Verdict.INTERRUPTED
    if result.failures or result.stale or result.ended:
        return Verdict.FAIL
    if result.is_empty:
        return Verdict.EMPTY
    if result.coverage.is_short_of(result.required):
        return Verdict.PARTIAL
    return Verdict.KNOWN if result.xfailed else Verdict.PASS


def headline(result: GateResult) -> str:
    """Return the verdict in one sentence."""
    return headline_about(name_target(result), result)


def headline_about(name: str, result: GateResult) -> str:
    """Return the verdict in one sentence, in which the target has a name."""
    verdict = verdict_of(result)
    judged, skipped = result.coverage.n_judged, result.coverage.n_skipped
    skipped_note = f", {_count(skipped, 'skipped')}" if skipped else ""
    cases = "chosen cases" if result.plan.only or result.plan.levels else "cases"
    skipped_note += f"; {coverage_note(result.plan.profile, result.coverage, cases)}"
    if verdict is Verdict.BROKEN:
        count = _count(len(result.broken), "check")
        return f"BROKEN: {count} of privboost raised an error; there is no verdict on {name}"
    if verdict is Verdict.EMPTY:
        return f"NO VERDICT: {name} supports none of the requested operations"
    known = f"{_count(len(result.xfailed), 'known failure')}"
    if verdict in (Verdict.FAIL, Verdict.INTERRUPTED):
        labels = dict.fromkeys(outcome.label for outcome in result.failures)
        labels_note = f", at the label{'s' if len(labels) > 1 else ''} {', '.join(labels)}" if labels else ""
        more = f", besides {known}" if result.xfailed else ""
        early = f"; the run ended early, {_count(result.not_run, 'check')} not run" if result.ended else ""
        stale = f"; {_count(len(result.stale), 'stale entry', 'stale entries')} in the list of known failures"
        return (
            f"{WORDS[verdict]}: {name} fails {len(result.failures)} of {_count(judged, 'case')}"
            f"{labels_note}{more}{skipped_note}{stale if result.stale else ''}{early}"
        )
    word = WORDS.get(verdict, "CONFORMING")
    skipped_note += shortfall_note(result.plan, result.required, result.coverage, result.left_out)
    if result.xfailed:
        passed = judged - len(result.xfailed)
        return f"{word}: {name} passes {passed:,} of {_count(judged, 'case')}, but for {known}{skipped_note}"
    return f"{word}: {name} passes {_count(judged, 'case')}{skipped_note}"


def coverage_note(profile: Profile, coverage: Coverage, cases: str = "cases") -> str:
    """Return how many operations of the profile were answered, and which share of the cases."""
    percent = 100 * coverage.n_judged // (coverage.n_judged + coverage.n_skipped or 1)
    share = f"{percent} %" if percent or not coverage.n_judged else "less than 1 %"
    operations = f"{len(coverage.answered)} of {len(profile.operations)} operations"
    return f"{operations} answered, {share} of the {cases} asked"


def shortfall_note(
    plan: GatePlan, required: Collection[str], coverage: Coverage, left_out: Iterable[Variant]
) -> str:
    """Return what was not answered of the required operations, and what `hello` leaves out, as sentences."""
    unanswered = coverage.missing(required)
    names = (name for name in plan.profile.operations if name in unanswered)
    missing = name_operations(names, coverage.missing_variants(required))
    stated = name_operations((), left_out)
    of = "chosen operations" if plan.operations else "core"
    of = of if plan.operations or plan.profile.core is not None else "operations that hello lists"
    note = f". Not answered of the {of}: {missing}" if missing else ""
    return f"{note}. Left out by hello: {stated}" if stated else note


def name_operations(names: Iterable[str], variants: Iterable[Variant]) -> str:
    """Return operations, and others with some of their variants, as a list in words."""
    partial = [f"{name} with {', '.join(arguments)}" for name, arguments in name_variants(variants).items()]
    return "; ".join(filter(None, [", ".join(names), *partial]))


def name_variants(variants: Iterable[Variant]) -> dict[str, list[str]]:
    """Return the names of variants, such as `rule=sharp`, by operation."""
    names: dict[str, list[str]] = {}
    for each in variants:
        word = f"={each.word}" if each.word else ""
        names.setdefault(each.operation, []).append(f"{each.argument}{word}")
    return names


def name_label(result: GateResult, label: str) -> str:
    """Return the subject of a label in plain words; empty if the profile does not name it."""
    return result.plan.profile.label_names.get(label, "")


def name_profile(result: GateResult) -> str:
    """Return the name and the version of the profile, and that of its vector files if they have one."""
    profile = result.plan.profile
    release = f", vectors {profile.vectors.release}" if profile.vectors.release else ""
    return f"{profile.name} {profile.version}{release}"


def told_lines(result: GateResult) -> list[str]:
    """Return what is reported and is no failure: weaknesses that are not denied, and larger numbers."""
    told = [f"{each.label}: {each.message}" for each in result.outcomes if each.is_told]
    larger: dict[str, list[Outcome]] = defaultdict(list)
    for each in result.outcomes:
        if each.factor > NEARLY_LEAST:
            larger[each.label].append(each)
    for label, outcomes in larger.items():
        same = (each for each in result.outcomes if (each.label, each.level) == (label, outcomes[0].level))
        asked = sum(each.status is Status.PASS for each in same)
        finite = [each for each in outcomes if math.isfinite(each.factor)]
        parts = [f"{label}: {len(outcomes)} of {_count(asked, 'result')} larger than needed"]
        if finite:
            worst = max(finite, key=lambda each: each.factor)
            parts.append(f"up to {worst.factor:.4g} times the least ({_name_numbers(worst)})")
        if len(finite) < len(outcomes):
            parts.append(f"{len(outcomes) - len(finite)} of them infinite, or above 0 where 0 is right")
        told.append(", ".join(parts))
    return told


def name_target(result: GateResult) -> str:
    """Return the name of the target, with the name and version it announces."""
    announced = name_announced(result)
    return f"{result.plan.target} ({announced})" if announced else result.plan.target


def name_announced(result: GateResult) -> str:
    """Return the name and version that the target announces; empty if it did not."""
    return "" if result.hello is None else f"{result.hello.name} {result.hello.version}".strip()


def false_alarm_sentence(result: GateResult) -> str:
    """Return a sentence about the false-alarm probability of the run."""
    if not result.statistical:
        return f"No check was statistical, so no failure is due to chance (seed {result.plan.seed})"
    return (
        f"A correct implementation fails {_count(result.statistical, 'statistical check')} "
        f"with probability at most {result.false_alarm:.1e} in all (seed {result.plan.seed})"
    )


def reproduce_command(result: GateResult, outcome: Outcome) -> str:
    """Return a shell command that sends the request and those before it; a note if it is too long."""
    if outcome.request is None:
        return ""
    requests = (*outcome.after, outcome.request)
    line = reproduction(result.plan.target, requests, result.plan.profile.name)
    return (
        line if len(line) <= LONGEST_LINE else "the request is too long for a command; the JSON report has it"
    )


def _name_numbers(outcome: Outcome) -> str:
    """Return the numbers of a request in words; its id if it has none but lists."""
    args = (outcome.request or {}).get("args", {}).items()
    numbers = [f"{name} = {value}" for name, value in args if isinstance(value, str) and value[:1].isdigit()]
    return ", ".join(numbers) or outcome.check


def _tally(result: GateResult, level: str, label: str = "") -> Tally:
    """Return the tally of a label of a level, or of all labels if it is empty."""
    outcomes = [each for each in result.outcomes if each.level == level and label in ("", each.label)]
    return _count_outcomes(result, outcomes, level, label)


def _count_outcomes(
    result: GateResult, outcomes: Sequence[Outcome], level: str = "", label: str = ""
) -> Tally:
    passed, skipped = (sum(each.status is kind for each in outcomes) for kind in (Status.PASS, Status.SKIP))
    bad = [each.check in result.xfailed for each in outcomes if each.is_bad]
    return Tally(level, label, passed, len(bad) - sum(bad), sum(bad), skipped)


def _count(count: int, singular: str, plural: str = "") -> str:
    if singular == "skipped":
        return f"{count:,} skipped"
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"
