"""The index of a scoreboard: everything that its pages show, as JSON (`index_schema.json`)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from os.path import relpath
from pathlib import Path
from typing import Any

from privboost import __version__
from privboost.auditor.numbers import count_with_noun, format_number
from privboost.gate.profiles import load_profile
from privboost.tables import Format, Table, render

from .libraries import Library
from .run import LibraryRow
from .tasks import GATE, PROFILE, LibraryTask

FORMAT, VERSION = "privboost-scoreboard", 1
MOST_FAILURES = 5
"""Maximum number of failed cases that are listed for an operation of a library."""
LONGEST_REQUEST = 2000
"""Maximum length of a request that is repeated; the report of the gate has all of them."""
FACTS = ("claim", "stated_in", "issue", "true_if", "reproduction")
"""What is told of a trial besides its result."""
ABSENT = frozenset({"skipped", "not asked"})
"""Verdicts of the gate on operations that a library does not have."""


def make_index(rows: Sequence[LibraryRow], output: Path) -> dict[str, Any]:
    """Return the index of some rows, with paths relative to the folder of the scoreboard."""
    profile = load_profile(PROFILE)
    tried = (trial.operation for row in rows for trial in row.library.trials)
    return {
        "format": FORMAT,
        "version": VERSION,
        "privboost": __version__,
        "date": datetime.now(UTC).date().isoformat(),
        "profile": {
            "name": profile.name,
            "version": profile.version,
            "vectors": profile.vectors.release,
        },
        "operations": list(dict.fromkeys((*profile.operations, *tried))),
        "libraries": [_library(row, output) for row in rows],
    }


def _library(row: LibraryRow, output: Path) -> dict[str, Any]:
    library = row.library
    entry: dict[str, Any] = {
        "name": library.name,
        "version": _pinned_version(library),
        "home": library.home,
        "requirements": _requirements(library.requirements),
        "complete": row.is_complete,
        "problem": row.problem,
        "faults": row.faults,
        "gate": None,
        "operations": {},
        "known": [],
        "trials": [],
    }
    for task in row.tasks:
        record = task.read_record()
        if record is None:
            continue
        report = json.loads(task.report.read_text("utf-8"))
        common = {
            "date": record.date,
            "seconds": record.seconds,
            "command": task.command,
            "page": relpath(task.report.with_suffix(".html"), output),
        }
        if task.tool == GATE:
            hello = report["hello"] or {}
            entry |= {"version": hello.get("version") or entry["version"], "operations": _operations(report)}
            entry["known"] = _count_notes(report)
            entry["gate"] = {
                "verdict": report["verdict"],
                "headline": report["headline"],
                "false_alarm": report["false_alarm"],
                "badge": relpath(task.folder / "badge.svg", output),
                **common,
            }
        else:
            entry["trials"].append(_trial(task, report) | common)
    return entry


def _pinned_version(library: Library) -> str:
    """Return the version of a library in its file of requirements; empty if that does not name it."""
    pins = (re.split("==|@", line) for line in _requirements(library.requirements))
    named = (pin for pin in pins if len(pin) > 1 and pin[0].replace("_", "-") == library.name)
    return next((pin[1] for pin in named), "")


def _requirements(path: Path | None) -> list[str]:
    """Return the lines of a file of requirements that are no comments."""
    if path is None:
        return []
    if path.suffix == ".json":
        return [
            f"{name}@{version}"
            for name, version in json.loads(path.read_text("utf-8"))["dependencies"].items()
        ]
    lines = (line.split(" #")[0].strip() for line in path.read_text("utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _operations(report: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what the gate says of every operation that the library has."""
    failed: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for outcome in report["outcomes"]:
        if outcome["status"] in ("fail", "error") and "request" in outcome:
            labels = failed.setdefault(outcome["request"]["op"], {})
            labels.setdefault(outcome["label"], []).append(outcome)
    operations = {}
    for each in report["operations"]:
        if each["verdict"] in ABSENT:
            continue
        # One failure of every label before the second of any.
        rounds = zip_longest(*failed.get(each["operation"], {}).values())
        shown = [_failure(outcome) for part in rounds for outcome in part if outcome is not None]
        shown.sort(key=lambda failure: failure["known"])
        counts = {name: each[name] for name in ("verdict", "passed", "failed", "known", "skipped")}
        operations[each["operation"]] = counts | {
            "parts": _count_parts(report, each["operation"]),
            "failures": shown[:MOST_FAILURES],
        }
    return operations


def _count_parts(report: Mapping[str, Any], operation: str) -> list[dict[str, Any]]:
    """Return the numbers of judged cases of an operation, for each label and level.

    What is only told, such as low bits that are not claimed, is left out.
    """
    parts: dict[tuple[str, str], Counter[str]] = {}
    for each in report["outcomes"]:
        is_judged = each["status"] != "skip" and not (each.get("told") and "factor" not in each)
        if is_judged and each.get("request", {}).get("op") == operation:
            status = "passed" if each["status"] == "pass" else "known" if each.get("known") else "failed"
            parts.setdefault((each["label"], each["level"]), Counter())[status] += 1
    return [
        {"label": label, "level": level} | {name: counts[name] for name in ("passed", "failed", "known")}
        for (label, level), counts in parts.items()
    ]


