"""Reports of an audit: lines for a terminal, and a JSON document (`report_schema.json`)."""

from __future__ import annotations

import json
import platform
import re
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

from privboost.auditor.betting.wealth import PROBABILITY
from privboost.auditor.numbers import count_with_noun
from privboost.auditor.result import AuditResult, CellCount, PairResult, Verdict
from privboost.auditor.values.tagged_json import to_json
from privboost.printing import make_printable_json

from . import events, sentences, tried

FORMAT, VERSION = "privboost-audit-report", 3
SCHEMA = Path(__file__).with_name("report_schema.json")
WIDTH = 100
"""Maximum width of a line without its name, where no terminal says how wide it is."""

MOST_PAIRS = 12
"""Number of pairs shown on a terminal, greatest bounds first; documents have all."""

PACKAGES = ("privboost", "numpy", "scipy", "scikit-learn")
_PROJECT = re.compile(r"(?:estimator:)?([A-Za-z_]\w*)")

REPRODUCE, AUDIT_AGAIN = "reproduce", "audit again"
COMMANDS = frozenset({REPRODUCE, AUDIT_AGAIN})
"""Names of lines that are commands, which are never wrapped."""

Line = tuple[str, str]


def lines(result: AuditResult, reproduce: str = "", *, source: str = "") -> list[Line]:
    """Return the report as named lines, the verdict first.

    `source` says where relations and exact losses come from.
    """
    named = [
        ("verdict", str(result.verdict)),
        ("target", result.target),
        ("claim", str(result.claim)),
        ("bound", sentences.bound(result)),
        ("margin", sentences.margin(result)),
        ("e-value", sentences.e_value(result)),
        ("why", sentences.explain(result)),
        *sentences.details(result),
        ("it means", sentences.meaning(result)),
        ("it does not mean", sentences.limitations(result)),
        ("calls", _calls(result)),
        ("error probability", sentences.error_probability(result)),
    ]
    if result.envelope:
        named.append(("lower bounds on δ", sentences.envelope_sentence(result)))
    if result.confirmation is not None:
        named.append(("confirmation", sentences.confirmation(result)))
    named += [("documentation", result.promise)] if result.promise else []
    named += _pair_lines(result, source)
    named += tried.lines(result.tried) if result.tried is not None else []
    named += [("left out", line) for line in result.left_out]
    if result.power and result.verdict is not Verdict.VIOLATION:
        named += [("power", sentences.power_sentence(result.claim, power)) for power in result.power]
        named.append(("", sentences.POWER))
    named.append(("seed", sentences.seed(result)))
    again = AUDIT_AGAIN if result.seeded is False else REPRODUCE
    return [*named, (again, reproduce)] if reproduce else named


def _calls(result: AuditResult) -> str:
    calls = f"{count_with_noun(result.calls, 'call')}, both sides of all pairs together"
    calls += f", in {result.seconds:.1f} s" if result.seconds else ""
    return calls + (" (interrupted)" if result.interrupted else "")


def _pair_lines(result: AuditResult, source: str) -> Iterator[Line]:
    """Yield a summary of every pair, with inputs and separating event for the best one."""
    top = sentences.best_pair(result)
    ranked = sorted(result.pairs, key=lambda entry: -entry.bound)
    for entry in ranked[:MOST_PAIRS]:
        yield "pair", f"{entry.pair.name} ({sentences.pair_summary(entry, result.claim, source)})"
        if sentences.exceeds_exact(entry, result.claim):
            yield (
                "",
                "the bound is above the exact loss: an error of at most the stated probability, or a bug",
            )
        if entry is top:
            yield from sentences.input_lines(entry.pair)
            if entry.pair.classes:
                yield "  class", tried.class_of_witness(result, entry)
            yield "  neighbours", sentences.relation(result, entry)
            yield "  told apart by", events.separating_event(entry)
            if words := events.event_in_words(entry):
                yield "  in words", words
        if entry.failures and (entry is top or entry.refuted):
            yield "  failed calls", sentences.failures(entry)
        if hint := sentences.hint(entry):
            yield "  hint", hint
        if entry is top and entry.fixed is not None:
            yield "  cross-check", sentences.cross_check(entry.fixed)
    if len(ranked) > MOST_PAIRS:
        yield "", f"and {len(ranked) - MOST_PAIRS} pairs with smaller bounds"


def to_text(result: AuditResult, reproduce: str = "") -> str:
    """Return the report for a terminal."""
    return "".join(f"{name:<17}  {line}\n" for name, line in wrap_lines(lines(result, reproduce)))


def wrap_lines(named: list[Line]) -> list[Line]:
    """Wrap lines to WIDTH characters; continuation lines have no name."""
    rows = []
    for name, line in named:
        whole = name in COMMANDS
        parts = [line] if whole else textwrap.wrap(line, WIDTH, break_on_hyphens=False) or [""]
        rows += [(name if index == 0 else "", part) for index, part in enumerate(parts)]
    return rows


