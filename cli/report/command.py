"""Write the report: figure, losses, errata, proofs, and the gate, audits and calibration run anew."""

from __future__ import annotations

import argparse
import sys

from privboost.cli.arguments import add_output
from privboost.tables import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_output(parser)


def run(options: argparse.Namespace) -> Table:
    """Write the report and return its first page."""
    from .everything import SECTIONS, write_report
    from .live_checks import CHECKS

    sections = (*SECTIONS, *CHECKS)
    index = write_report(
        options.output, progress=lambda line: print(line, file=sys.stderr), sections=sections
    )
    return Table("report", ("file",), ((str(index),),))
