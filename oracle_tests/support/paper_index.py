"""Indexes of the labels and the displays in the LaTeX source of the paper.

They contain no text of the paper: only the name, line and environment of each label, and the kind, first line
and last line of each display. `python -m privboost.oracle_tests.support.paper_index` writes them.
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


def canonical(index: dict[str, dict[str, int | str]] | list[Display]) -> str:
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
    """Write both indexes to the checkout, from the source of the paper."""
    path = paper_path()
    if path is None:
        raise SystemExit(NO_PAPER)
    source = path.read_text("utf-8")
    folder = ROOT / "proofs_check"
    (folder / INDEX.name).write_text(canonical(index_of(source)), "utf-8")
    (folder / DISPLAYS.name).write_text(canonical(displays_of(source)), "utf-8")


if __name__ == "__main__":
    write()
