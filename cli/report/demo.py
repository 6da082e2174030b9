"""Show on one page what privboost does: refute a claim, name a mistake, train a private model.

No data and no options are needed, and it takes about a minute. The page is opened in the browser.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from privboost.cli.arguments import add_output
from privboost.cli.exit_codes import INTERRUPTED
from privboost.files import prepare_directory, write_files
from privboost.pages import Html, badge, code, element, page
from privboost.printing import say
from privboost.progress import Watch, timing
from privboost.tables import Table
from privboost.workers.interrupts import ignore_further_stops

from .part import ReportPart, bad, good, parts_table

FOLDER, PAGE = Path("privboost-demo"), "index.html"
TITLE = "privboost demo"
NEXT = (
    ("privboost example gate", "write a first implementation, for privboost gate first:First"),
    ("privboost example audit", "write a first mechanism, for privboost audit mine:noisy_sum"),
    ("privboost.fast in Python", "train on your own rows"),
    ("privboost prove lemI", "judge claims of the paper; needs the extra 'proofs'"),
    ("make site", "in a checkout: tutorials for each of these, step by step"),
    ("privboost --help", "list all commands"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder of the page, which is optional."""
    add_output(parser, required=False)
    parser.add_argument("--no-open", action="store_true", help="do not open the page in a browser")


def run(options: argparse.Namespace) -> Table:
    """Run all parts, write the page and open it; after an interrupt, with the parts that are complete."""
    from .demo_parts import PARTS

    directory = options.output or FOLDER
    prepare_directory(directory)
    parts: list[ReportPart] = []
    started = time.monotonic()

    def line(aim: str) -> str:
        used = timing(time.monotonic() - started, len(parts), len(PARTS))
        return f"demo, part {len(parts) + 1} of {len(PARTS)}: {aim}; {used}"

    try:
        for aim, build in PARTS.items():
            say(line(aim))
            with Watch(lambda _, aim: line(aim), steady=True) as watch:
                watch(aim)
                parts.append(build())
    except KeyboardInterrupt:
        ignore_further_stops()
        say("demo interrupted; the page has the parts that are complete")

    def write() -> None:
        path = _write_page(directory, parts, len(PARTS))
        if not options.no_open and _has_display():
            webbrowser.open(path.resolve().as_uri())

    rows = tuple((part.section.title, f"{part.summary}.") for part in parts)
    is_good = all(part.as_expected for part in parts)
    code_of_exit = INTERRUPTED if len(parts) < len(PARTS) else None
    summary = f"The page: {directory / PAGE}"
    return Table("demo", ("part", "result"), rows, is_good, summary, code_of_exit, write=write)


def _write_page(directory: Path, parts: Sequence[ReportPart], count: int) -> Path:
    header = element(
        "header",
        element("h1", TITLE),
        element("p", *_verdict(parts, count), class_="verdict"),
        parts_table("What was run for this page.", parts),
        element("h2", "Go on"),
        element("ul", *(element("li", code(command), f": {aim}.") for command, aim in NEXT)),
    )
    content = page(TITLE, header, [part.section for part in parts], contents=False)
    (path,) = write_files(directory, {PAGE: content.encode("utf-8")})
    return path


def _verdict(parts: Sequence[ReportPart], count: int) -> tuple[Html, str]:
    wrong = [part.section.title for part in parts if not part.as_expected]
    if wrong:
        return bad("NOT AS EXPECTED"), f" Look at: {', '.join(wrong)}."
    if len(parts) < count:
        return badge("warn", "?", "INTERRUPTED"), f" {len(parts)} of {count} parts are complete."
    return good("AS EXPECTED"), f" All {count} parts came out as they should."


def _has_display() -> bool:
    """Return whether a browser with a window can be opened."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
