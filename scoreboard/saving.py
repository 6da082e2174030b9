"""The files of a scoreboard, made from its index."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privboost.files import read_file, write_files

from .findings import find_refuted, to_findings, witness_name
from .index import to_markdown
from .page import board_page, library_page
from .public import to_public_markdown

WITNESSES = "findings"
"""The folder with the witness files of public findings."""


def save_scoreboard(index: Mapping[str, Any], output: Path) -> None:
    """Write the pages, the index and the findings to a folder, which has the results of the runs.

    Ensures: its folder of witnesses has those of the public findings only.
    """
    write_files(output, render_files(index))
    findings = find_refuted(index, public=True)
    folders = {witness_name(*each): output / Path(each[1]["page"]).parent for each in findings}
    witnesses = {name: read_file(folder / "witness.json") for name, folder in folders.items()}
    write_files(output / WITNESSES, witnesses)
    for path in (output / WITNESSES).glob("*.json"):
        if path.name not in witnesses:
            path.unlink()


def render_files(index: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the content of every page and of the index, by name."""
    pages = {f"{each['name']}.html": library_page(index, each) for each in index["libraries"]}
    texts = {
        "index.json": json.dumps(index, indent=1) + "\n",
        "scoreboard.md": to_markdown(index),
        "public.md": to_public_markdown(index),
        "findings.md": to_findings(index, public=True),
        "unpublished.md": to_findings(index, public=False),
        "index.html": board_page(index),
        **pages,
    }
    return {name: content.encode() for name, content in texts.items()}
