"""Indexes of the paper, made from its source where that is at hand: its labels, and its displays.

Both hold facts alone, no text of the paper: a label's name, line and environment, and the kind and the first
and last line of every display. `python -m privboost.oracle_tests.support.paper_index` writes them anew.
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
"""The environments that are displays; each must be met by an entry of the ledger."""

Display = dict[str, int | str]

NO_PAPER = "the paper's source is not beside the checkout, and PRIVBOOST_PAPER does not name it"

_TOKEN = re.compile(r"\\begin\{([a-z*]+)\}|\\end\{([a-z*]+)\}|\\label\{([^}]+)\}")


def paper_path() -> Path | None:
    """Return the paper's source, named by PRIVBOOST_PAPER or beside the checkout, or None."""
    named = os.environ.get("PRIVBOOST_PAPER")
    path = Path(named) if named else ROOT.parent / "shared" / "paper" / "paper.tex"
    return path if path.is_file() else None


def index_of(source: str) -> dict[str, dict[str, int | str]]:
    """Return the line and the innermost environment of every label; the first line of a repeated one."""
    found: dict[str, dict[str, int | str]] = {}
    open_environments: list[str] = []
    for number, line in enumerate(source.splitlines(), start=1):
        for begin, end, label in _TOKEN.findall(line):
            if begin:
                open_environments.append(begin)
            elif end and open_environments:
                open_environments.pop()
            elif label and label not in found:
                around = open_environments[-1] if open_environments else "section"
                found[label] = {"environment": around, "line": number}
    return found


def displays_of(source: str) -> list[Display]:
    """Return kind, first and last line of every display, in the order of their first lines."""
    found: list[Display] = []
    open_displays: list[Display] = []
    for number, line in enumerate(source.splitlines(), start=1):
        for begin, end, _ in _TOKEN.findall(line):
            if begin in DISPLAYED:
                open_displays.append({"kind": begin, "begin": number})
                found.append(open_displays[-1])
            elif end in DISPLAYED:
                if not open_displays or open_displays[-1]["kind"] != end:
                    raise ValueError(f"line {number} ends a display '{end}' that is not open")
                open_displays.pop()["end"] = number
    if open_displays:
        raise ValueError(f"displays that never end: {open_displays}")
    return found


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
    """Write both indexes into the checkout, from the paper's source."""
    path = paper_path()
    if path is None:
        raise SystemExit(NO_PAPER)
    source = path.read_text("utf-8")
    folder = ROOT / "proofs_check"
    (folder / INDEX.name).write_text(canonical(index_of(source)), "utf-8")
    (folder / DISPLAYS.name).write_text(canonical(displays_of(source)), "utf-8")


if __name__ == "__main__":
    write()
