"""Run the sessions of a Markdown page and compare what they print with what the page shows.

A block of code whose first line is a comment with a file name is written to that file. In a block marked
`console`, every line that begins with `$ ` is run by the shell, and the lines after it are what it prints. A
line that is an ellipsis stands for any lines, and an ellipsis inside a line for any characters, together with
the spaces around it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ELLIPSIS = "…"
GAP = re.compile(f" *{ELLIPSIS} *")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"(?:#|//) ([\w-]+\.\w+)\n")


def files_of_page(page: str) -> dict[str, str]:
    """Return the files that the blocks of a page say to write, by name."""
    return {name[1]: block for _, block in BLOCK.findall(page) if (name := FILE.match(block))}


def console_examples(page: str) -> list[list[tuple[str, list[str]]]]:
    """Return the console blocks of a Markdown page: their commands with the lines that each prints."""
    return [_commands(block) for language, block in BLOCK.findall(page) if language == "console"]


def _commands(block: str) -> list[tuple[str, list[str]]]:
    pieces = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    lines = [piece.splitlines() for piece in pieces]
    return [(first.partition("  #")[0].strip(), output) for first, *output in lines]


def is_shown(printed: str, shown: list[str]) -> bool:
    """Return whether an output is the one that is shown, up to ellipses."""
    pattern = "\n".join(
        r"[\s\S]*" if line == ELLIPSIS else ".*".join(map(re.escape, GAP.split(line))) for line in shown
    )
    return bool(re.fullmatch(pattern, "\n".join(map(str.rstrip, printed.strip("\n").splitlines()))))


def differences(page: str, folder: Path) -> Iterator[str]:
    """Run the blocks of a page in a folder, and yield the commands that print something else, with that."""
    for language, block in BLOCK.findall(page):
        if language == "console":
            for command, shown in _commands(block):
                printed = run(command, folder)
                if not is_shown(printed, shown):
                    yield f"$ {command}\n{printed}"
        elif name := FILE.match(block):
            (folder / name[1]).write_text(block, "utf-8")


def run(command: str, folder: Path) -> str:
    """Run a command with the programs of this environment, and return what it writes to standard output."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.stdout
