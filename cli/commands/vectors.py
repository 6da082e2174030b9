"""Write the test vectors, or compare a folder with them."""

from __future__ import annotations

import argparse
from pathlib import Path

from privboost.cli.arguments import add_option
from privboost.errors import UsageError
from privboost.files import prepare_directory, write_files
from privboost.gate.profiles import DEFAULT_PROFILE, MODULES, load_profile
from privboost.progress import counting
from privboost.tables import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the profile, and the folder that is written or checked."""
    parser.add_argument(
        "--profile",
        choices=tuple(MODULES),
        default=DEFAULT_PROFILE,
        help=f"profile of the gate (default {DEFAULT_PROFILE})",
    )
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="write the test vectors to this folder"
    )
    add_option(
        action, "--check DIR", Path, "compare the files in this folder with the test vectors, byte by byte"
    )


def run(options: argparse.Namespace) -> Table:
    """Write or compare the files, and return one row for each."""
    from privboost.gate.vectors.generate import compare_vectors, vector_files

    profile = load_profile(options.profile)
    if options.output is not None:
        prepare_directory(options.output)
        with counting("cases computed") as watch:
            contents = vector_files(profile, watch)
        written = write_files(options.output, contents)
        return Table("vectors", ("file",), tuple((str(path),) for path in written))
    if not options.check.is_dir():
        kind = "a file" if options.check.exists() else "nothing"
        raise UsageError(f"argument --check: expected a folder, got {kind} at '{options.check}'")
    with counting("cases computed") as watch:
        differences = compare_vectors(profile, options.check, watch)
    rows = tuple(
        (str(options.check / name), difference or "same") for name, difference in differences.items()
    )
    different = sum(bool(difference) for difference in differences.values())
    summary = f"{len(rows)} files, {different} different"
    return Table("vectors", ("file", "difference"), rows, conforming=not different, summary=summary)
