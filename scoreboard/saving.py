"""The files of a scoreboard, made from its index."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .index import to_markdown
from .page import board_page, library_page


def render_files(index: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the content of every file, by name."""
    pages = {f"{each['name']}.html": library_page(index, each) for each in index["libraries"]}
    texts = {
        "index.json": json.dumps(index, indent=1) + "\n",
        "scoreboard.md": to_markdown(index),
        "index.html": board_page(index),
        **pages,
    }
    return {name: content.encode() for name, content in texts.items()}
