"""The test vectors: exact values of the reference as JSON that any language can read.

A file holds the cases of one operation of the gate's protocol (docs/gate_protocol.md), with a header: the
format, the operation, its label, its provenance, and `notes`, which explains every flag of the cases. A
case has an `id`, the arguments `args`, `flags` that name the mistakes it catches, and one of

| key        | meaning                                                                       |
|------------|-------------------------------------------------------------------------------|
| `value`    | a number, or numbers within lists and objects                                 |
| `interval` | the two ends of a closed interval, `lo` and `hi`: any number in it is right   |
| `refused`  | true: the arguments are wrong and must be answered with an error              |
| `law`      | the law of draws, and how to bet against it                                    |
| `map`      | the greatest distance of the results of a step on two neighbours              |

With `may_refuse` a case that has a value may be answered with an error as well: it spells an integer in
another way. Files with a calendar version, `release`, also have the published `bugs` of their flags and a
`verdict` on every case: `valid`, `invalid` (refused) or `acceptable` (may be refused).

A number has `decimal`, correctly rounded to 40 significant digits (half to even), and `exact` where it is
rational or a sum of rational multiples of square roots, and short. Infinities are the strings "infinity" and
"-infinity". The bytes depend on the values alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from privboost.errors import PreconditionError
from privboost.gate.profile import Profile, VectorCase, VectorSource
from privboost.gate.protocol.hello import PROTOCOL
from privboost.printing import shorten
from privboost.strict_json import parse

from .encoding import DIGITS
from .files import is_interval

Progress = Callable[[int, int], None]

FORMAT = 2
LONGEST_SHOWN = 300
"""Maximum length of a case in a message."""

_files: dict[str, dict[str, bytes]] = {}
"""The files, once they are computed, by the name of the profile."""


def vector_files(profile: Profile, progress: Progress | None = None) -> dict[str, bytes]:
    """Return the content of every vector file by name; they are computed once in a process.

    `progress` is called with the number of finished cases and the number of all cases.
    """
    if profile.name not in _files:
        cases, provenance = list(profile.vectors.cases()), profile.vectors.provenance()
        entries: dict[str, list[tuple[VectorCase, dict[str, Any]]]] = {op: [] for op in provenance}
        for done, case in enumerate(cases):
            if progress is not None:
                progress(done, len(cases))
            entries[case.op].append((case, _entry(profile, case)))
        _files[profile.name] = {
            f"{op}.json": _encode_canonical(_document(profile, op, provenance[op], made))
            for op, made in entries.items()
        }
    return dict(_files[profile.name])


def compare_vectors(profile: Profile, directory: Path, progress: Progress | None = None) -> dict[str, str]:
    """Return the difference of each vector file in a folder from the expected one; empty if none."""
    expected = vector_files(profile, progress)
    names = sorted({*expected, *(path.name for path in directory.glob("*.json"))})
    return {name: _difference(directory / name, expected.get(name)) for name in names}


def _difference(path: Path, expected: bytes | None) -> str:
    """Return how a file differs from its expected content, naming the first case that differs."""
    if expected is None:
        return "not a vector file of this version"
    if not path.is_file():
        return "missing"
    content, name = path.read_bytes(), path.name
    if content == expected:
        return ""
    try:
        cases = {
            case.member("id").text(): case.value for case in parse(content, name).member("cases").items()
        }
    except PreconditionError as error:
        return f"not a vector file: {error}"
    right = {case["id"]: case for case in json.loads(expected)["cases"]}
    for key in [*right, *cases]:
        want, have = right.get(key), cases.get(key)
        if want != have:
            return f"first difference at case {key}: expected {_shorten(want)}, got {_shorten(have)}"
    return "the cases agree but the bytes do not: the header or the layout differs"


def _shorten(case: Mapping[str, Any] | None) -> str:
    if case is None:
        return "no such case"
    members = {key: case[key] for key in case if key not in ("id", "args")}
    return shorten(json.dumps(members, sort_keys=True), LONGEST_SHOWN)


def _document(
    profile: Profile, op: str, provenance: str, cases: list[tuple[VectorCase, dict[str, Any]]]
) -> dict[str, Any]:
    flags = sorted({flag for case, _ in cases for flag in case.flags})
    return {
        "format": FORMAT,
        "protocol": PROTOCOL,
        "op": op,
        "label": profile.operations[op].label,
        "provenance": provenance,
        "digits": DIGITS,
        "count": len(cases),
        "notes": {flag: profile.flags[flag] for flag in flags},
        **_release_members(profile.vectors, flags),
        "cases": [entry for _, entry in cases],
    }


def _release_members(source: VectorSource, flags: Sequence[str]) -> dict[str, Any]:
    """Return the members of a header that only files with a calendar version have."""
    if not source.release:
        return {}
    bugs = {flag: [asdict(bug) for bug in source.bugs[flag]] for flag in flags if flag in source.bugs}
    return {"release": source.release, "bugs": bugs}


def _entry(profile: Profile, case: VectorCase) -> dict[str, Any]:
    operation = profile.operations[case.op]
    label = operation.label_of(case.args)
    own_label = {"label": label} if label != operation.label else {}
    flags = list(dict.fromkeys(case.flags))
    result = _result(profile, case)
    verdict = "invalid" if "refused" in result else "acceptable" if "may_refuse" in result else "valid"
    own_verdict = {"verdict": verdict} if profile.vectors.release else {}
    return {"id": case.id, **own_label, "args": case.args, "flags": flags, **own_verdict, **result}


def _result(profile: Profile, case: VectorCase) -> dict[str, Any]:
    """Return the expected value, interval or refusal of a case."""
    try:
        value = profile.vectors.answer(case.op, case.plain or case.args)
    except PreconditionError:
        return {"refused": True}
    assert value is not None, f"{case.op}, {case.id}: there is no exact answer"
    may_refuse = {} if case.plain is None else {"may_refuse": True}
    if isinstance(value, dict) and set(value) in ({"law"}, {"map"}):
        return value | may_refuse
    return {"interval" if is_interval(value) else "value": value, **may_refuse}


def _encode_canonical(document: dict[str, Any]) -> bytes:
    """Return JSON with one case on each line."""
    cases = document.pop("cases")
    head = json.dumps(document, indent=1)[:-2]
    lines = ",\n".join("  " + json.dumps(case) for case in cases)
    return f'{head},\n "cases": [\n{lines}\n ]\n}}\n'.encode("ascii")