def to_document(result: AuditResult, reproduce: str = "") -> dict[str, Any]:
    """Return the report as a JSON document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": result.target,
        "claim": result.claim.spelling,
        "parameter": result.claim.symbol,
        "claimed": float(result.claim.value),
        "confidence": float(result.confidence),
        "seed": int(result.seed),
        "seeded": result.seeded,
        "verdict": str(result.verdict),
        "reason": sentences.explain(result),
        "bound": to_json(float(result.bound)),
        "calls": int(result.calls),
        "seconds": round(float(result.seconds), 3),
        "interrupted": bool(result.interrupted),
        "e_value_log": to_json(sentences.log_e_value(result)),
        "relation": result.relation,
        "promise": result.promise,
        "left_out": list(result.left_out),
        "confirmation": None if result.confirmation is None else _repetition(result.confirmation),
        "pairs": [_pair_document(entry) for entry in result.pairs],
        "power": [to_json(asdict(power)) for power in result.power],
        "power_probability": PROBABILITY,
        "required": None if result.required is None else to_json(asdict(result.required)),
        "noiseless": [asdict(part) for part in result.noiseless],
        "rest": None if result.rest is None else _repetition(result.rest),
        "ignored": list(result.ignored),
        "unmatched": [part.name for part in result.unmatched],
        "shared_by": result.shared_by,
        "tried": None if result.tried is None else tried.to_document(result.tried),
        "envelope": [{"epsilon": epsilon, "delta": delta} for epsilon, delta in result.envelope],
        "reproduce": reproduce,
        "versions": versions(result.target),
    }


def to_json_text(result: AuditResult, reproduce: str = "") -> str:
    """Return the report as a JSON string."""
    document = json.dumps(to_document(result, reproduce), indent=1, ensure_ascii=False, allow_nan=False)
    return make_printable_json(document) + "\n"


def _repetition(again: AuditResult) -> dict[str, Any]:
    best = sentences.best_pair(again) or again.pairs[0]
    return {
        "pair": best.pair.name,
        "seed": int(again.seed),
        "confidence": float(again.confidence),
        "verdict": str(again.verdict),
        "bound": to_json(float(again.bound)),
        "calls": int(again.calls),
        "e_value_log": to_json(sentences.log_e_value(again)),
    }


def _count(cell: CellCount) -> dict[str, Any]:
    return {"event": events.event_to_json(cell.event), "left": cell.left, "right": cell.right}


def _pair_document(entry: PairResult) -> dict[str, Any]:
    fixed = entry.fixed
    return {
        "name": entry.pair.name,
        "relation": entry.pair.relation,
        "classes": list(entry.pair.classes),
        "left": to_json(entry.pair.left),
        "right": to_json(entry.pair.right),
        "exact": None if entry.pair.exact is None else to_json(float(entry.pair.exact)),
        "error": float(entry.error),
        "calls": int(entry.calls),
        "bound": to_json(float(entry.bound)),
        "refuted": entry.refuted,
        "e_value_log": to_json(float(entry.log_e_value)),
        "event": events.separating_event(entry),
        "events": [_count(region) for region in events.guess_regions(entry.cells)],
        "failures": [asdict(failed) for failed in entry.failures],
        "note": sentences.note(entry),
        "hint": sentences.hint(entry),
        "noiseless": [asdict(part) for part in entry.noiseless],
        "projected": None
        if entry.projected is None
        else {"calls": entry.projected[0], "bound": to_json(entry.projected[1])},
        "fixed": None
        if fixed is None
        else {
            "event": events.format_sides(fixed.events),
            "events": [events.event_to_json(event) for event in fixed.events],
            "right": fixed.right,
            "wrong": fixed.wrong,
            "bound": to_json(fixed.bound),
            "exceeds": fixed.exceeds,
            "decided_after": fixed.decided_after,
        },
        "curve": [to_json(asdict(point)) for point in entry.curve],
        "cells": [
            {"text": events.format_event(cell.event), "guess": cell.guess, **_count(cell)}
            for cell in entry.cells
        ],
    }


def versions(target: str = "") -> dict[str, str]:
    """Return the versions on which outputs and bounds depend, with that of the project of a target."""
    project = _PROJECT.match(target)
    audited = packages_distributions().get(project[1], []) if project else []
    packages = dict.fromkeys((*audited, *PACKAGES))
    return {**{package: version_of(package) for package in packages}, "python": platform.python_version()}


def version_of(package: str) -> str:
    """Return the version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def version_differences(recorded: dict[str, str]) -> list[str]:
    """Return which versions differ from the recorded ones; one that was not recorded is unknown."""
    return [
        f"the file was written with {name} {recorded.get(name, 'of an unknown version')}, this is {own}: "
        "outputs, and guesses learned from them, may differ for this reason"
        for name, own in versions().items()
        if recorded.get(name) != own
    ]
