"""Arguments that several commands share: exact numbers, seeds, workers and output folders."""

from __future__ import annotations

import argparse
import os
import re
import textwrap
from collections.abc import Callable
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

from privboost.tables import Format

LONGEST_NUMBER = 60
"""Maximum number of characters, which bounds the cost of exact arithmetic."""

_ENTRY = re.compile(r"(\s+\S.*?\s{2,})(\S.*)")
_NUMBER = re.compile(r"[+-]?(\d+/\d*[1-9]\d*|\d+(\.\d*)?|\.\d+)", re.ASCII)


class HelpFormatter(argparse.HelpFormatter):
    """Wrap help to the width of the terminal: paragraphs, and entries of a list in their columns."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Return paragraphs and indented entries, each wrapped by itself."""
        lines: list[str] = []
        for is_entry, block in groupby(text.splitlines(), lambda line: line[:1] in {"", " "}):
            parts = list(block)
            parts = parts if is_entry else [" ".join(parts)]
            lines += [wrapped for part in parts for wrapped in _wrap_entry(part, width) or [""]]
        return "".join(f"{indent}{line}\n" for line in lines)

    def _format_usage(self, *arguments: Any) -> str:
        """Return the usage; a group of options that exclude each other is not one word."""
        usage = super()._format_usage(*arguments)
        width = self._width - self._current_indent
        return "".join(
            f"{wrapped}\n" for line in usage.splitlines() for wrapped in _wrap_entry(line, width) or [""]
        )


def _wrap_entry(line: str, width: int) -> list[str]:
    """Wrap a line; what follows its first column of names, or its indent, stays to the right of it."""
    entry = _ENTRY.fullmatch(line)
    begin, rest = entry.groups() if entry else (line[: len(line) - len(line.lstrip())], line.lstrip())
    return textwrap.wrap(
        rest,
        width,
        initial_indent=begin,
        subsequent_indent=" " * len(begin),
        break_long_words=False,
        break_on_hyphens=False,
    )


def exact_number(argument: str) -> Fraction:
    """Parse a rational number such as 3/8, 0.375 or -2."""
    if len(argument) > LONGEST_NUMBER or not _NUMBER.fullmatch(argument):
        raise argparse.ArgumentTypeError(f"expected a number such as 3/8, 0.375 or -2, got '{argument}'")
    return Fraction(argument)


def number_between(least: int, greatest: int) -> Callable[[str], Fraction]:
    """Return a parser for rational numbers in a range."""

    def read(argument: str) -> Fraction:
        number = exact_number(argument)
        if not least <= number <= greatest:
            expected = f"a number from {least} to {greatest}"
            raise argparse.ArgumentTypeError(f"expected {expected}, got '{argument}'")
        return number

    return read


unit_number = number_between(0, 1)


def whole_number(least: int, greatest: int) -> Callable[[str], int]:
    """Return a parser for integers in a range."""

    def read(argument: str) -> int:
        if not re.fullmatch(r"\d{1,9}", argument, re.ASCII) or not least <= int(argument) <= greatest:
            expected = f"a whole number from {least} to {greatest}"
            raise argparse.ArgumentTypeError(f"expected {expected}, got '{argument}'")
        return int(argument)

    return read


def seed(argument: str) -> int:
    """Parse a seed: an integer of at most 39 digits, which is enough for 128 bits."""
    if not re.fullmatch(r"\d{1,39}", argument, re.ASCII):
        raise argparse.ArgumentTypeError(f"expected a whole number of at most 39 digits, got '{argument}'")
    return int(argument)


def add_option(
    parser: argparse._ActionsContainer,
    name: str,
    kind: Callable[[str], object],
    purpose: str,
    *,
    default: object = None,
    action: str = "store",
) -> None:
    """Add an option with a value, such as '--size N'; its help ends with the default if there is one."""
    option, metavar = name.split(" ", 1)
    if default not in (None, "", []):
        purpose += f" (default {default:g})" if isinstance(default, float) else f" (default {default})"
    parser.add_argument(option, type=kind, metavar=metavar, help=purpose, default=default, action=action)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the option --jobs."""
    parser.add_argument(
        "--jobs",
        type=whole_number(1, 256),
        default=usable_cores(),
        metavar="N",
        help="number of processes (default: number of usable cores)",
    )


def add_output(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the option --output."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=required,
        metavar="DIR",
        help="output folder, created if it does not exist",
    )


def add_workers(parser: argparse.ArgumentParser, default: int, task: str) -> None:
    """Add the options --jobs and --dask; `task` describes in their help what the workers do."""
    workers = parser.add_mutually_exclusive_group()
    add_option(workers, "--jobs N", whole_number(1, 256), f"{task} in N processes", default=default)
    add_option(workers, "--dask ADDRESS", str, f"{task} on a Dask cluster, given by its scheduler")


def common_options() -> argparse.ArgumentParser:
    """Return a parent parser with the options of every command."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument(
        "--format", choices=[style.value for style in Format], help="output format (default text)"
    )
    common.add_argument("--debug", action="store_true", help="print the traceback of an unexpected error")
    return common


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
