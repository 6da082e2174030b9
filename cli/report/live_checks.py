"""The report's sections on what is run anew: the gate on the fast learner, audits, calibration."""

from __future__ import annotations

from dataclasses import dataclass

from privboost.auditor import AuditResult
from privboost.auditor import audit, numbers
from privboost.auditor.calibration import calibrate, tasks_of
from privboost.auditor.files.plots import draw_bound
from privboost.auditor.mechanisms.naming import find_target
from privboost.gate.reports.page import gate_section
from privboost.gate.run import run_gate

from privboost.cli.commands.calibrate import QUICK, table_of
from privboost.gate.targets.naming import load_target
from privboost.pages import Section, badge, code, element, image, joined, table
from privboost.auditor.files.page import BADGES

SEED = 0
"""Of all that is random here, so that the page is the same on every run."""


@dataclass(frozen=True, slots=True)
class Audited:
    """One line of the section on audits."""

    target: str
    calls: int
    about: str


AUDITS = (
    Audited("broken:noisy_max_value", 20_000, "returns the noisy maximum instead of its place"),
    Audited(
        "broken:sparse_vector_unscaled", 20_000, "noise of queries does not grow with the answers allowed"
    ),
    Audited("bank:laplace", 20_000, "the Laplace mechanism, whose claim is true and sharp"),
    Audited("fast:as_printed", 1_000, "the learner as the paper prints it"),
    Audited("fast:sound", 4_000, "the learner with every leak closed, on the same sort of pairs"),
)
NULL_RUNS, CALLS, LONG_RUNS, LONGEST = 60, 300, 1, 10_000


def gate_of_fast_section() -> Section:
    """Return what the gate finds about the fast learner, all levels."""
    target = load_target("fast")
    try:
        return gate_section(run_gate(target, seed=SEED))
    finally:
        target.close()


def audits_section() -> Section:
    """Return audits of wrong mechanisms, of right ones, and of the learners."""
    results = [_audited(entry) for entry in AUDITS]
    rows = [_row(entry, result) for entry, result in zip(AUDITS, results, strict=True)]
    headers = ("Target", "What it is", "Claim", "Verdict", "Bound on ε", "Calls")
    note = (
        "Each mechanism was called on neighbouring inputs. The bound holds with 95 % confidence at every "
        "time, so an audit ends with the first violation. No verdict says that a mechanism is private."
    )
    body = (
        element("p", note),
        table("Audits, made while this page was written.", headers, rows, (24, 30, 10, 16, 10, 10)),
        element(
            "figure",
            image(draw_bound(results[0]), f"bound over calls, {AUDITS[0].target}"),
            element("figcaption", "The bound as calls are made: ", code(AUDITS[0].target), "."),
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
    bound = numbers.above(result.bound, result.epsilon)
    return (
        code(entry.target),
        entry.about,
        numbers.number(result.epsilon),
        verdict,
        bound,
        f"{result.calls:,}",
    )


def calibration_section() -> Section:
    """Return a short calibration: how often true claims are refuted, and how close bounds come."""
    found = calibrate(tasks_of(QUICK, NULL_RUNS, CALLS, LONG_RUNS, LONGEST))
    calibrated = table_of(found, complete=True)
    note = (
        "The auditor on mechanisms whose ε is known exactly, each run watched at every block and stopped at "
        "a violation. At most 5 % of true claims may be refuted. The long table is made by "
    )
    caption = f"{NULL_RUNS} null runs of {CALLS} calls each; bounds of {LONG_RUNS} long run."
    widths = (17, 7, 6, 8, 8, 10, 8, 12, 8, 8, 8)
    body = (
        element("p", note, code("privboost calibrate"), "."),
        table(caption, calibrated.columns, calibrated.rows, widths),
    )
    return Section("calibration", "Calibration of the auditor", joined(body))


CHECKS = (gate_of_fast_section, audits_section, calibration_section)
