"""Refuted claims that are public already, as Markdown, and others, which go to maintainers first.

A finding is a violation that fresh coins confirmed, or two inputs that show that a step moves too far.
It is public if the library's file names an issue, or the place where the library documents it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from textwrap import fill
from typing import Any

from privboost.auditor.numbers import count_with_noun

WIDTH = 140
REFUTED = frozenset({"VIOLATION", "COUNTEREXAMPLE"})
ISSUE = re.compile(r"([\w.-]+/[\w.-]+) (\d+)")
"""An issue on GitHub, such as `owner/name 12`; anything else is shown as it is."""

PUBLIC = """# Findings

For users and maintainers of libraries of differential privacy. Each entry is a claim of a library's
documentation that a run of `privboost scoreboard` refuted. All are public: each belongs to an issue of the
library, or the library documents it.

The witness is the file with the inputs, and for an audit with all outputs. The command under it checks that
file without the library. To call the library again, see
[Published libraries](scoreboard.md#published-libraries). The lines of Python need only the library; they run
in the folder of the [adapters](../examples/adapters/serve.py).
"""
UNPUBLISHED = """# Not public

No file of the libraries explains these refuted claims and wrong answers to the gate. First look whether the
documentation of the library says otherwise, or the adapter is wrong. Then tell the maintainers, and publish
nothing before they had time to answer. Each entry can be sent as it is.
"""


def find_refuted(
    index: Mapping[str, Any], *, public: bool
) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Return the libraries and trials whose claims are refuted, and are public or not."""
    return [
        (library, trial)
        for library in index["libraries"]
        for trial in library["trials"]
        if is_finding(trial) and bool(trial["issue"]) is public
    ]


def is_finding(trial: Mapping[str, Any]) -> bool:
    """Return whether a claim is refuted, by two inputs or on fresh coins."""
    return trial["verdict"] in REFUTED and (trial["tool"] == "stability" or bool(trial["confirmation"]))


def witness_name(library: Mapping[str, Any], trial: Mapping[str, Any]) -> str:
    """Return the name of a finding's witness file in the folder `findings`."""
    return f"{library['name']}-{trial['run']}.json"


def to_findings(index: Mapping[str, Any], *, public: bool) -> str:
    """Return the page of the findings that are public, or of the others."""
    findings = find_refuted(index, public=public)
    found = count_with_noun(len(findings), "finding")
    packages = count_with_noun(len({library["name"] for library, _ in findings}), "package")
    made = f"made on {index['date']} by privboost {index['privboost']}"
    parts = [PUBLIC if public else UNPUBLISHED, f"{found} in {packages}, {made}.\n"]
    if public:
        others = count_with_noun(len(find_refuted(index, public=False)), "further claim")
        gated = [each for each in index["libraries"] if each["gate"]]
        failures = sum(counts["failed"] for each in gated for counts in each["operations"].values())
        failed = count_with_noun(failures, "case")
        packages = f"{len(gated)} of {count_with_noun(len(index['libraries']), 'package')}"
        parts.append(
            f"The run refuted {others}. The gate was run on {packages}; {failed} failed\n"
            "for reasons that no file of known failures explains. They are not published here.\n"
        )
    last = ""
    for library, trial in findings:
        if library["name"] != last:
            last = library["name"]
            parts.append(f"## {last} {library['version']}\n")
        parts.append("\n".join(map(_wrap, _lines(library, trial))))
    if not public:
        parts += ["\n".join(_failures(library)) for library in index["libraries"]]
    return "\n".join(filter(None, parts))


def _failures(library: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines about the failures in the gate that no file explains, for every operation the first few."""
    for operation, counts in library["operations"].items():
        if not counts["failed"]:
            continue
        judged = counts["passed"] + counts["failed"] + counts["known"]
        yield f"## {library['name']} {library['version']}: `{operation}`\n"
        yield f"Wrong in {counts['failed']:,} of {count_with_noun(judged, 'case')}, such as:\n"
        for each in counts["failures"]:
            if not each["known"]:
                yield f"- `{each['check']}`: {each['message']}\n"
                yield f"```\n{each['again']}\n```\n"


def _lines(library: Mapping[str, Any], trial: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a finding; only public ones have a copy of their witness in `findings`."""
    own = f"{trial['page'].rpartition('/')[0]}/witness.json"
    witness = f"findings/{witness_name(library, trial)}" if trial["issue"] else own
    yield f"### {trial['about'][:1].upper()}{trial['about'][1:]}\n"
    yield f"- **Claim**: {trial['claim']}."
    yield f"- **Stated in**: {trial['stated_in']}."
    yield f"- **Refuted**: {trial['reason']} {count_with_noun(trial['calls'], 'call')}, {trial['date']}."
    if trial["confirmation"]:
        yield f"- **Confirmed on fresh coins**: {trial['confirmation']}."
    yield f"- **True if** {trial['true_if']}."
    if trial["issue"]:
        yield f"- **Public**: {_link(trial['issue'])}."
    yield f"- **Witness**: [{witness}]({witness})"
    yield ""
    yield f"```console\n$ privboost {trial['tool']} --replay {witness}\n```\n"
    if trial["reproduction"]:
        yield f"```python\n{trial['reproduction'].strip()}\n```\n"


def _wrap(line: str) -> str:
    """Return a line of a list in lines that a page of the documentation may have."""
    if not line.startswith("- "):
        return line
    return fill(line, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _link(issue: str) -> str:
    """Return a link to an issue."""
    match = ISSUE.fullmatch(issue)
    return issue if match is None else f"[{issue}](https://github.com/{match[1]}/issues/{match[2]})"
