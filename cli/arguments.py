"""Arguments that several commands take: exact numbers, seeds, workers and output folders."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from privboost.tables import Format

LONGEST_NUMBER = 60
"""More characters than any sensible argument has; a bound on the work that a command line can ask for."""

_NUMBER = re.compile(r"[+-]?(\d+/\d*[1-9]\d*|\d+(\.\d*)?|\.\d+)", re.ASCII)


def exact_number(text: str) -> Fraction:
    """Read a rational number such as 3/8, 0.375 or -2."""
    if len(text) > LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"expected a number such as 3/8, 0.375 or -2, got '{text}'")
    return Fraction(text)


def number_between(least: int, greatest: int) -> Callable[[str], Fraction]:
    """Return a reader of rational numbers in a range."""

    def read(text: str) -> Fraction:
        number = exact_number(text)
        if not least <= number <= greatest:
            expected = f"a number from {least} to {greatest}"
            raise argparse.ArgumentTypeError(f"expected {expected}, got '{text}'")
        return number

    return read


unit_number = number_between(0, 1)


def whole_number(least: int, greatest: int) -> Callable[[str], int]:
    """Return a reader of whole numbers in a range."""

    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,9}", text, re.ASCII) or not least <= int(text) <= greatest:
            expected = f"a whole number from {least} to {greatest}"
            raise argparse.ArgumentTypeError(f"expected {expected}, got '{text}'")
        return int(text)

    return read


def seed(text: str) -> int:
    """Read a seed: an integer of at most 39 digits, which is enough for 128 bits."""
    if not re.fullmatch(r"\d{1,39}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"expected a whole number of at most 39 digits, got '{text}'")
    return int(text)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the option that sets the count of processes."""
    parser.add_argument(
        "--jobs",
        type=whole_number(1, 256),
        default=usable_cores(),
        metavar="N",
        help="processes to use (default: the usable cores)",
    )


def add_output(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the option that names the folder to write to."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=required,
        metavar="DIR",
        help="the folder to write to, made if missing",
    )


def add_workers(parser: argparse.ArgumentParser, default: int, what: str) -> None:
    """Add the options that choose workers; `what` is the verb of their help."""
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument(
        "--jobs",
        type=whole_number(1, 256),
        default=default,
        metavar="N",
        help=f"processes that {what} (default {default})",
    )
    workers.add_argument("--dask", metavar="ADDRESS", help=f"{what} on the workers of a Dask cluster")


def common_options() -> argparse.ArgumentParser:
    """Return a parent of parsers with the options that every command has."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument(
        "--format", choices=[style.value for style in Format], help="text (default), json or markdown"
    )
    common.add_argument("--debug", action="store_true", help="show where an unexpected error comes from")
    return common


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
