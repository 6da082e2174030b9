"""Draw docs/architecture.svg from the table of folders, so that the picture cannot go stale.

Usage: python -m tools.architecture FILE.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path

from .layers import FOLDERS, Folder

WIDTH, GAP, LINE, PADDING = 330, 30, 17, 12
"""Width of a box and distance between boxes, height of a line and margin inside a box, in pixels."""
SHIFT = 150
"""How far from the middle of a box an arrow may start."""
CHARACTERS = 46
"""Characters to a line in a box."""
ARROW = 44
"""Height of the space between two levels, where the arrows are."""
HIDDEN_ROOMS = frozenset({"__init__", "__main__"})


def direct_imports(folders: Mapping[str, Folder]) -> dict[str, set[str]]:
    """Return the arrows to draw: the imports of a folder that no other import of it reaches already."""
    return {
        name: {
            target
            for target in folder.imports
            if not any(target in folders[other].imports for other in folder.imports)
        }
        for name, folder in folders.items()
    }


def levels(folders: Mapping[str, Folder]) -> list[list[str]]:
    """Return the folders by their height above the bottom, the bottom first."""
    height: dict[str, int] = {}
    for name, folder in folders.items():
        height[name] = 1 + max((height[target] for target in folder.imports), default=-1)
    return [[name for name in folders if height[name] == level] for level in range(max(height.values()) + 1)]


def columns(folders: Mapping[str, Folder]) -> dict[str, float]:
    """Return the column of each folder: in the middle of what it imports, one apart from its neighbours."""
    arrows, column = direct_imports(folders), dict[str, float]()
    for level in levels(folders):
        wanted = {
            name: sum(column[target] for target in arrows[name]) / len(arrows[name]) if arrows[name] else 1.0
            for name in level
        }
        ordered = sorted(level, key=lambda name: wanted[name])
        crowded = any(wanted[right] - wanted[left] < 1 for left, right in pairwise(ordered))
        first = sum(wanted.values()) / len(level) - (len(level) - 1) / 2
        column |= {name: first + index if crowded else wanted[name] for index, name in enumerate(ordered)}
    return column


def lines_of(folder: Folder) -> list[str]:
    """Return the rooms of a folder as lines of a box, lowest room first."""
    rooms = [room for room in folder.rooms if room not in HIDDEN_ROOMS]
    return textwrap.wrap(", ".join(rooms), CHARACTERS, break_long_words=False)


def draw(folders: Mapping[str, Folder]) -> str:
    """Return the picture: a box for each folder, an arrow for each import, users above what they use."""
    column, arrows = columns(folders), direct_imports(folders)
    left = min(column.values())
    top: dict[str, int] = {}
    height = {name: len(_rows(name, folder)) * LINE + 2 * PADDING for name, folder in folders.items()}
    y = GAP
    for level in reversed(levels(folders)):
        top |= dict.fromkeys(level, y)
        y += max(height[name] for name in level) + ARROW
    x = {name: round(GAP + (column[name] - left) * (WIDTH + GAP)) for name in folders}
    parts = []
    for name, targets in arrows.items():
        for target in sorted(targets):
            # An arrow starts at the side of the box that is nearer to its target.
            shift = max(-SHIFT, min(SHIFT, x[target] - x[name]))
            start = f"{x[name] + WIDTH // 2 + shift} {top[name] + height[name]}"
            end = f"{x[target] + WIDTH // 2} {top[target] - 4}"
            parts.append(f'<path d="M{start} L{end}" marker-end="url(#arrow)"/>')
    boxes = [_box(name, folder, x[name], top[name], height[name]) for name, folder in folders.items()]
    width = max(x.values()) + WIDTH + GAP
    return _document(width, y - ARROW + GAP, parts, boxes)


def _rows(name: str, folder: Folder) -> list[tuple[str, str]]:
    """Return the lines of a box, each with its style."""
    return [
        ("name", f"{name}/"),
        *(("purpose", line) for line in textwrap.wrap(folder.purpose, CHARACTERS)),
        *(("room", line) for line in lines_of(folder)),
    ]


def _box(name: str, folder: Folder, x: int, y: int, height: int) -> str:
    texts = [
        f'<text class="{kind}" x="{x + PADDING}" y="{y + PADDING + LINE * index + 13}">{escape(line)}</text>'
        for index, (kind, line) in enumerate(_rows(name, folder))
    ]
    return "\n".join([f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{height}" rx="6"/>', *texts])


def _document(width: int, height: int, arrows: Sequence[str], boxes: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="The folders of privboost and what each imports">'
    )
    style = (
        "<style>text{font:12px sans-serif;fill:#222}.name{font:bold 15px sans-serif}"
        ".purpose{font-style:italic}"
        ".room{fill:#555}rect{fill:#f6f8fa;stroke:#8c959f}"
        "path{stroke:#57606a;stroke-width:1.5;fill:none}</style>"
    )
    marker = (
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
        'orient="auto"><path d="M0 0L10 5L0 10z" style="fill:#57606a"/></marker></defs>'
    )
    ground = f'<rect width="{width}" height="{height}" style="fill:#fff;stroke:none"/>'
    return "\n".join([head, style, marker, ground, *arrows, *boxes, "</svg>", ""])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(FOLDERS), "utf-8")
