"""The index of the paper's labels: name, line and environment, made from its source where that is at hand."""

from __future__ import annotations

import json
import os
import re
from importlib.resources import files
from pathlib import Path

from .checkout import ROOT

INDEX = files("privboost.proofs_check") / "paper_labels.json"

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


def canonical(index: dict[str, dict[str, int | str]]) -> str:
    """Return the index as canonical JSON."""
    return json.dumps(index, indent=1, sort_keys=True) + "\n"


def known_labels() -> dict[str, dict[str, int | str]]:
    """Return the committed index."""
    index: dict[str, dict[str, int | str]] = json.loads(INDEX.read_text("utf-8"))
    return index
