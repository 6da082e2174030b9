"""Sections of the report that are run for it: the gate on the fast learner, audits, calibration."""

from __future__ import annotations

from dataclasses import dataclass

from privboost.auditor import AuditResult, audit, numbers
from privboost.auditor.calibration import calibrate, tasks_of
from privboost.auditor.files.page import BADGES
from privboost.auditor.files.plots import draw_bound
from privboost.auditor.mechanisms.naming import find_target
from privboost.cli.commands.calibrate import QUICK, table_of
from privboost.gate.reports.page import gate_section
from privboost.gate.run import run_gate
from privboost.gate.targets.naming import load_target
from privboost.pages import Section, badge, code, element, image, joined, table

SEED = 0
"""Seed of all random draws, so that the page is the same on every run."""


@dataclass(frozen=True, slots=True)
class Audited:
    """A row in the section on audits."""

    target: str
    calls: int
    about: str


AUDITS = (
    Audited("broken:noisy_max_value", 20_000, "returns the noisy maximum instead of its index"),
    Audited("broken:sparse_vector_unscaled", 20_000, "noise does not grow with the number of answers"),
    Audited("bank:laplace", 20_000, "the Laplace mechanism, whose claim is true and sharp"),
    Audited("fast:as_printed", 1_000, "the learner as the paper prints it"),
    Audited("fast:default", 4_000, "PrivateBoostedTreesClassifier(), on pairs of the same kind"),
)
NULL_RUNS, CALLS, LONG_RUNS, LONGEST = 60, 300, 1, 10_000


def gate_of_fast_section() -> Section:
    """Return the result of the gate on the fast learner, at all levels."""
    target = load_target("fast")
    try:
        return gate_section(run_gate(target, seed=SEED))
    finally:
        target.close()


def audits_section() -> Section:
    """Return audits of broken mechanisms, of a correct one, and of the learners."""
    results = [_audited(entry) for entry in AUDITS]
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
    return Section("audits", "Audits", joined(body))


def _audited(entry: Audited) -> AuditResult:
    target = find_target(entry.target)
    epsilon = 1.0 if target.epsilon is None else target.epsilon
    return audit(
        target.mechanism, target.pairs, epsilon=epsilon, delta=target.delta, calls=entry.calls, seed=SEED
    )


def _row(entry: Audited, result: AuditResult) -> tuple[object, ...]:
    verdict = badge(*BADGES[result.verdict], result.verdict)
    bound = numbers.above(result.bound, result.claim.value)
    return (
        code(entry.target),
        entry.about,
        numbers.number(result.claim.value),
        verdict,
        bound,
        f"{result.calls:,}",
    )


def calibration_section() -> Section:
    """Return a short calibration: the rate of false violations, and how close the bounds come."""
    calibrations = calibrate(tasks_of(QUICK, NULL_RUNS, CALLS, LONG_RUNS, LONGEST))
    calibrated = table_of(calibrations, complete=True)
    note = (
        "The auditor was run on mechanisms whose ε is known exactly, and stopped at the first violation. At "
        "most 5 % of true claims may be refuted. For a longer calibration run "
    )
    caption = f"{NULL_RUNS} null runs of {CALLS} calls each; bounds of {LONG_RUNS} long run."
    widths = (17, 7, 6, 8, 8, 10, 8, 12, 8, 8, 8)
    body = (
        element("p", note, code("privboost calibrate"), "."),
        table(caption, calibrated.columns, calibrated.rows, widths),
    )
    return Section("calibration", "Calibration of the auditor", joined(body))


CHECKS = (gate_of_fast_section, audits_section, calibration_section)
