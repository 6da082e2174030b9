"""The index of a scoreboard: everything that its pages show, as JSON (`index_schema.json`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from os.path import relpath
from pathlib import Path
from typing import Any

from privboost import __version__
from privboost.gate.profiles import load_profile
from privboost.tables import Format, Table, render

from .run import Row
from .tasks import GATE, PROFILE, Task

FORMAT, VERSION = "privboost-scoreboard", 1
MOST_FAILURES = 5
"""Maximum number of failed cases that are listed for an operation of a library."""
LONGEST_REQUEST = 2000
"""Maximum length of a request that is repeated; the report of the gate has all of them."""
FACTS = ("claim", "stated_in", "issue", "true_if")
"""What is told of a trial besides its result."""
ABSENT = frozenset({"skipped", "not asked"})
"""Verdicts of the gate on operations that a library does not have."""


def make_index(rows: Sequence[Row], output: Path) -> dict[str, Any]:
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


def _library(row: Row, output: Path) -> dict[str, Any]:
    library = row.library
    entry: dict[str, Any] = {
        "name": library.name,
        "version": "",
        "home": library.home,
        "requirements": _requirements(library.requirements),
        "complete": row.is_complete,
        "problem": row.problem,
        "faults": row.faults,
        "gate": None,
        "operations": {},
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
            entry |= {"version": hello.get("version", ""), "operations": _operations(report)}
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
        operations[each["operation"]] = counts | {"failures": shown[:MOST_FAILURES]}
    return operations


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


def _trial(task: Task, report: Mapping[str, Any]) -> dict[str, Any]:
    assert task.trial is not None
    witness = task.folder / "witness.json"
    return {
        "tool": task.tool,
        "operation": task.trial.operation,
        "about": task.trial.about,
        **{name: getattr(task.trial, name) for name in FACTS},
        "verdict": report["verdict"],
        "reason": report["reason"],
        "calls": report["calls"],
        "witness": witness.is_file(),
    }


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
    """Return the table of libraries and operations as Markdown."""
    operations = [
        name for name in index["operations"] if any(_words(each, name) for each in index["libraries"])
    ]
    columns = ("library", "version", *operations, "date")
    rows = tuple(
        (
            each["name"],
            each["version"] or each["problem"] or each["faults"].get(GATE, "not run"),
            *(_words(each, name) for name in operations),
            each["gate"]["date"] if each["gate"] else "",
        )
        for each in index["libraries"]
    )
    profile = index["profile"]
    title = (
        f"profile {profile['name']} {profile['version']}, test vectors {profile['vectors']}, {index['date']}"
    )
    return f"# Scoreboard: {title}\n\n{render(Table('scoreboard', columns, rows), Format.MARKDOWN)}"


def _words(library: Mapping[str, Any], operation: str) -> str:
    """Return the verdicts on an operation of a library in words; empty if it does not have the operation."""
    counts = library["operations"].get(operation)
    words = [] if counts is None else [counts["verdict"]]
    words += [
        f"{each['tool']}: {each['verdict']}" for each in library["trials"] if each["operation"] == operation
    ]
    return "; ".join(words)
