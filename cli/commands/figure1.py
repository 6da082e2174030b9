"""Draw Figure 1 of the paper (the Mα-loss) from exact values."""

from __future__ import annotations

import argparse

from privboost.cli.arguments import add_output
from privboost.extras import demand
from privboost.printing import say
from privboost.tables import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder of the pictures."""
    add_output(parser)


def run(options: argparse.Namespace) -> Table:
    """Write the figure and return the list of files."""
    demand("figure1", "matplotlib")
    from privboost.symbolic.figure1.write import write_figure1

    written = write_figure1(options.output, progress=say)
    return Table("figure1", ("file",), tuple((str(path),) for path in written))