def _count_notes(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the notes of the file of known failures with the numbers of cases that they explain."""
    notes = Counter(each.get("known_note", "") for each in report["outcomes"] if each.get("known"))
    return [{"note": note, "cases": cases} for note, cases in notes.items()]


def _failure(outcome: Mapping[str, Any]) -> dict[str, Any]:
    request = json.dumps(outcome["request"])
    return {
        "check": outcome["check"],
        "label": outcome["label"],
        "message": outcome.get("message", ""),
        "request": request if len(request) <= LONGEST_REQUEST else "",
        "again": outcome["again"],
        "known": outcome["known"],
        "note": outcome.get("known_note", ""),
    }


def _trial(task: LibraryTask, report: Mapping[str, Any]) -> dict[str, Any]:
    assert task.trial is not None
    confirmation = report.get("confirmation")
    return {
        "run": task.name,
        "tool": task.tool,
        "operation": task.trial.operation,
        "about": task.trial.about,
        **{name: getattr(task.trial, name) for name in FACTS},
        "verdict": report["verdict"],
        "reason": report["reason"],
        "calls": report["calls"],
        "confirmation": _confirm(report["parameter"], confirmation) if confirmation else "",
        "witness": task.witness.is_file(),
    }


def _confirm(parameter: str, confirmation: Mapping[str, Any]) -> str:
    """Return what a repetition on fresh coins says; empty if it does not confirm the violation."""
    if confirmation["verdict"] != "VIOLATION":
        return ""
    error = format_number(1 - confirmation["confidence"])
    bound = format_number(confirmation["bound"])
    calls = count_with_noun(confirmation["calls"], "call")
    return f"{parameter} > {bound} at error probability {error}, {calls}, seed {confirmation['seed']}"


def summarise(index: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield library, version, operation, verdict and counts, for every operation of every library."""
    for library in index["libraries"]:
        named = library["name"], library["version"]
        for operation in index["operations"]:
            counts = library["operations"].get(operation)
            verdict = _words(library, operation)
            if verdict:
                numbers = ("passed", "failed", "known")
                yield *named, operation, verdict, *("" if counts is None else str(counts[n]) for n in numbers)


def to_markdown(index: Mapping[str, Any]) -> str:
    """Return the table of libraries and operations as Markdown, and the known failures."""
    libraries = index["libraries"]
    operations = [name for name in index["operations"] if any(_words(each, name) for each in libraries)]
    # Operations are rows: there are more of them, and their names are longer.
    rows = (
        ("version", *(each["version"] or date_of_gate(each) for each in libraries)),
        *((name, *(_words(each, name) for each in libraries)) for name in operations),
        ("gate run on", *map(date_of_gate, libraries)),
    )
    table = Table("scoreboard", ("operation", *(each["name"] for each in libraries)), rows)
    parts = ("# Scoreboard", made_note(index), render(table, Format.MARKDOWN).strip(), *known_failures(index))
    return "\n\n".join(parts) + "\n"


def made_note(index: Mapping[str, Any]) -> str:
    """Return when and by which versions an index was made, as a sentence."""
    profile = index["profile"]
    return (
        f"Profile {profile['name']} {profile['version']}, test vectors {profile['vectors']}, made on "
        f"{index['date']} by privboost {index['privboost']}."
    )


def date_of_gate(library: Mapping[str, Any]) -> str:
    """Return when the gate was run on a library, or why it has no verdict."""
    if library["gate"]:
        return str(library["gate"]["date"])
    return str(library["problem"] or library["faults"].get(GATE, "not run"))


def known_failures(index: Mapping[str, Any]) -> list[str]:
    """Return heading and table of all known failures as Markdown; nothing if there are none."""
    rows = tuple(
        (each["name"], known["note"], str(known["cases"]))
        for each in index["libraries"]
        for known in each["known"]
    )
    table = Table("known failures", ("library", "known", "cases"), rows)
    return ["## Known failures", render(table, Format.MARKDOWN).strip()] if rows else []


def _words(library: Mapping[str, Any], operation: str) -> str:
    """Return the verdicts on an operation of a library in words; empty if it does not have the operation."""
    counts = library["operations"].get(operation)
    words = [] if counts is None else [counts["verdict"]]
    verdicts = Counter(
        f"{each['tool']}: {each['verdict']}" for each in library["trials"] if each["operation"] == operation
    )
    words += [verdict if count == 1 else f"{verdict} ({count})" for verdict, count in verdicts.items()]
    return "; ".join(words)
