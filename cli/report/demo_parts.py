"""The parts of the demo: a false claim is audited, a faulty port gated, a private model trained."""

from __future__ import annotations

from collections.abc import Callable

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from privboost.auditor import AuditResult, Verdict, numbers
from privboost.auditor.files.page import BADGES, audit_fragment
from privboost.auditor.files.saving import draw_plots
from privboost.fast import Domain, Numeric, PrivateBoostedTreesClassifier
from privboost.gate.reports.page import gate_fragment
from privboost.gate.reports.tally import Verdict as GateVerdict
from privboost.gate.reports.tally import headline, verdict_of
from privboost.gate.run import run_gate
from privboost.gate.targets.naming import load_target
from privboost.pages import Html, Section, badge, code, element, join

from .audits import SEED, audit_target
from .part import ReportPart, bad, good

BROKEN, BROKEN_CALLS = "broken:noisy_max_value", 20_000
FAULTY, LABEL = "faulty:link-jump-halved", "f-alphaM"
LEARNER, LEARNER_CALLS, LEARNER_POWER = "fast:default", 10_000, 5
EPSILON = 1.0
FEATURES = {
    0: Numeric("mean radius", 5, 30),
    1: Numeric("mean texture", 5, 40),
    3: Numeric("mean area", 0, 2500),
    4: Numeric("mean smoothness", 0, 0.2),
    7: Numeric("concave points", 0, 0.2),
}
"""Columns of the table, with ranges that are known without looking at it."""


def refuted_claim() -> ReportPart:
    """Return the audit of a mechanism that claims more privacy than it has."""
    result = audit_target(BROKEN, BROKEN_CALLS)
    note = element(
        "p",
        "Noisy max adds noise to several counts and returns which one is the greatest. This one returns the "
        "noisy count itself, and still claims ε ≤ 2. The inputs are counts, and one exchanged row changes "
        "each count by at most 1. The auditor calls it on two neighbouring inputs in random order and "
        "guesses from each output which input it was. To repeat it: ",
        code(f"privboost audit {BROKEN} --seed {SEED}"),
        ".",
    )
    section = Section(
        "audit", "A false claim, refuted", join((note, audit_fragment(result, draw_plots(result))))
    )
    summary = f"The claim ε ≤ 2 is refuted after {result.calls:,} calls: {_bound(result)}"
    is_good = result.verdict is Verdict.VIOLATION
    return ReportPart(section, badge(*BADGES[result.verdict], result.verdict), summary, is_good)


def faulty_port() -> ReportPart:
    """Return the result of the gate on an implementation with a mistake."""
    target = load_target(FAULTY)
    try:
        result = run_gate(target, seed=SEED, only=(LABEL,))
    finally:
        target.close()
    note = element(
        "p",
        "This implementation of the paper forgets a factor 2 in the jump of the link. The gate asks it for "
        "values and compares them with exact ones. To repeat it: ",
        code(f"privboost gate {FAULTY} --only {LABEL}"),
        ".",
    )
    section = Section("gate", "A faulty port, named", join((note, gate_fragment(result))))
    is_good = verdict_of(result) is GateVerdict.FAIL and {each.label for each in result.failures} == {LABEL}
    summary = f"The link lacks a factor 2 in its jump: {headline(result)}"
    return ReportPart(section, bad(verdict_of(result)), summary, is_good)


def private_model() -> ReportPart:
    """Return a private model of a real table, and the audit of its learner."""
    data = load_breast_cancer()
    rows, labels = data.data[:, list(FEATURES)], data.target_names[data.target]
    fitted, held_out, fitted_labels, held_out_labels = train_test_split(rows, labels, random_state=SEED)
    domain = Domain(tuple(FEATURES.values()))
    model = PrivateBoostedTreesClassifier(epsilon=EPSILON, domain=domain, classes=("benign", "malignant"))
    ledger = model.fit(fitted, fitted_labels).privacy_ledger_
    accuracy, majority = model.score(held_out, held_out_labels), (held_out_labels == "benign").mean()
    tiles = (
        (_percent(accuracy), f"accuracy on {len(held_out)} other rows"),
        (_percent(majority), "accuracy of always saying benign"),
        (f"{float(ledger.total):g}", "ε of the whole model"),
        (f"{len(model.trees_)}", f"trees of depth {model.parameters_.depth}"),
    )
    note = (
        f"Boosted trees were fitted to {len(fitted)} rows of a public table, measurements of cell nuclei, "
        "which comes with scikit-learn. The noise is fresh, so the accuracy changes from run to run. It is "
        "computed without noise; on a secret table it would be no private release."
    )
    result = audit_target(LEARNER, LEARNER_CALLS, LEARNER_POWER)
    body = (
        element("p", note),
        element("ul", *(element("li", element("b", top), below) for top, below in tiles), class_="tiles"),
        element("p", element("b", "Privacy. "), f"ε = {float(ledger.total):g}, {ledger.statement}."),
        *_audit_of_learner(result),
    )
    is_good = result.verdict is Verdict.CONSISTENT and accuracy > majority
    summary = (
        f"A model with ε = {float(ledger.total):g} is right on {_percent(accuracy)} of other rows "
        f"(always benign: {_percent(majority)}); the audit of its learner is {result.verdict}"
    )
    verdict = good(result.verdict) if is_good else bad(result.verdict)
    return ReportPart(Section("model", "A private model, audited", join(body)), verdict, summary, is_good)


def _audit_of_learner(result: AuditResult) -> tuple[Html, ...]:
    command = code(f"privboost audit {LEARNER} --calls {LEARNER_CALLS} --power {LEARNER_POWER} --seed {SEED}")
    return (
        element("h3", "The audit of its learner"),
        element(
            "p", "The same class with its defaults, on small pairs of tables. To repeat it: ", command, "."
        ),
        audit_fragment(result, draw_plots(result)),
    )


PARTS: dict[str, Callable[[], ReportPart]] = {
    "audit a mechanism with a false claim": refuted_claim,
    "gate a port with a mistake": faulty_port,
    "train a private model and audit its learner": private_model,
}
"""What is done, and the function that does it."""


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _bound(result: AuditResult) -> str:
    bound = numbers.floor_to_decimals(result.bound)
    return f"ε > {bound} with confidence {numbers.format_percent(result.confidence)}"
