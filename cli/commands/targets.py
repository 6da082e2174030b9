"""List the mechanisms that an audit can name, with their arguments.

Arguments are written as in a call: name(key=value, …).
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from privboost.errors import UsageError
from privboost.printing import truncate
from privboost.tables import Table

if TYPE_CHECKING:
    from privboost.auditor.mechanisms.catalogue import ListedTarget

COLUMNS = ("target", "claim", "what it is")
MOST_ARGUMENTS, LONGEST_CLAIM = 12, 24
"""Maximum number of arguments, and of characters of a claim, in a row; JSON has all."""

OWN = {
    "module": ("module:name(key=value)", "a Python function of (data, rng), or an object with call or batch"),
    "file": ("folder/file.py:name(key=value)", "the same, in a module that is given by its file"),
    "estimator": ("estimator:module.Class(key=value)", "an estimator with fit(X, y), also as --estimator"),
    "cmd": ("cmd:./program", "a program that reads and writes JSON lines; audit --skeleton prints one"),
    "exec": (
        "exec:./program {input}",
        "a program that reads a file and prints its output; also {input.csv}, {seed}",
    ),
}
"""Targets of the user: how they are written, and what they are."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the kind of targets."""
    parser.add_argument("kind", nargs="?", metavar="KIND", help="list one kind only, such as bank")


def run(options: argparse.Namespace) -> Table:
    """Return the targets of one kind, or of all kinds."""
    from privboost.auditor.mechanisms.catalogue import KINDS, list_targets

    kinds = (*OWN, *KINDS)
    if options.kind is not None and options.kind not in kinds:
        raise UsageError(f"KIND: expected one of {', '.join(kinds)}, got {options.kind!r}")
    chosen = kinds if options.kind is None else (options.kind,)
    listed = [entry for kind in chosen if kind in KINDS for entry in list_targets(kind)]
    own = [(OWN[kind][0], "", OWN[kind][1]) for kind in chosen if kind in OWN]
    rows = (*own, *map(_row, listed))
    summary = f"{len(rows)} target{'' if len(rows) == 1 else 's'}"
    if any(map(_is_learner, listed)):
        from privboost.auditor.mechanisms.learners import SETTINGS

        expected = (f"  {name}: {values}" for name, values in SETTINGS.items())
        summary = "\n".join((f"{summary}; key=value stands for:", *expected))
    document = {"targets": [asdict(entry) for entry in listed]}
    return Table("targets", COLUMNS, rows, summary=summary, document=document)


def _is_learner(entry: ListedTarget) -> bool:
    """Return whether a target is a learner under a protocol, which has too many arguments for a row."""
    return len(entry.arguments) > MOST_ARGUMENTS


def _row(entry: ListedTarget) -> tuple[str, str, str]:
    named = "key=value, …" if _is_learner(entry) else ", ".join(entry.arguments)
    arguments = f"({named})" if named else ""
    project = entry.name.partition(":")[0]
    missing = "" if entry.installed else f" Not available here: pip install {project}"
    return entry.name + arguments, truncate(entry.claim, LONGEST_CLAIM), f"{entry.purpose}{missing}"
