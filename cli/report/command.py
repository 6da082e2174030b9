"""Write one HTML page with the results of all checks.

It begins with the verdict of each part. It shows the errata and the proof ledger, the losses and Figure 1.
A gate, several audits and a short calibration are run for it.
"""

from __future__ import annotations

import argparse

from privboost.cli.arguments import add_output
from privboost.extras import demand
from privboost.printing import say
from privboost.tables import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder of the pages, which is required."""
    add_output(parser)


def run(options: argparse.Namespace) -> Table:
    """Write the report and return its path."""
    demand("report", "z3", "sympy", "matplotlib")
    from .everything import SECTIONS, write_report
    from .live_checks import CHECKS

    # The figure and the formulas of the losses come last.
    sections = (*SECTIONS[:3], *CHECKS, *SECTIONS[3:])
    index = write_report(options.output, progress=say, sections=sections)
    return Table("report", ("file",), ((str(index),),))
