"""Write the report: what the paper states about its losses, what is wrong there, and the figure."""

from __future__ import annotations

import argparse
import sys

from privboost.arguments import add_output
from privboost.tables import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_output(parser)


def run(options: argparse.Namespace) -> Table:
    """Write the report and return its first page."""
    from privboost.report import write_report

    index = write_report(options.output, progress=lambda line: print(line, file=sys.stderr))
    return Table("report", ("file",), ((str(index),),))
