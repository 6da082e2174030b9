"""The result of a run as JSON, as `schemas/report.json` describes it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from privboost import __version__
from privboost.gate.check import Outcome
from privboost.gate.profile import Profile
from privboost.gate.protocol.hello import PROTOCOL
from privboost.gate.result import GateResult

from .tally import (
    Tally,
    by_label,
    by_level,
    by_operation,
    headline,
    name_label,
    reproduce_command,
    verdict_of,
)

FORMAT = 1


def to_document(result: GateResult) -> dict[str, Any]:
    """Return a result as plain values."""
    hello = result.hello
    return {
        "format": FORMAT,
        "protocol": PROTOCOL,
        "profile": _profile(result.plan.profile),
        "privboost": __version__,
        "target": result.plan.target,
        "hello": None
        if hello is None
        else {
            "name": hello.name,
            "version": hello.version,
            "operations": sorted(hello.operations),
            "limits": dict(hello.limits),
            **({"claims": sorted(hello.claims)} if result.plan.profile.claims else {}),
            "variants": {
                operation: {argument: list(words) for argument, words in stated.items()}
                for operation, stated in hello.variants.items()
            },
        },
        "seed": str(result.plan.seed),
        "passed": result.passed,
        "verdict": str(verdict_of(result)).lower(),
        "headline": headline(result),
        "coverage": {
            "answered": sorted(result.coverage.answered),
            "operations": len(result.plan.profile.operations),
            "missing": list(result.missing),
            "missing_variants": [asdict(each) for each in result.missing_variants],
            "left_out": [asdict(each) for each in result.left_out],
        },
        "false_alarm": result.false_alarm,
        "statistical_checks": result.statistical,
        "levels": [_tally(tally) for tally in by_level(result)],
        "labels": [
            {"label": tally.label, "name": name_label(result, tally.label), **_tally(tally)}
            for tally in by_label(result)
        ],
        "operations": [{"operation": name, **_counts(tally)} for name, tally in by_operation(result).items()],
        "outcomes": [_outcome(result, outcome) for outcome in result.outcomes],
        "stale": [
            {"pattern": stale.entry.pattern, "line": stale.entry.line, "reason": stale.reason}
            for stale in result.stale
        ],
        "ended": None if result.ended is None else str(result.ended),
        "not_run": result.not_run,
        "broken": list(result.broken),
    }


def _profile(profile: Profile) -> dict[str, str]:
    """Return the name and the versions of a profile, that of its vector files too if they have one."""
    release = {"release": profile.vectors.release} if profile.vectors.release else {}
    return {"name": profile.name, "version": profile.version, **release}


def to_json_text(result: GateResult) -> str:
    """Return a result as a JSON string."""
    return json.dumps(to_document(result), indent=1) + "\n"


def _tally(tally: Tally) -> dict[str, Any]:
    return {"level": str(tally.level), **_counts(tally)}


def _counts(tally: Tally) -> dict[str, Any]:
    return {
        "verdict": str(tally.verdict).lower(),
        "passed": tally.passed,
        "failed": tally.failed,
        "known": tally.known,
        "skipped": tally.skipped,
    }


def _outcome(result: GateResult, outcome: Outcome) -> dict[str, Any]:
    members: dict[str, Any] = {
        "check": outcome.check,
        "label": outcome.label,
        "level": str(outcome.level),
        "status": outcome.status.value,
    }
    if outcome.is_bad:
        members |= {"known": outcome.check in result.xfailed, "again": reproduce_command(result, outcome)}
    if note := result.known_note(outcome.check):
        members["known_note"] = note
    if outcome.message:
        members["message"] = outcome.message
    if outcome.is_told:
        members["told"] = True
    if outcome.factor > 1:
        members["factor"] = outcome.factor if math.isfinite(outcome.factor) else "infinity"
    if outcome.request is not None:
        members["request"] = outcome.request
    if outcome.after:
        members["after"] = list(outcome.after)
    if outcome.origin is not None:
        members["made_smaller_from"] = outcome.origin
    if outcome.flags:
        members["flags"] = list(outcome.flags)
    return members
