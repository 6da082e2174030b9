"""Indexes of the labels, the displays and the wrong references in the LaTeX source of the paper.

They contain no text of the paper: only the name, line and environment of each label, the kind, first line and
last line of each display, and the lines of references that cannot be right.
`python -m privboost.oracle_tests.support.paper_index` writes them.
"""

from __future__ import annotations

import json
import os
import re
from importlib.resources import files
from pathlib import Path

from privboost.oracle_tests.support.checkout import ROOT

INDEX = files("privboost.proofs_check") / "paper_labels.json"
DISPLAYS = files("privboost.proofs_check") / "paper_displays.json"
REFERENCES = files("privboost.proofs_check") / "paper_references.json"

DISPLAYED = frozenset(
    {
        "algorithm",
        "corollary",
        "definition",
        "eqnarray",
        "eqnarray*",
        "figure",
        "figure*",
        "lemma",
        "remark",
        "table",
        "theorem",
    }
)
"""Environments that count as displays; the ledger must have an entry for each display."""

Display = dict[str, int | str]

NO_PAPER = "the paper's source is not beside the checkout, and PRIVBOOST_PAPER does not name it"

_TOKEN = re.compile(r"\\begin\{([a-z*]+)\}|\\end\{([a-z*]+)\}|\\label\{([^}]+)\}")
_REFERENCE = re.compile(r"(?:(Theorem|Lemma|Corollary|Definition|Figure|Table)[~\s]+)?\\ref\{([^}]+)\}")
_UNNUMBERED = re.compile(r"\\(?:sub)*section\*\{(?:[^{}]|\{[^{}]*\})*\}\s*\\label\{([^}]+)\}")


def paper_path() -> Path | None:
    """Return the path of the paper: PRIVBOOST_PAPER or a file beside the checkout, None if there is none."""
    named = os.environ.get("PRIVBOOST_PAPER")
    path = Path(named) if named else ROOT.parent / "shared" / "paper" / "paper.tex"
    return path if path.is_file() else None


def index_of(source: str) -> dict[str, dict[str, int | str]]:
    """Return the line and the innermost environment of the first occurrence of every label."""
    index: dict[str, dict[str, int | str]] = {}
    open_environments: list[str] = []
    for number, line in enumerate(source.splitlines(), start=1):
        for begin, end, label in _TOKEN.findall(line):
            if begin:
                open_environments.append(begin)
            elif end and open_environments:
                open_environments.pop()
            elif label and label not in index:
                environment = open_environments[-1] if open_environments else "section"
                index[label] = {"environment": environment, "line": number}
    return index


def displays_of(source: str) -> list[Display]:
    """Return the kind, first line and last line of every display, ordered by first line."""
    displays: list[Display] = []
    open_displays: list[Display] = []
    for number, line in enumerate(source.splitlines(), start=1):
        for begin, end, _ in _TOKEN.findall(line):
            if begin in DISPLAYED:
                open_displays.append({"kind": begin, "begin": number})
                displays.append(open_displays[-1])
            elif end in DISPLAYED:
                if not open_displays or open_displays[-1]["kind"] != end:
                    raise ValueError(f"line {number} ends a display '{end}' that is not open")
                open_displays.pop()["end"] = number
    if open_displays:
        raise ValueError(f"displays that never end: {open_displays}")
    return displays


def references_of(source: str) -> dict[str, list[list[int | str]]]:
    """Return the references that cannot be right, each with its label and its lines.

    They are called by another kind than the label has, or lead to a section without a number. Labels that are
    defined twice are listed too.
    """
    index, unnumbered = index_of(source), set(_UNNUMBERED.findall(source))
    wrong: dict[str, list[list[int | str]]] = {"another kind": [], "no number": [], "twice": []}
    for match in _REFERENCE.finditer(source):
        kind, label = match.groups()
        line = source.count("\n", 0, match.start(2)) + 1
        if kind and not str(index[label]["environment"]).startswith(kind.lower()):
            wrong["another kind"].append([label, line])
        if label in unnumbered:
            wrong["no number"].append([label, line])
    for label in index:
        lines = [n for n, text in enumerate(source.splitlines(), 1) if f"\\label{{{label}}}" in text]
        if len(lines) > 1:
            wrong["twice"].append([label, *lines])
    return wrong


def canonical(
    index: dict[str, dict[str, int | str]] | list[Display] | dict[str, list[list[int | str]]],
) -> str:
    """Return an index as canonical JSON."""
    return json.dumps(index, indent=1, sort_keys=True) + "\n"


def known_labels() -> dict[str, dict[str, int | str]]:
    """Return the committed index of labels."""
    index: dict[str, dict[str, int | str]] = json.loads(INDEX.read_text("utf-8"))
    return index


def known_displays() -> list[Display]:
    """Return the committed index of displays."""
    index: list[Display] = json.loads(DISPLAYS.read_text("utf-8"))
    return index


def write() -> None:
    """Write the indexes to the checkout, from the source of the paper."""
    path = paper_path()
    if path is None:
        raise SystemExit(NO_PAPER)
    source = path.read_text("utf-8")
    folder = ROOT / "proofs_check"
    (folder / INDEX.name).write_text(canonical(index_of(source)), "utf-8")
    (folder / DISPLAYS.name).write_text(canonical(displays_of(source)), "utf-8")
    (folder / REFERENCES.name).write_text(canonical(references_of(source)), "utf-8")


if __name__ == "__main__":
    write()
