"""Write the files of an example, so that the commands of the documentation run in an empty folder."""

from __future__ import annotations

import argparse
from importlib import resources
from pathlib import Path

from privboost.cli.arguments import add_output
from privboost.errors import HarnessError, UsageError
from privboost.files import prepare_directory, write_files
from privboost.tables import Table

EXAMPLES = {
    "audit": "a function with a false claim, a pair of inputs and a made-up table (docs/audit.md)",
    "programs": "a mechanism in C and in JavaScript, and a program that reads a file (docs/audit.md)",
    "gate": "a Python class with a mistake, a small program, a list of known failures (docs/gate.md)",
    "port": "the whole protocol of the gate in JavaScript (docs/gate.md)",
    "adapters": "short programs that put other libraries behind the protocol (docs/scoreboard.md)",
    "auditors": "short programs that put other auditors behind the protocol (docs/calibrate.md)",
    "starter": "20 cases for a library, and programs that run them without privboost (docs/starter.md)",
    "study": "a made-up table and its schema (docs/study.md)",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the name of the example and the folder to write it to."""
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help=f"one of {', '.join(EXAMPLES)} (default: list them)"
    )
    add_output(parser, required=False)


def run(options: argparse.Namespace) -> Table:
    """Write the files of an example and return their paths, or list the examples."""
    if options.name is None:
        if options.output:
            raise UsageError("--output: expected NAME with it")
        return Table("example", ("name", "what it is"), tuple(EXAMPLES.items()))
    if options.name not in EXAMPLES:
        raise UsageError(f"NAME: expected one of {', '.join(EXAMPLES)}, got '{options.name}'")
    contents, directory = files_of(options.name), options.output or Path()
    for name, content in contents.items():
        path = directory / name
        if path.exists() and not (path.is_file() and path.read_bytes() == content):
            raise UsageError(f"{path}: expected no such file, or that of the example; it is not overwritten")
    prepare_directory(directory)
    written = write_files(directory, contents)
    return Table("example", ("file",), tuple((str(path),) for path in written))


def files_of(name: str) -> dict[str, bytes]:
    """Return the files of an example by name."""
    installed = Path(str(resources.files("privboost"))).resolve()
    # In a checkout the folder stands beside that of the root package.
    candidates = (installed / "examples" / name, installed.parent / "examples" / name)
    for folder in candidates:
        if folder.is_dir():
            return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
    raise HarnessError(f"examples: expected the folder '{candidates[0]}', which was not installed")
