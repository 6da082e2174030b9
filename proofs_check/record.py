"""The record of all verdicts, and the comparison of a judgement with it."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from hashlib import sha256
from importlib import metadata, resources
from typing import Any

from privboost.proofs_check.engines.elementary import Fact

from .entry import Entry, Verdict
from .ledger import Judgement, entries

RECORD = "recorded.json"
RECORDED_WITH = "recorded_with.json"
ENGINES = ("sympy", "z3-solver")
"""Distributions on whose version a verdict may depend."""
CLAIMS = "privboost.proofs_check.claims."


def fingerprint(entry: Entry) -> str:
    """Return a digest of all fields of an entry, which changes when any part of it changes."""
    return sha256(_canonical(entry).encode()).hexdigest()[:16]


def _canonical(value: Any) -> str:
    """Return a string that represents a value and is the same in every run."""
    if isinstance(value, Fact):
        return _canonical(value.formula())
    if is_dataclass(value) and not isinstance(value, type):
        inner = ", ".join(f"{f.name}={_canonical(getattr(value, f.name))}" for f in fields(value))
        return f"{type(value).__name__}({inner})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_canonical(part)}" for key, part in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_canonical(part) for part in value) + "]"
    if isinstance(value, Callable):  # type: ignore[arg-type]
        return f"{value.__module__}.{value.__qualname__}: {_source_digest(value.__module__)}"
    return str(value) if isinstance(value, Enum) else repr(value)


@cache
def _source_digest(name: str) -> str:
    """Return a digest of the source of a module of claims and of the modules of claims that it imports."""
    module = sys.modules[name]
    parts = [inspect.getsource(module)]
    for value in vars(module).values():
        origin = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None) or ""
        if origin != name and origin.startswith(CLAIMS):
            parts.append(_source_digest(origin))
    return sha256("".join(sorted(set(parts))).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Recorded:
    """The recorded verdict on an entry, with its fingerprint, engines, assumptions and remarks."""

    verdict: Verdict
    fingerprint: str
    engines: tuple[str, ...]
    trust: tuple[str, ...]
    detail: str


@cache
def record() -> Mapping[str, Recorded]:
    """Return the recorded verdict of every entry, by key."""
    rows = json.loads(_resource(RECORD))
    return {
        key: Recorded(
            Verdict(row["verdict"]),
            row["fingerprint"],
            tuple(row["engines"]),
            tuple(row["trust"]),
            row["detail"],
        )
        for key, row in rows.items()
    }


def record_json(judgements: Iterable[Judgement]) -> str:
    """Return the JSON of the record file for some judgements."""
    rows = {
        judgement.key: {
            "verdict": judgement.verdict,
            "fingerprint": fingerprint(entries()[judgement.key]),
            "engines": judgement.engines,
            "trust": judgement.trust,
            "detail": judgement.detail,
        }
        for judgement in judgements
        if judgement.verdict is not None
    }
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def installed_versions() -> dict[str, str]:
    """Return the installed version of every distribution in `ENGINES`."""
    return {name: metadata.version(name) for name in ENGINES}


@cache
def recorded_versions() -> Mapping[str, str]:
    """Return the versions with which the verdicts were recorded."""
    versions: dict[str, str] = json.loads(_resource(RECORDED_WITH))
    return versions


def version_differences() -> list[str]:
    """Return one sentence for every installed version that is not the recorded one."""
    return [
        f"judged with {name} {version}, recorded with {recorded_versions()[name]}"
        for name, version in installed_versions().items()
        if version != recorded_versions()[name]
    ]


def versions_json() -> str:
    """Return the JSON of the file of recorded versions, for the installed ones."""
    return json.dumps(installed_versions(), indent=1) + "\n"


def _resource(name: str) -> str:
    return resources.files("privboost.proofs_check").joinpath(name).read_text("utf-8")


def compare_with_record(judgement: Judgement) -> Judgement:
    """Return a judgement with a complaint if it, or its entry, differs from the record."""
    if judgement.complaint:
        return judgement
    recorded = record().get(judgement.key)
    if recorded is None:
        complaints = ["not on record"]
    else:
        same = recorded.fingerprint == fingerprint(entries()[judgement.key])
        complaints = [] if same else ["the entry differs from the record"]
        complaints += [f"on record as {recorded.verdict}"] * (recorded.verdict != judgement.verdict)
        reasons = (judgement.engines, judgement.trust, judgement.detail)
        if reasons != (recorded.engines, recorded.trust, recorded.detail):
            complaints.append("engines, trust or witness differ from the record")
    return Judgement(judgement.key, judgement.verdict, judgement.outcomes, "; ".join(complaints))
