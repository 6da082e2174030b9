"""Reports of an audit: lines for a terminal, and a JSON document that `report_schema.json` describes."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import words
from .json_values import to_json
from .numbers import counted
from .result import AuditResult, PairResult, Verdict
from .versions import versions

FORMAT, VERSION = "privboost-audit-report", 1
SCHEMA = Path(__file__).with_name("report_schema.json")
WIDTH = 100
"""Columns of a terminal that a line may take, besides its name."""

MOST_PAIRS = 12
"""Pairs that are shown on a terminal, those with the greatest bounds first; documents have all."""

Line = tuple[str, str]


def lines(result: AuditResult, reproduce: str = "", *, source: str = "") -> list[Line]:
    """Return the report as named lines, the verdict first.

    `source` says of relations and exact losses where they are taken from.
    """
    found = [
        ("verdict", str(result.verdict)),
        ("target", result.target),
        ("claim", words.claim(result)),
        ("bound", words.bound(result)),
        ("why", result.reason),
        ("it means", words.meaning(result)),
        ("it does not mean", words.limitations(result)),
        ("calls", _calls(result)),
        ("error probability", words.error_probability(result)),
    ]
    found += _pair_lines(result, source)
    if result.power and result.verdict is not Verdict.VIOLATION:
        found += [("power", words.power_sentence(power)) for power in result.power]
        found.append(("", words.POWER))
    found.append(("seed", str(result.seed)))
    return [*found, ("reproduce", reproduce)] if reproduce else found


def _calls(result: AuditResult) -> str:
    text = f"{counted(result.calls, 'call')}, both sides of all pairs together"
    text += f", in {result.seconds:.1f} s" if result.seconds else ""
    return text + (" (interrupted)" if result.interrupted else "")


def _pair_lines(result: AuditResult, source: str) -> Iterator[Line]:
    """Yield what is known of every pair; inputs and event of the best one only."""
    top = words.best_pair(result)
    ranked = sorted(result.pairs, key=lambda found: -found.bound)
    for found in ranked[:MOST_PAIRS]:
        yield "pair", f"{found.pair.name} ({words.pair_summary(found, result.epsilon, source)})"
        if words.exceeds_exact(found):
            yield (
                "",
                "the bound is above the exact loss: an error of at most the stated probability, or a defect",
            )
        if found is top:
            yield "  left input", words.short_input(found.pair.left)
            yield "  right input", words.short_input(found.pair.right)
            yield "  told apart by", words.separating_event(found)
            if found.fixed is not None:
                yield "  cross-check", words.cross_check(found.fixed)
    if len(ranked) > MOST_PAIRS:
        yield "", f"and {len(ranked) - MOST_PAIRS} pairs with smaller bounds"


def to_text(result: AuditResult, reproduce: str = "") -> str:
    """Return the report for a terminal."""
    return "".join(f"{name:<17}  {text}\n" for name, text in wrapped(lines(result, reproduce)))


def wrapped(named: list[Line]) -> list[Line]:
    """Return lines that are no wider than a terminal; further ones of the same name have none."""
    found = []
    for name, text in named:
        whole = name == "reproduce"
        parts = [text] if whole else textwrap.wrap(text, WIDTH, break_on_hyphens=False) or [""]
        found += [(name if number == 0 else "", part) for number, part in enumerate(parts)]
    return found


def to_document(result: AuditResult, reproduce: str = "") -> dict[str, Any]:
    """Return the report as what `json.dumps` takes."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": result.target,
        "epsilon": to_json(float(result.epsilon)),
        "delta": float(result.delta),
        "confidence": float(result.confidence),
        "seed": int(result.seed),
        "verdict": str(result.verdict),
        "reason": result.reason,
        "bound": to_json(float(result.bound)),
        "calls": int(result.calls),
        "seconds": round(float(result.seconds), 3),
        "interrupted": bool(result.interrupted),
        "pairs": [_pair_document(found) for found in result.pairs],
        "power": [{"share": float(power.share), "epsilon": _number(power.epsilon)} for power in result.power],
        "power_probability": 0.95,
        "reproduce": reproduce,
        "versions": versions(),
    }


def to_json_text(result: AuditResult, reproduce: str = "") -> str:
    """Return the report as JSON text."""
    return json.dumps(to_document(result, reproduce), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _number(value: float | None) -> Any:
    return None if value is None else to_json(float(value))


def _pair_document(found: PairResult) -> dict[str, Any]:
    fixed = found.fixed
    return {
        "name": found.pair.name,
        "relation": found.pair.relation,
        "left": to_json(found.pair.left),
        "right": to_json(found.pair.right),
        "exact": _number(found.pair.exact),
        "error": float(found.error),
        "calls": int(found.calls),
        "bound": to_json(float(found.bound)),
        "event": words.separating_event(found),
        "fixed": None
        if fixed is None
        else {
            "event": fixed.event,
            "right": int(fixed.right),
            "wrong": int(fixed.wrong),
            "bound": to_json(float(fixed.bound)),
        },
        "curve": [
            {
                "calls": int(point.calls),
                "bound": to_json(float(point.bound)),
                "log_wealth": to_json(float(point.log_wealth)),
            }
            for point in found.curve
        ],
        "cells": [
            {"text": cell.text, "left": int(cell.left), "right": int(cell.right), "guess": int(cell.guess)}
            for cell in found.cells
        ],
    }
