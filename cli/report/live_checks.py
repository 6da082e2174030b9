"""Sections of the report that are run for it: the gate on the fast learner, audits, calibration."""

from __future__ import annotations

from dataclasses import dataclass

from privboost.auditor import AuditResult, numbers
from privboost.auditor.calibration import calibrate, tasks_of
from privboost.auditor.files.page import BADGES
from privboost.auditor.files.plots import draw_bound
from privboost.auditor.result import Verdict
from privboost.cli.commands.calibrate import QUICK, is_complete, table_of
from privboost.cli.commands.gate import progress_line
from privboost.gate.reports.page import gate_section
from privboost.gate.reports.tally import Verdict as GateVerdict
from privboost.gate.reports.tally import headline, verdict_of
from privboost.gate.run import run_gate
from privboost.gate.targets.naming import load_target
from privboost.pages import Section, badge, code, element, image, join, table
from privboost.progress import Watch, count_progress, counting

from .audits import SEED, audit_target
from .part import ReportPart, grade, result_table


@dataclass(frozen=True, slots=True)
class Audited:
    """A row in the section on audits."""

    target: str
    calls: int
    about: str
    is_private: bool
    """Whether its claim is true; a true claim must not be refuted, a false one must."""


AUDITS = (
    Audited("broken:noisy_max_value", 20_000, "returns the noisy maximum instead of its index", False),
    Audited("broken:sparse_vector_unscaled", 20_000, "noise does not grow with the number of answers", False),
    Audited("bank:laplace", 20_000, "the Laplace mechanism, whose claim is true and sharp", True),
    Audited("fast:as_printed", 1_000, "the learner as the paper prints it", False),
    Audited("fast:default", 4_000, "PrivateBoostedTreesClassifier(), on pairs of the same kind", True),
)
NULL_RUNS, CALLS, LONG_RUNS, LONGEST = 60, 300, 1, 10_000


def gate_of_fast_section() -> ReportPart:
    """Return the result of the gate on the fast learner, at all levels."""
    target = load_target("fast")
    try:
        with Watch(progress_line, steady=True) as watch:
            result = run_gate(target, progress=watch, seed=SEED)
    finally:
        target.close()
    is_good = verdict_of(result) is GateVerdict.PASS
    return ReportPart(gate_section(result), grade(is_good), f"The fast learner: {headline(result)}", is_good)


def audits_section() -> ReportPart:
    """Return audits of broken mechanisms, of a correct one, and of the learners."""
    results = [audit_target(entry.target, entry.calls) for entry in count_progress(AUDITS, "audits made")]
    rows = [_row(entry, result) for entry, result in zip(AUDITS, results, strict=True)]
    headers = ("Target", "What it is", "Claim", "Verdict", "Bound on ε", "Calls")
    note = (
        "Each mechanism was called on neighbouring inputs. The bound holds with 95 % confidence at any time, "
        "so an audit stops at the first violation. No verdict means that a mechanism is private."
    )
    body = (
        element("p", note),
        table("Audits, run for this page.", headers, rows, (24, 30, 10, 16, 10, 10)),
        element(
            "figure",
            image(draw_bound(results[0]), f"bound over calls, {AUDITS[0].target}"),
            element(
                "figcaption", "The bound as a function of the number of calls: ", code(AUDITS[0].target), "."
            ),
        ),
    )
    false, true = (
        [r for entry, r in zip(AUDITS, results, strict=True) if entry.is_private is kind]
        for kind in (False, True)
    )
    caught = sum(result.verdict is Verdict.VIOLATION for result in false)
    wrongly = sum(result.verdict is Verdict.VIOLATION for result in true)
    summary = f"{caught} of {len(false)} false claims of ε refuted, {wrongly} of {len(true)} true ones"
    is_good = caught == len(false) and not wrongly
    return ReportPart(Section("audits", "Audits", join(body)), grade(is_good), summary, is_good)


def _row(entry: Audited, result: AuditResult) -> tuple[object, ...]:
    verdict = badge(*BADGES[result.verdict], result.verdict)
    bound = numbers.format_bound(result.bound, result.claim.value)
    return (
        code(entry.target),
        entry.about,
        numbers.format_number(result.claim.value),
        verdict,
        bound,
        f"{result.calls:,}",
    )


def calibration_section() -> ReportPart:
    """Return a short calibration: the rate of false violations, and how close the bounds come."""
    tasks = tasks_of(QUICK, NULL_RUNS, CALLS, LONG_RUNS, LONGEST)
    with counting("tasks done") as watch:
        calibrations = calibrate(tasks, progress=watch)
    if not is_complete(calibrations, tasks):
        raise KeyboardInterrupt
    calibrated = table_of(calibrations, complete=True)
    note = (
        "The auditor was run on mechanisms whose ε is known exactly, and stopped at the first violation. At "
        "most 5 % of true claims may be refuted. For a longer calibration run "
    )
    caption = f"{NULL_RUNS} null runs of {CALLS} calls each; bounds of {LONG_RUNS} long run."
    body = (
        element("p", note, code("privboost calibrate"), "."),
        result_table(caption, calibrated),
    )
    section = Section("calibration", "Calibration of the auditor", join(body))
    return ReportPart(section, grade(calibrated.conforming), calibrated.summary or "", calibrated.conforming)


def study_section() -> ReportPart:
    """Return where the results of the experiments are, since they take too long for this page."""
    note = element(
        "p",
        "The experiments were not run for this page: they need the UCI data sets of the paper, which "
        "privboost does not contain, and hours of time. docs/study_results.md has the results of such a run. "
        "To run them: ",
        code("privboost study run --grid main --data FOLDER"),
        ", then ",
        code("privboost study report -o study"),
        ".",
    )
    summary = "The paper's experiments take hours and need its data, so they were not run for this page"
    return ReportPart(Section("study", "Experiments", note), badge("warn", "?", "NOT RUN"), summary, None)


CHECKS = (gate_of_fast_section, audits_section, calibration_section, study_section)
