"""Reports of audits, gates and checks of stability as evidence on a card: what each says, and about what.

An audit gives a lower bound on the privacy loss. It may contradict a guarantee, and never makes one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from privboost.auditor.claims import KINDS, PrivacyClaim, parse_claim
from privboost.auditor.files.report import VERSION as AUDIT_VERSION
from privboost.auditor.files.stability_report import VERSION as STABILITY_VERSION
from privboost.auditor.numbers import format_number
from privboost.auditor.result import Verdict
from privboost.auditor.stability.result import StabilityVerdict
from privboost.errors import PreconditionError, UsageError
from privboost.gate.reports.document import FORMAT as GATE_VERSION
from privboost.gate.reports.tally import Verdict as GateVerdict
from privboost.strict_json import JsonValue
from privboost.targets.names import same_target

from .answers import AnswerKind, AnswerSource, CardAnswer, CardEvidence, Subject
from .folder import AUDIT, STABILITY, ReleaseFolder

LEARNER = ("fast", "fast:")
"""A target with this name, or one that begins with this, is the learner of our models."""
LONGEST_TARGET = 300
RIGHT, WRONG = ("pass", "known failures"), "fail"
"""Verdicts of the gate on a target that passes, and on one that does not."""
TREES = "trees"
"""The profile of the gate for learners of trees; its noise is discrete Laplace."""
VERDICTS = tuple(str(verdict).lower() for verdict in GateVerdict)


@dataclass(frozen=True, slots=True)
class Guaranteed:
    """The guarantee that evidence may contradict."""

    epsilon: float
    delta: float
    relation: str
    """The name of a relation, or an empty string if none is stated."""


def read_evidence(folder: ReleaseFolder, guaranteed: Guaranteed | None) -> tuple[CardEvidence, ...]:
    """Return the reports of a folder as evidence.

    Ensures: UsageError for a report that is not as expected, or of another version.
    """
    evidence = []
    for kind, file, document in folder.reports:
        try:
            read = {AUDIT: _audit, STABILITY: _stability}.get(kind, _gate)
            evidence.append(read(folder, file, document, guaranteed))
        except PreconditionError as error:
            member = error.label.removeprefix("document").removeprefix(".") or "the report"
            raise UsageError(f"{file}: {member}: expected {error.expected}, got {error.got}") from None
    return tuple(evidence)


def _subject(folder: ReleaseFolder, target: str) -> Subject:
    stated = () if folder.release is None else folder.release.targets
    if any(same_target(target, each) for each in stated):
        return Subject.RELEASE
    is_learner = target == LEARNER[0] or target.startswith(LEARNER[1])
    return Subject.LEARNER if folder.model is not None and is_learner else Subject.OTHER


def _common(folder: ReleaseFolder, file: str, document: JsonValue, what: str, member: str) -> CardEvidence:
    """Return what all reports have; `member` holds the verdict."""
    target = document.member("target").line()[:LONGEST_TARGET]
    return CardEvidence(
        what,
        target,
        _subject(folder, target),
        document.member("verdict").line(),
        "",
        folder.date_of(file),
        "",
        AnswerSource(file, member),
    )


def _versions(versions: JsonValue) -> str:
    if not isinstance(versions.value, dict):
        raise versions.refusal("an object")
    return ", ".join(f"{name} {versions.at(name).line()}" for name in versions.value)


def _audit(
    folder: ReleaseFolder, file: str, document: JsonValue, guaranteed: Guaranteed | None
) -> CardEvidence:
    document.member("version").equal_to(AUDIT_VERSION)
    common = _common(folder, file, document, "audit", "verdict")
    verdict = document.member("verdict").among(Verdict)
    bound = document.member("bound").number(finite=False)
    confidence = document.member("confidence").number(0, 1)
    calls = document.member("calls").whole(0)
    claim = _claim(document.member("claim"))
    pairs = document.member("pairs").items(empty=False)
    relations = {pair.member("relation").line() for pair in pairs}
    above = f"{claim.symbol} > {format_number(bound)} with confidence {confidence:.6g}"
    finding = (
        f"claim {claim}, {calls:,} calls: {above if bound > 0 else 'no bound above 0'}, on pairs by "
        f"{', '.join(sorted(relations))}; a lower bound, no guarantee"
    )
    contradiction = ""
    is_ours = common.subject is not Subject.OTHER
    if (
        guaranteed is not None
        and claim.kind == "eps"
        and claim.group == 1
        and is_ours
        and not math.isnan(bound)
    ):
        applies = not guaranteed.relation or relations == {guaranteed.relation}
        if applies and claim.delta >= guaranteed.delta:
            is_refuted = verdict == Verdict.VIOLATION and claim.value >= guaranteed.epsilon
            if bound > guaranteed.epsilon or is_refuted:
                contradiction = f"the audit refutes ε ≤ {guaranteed.epsilon:g}: {above}"
    if is_ours and not contradiction and guaranteed is not None:
        finding += _reservation(claim.kind, claim.value, claim.delta, relations, guaranteed)
    return replace(
        common,
        finding=finding,
        versions=_versions(document.member("versions")),
        witness=_witness(folder, file),
        contradiction=contradiction,
    )


def _claim(value: JsonValue) -> PrivacyClaim:
    """Return the claim of an audit; the name of a file, which the command line takes too, is none."""
    if value.line().partition(":")[0] not in KINDS or ":" not in value.line():
        raise value.refusal(f"a claim that begins with one of {', '.join(KINDS)}, and a colon")
    return parse_claim(value.line())


def _reservation(kind: str, value: float, delta: float, relations: set[str], guaranteed: Guaranteed) -> str:
    """Return how the audited claim differs from the guarantee; an empty string if it does not."""
    if guaranteed.relation and relations != {guaranteed.relation}:
        return f"; it says nothing about the guarantee, which is for {guaranteed.relation}"
    if kind != "eps" or (value, delta) != (guaranteed.epsilon, guaranteed.delta):
        return "; another claim than that of the guarantee"
    return ""


def _witness(folder: ReleaseFolder, file: str) -> str:
    """Return the witness beside a report."""
    beside = str(PurePosixPath(file).with_name("witness.json"))
    return beside if beside in folder.witnesses else ""


def _gate(
    folder: ReleaseFolder, file: str, document: JsonValue, guaranteed: Guaranteed | None
) -> CardEvidence:
    document.member("format").equal_to(GATE_VERSION)
    common = _common(folder, file, document, "gate", "verdict")
    profile = document.member("profile")
    document.member("verdict").among(VERDICTS)
    passed = document.member("passed")
    if passed.truth() != (common.verdict in RIGHT):
        raise passed.refusal(f"{common.verdict in RIGHT} with the verdict {common.verdict}")
    is_ours = common.subject is not Subject.OTHER
    headline = document.member("headline").text()
    is_wrong = is_ours and guaranteed is not None and common.verdict == WRONG
    name = profile.member("name").line()
    finding = f"profile {name} {profile.member('version').line()}: {headline}; {_describe_asked(document)}"
    if is_ours and name == TREES and guaranteed is not None and guaranteed.delta:
        finding += (
            "; this profile asks nothing about Gaussian noise, which a guarantee with δ > 0 may rest on"
        )
    return replace(
        common,
        finding=finding,
        versions=f"privboost {document.member('privboost').line()}",
        contradiction=f"the gate fails: {headline}" if is_wrong else "",
    )


def _describe_asked(document: JsonValue) -> str:
    """Return about which labels a gate judged an answer, and for which levels it judged none."""
    labels = [each for each in document.member("labels").items() if _is_judged(each)]
    asked = dict.fromkeys(f"{each.member('name').line()} ({each.member('label').line()})" for each in labels)
    levels = document.member("levels").items()
    others = [each.member("level").line() for each in levels if not _is_judged(each)]
    text = f"judged: {', '.join(asked) or 'nothing'}"
    return text + (f"; not judged: {', '.join(others)}" if others else "")


def _is_judged(tally: JsonValue) -> bool:
    return any(tally.member(count).whole(0) for count in ("passed", "failed", "known"))


def _stability(
    folder: ReleaseFolder, file: str, document: JsonValue, guaranteed: Guaranteed | None
) -> CardEvidence:
    document.member("version").equal_to(STABILITY_VERSION)
    common = _common(folder, file, document, "check of stability", "verdict")
    verdict = document.member("verdict").among(StabilityVerdict)
    reason = document.member("reason").text()
    is_refuted = verdict == StabilityVerdict.COUNTEREXAMPLE
    is_ours = common.subject is not Subject.OTHER
    return replace(
        common,
        finding=reason,
        versions=_versions(document.member("versions")),
        contradiction=f"a counterexample: {reason}" if is_refuted and is_ours and guaranteed else "",
    )


def check_stated_in(folder: ReleaseFolder, stated: CardAnswer | None) -> None:
    """Raise UsageError if a guarantee is said to be stated in the report of an audit."""
    audits = [file for kind, file, _ in folder.reports if kind == AUDIT]
    for file in audits:
        if stated is not None and file in stated.text:
            raise UsageError(
                f"{stated.source}: expected a document that states or proves the guarantee, got the audit "
                f"{file}, which has a lower bound"
            )


def guaranteed_of(answers: Mapping[str, CardAnswer]) -> Guaranteed | None:
    """Return the guarantee of some answers, as numbers; None if no epsilon is guaranteed."""
    epsilon = answers.get("epsilon")
    if epsilon is None or not isinstance(epsilon.value, float):
        return None
    delta = answers.get("delta")
    relation = answers.get("relation")
    name = "" if relation is None else relation.text.partition(":")[0]
    return Guaranteed(epsilon.value, float(delta.value) if delta is not None else 0.0, name)


def gate_answers(evidence: Sequence[CardEvidence]) -> tuple[CardAnswer, ...]:
    """Return what gates and checks of stability say of the correctness of the implementation."""
    return tuple(
        CardAnswer(f"{each.what}: {each.verdict}: {each.finding}", AnswerKind.MEASURED, each.source)
        for each in evidence
        if each.what != "audit" and each.subject is not Subject.OTHER
    )
